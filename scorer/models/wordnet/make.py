"""Make the file that METEOR reads out of WordNet's own: ``scorer data fetch wordnet``.

Wherever they come from, what is made is the same bytes, checked by digest; WordNet's licence
permits it. Beside it the files lie as nltk wants them, with the list of names that Debian leaves
out: with ``NLTK_DATA`` set to the folder, nltk 3.4.5 reads this WordNet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from scorer.errors import DataError
from scorer.files import sha256, write_atomically
from scorer.models.wordnet import DIGEST, FILE, PARTS, folder, origins
from scorer.models.wordnet.origins import Download

# lexnames(5WN): the files of WordNet's authors, in the order of their numbers.
_LEXNAMES = (
    ("adj", 3, "all pert"),
    ("adv", 4, "all"),
    ("noun", 1, "Tops act animal artifact attribute body cognition communication event feeling "
     "food group location motive object person phenomenon plant possession process quantity "
     "relation shape state substance time"),
    ("verb", 2, "body change cognition communication competition consumption contact creation "
     "emotion motion perception possession social stative weather"),
    ("adj", 3, "ppl"),
)


def fetch(home: Path, *, source: str | None, download: Download) -> Path:
    """Bring WordNet 3.0 to ``home``; returns the path of the file that is read.

    ``source``: as ``origins.find`` takes it. Raises DataError if the files cannot be had or are not
    WordNet 3.0.
    """
    files = origins.find(source, download)
    try:
        content = compile_lines(files)
    except (ValueError, IndexError) as fault:
        raise DataError(f"WordNet's files are damaged ({fault}); {origins.ADVICE}") from fault
    if sha256(content) != DIGEST:
        raise DataError(f"not WordNet 3.0: {FILE} would have SHA-256 {sha256(content)[:12]}..., "
                        f"expected {DIGEST[:12]}...; {origins.ADVICE}")
    place = folder(home)
    for name, text in {**files, "lexnames": lexnames()}.items():
        write_atomically(place / "corpora" / "wordnet" / name, text)
    write_atomically(place / FILE, content)
    return place / FILE


def lexnames() -> bytes:
    """The file of that name, which Debian leaves out: number, name and part of speech.

    >>> lexnames().decode().split("\\n")[3]
    '03\\tnoun.Tops\\t1'
    """
    names = [f"{kind}.{name}\t{number}"
             for kind, number, names in _LEXNAMES for name in names.split()]
    return "".join(f"{number:02d}\t{name}\n" for number, name in enumerate(names)).encode()


def compile_lines(files: Mapping[str, bytes]) -> bytes:
    """The lines of ``WordNet.of_lines``, sorted. Raises ValueError if a file is damaged."""
    lines = [line for letter, part in PARTS.items()
             for line in (*_names(letter, files[f"index.{part}"], files[f"data.{part}"]),
                          *_exceptions(letter, files[f"{part}.exc"]))]
    return ("\n".join(sorted(lines)) + "\n").encode()


def _names(letter: str, index: bytes, data: bytes) -> Iterator[str]:
    """``n dog<TAB>names`` for every entry of an index; wndb(5WN) describes both files."""
    for line in index.decode("ascii").split("\n"):
        if not line or line.startswith(" "):
            continue  # the licence
        lemma, _, count, pointers, *rest = line.split()
        offsets = rest[int(pointers) + 2 :]
        if len(offsets) != int(count):
            raise ValueError(f"{lemma} has {len(offsets)} senses, not {count}")
        names = {name for offset in offsets for name in _synset(data, offset)}
        yield f"{letter} {lemma}\t{' '.join(sorted(name for name in names if '_' not in name))}"


def _synset(data: bytes, offset: str) -> Iterator[str]:
    """The names of the synset at an offset, without a marker such as ``(p)``."""
    start = int(offset)
    fields = data[start : data.index(b"\n", start)].decode("ascii").split()
    if fields[0] != offset:
        raise ValueError(f"no synset at {offset}")
    words = int(fields[3], 16)
    return (name.partition("(")[0] for name in fields[4 : 4 + 2 * words : 2])


def _exceptions(letter: str, content: bytes) -> Iterator[str]:
    forms = {form: bases for form, *bases in map(str.split, content.decode("ascii").splitlines())}
    return (f"!{letter} {form}\t{' '.join(bases)}" for form, bases in forms.items())
