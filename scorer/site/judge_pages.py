"""The pages of judges: what each is made from, how it judges, what it said on boards. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.boards.submission import REFERENCE
from scorer.core.reading.values import plain
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.models.judge_card import Card, Evaluation
from scorer.scoring.judging import KnownJudge, gated
from scorer.site.page import Page
from scorer.site.records import Entry, SiteView, SplitView
from scorer.site.text import isolated, minus

READS = {
    "seca": "The belief in lower case, and the graph alone: its edges in depth-first order, "
            "written (concept; relation; concept). It does not see the argument. It says which "
            "stance the graph makes it infer, or that the graph is incorrect.",
    "ea": "Belief and argument, and the facts of the graph as sentences: once all of them, and "
          "once without each edge. It says how sure it is of each stance; an edge counts as "
          "important if the judge is less sure of the gold label without it.",
}
PARTS = ("train", "stopping", "held out")
"""The parts of a judge's data in reading order: a card keeps them by name."""
GOLD_ROWS = ("gold", "shuffled-gold", "null")
"""Reference rows whose right value is known beforehand, in reading order."""


def judge_pages(site: SiteView) -> Iterator[Page]:
    """The list of judges, then one page a card."""
    context = {"judges": site.judges.known}
    yield Page("judges/", "Judges", "judges.html", context, nav=True)
    for known in site.judges.known:
        yield Page(known.path, f"{isolated(known.name)}, {known.metric} judge", "judge.html",
                   _context(site, known))


def _context(site: SiteView, known: KnownJudge) -> dict[str, Any]:
    card = known.card
    return {
        "known": known, "card": card, "gated": gated(card.judge),
        "reads": READS.get(card.judge, "Pairs of texts."),
        "sheets": [_sheet(card, evaluation) for evaluation in card.evaluations],
        "boards": list(board_tables(site, known)),
        "made_from": facts(card.base),
        "files": [(str(name), words(digest))
                  for name, digest in _mapping(card.data.get("files")).items()],
        "data_facts": facts(card.data, leave=("files", "examples")),
        "examples": counts(_mapping(card.data.get("examples"))),
        "settings": facts(_mapping(card.training.get("settings"))),
        "epochs": epochs(card.training.get("epochs")),
        "counts_baseline": facts(card.baseline),
        "versions": facts(_mapping(card.training.get("versions"))),
        "training_facts": _training_facts(card.training),
        "command": words(card.training.get("command", "")),
    }


# ---- what was measured of it ---------------------------------------------------------------------


def _sheet(card: Card, evaluation: Evaluation) -> tuple[Evaluation, list[str], list[str]]:
    """An evaluation with the columns and the rows of its confusion matrix: labels given, and labels
    that graphs of the set have, both in the judge's order."""
    answers = {label for row in evaluation.confusion.values() for label in row}
    expected = [*card.labels, *sorted(evaluation.confusion.keys() - {*card.labels})]
    return (evaluation, [*card.labels, *sorted(answers - {*card.labels})],
            [label for label in expected if label in evaluation.confusion])


# ---- what it said on the boards ------------------------------------------------------------------


def board_tables(site: SiteView, known: KnownJudge,
                 ) -> Iterator[tuple[SplitView, MetricInfo, list[Entry], list[Entry]]]:
    """For each split and metric the rows that say how good the judge is, those of the board: gold,
    shuffled gold, the null and predictions by others; then other reference rows.

    Submitted rows say how good systems are; they stand on the leaderboard alone, and a new one
    changes no judge's page.
    """
    for view in (view for board in site.boards for view in board.splits):
        for metric in METRICS.values():
            rows = [entry for entry in sorted(view.entries, key=_order) if not entry.submitted
                    and (judge := view.judges.behind(entry.result, metric.id)) is not None
                    and judge.known is known]
            if rows:
                first = [entry for entry in rows if _order(entry)[0] <= len(GOLD_ROWS)]
                yield view, metric, first, rows[len(first):]


def _order(entry: Entry) -> tuple[int, str]:
    """Reference rows of known value, predictions by others, other reference rows."""
    if entry.team == REFERENCE and entry.system in GOLD_ROWS:
        return GOLD_ROWS.index(entry.system), entry.key
    return len(GOLD_ROWS) + (entry.kind != "third-party"), entry.key


# ---- what it was made from -----------------------------------------------------------------------


def facts(values: Mapping[str, Any], leave: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Names and values as words, in the order of the card."""
    return [(plain(str(name)), words(value)) for name, value in values.items()
            if name not in leave and value not in (None, "", {}, [])]


def _training_facts(training: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is said of a training run in one line each."""
    best, seconds = training.get("best"), training.get("seconds")
    lines = [("best epoch", words(best))] if best is not None else []
    if isinstance(seconds, int):
        lines.append(("time", f"{seconds // 60} min {seconds % 60} s"))
    leave = ("settings", "epochs", "versions", "command", "best",
             *(["seconds"] if isinstance(seconds, int) else []))
    return lines + facts(training, leave)


def words(value: Any) -> str:
    """Any value of a card as people read it.

    >>> words({"rank": 8, "kinds": ["gold", "natural"], "bf16": False})
    'rank 8, kinds gold natural, bf16 no'
    >>> words(0.00005), words(1234567), words(["python", "-m", "scorer"])
    ('5e-05', '1,234,567', 'python -m scorer')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return minus(f"{value:,}" if abs(value) > 9999 else str(value))
    if isinstance(value, float):
        return minus(f"{value:.6g}")
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {words(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(words, value))
    return "" if value is None else str(value)


class Grid(NamedTuple):
    """A small table of words."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    """(head, cells)."""


def counts(examples: Mapping[str, Any]) -> Grid:
    """Examples per kind (rows) and part (columns), with their sum."""
    ordered = sorted(examples, key=lambda part: PARTS.index(part) if part in PARTS else len(PARTS))
    parts = {str(part): _mapping(examples[part]) for part in ordered}
    kinds = list(dict.fromkeys(kind for part in parts.values() for kind in part))
    rows = [(kind, tuple(words(part.get(kind, 0)) for part in parts.values())) for kind in kinds]
    if rows:
        rows.append(("all", tuple(words(sum(n for n in part.values() if isinstance(n, int)))
                                  for part in parts.values())))
    return Grid(tuple(parts), tuple(rows))


def epochs(history: Any) -> Grid:
    """One row an epoch; columns are what was noted, the number first."""
    rows = [row for row in history if isinstance(row, Mapping)] if isinstance(history, list) else []
    names = [name for name in dict.fromkeys(name for row in rows for name in row)
             if name != "number"]
    return Grid(
        tuple("stopping score" if name == "score" else str(name) for name in names),
        tuple((words(row.get("number", number)), tuple(words(row.get(name)) for name in names))
              for number, row in enumerate(rows, 1)),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
