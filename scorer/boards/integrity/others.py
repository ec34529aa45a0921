"""Files compared with each other: flags ``others`` (answers) and ``same-file`` (bytes)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from scorer.boards.integrity.flag import Flag, RowNote, Units, enough
from scorer.core.errors import counted

LEAST_SHARED = 0.2
"""Chosen, not measured: Max-Margin shares no answer with any reference row, and no second system's
predictions on ExplaGraphs are public. Two trainings of one model may well share some."""

MOST_NAMED = 5
"""Submissions named in the details."""

Answers = Mapping[Units, Mapping[str, frozenset[int]]]
"""Units of an answer -> submission -> its one-based rows that have it."""


def answers_of(names: Iterable[str], answers: Callable[[str], Iterable[Units]]) -> Answers:
    """Where each answer stands; answers without a readable unit are left out.

    ``answers(name)``: those of a submission, row by row.
    """
    found: dict[Units, dict[str, set[int]]] = {}
    for name in names:
        for row, units in enumerate(answers(name), start=1):
            if units:
                found.setdefault(units, {}).setdefault(name, set()).add(row)
    return {units: {name: frozenset(rows) for name, rows in places.items()}
            for units, places in found.items()}


def shared_answers(names: Sequence[str], answers: Callable[[str], Iterable[Units]]) -> Answers:
    """The same of answers that two submissions have: all that ``with_others`` asks for.

    ``answers`` is asked twice for each name, so that nobody need hold those of all submissions:
    first for hashes alone, of which equal ones are the candidates.
    """
    first: dict[int, str] = {}
    several: set[int] = set()
    for name in names:
        for units in answers(name):
            if first.setdefault(hash(units), name) != name:
                several.add(hash(units))
    return answers_of(names, lambda name: (
        units if hash(units) in several else frozenset() for units in answers(name)))


def with_others(answers: Sequence[Units], known: Answers, name: str | None = None) -> Flag:
    """``known`` may hold the submission itself, under ``name``."""
    same: dict[str, list[int]] = {}
    elsewhere: Counter[str] = Counter()
    for row, units in enumerate(answers, start=1):
        for other, places in known.get(units, {}).items():
            if other == name:
                continue
            if row in places:
                same.setdefault(other, []).append(row)
            else:
                elsewhere[other] += 1
    by_share = sorted(same, key=lambda other: (-len(same[other]), other))
    closest = by_share[0] if by_share else None
    rows = [RowNote(row, f"the same as in {closest}") for row in same.get(closest or "", ())]
    n = len(answers)
    details = [f"{counted(len(same[other]), 'row')} of {n} the same as in {other}."
               for other in by_share[:MOST_NAMED]]
    details += [f"{counted(count, 'answer')} that {other} has at another row."
                for other, count in elsewhere.most_common(MOST_NAMED)]
    return Flag(
        "others", "Answers that another submission has at the same rows",
        enough(rows, n, LEAST_SHARED), len(rows), n, tuple(rows), tuple(details),
        "The two files largely agree, answer by answer. Counted is the one that shares most.",
        "Which came first, or that either copied: both may come from one team, one model or one "
        "public file of predictions.",
    )


def same_file(name: str, n: int, digests: Mapping[str, str]) -> Flag:
    """``digests``: of the predictions of every submission to the split, this one among them.
    ``n``: its rows, all of which are the same if any file is.
    """
    mine = digests.get(name)
    same = sorted(other for other, digest in digests.items() if digest == mine and other != name)
    return Flag(
        "same-file", "A file of predictions that another submission has too", bool(same),
        n if same else 0, n, (),
        tuple(f"Byte for byte the file of {other}." for other in same[:MOST_NAMED]),
        "Two rows are one file of predictions.",
        "Whose it is. The order of the rows and of their merges tells nothing: a copy may be "
        "merged before the pull request that it was taken from.",
    )
