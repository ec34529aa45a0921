"""WordNet 3.0 as METEOR needs it: the synonyms of a word, base forms found as nltk finds them.

``scorer data fetch wordnet`` makes one file out of WordNet's own (``make.py``), the same bytes
wherever they come from; it is read here if its digest is the right one. G. A. Miller, "WordNet: a
lexical database for English", CACM 38(11), 1995.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer.core.errors import NotMeasured
from scorer.core.files import sha256
from scorer.models.known import Machine

FILE = "synonyms.tsv"
DIGEST = "3c3060ed50607d614faa21e7f5e25a92516ad3958dfde96d5a01ea1b5dfc3b33"
"""SHA-256 of that file made from WordNet 3.0."""

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""WordNet's letter for a part of speech, and how its files are called."""

# nltk/corpus/reader/wordnet.py (3.4.5), MORPHOLOGICAL_SUBSTITUTIONS; WordNet's own morphy(7WN).
_ENDINGS = {
    "n": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
          ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
          ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


@dataclass(frozen=True)
class Lexicon:
    """What is known of a lexicon before it is read."""

    name: str
    weights: str
    """SHA-256 of its file."""
    source: None = None
    """It is looked for in the data's home."""

    def tag(self, digest: str, machine: Machine) -> str:
        """Its part of a signature; the same on any machine."""
        return f"lexicon:{self.name}-{digest[:12]}"


INFO = Lexicon("wordnet", DIGEST)


@dataclass(frozen=True)
class WordNet:
    """The synonyms of every word, read from one file."""

    names: Mapping[str, str]
    """``n dog`` -> the names of all its synsets that are one word, with a blank between two."""
    irregular: Mapping[str, str]
    """``n geese`` -> its base forms, with a blank between two."""
    _known: dict[str, frozenset[str]]

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> WordNet:
        """Read lines of two columns; in the first, an exclamation mark stands before an exception.

        >>> tiny = WordNet.of_lines(["n mouse\\tmouse shiner", "!n mice\\tmouse"])
        >>> sorted(tiny.synonyms("mice"))
        ['mouse', 'shiner']
        """
        names = dict(line.split("\t") for line in lines)
        marked = [key for key in names if key[0] == "!"]
        return cls(names, {key[1:]: names.pop(key) for key in marked}, {})

    def synonyms(self, word: str) -> frozenset[str]:
        """Every name without a blank of every synset of a lower-cased word or of its base forms.

        The word itself is among them only if WordNet has it as it stands. As nltk 3.4.5's
        ``wordnet.synsets(word)`` gives them: nouns, verbs, adjectives and adverbs.
        """
        if word not in self._known:
            self._known[word] = frozenset(
                name
                for part in PARTS
                for form in self._base_forms(word, part)
                for name in self.names[f"{part} {form}"].split()
            )
        return self._known[word]

    def _base_forms(self, word: str, part: str) -> Iterator[str]:
        """Those of an exception; else the word and what cutting an ending once gives.

        Only where WordNet has none of these is cut again.
        """
        exceptions = self.irregular.get(f"{part} {word}")
        if exceptions is not None:
            return self._known_forms([word, *exceptions.split()], part)
        shorter = _cut([word], part)
        forms = [*self._known_forms([word, *shorter], part)]
        while shorter and not forms:
            shorter = _cut(shorter, part)
            forms = [*self._known_forms(shorter, part)]
        return iter(forms)

    def _known_forms(self, forms: Iterable[str], part: str) -> Iterator[str]:
        return (form for form in dict.fromkeys(forms) if f"{part} {form}" in self.names)


def _cut(forms: Iterable[str], part: str) -> list[str]:
    return [
        form[: -len(old)] + new
        for form in forms
        for old, new in _ENDINGS[part]
        if form.endswith(old)
    ]


def folder(home: Path) -> Path:
    """Where ``scorer data fetch wordnet`` puts it."""
    return home / "data" / INFO.name


def read(root: Path) -> WordNet:
    """The WordNet of a folder. Raises NotMeasured if it is not there or not WordNet 3.0."""
    path = root / FILE
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise NotMeasured("WordNet 3.0 is not at hand; run: scorer data fetch wordnet") from fault
    value = sha256(content)
    if value != DIGEST:
        raise NotMeasured(f"WordNet's file has SHA-256 {value[:12]}..., expected {DIGEST[:12]}...; "
                          "run: scorer data fetch wordnet")
    return WordNet.of_lines(content.decode().rstrip("\n").split("\n"))
