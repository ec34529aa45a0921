"""The Porter stemmer as nltk runs it by default, on which ROUGE with a stemmer rests.

Reproduces ``nltk.stem.porter.PorterStemmer()`` (mode NLTK_EXTENSIONS, nltk 3.10.4) for every word
without an asterisk; the tests compare the two on some ten thousand words. The algorithm is
M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, 130-137; nltk departs from
the paper in a table of irregular words, in steps 1a, 1b, 1c and 2, and in leaving words of one or
two letters alone. Each departure is named where it happens.

Terms of the paper: a vowel is a, e, i, o, u, or a y after a consonant; the *measure* of a word is
how often a vowel is directly followed by a consonant in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

WORDS_KEPT = 2**15
"""Stems remembered between calls; the oldest go first."""


class _Kinds(dict[int, str]):
    """Code point to 'v' or 'y'; every other character is a consonant, 'c'."""

    def __missing__(self, key: int) -> str:
        return "c"


_KINDS = _Kinds({ord("y"): "y"} | {ord(vowel): "v" for vowel in "aeiou"})
_OTHER = {"v": "c", "c": "v"}

# nltk: `irregular_forms` in nltk/stem/porter.py
_IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed",
    "exceed": "exceed", "succeed": "succeed",
}

# The tables of steps 2, 3 and 4 of the paper. In each, the longest suffix decides.
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "bli": "ble",  # paper: abli -> able
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al",
    "iviti": "ive", "biliti": "ble",
    "fulli": "ful",  # nltk only
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "",
           "ness": ""}
_STEP_4 = dict.fromkeys(("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment",
                         "ent", "ou", "ism", "ate", "iti", "ous", "ive", "ize"), "")
_LONGEST, _SHORTEST = 7, 2


def _shape(word: str) -> str:
    """The word with every consonant as 'c' and every vowel as 'v'.

    >>> _shape("syzygy"), _shape("toy"), _shape("yyy")
    ('cvcvcv', 'cvc', 'cvc')
    """
    kinds = word.translate(_KINDS)
    if "y" not in kinds:
        return kinds
    shape = []
    last = "v"
    for kind in kinds:
        last = kind if kind != "y" else _OTHER[last]
        shape.append(last)
    return "".join(shape)


def _measure(word: str) -> int:
    """How often a vowel is directly followed by a consonant.

    >>> [_measure(word) for word in ("tree", "trouble", "troubles", "")]
    [0, 1, 2, 0]
    """
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x, y at the end; nltk: or just vowel, consonant."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _replace(word: str, rules: Mapping[str, str], least: int) -> str:
    """The longest listed suffix replaced, if what stands before it has at least that measure."""
    for length in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        replacement = rules.get(word[-length:])
        if replacement is not None:
            before = word[:-length]
            return before + replacement if _measure(before) >= least else word
    return word


def _step_1a(word: str) -> str:
    """Plural s. nltk: a word of four letters keeps the e of its -ies (dies, die)."""
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _step_1b(word: str) -> str:
    """-eed, -ed and -ing. nltk: -ied becomes -i, or -ie in a word of four letters."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            before = word[: -len(suffix)]
            return _mend(before) if "v" in _shape(before) else word
    return word


def _mend(word: str) -> str:
    """The ending put right after -ed or -ing was cut: hopp, hop; fil, file; conflat, conflate."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    shape = _shape(word)
    if len(word) > 1 and word[-1] == word[-2] and shape[-1] == "c":
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if shape.count("vc") == 1 and _ends_short(word) else word


def _step_1c(word: str) -> str:
    """-y to -i. nltk: after a consonant that is not the first letter (paper: after any vowel)."""
    if word.endswith("y") and len(word) > 2 and _shape(word)[-2] == "c":
        return word[:-1] + "i"
    return word


def _step_2(word: str) -> str:
    """Double suffixes. nltk: -alli goes first, then the rest; -logi counts its l with the stem."""
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace(word, _STEP_2, 1)


def _step_4(word: str) -> str:
    """Single suffixes after a measure of two; -ion only after s or t."""
    if word.endswith("ion"):
        before = word[:-3]
        return before if before.endswith(("s", "t")) and _measure(before) > 1 else word
    return _replace(word, _STEP_4, 2)


def _step_5(word: str) -> str:
    """A final -e, then one l of a final -ll."""
    if word.endswith("e"):
        before = word[:-1]
        measure = _measure(before)
        if measure > 1 or (measure == 1 and not _ends_short(before)):
            word = before
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


@lru_cache(maxsize=WORDS_KEPT)
def stem(word: str) -> str:
    """The stem of one word, lower-cased, equal to nltk's ``PorterStemmer().stem(word)``.

    Words of at most two characters are only lower-cased. Nothing is raised; any text is a word.

    >>> [stem(word) for word in ("relational", "Hopping", "dies", "skies", "enjoy", "is")]
    ['relat', 'hop', 'die', 'sky', 'enjoy', 'is']
    """
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if len(word) <= 2:
        return lower
    simple = _step_1c(_step_1b(_step_1a(lower)))
    return _step_5(_step_4(_replace(_step_2(simple), _STEP_3, 1)))
