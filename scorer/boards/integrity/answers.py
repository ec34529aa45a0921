"""Answers compared with gold and with other files.

Flags ``own-gold`` and, of other items, ``train-gold`` and so on; ``others`` (answers of another
submission) and ``same-file`` (its bytes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.boards.integrity.flags import Flag, RowNote, Units, enough
from scorer.core.errors import counted

NEAR = 0.6
"""Least Jaccard index of two answers' units to be called near: of four facts, one replaced (3/5).

In ExplaGraphs no gold graph of train or dev (2,766) is that near to the gold of another item;
none of the 398 graphs of Max-Margin is near to any gold.
"""


class KnownAnswer(NamedTuple):
    """Where a known answer stands."""

    split: str
    row: int
    """One-based."""


class AnswerMatch(NamedTuple):
    """A known answer that is equal or near to the one asked about."""

    place: KnownAnswer
    shared: int
    """Units in both."""
    union: int
    """Units in either."""

    @property
    def exact(self) -> bool:
        """Whether both have the same units."""
        return self.shared == self.union

    def __str__(self) -> str:
        gold = f"the gold of {self.place.split} row {self.place.row}"
        if self.exact:
            return f"the same as {gold}"
        return f"{self.shared} of {self.union} parts shared with {gold}"


class Index:
    """Answers by their units. Asking costs the number of answers that share a unit."""

    def __init__(self, known: Iterable[tuple[KnownAnswer, Units]]) -> None:
        self._known = [(answer, units) for answer, units in known if units]
        self._with: dict[Hashable, list[int]] = {}
        for number, (_, units) in enumerate(self._known):
            for unit in units:
                self._with.setdefault(unit, []).append(number)

    def matches(self, query: Units) -> Iterator[AnswerMatch]:
        """Every known answer at NEAR or above, in the order in which they were given.

        >>> index = Index([(KnownAnswer("dev", 1), frozenset("abcd"))])
        >>> [str(match) for match in index.matches(frozenset("abce"))]
        ['3 of 5 parts shared with the gold of dev row 1']
        """
        shared = Counter(number for unit in query for number in self._with.get(unit, ()))
        for number in sorted(shared):
            answer, units = self._known[number]
            union = len(query) + len(units) - shared[number]
            if shared[number] >= NEAR * union:
                yield AnswerMatch(answer, shared[number], union)


def best(matches: Iterable[AnswerMatch]) -> AnswerMatch | None:
    """The match with the greatest Jaccard index, the first on ties; None if there is none."""
    return max(matches, key=lambda match: match.shared / match.union, default=None)


LEAST_OWN = 0.02
"""Max-Margin has 0 of 398 on dev, which excludes .0096 and more (Wilson, 95 %); the gold
itself after two random edits of every graph has .32."""
LEAST_OTHER = 0.02
"""No gold of train or dev (2,766) is near to that of another item, and no answer of Max-Margin to
any of them; substituting words in a train graph (the reference row nearest-neighbour) leaves 0."""


def own_gold(answers: Sequence[Units], index: Index, split: str) -> Flag:
    """``answers``: the units of each prediction; ``index`` knows the golds of ``split``."""
    rows, figures = _near(
        answers, index, lambda row, gold: gold == (split, row))
    return Flag(
        "own-gold", "Answers equal or near to their own gold",
        enough(rows, len(answers), LEAST_OWN), len(rows), len(answers), rows, figures,
        "More answers than people or systems reach by themselves coincide with the public gold of "
        "the same item.",
        "How that came about. The gold of this split is public: it may have been used for training "
        "or for choosing a model, which a description can declare, or the item may allow one "
        "answer alone.",
    )


def other_gold(answers: Sequence[Units], index: Index, split: str, source: str) -> Flag:
    """``answers`` are on ``split``; compared with golds of ``source`` except each row's own."""
    rows, figures = _near(
        answers, index, lambda row, gold: gold.split == source and gold != (split, row))
    return Flag(
        f"{source}-gold", f"Answers equal or near to the gold of other items of {source}",
        enough(rows, len(answers), LEAST_OTHER), len(rows), len(answers), rows, figures,
        f"Answers repeat gold answers that people wrote for other items of {source}.",
        "That anything is wrong: a system may answer with the nearest known item, and items may be "
        "about the same thing.",
    )


def _near(answers: Sequence[Units], index: Index, counts: Callable[[int, KnownAnswer], bool],
          ) -> tuple[tuple[RowNote, ...], tuple[str]]:
    """The rows (from 1) with a match that ``counts``, and how many of these are exact."""
    matches = {row: best(match for match in index.matches(units) if counts(row, match.place))
               for row, units in enumerate(answers, start=1)}
    near = {row: match for row, match in matches.items() if match is not None}
    exact = sum(match.exact for match in near.values())
    return (tuple(RowNote(row, str(match)) for row, match in near.items()),
            (f"{exact} exact, {len(near) - exact} near.",))


LEAST_SHARED = 0.2
"""Chosen, not measured: Max-Margin shares no answer with any reference row, and no second system's
predictions on ExplaGraphs are public. Two trainings of one model may well share some."""

MOST_NAMED = 5
"""Submissions named in the details."""

Answers = Mapping[Units, Mapping[str, frozenset[int]]]
"""Units of an answer -> submission -> its one-based rows that have it."""


def shared_answers(names: Sequence[str], answers: Callable[[str], Iterable[Units]]) -> Answers:
    """Where each answer stands that two submissions have; those without a readable unit are left
    out.

    ``answers(name)``: those of a submission, row by row; asked twice for each name, so that nobody
    need hold those of all submissions: first for hashes, of which equal ones are the candidates.
    """
    first: dict[int, str] = {}
    several: set[int] = set()
    for name in names:
        several |= {hash(units) for units in answers(name)
                    if first.setdefault(hash(units), name) != name}
    index: dict[Units, dict[str, frozenset[int]]] = {}
    for name in names:
        for row, units in enumerate(answers(name), start=1):
            if units and hash(units) in several:
                holders = index.setdefault(units, {})
                holders[name] = holders.get(name, frozenset()) | {row}
    return index


def with_others(answers: Sequence[Units], known: Answers, name: str) -> Flag:
    """``known`` holds the submission itself, under ``name``."""
    same: dict[str, list[int]] = {}
    elsewhere: Counter[str] = Counter()
    for row, units in enumerate(answers, start=1):
        for other, positions in known.get(units, {}).items():
            if other == name:
                continue
            if row in positions:
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
