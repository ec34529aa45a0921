"""Foreign text made inert for formats that have an alphabet of their own, and addresses."""

from __future__ import annotations

from xml.sax.saxutils import escape as _escape

from scorer.core.reading.characters import UNWELCOME
from scorer.site.records import Entry, SplitView
from scorer.site.text import shown

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


def system_url(site_url: str, view: SplitView, entry: Entry) -> str:
    """The address of a submission's page; ``site_url`` ends with a slash."""
    return f"{site_url}boards/{view.board.id}/systems/{entry.slug}/"
