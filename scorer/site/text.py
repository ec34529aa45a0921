"""Foreign text made fit to be looked at, and inert for formats that have an alphabet of their own.
The text in files and downloads is never changed.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from xml.sax.saxutils import escape as _escape

from scorer.core.reading.characters import UNWELCOME

MOST_SHOWN = 4000
"""Characters of one foreign text on a page; the rest is counted in words."""
MOST_MARKS = 4
"""Combining marks in a row that are shown."""
MINUS = "\u2212"


@lru_cache(maxsize=8192)
def shown(text: str, limit: int = MOST_SHOWN) -> str:
    """The text with long runs of combining marks shortened and at most ``limit`` characters.

    >>> shown("a" + chr(0x301) * 9) == "a" + chr(0x301) * 4
    True
    >>> shown("abcdef", 3)
    'abc… (3 more characters)'
    """
    cut = text[:limit]
    if not cut.isascii():
        cut = _few_marks(cut)
    if len(text) > limit:
        return f"{cut}… ({len(text) - limit:,} more characters)"
    return cut


def _few_marks(text: str) -> str:
    out: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            out.append(char)
    return "".join(out)


def isolated(text: str) -> str:
    """The text so that its direction cannot reach its neighbours, where no element may stand.

    >>> ascii(isolated("a"))
    "'\\\\u2068a\\\\u2069'"
    """
    return f"\u2068{shown(text)}\u2069"


def minus(text: str) -> str:
    """A text whose numbers have real minus signs; hyphens in words and exponents stay.

    >>> minus("-0.1 to 1.2e-05, as BLEU-1") == MINUS + "0.1 to 1.2e-05, as BLEU-1"
    True
    """
    return re.sub(r"(?<!\w)-(?=[\d.])", MINUS, text)


@lru_cache(maxsize=1024)
def slug(text: str) -> str:
    """A text of ours as part of an address.

    >>> slug("G-BERTScore[minilm-l6]")
    'g-bertscore-minilm-l6'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def for_readers(reason: str) -> str:
    """Why a number is missing, without what to type: who reads a site cannot score its rows again.

    >>> for_readers("a model is not at hand (OSError); score with --models fetch")
    'a model was not available when the row was scored'
    >>> for_readers("it needs the models extra: pip install 'whyboard[models]'")
    'it needs the models extra'
    >>> for_readers("two golds differ; the first counts")
    'two golds differ; the first counts'
    """
    text = _ADVICE.sub("", _ERROR.sub("", reason))
    return text.replace("is not at hand", "was not available when the row was scored")


_ADVICE = re.compile(
    r"(?:; (?=(?:score with|run:|fetch|install|make it|name|save|write) )|[;:] (?=pip |scorer )).*",
    re.DOTALL)
_ERROR = re.compile(r" \(\w*(?:Error|Exception|NotFound)\)")
_FORMULA = re.compile("(^|[;|\t\r\n])(?=[\\s\"]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])")
"""Before what a spreadsheet may begin a formula with, at the beginning of a cell or behind what may
separate cells: the fullwidth signs too, in East Asian settings."""


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: what begins like that gets an apostrophe,
    behind a separator too, since not every spreadsheet separates cells by commas.

    >>> csv_cell("=1+1"), csv_cell("a;=1+1"), csv_cell("plain")
    ("'=1+1", "a;'=1+1", 'plain')
    """
    return _FORMULA.sub(r"\1'", text)


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''",
    **{mark: f"\\{mark}" for mark in "#$%&_"},
}
"""Every character that LaTeX or BibTeX reads as more than itself. The words for braces leave no
brace that BibTeX would count alone."""


def one_line(text: str, limit: int = 200) -> str:
    """A text on one line, without control, invisible or direction-changing characters.

    >>> one_line(" a\\n b\\u202e ")
    'a b'
    """
    return shown(" ".join(UNWELCOME.sub(" ", text).split()), limit)


def latex(text: str) -> str:
    """A text for LaTeX and BibTeX, in which nothing is a command.

    >>> latex("50 % of {A_1} & \\\\input")
    '50 \\\\% of \\\\textbraceleft{}A\\\\_1\\\\textbraceright{} \\\\& \\\\textbackslash{}input'
    """
    return "".join(_LATEX.get(char, char) for char in one_line(text))


def xml(text: str) -> str:
    """A text for the content or a quoted attribute of an XML element.

    >>> xml('<a b="c">')
    '&lt;a b=&quot;c&quot;&gt;'
    """
    return _escape(one_line(text, 2000), {'"': "&quot;", "'": "&#39;"})
