"""The small files of one row: a badge for a README, how to cite it, and its evaluation results for
the Hugging Face Hub.
"""

from __future__ import annotations

from typing import Any
from unicodedata import east_asian_width

import yaml

from scorer.boards.exporting.hub import hub_dataset, task_id
from scorer.scoring.leaderboard.numbers import number, rank_text
from scorer.scoring.results.leaderboard import Row
from scorer.site.boards.leaderboards import Leaderboard
from scorer.site.records import Entry, SplitView
from scorer.site.text import latex, one_line, xml

LONGEST = 48
"""Characters of one half; the rest is counted in words."""
_CHARACTER = 6.6
"""Pixels of one character of the badge's font; ``textLength`` makes it so in any other font."""
_PAD, _HEIGHT = 7, 20


def row_badge(known: Leaderboard, row: Row) -> bytes:
    """SVG of our own: the column that orders the board, else the first with a value."""
    texts = values(known, row)
    by = known.document.order.by
    column = by if by in texts else next(iter(texts), None)
    value = f"{column} {texts[column]}" if column else "not measured"
    rank = f", rank {rank_text(row.rank)}" if row.rank and column == by else ""
    return badge(f"{known.view.board.title} {known.document.split}", f"{value}{rank}")


def values(known: Leaderboard, row: Row) -> dict[str, str]:
    """A row's values by column, as people read them."""
    return {name: number(float(value.v), known.columns[name])
            for name, value in row.values.items() if value.v is not None}


def badge(left: str, right: str) -> bytes:
    """Two texts side by side. White on #454545 and #0b5394: contrast 9.6 and 7.8 to 1."""
    halves = [one_line(text, LONGEST) for text in (left, right)]
    lengths = [_length(text) for text in halves]
    widths = [length + 2 * _PAD for length in lengths]
    title = xml(": ".join(halves))
    starts = (0, widths[0])
    boxes = "".join(
        f'<rect x="{x}" width="{width}" height="{_HEIGHT}" fill="{fill}"/>'
        for x, width, fill in zip(starts, widths, ("#454545", "#0b5394"), strict=True))
    texts = "".join(
        f'<text x="{x + _PAD}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">'
        f"{xml(text)}</text>"
        for x, length, text in zip(starts, lengths, halves, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths)}" height="{_HEIGHT}" '
        f'role="img" aria-label="{title}"><title>{title}</title>{boxes}'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{texts}</g></svg>\n"
    ).encode()


def _length(text: str) -> int:
    wide = sum(east_asian_width(char) in "WF" for char in text)
    return max(1, round((len(text) + wide) * _CHARACTER))


def bibtex(site_url: str, view: SplitView, entry: Entry) -> bytes:
    """The row as ``@misc``, then the board's own citation.

    The key is ``whyboard-<board>-<split>-<team>-<system>``. An author stands in two pairs of
    braces: one name, however many words it has.
    """
    result = entry.result
    fields = {
        "title": f"{{{latex(entry.title)} on {latex(view.board.title)} ({view.name})}}",
        "author": f"{{{latex(entry.by)}}}",
        **({"year": entry.about.date[:4]} if entry.about.date[:4].isdigit() else {}),
        "howpublished": f"\\url{{{site_url}{view.system_path(entry)}}}",
        "note": latex(f"Board {view.board.id} {result.board_version}, scored with Whyboard "
                      f"{result.scorer.version}"),
    }
    key = "-".join(("whyboard", view.board.id, view.name, entry.team, entry.system))
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}", "", view.board.citation.strip(), ""]).encode()


_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The one in C, which every wheel has, is ten times as fast and writes the same."""
_ADVICE = ("# The board names no dataset of the Hub: replace OWNER by the owner of one that is\n"
           "# registered as a benchmark.\n")


def eval_results(site_url: str, view: SplitView, entry: Entry) -> bytes:
    """``.eval_results/*.yaml`` of a model: one entry for each metric that was measured.

    The format is that of the Hub's documentation (github huggingface/hub-docs,
    docs/hub/eval-results.md): a list of entries, each with ``dataset.id``, ``dataset.task_id`` and
    ``value``. A number's metric has no field of its own there, so each metric is a task
    ``<split>-<metric>``. ``notes`` is the value's signature.

    ``date`` is when the predictions were made; it is left out where only a month is known.
    """
    dataset = hub_dataset(view.board)
    entries: list[dict[str, Any]] = [
        {
            "dataset": {"id": dataset or f"OWNER/{view.board.id}",
                        "task_id": task_id(view.name, metric)},
            "value": value.value,
            **({"date": entry.about.date} if len(entry.about.date) == len("2026-01-31") else {}),
            "source": {"url": site_url + view.system_path(entry),
                       "name": one_line(f"{entry.title} on {view.board.title}")},
            "notes": value.signature,
        }
        for metric, value in entry.result.metrics.items() if value.value is not None
    ]
    text = yaml.dump(entries, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=1000)
    return (("" if dataset else _ADVICE) + text).encode()
