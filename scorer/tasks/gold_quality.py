"""What gold is like: the rules it breaks, what items and splits share, lengths, agreement.

Everything is counted from plain records. A split without public gold gives its texts alone, and
nothing is said of its gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple, Protocol

from scorer.tasks.base import Content, Task
from scorer.tasks.partitions import Spread, are_kinds, spread

MOST_NAMED = 5
"""Rows of one kind that are named; the others are counted."""
ITEM, GOLD = "item texts", "gold answer"
"""What items can share besides the text of one column."""

AnyTask = Task[Any, Any, Any]
Rows = tuple[int, ...]
"""One-based rows of a split's file."""
Keys = Mapping[str, Sequence[frozenset[Hashable]]]
"""For each thing that items can share, what every item has of it."""


class SplitItems(Protocol):
    """The items of one split as far as they are public."""

    @property
    def name(self) -> str:
        """The split's name."""

    @property
    def texts(self) -> Sequence[Sequence[str]]:
        """The input columns of every item."""

    @property
    def golds(self) -> Sequence[Any]:
        """Every item, or empty if the gold of the split is not public."""


class RuleBroken(NamedTuple):
    """One rule and the rows of which some gold answer breaks it."""

    rule: str
    rows: Rows
    named: tuple[tuple[int, str], ...]
    """The first of these rows, each with what was found."""


class Repeated(NamedTuple):
    """Rows of one split that share something."""

    what: str
    rows: int
    """Rows that share it with another one."""
    groups: tuple[Rows, ...]
    """The first groups of such rows, and of each the first rows."""


class Leak(NamedTuple):
    """What rows of a split have of an earlier one."""

    earlier: str
    later: str
    items: int
    """Rows of the later split."""
    pairs: Mapping[str, Sequence[tuple[int, int]]]
    """By what both can share (all texts, a text by its column, gold answers where known): each row
    of the later split that does, and the first row of the earlier one like it."""
    parts: Sequence[str]
    """What counts as a leak: not all texts together, nor what says of which kind an item is."""

    @property
    def shared(self) -> dict[str, int]:
        """Rows of the later split that share it, by what."""
        return {what: len(self.pairs[what]) for what in self.parts}

    @property
    def any(self) -> int:
        """Rows that share any of it."""
        return len({row for what in self.parts for row, _ in self.pairs[what]})


class GoldAgreement(NamedTuple):
    """How far gold answers to the same item agree, over the items that have several."""

    items: int
    same: int
    """Items whose gold answers are all the same."""
    units: float
    """Mean over items of 2 * common / all units of two answers."""
    concepts: float | None
    """The same of concepts; None if answers have none."""


@dataclass(frozen=True)
class SplitQuality:
    """One split."""

    name: str
    items: int
    has_gold: bool
    labels: Mapping[str, int]
    """Items by label; empty without labels."""
    lengths: Mapping[str, Spread]
    """By what is counted."""
    different: Mapping[str, int]
    """Different texts by column, where there are several columns."""
    repeated: tuple[Repeated, ...]
    contradicting: tuple[Rows, ...]
    """Groups of rows with the same texts and different labels."""
    agreement: GoldAgreement | None
    broken: tuple[RuleBroken, ...]
    """Rules that the score counts, the most frequent first."""
    strict: tuple[RuleBroken, ...]
    """Strict findings, which change no score."""


@dataclass(frozen=True)
class GoldQuality:
    """All splits of a board at hand."""

    splits: tuple[SplitQuality, ...]
    leaks: tuple[Leak, ...]


def measure(task: AnyTask, splits: Sequence[SplitItems]) -> GoldQuality:
    """Everything that can be counted of some splits, in their order."""
    contents = [[task.gold_contents(gold) for gold in split.golds] for split in splits]
    keys = [_keys(task, *pair) for pair in zip(splits, contents, strict=True)]
    qualities = tuple(_split(task, *parts) for parts in zip(splits, contents, keys, strict=True))
    return GoldQuality(qualities, _leaks(splits, keys))


# ---- what items share ----------------------------------------------------------------------


def _text_columns(task: AnyTask) -> list[tuple[int, str]]:
    """Places and names of the input columns that are texts."""
    return [(index, name) for index, name in enumerate(task.input_columns)
            if name not in task.id_columns]


def _keys(task: AnyTask, split: SplitItems, contents: Sequence[Sequence[Content]]) -> Keys:
    columns = _text_columns(task)
    texts = [tuple(task.compared(name, row[index]) for index, name in columns)
             for row in split.texts]
    keys: dict[str, list[frozenset[Hashable]]] = {
        ITEM: [frozenset([row]) if any(row) else frozenset() for row in texts]}
    if len(columns) > 1:
        for at, (_, name) in enumerate(columns):
            keys[name] = [frozenset([row[at]]) if row[at] else frozenset() for row in texts]
    golds = [frozenset(frozenset(content.units) for content in row if content.units)
             for row in contents]
    if any(golds):
        keys[GOLD] = list(golds)
    return keys


def _groups(keys: Iterable[frozenset[Hashable]]) -> list[list[int]]:
    """Rows that share a key, where there are several, in order of the first."""
    rows: dict[Hashable, list[int]] = {}
    for row, mine in enumerate(keys, start=1):
        for key in mine:
            rows.setdefault(key, []).append(row)
    return sorted(group for group in rows.values() if len(group) > 1)


def _pairs(earlier: Keys, later: Keys) -> dict[str, list[tuple[int, int]]]:
    """By what both can share: each row of the later split that does, and the first like it."""
    pairs = {}
    for what in (name for name in earlier if name in later):
        first: dict[Hashable, int] = {}
        for row, mine in enumerate(earlier[what], start=1):
            for key in mine:
                first.setdefault(key, row)
        pairs[what] = [(row, min(first[key] for key in mine & first.keys()))
                       for row, mine in enumerate(later[what], start=1) if mine & first.keys()]
    return pairs


def leaks(task: AnyTask, splits: Sequence[SplitItems]) -> tuple[Leak, ...]:
    """What each split has of each one before it, in their order, as the task compares texts."""
    return _leaks(splits, [_keys(task, split, [task.gold_contents(gold) for gold in split.golds])
                           for split in splits])


def _leaks(splits: Sequence[SplitItems], keys: Sequence[Keys]) -> tuple[Leak, ...]:
    leaks = []
    for first, second in combinations(range(len(splits)), 2):
        earlier, later = keys[first], keys[second]
        pairs = _pairs(earlier, later)
        kinds = {what for what in pairs if what not in (ITEM, GOLD) and are_kinds(
            len(frozenset().union(*earlier[what], *later[what])),
            len(earlier[what]) + len(later[what]))}
        parts = [what for what in pairs if what != ITEM and what not in kinds] or [*pairs]
        leaks.append(Leak(splits[first].name, splits[second].name, len(later[ITEM]), pairs, parts))
    return tuple(leaks)


# ---- one split -----------------------------------------------------------------------------


def _split(task: AnyTask, split: SplitItems, contents: Sequence[Sequence[Content]], keys: Keys,
           ) -> SplitQuality:
    columns = _text_columns(task)
    labels = [row[0].label if row else None for row in contents]
    counts = Counter(label for label in labels if label is not None)
    lengths: dict[str, list[int]] = {
        f"words of {name}": [len(row[index].split()) for row in split.texts]
        for index, name in columns}
    for gold in split.golds:
        for name, numbers in task.gold_lengths(gold).items():
            lengths.setdefault(name, []).extend(numbers)
    spreads = {name: spread(numbers) for name, numbers in lengths.items()}
    repeated = []
    for what in (ITEM, GOLD):
        if what in keys:
            groups = _groups(keys[what])
            repeated.append(Repeated(what, len({row for group in groups for row in group}), tuple(
                tuple(group[:MOST_NAMED]) for group in groups[:MOST_NAMED])))
    broken, strict = _rules(task, split.golds)
    return SplitQuality(
        name=split.name, items=len(split.texts), has_gold=bool(split.golds),
        labels=dict(sorted(counts.items())),
        lengths={name: length for name, length in spreads.items()
                 if length is not None and length.most},
        different={name: len(frozenset().union(*keys[name]))
                   for _, name in columns if name in keys},
        repeated=tuple(repeated),
        contradicting=tuple(tuple(group[:MOST_NAMED]) for group in _groups(keys[ITEM])
                            if len({labels[row - 1] for row in group}) > 1) if counts else (),
        agreement=_agreement(contents), broken=broken, strict=strict)


def _agreement(contents: Sequence[Sequence[Content]]) -> GoldAgreement | None:
    several = [row for row in contents if len(row) > 1 and all(content.units for content in row)]
    if not several:
        return None
    concepts = [[frozenset(content.concepts) for content in row] for row in several]
    units = [[frozenset(content.units) for content in row] for row in several]
    return GoldAgreement(
        len(several), sum(len(set(row)) == 1 for row in units), fmean(map(_common, units)),
        fmean(map(_common, concepts)) if all(all(row) for row in concepts) else None)


def _common(sets: Sequence[frozenset[Hashable]]) -> float:
    """The mean over pairs of sets of the share of members that both have.

    >>> _common([frozenset("abc"), frozenset("bcd")])
    0.6666666666666666
    """
    return fmean(2 * len(first & other) / (len(first) + len(other))
                 for first, other in combinations(sets, 2))


def _rules(task: AnyTask, golds: Sequence[Any],
           ) -> tuple[tuple[RuleBroken, ...], tuple[RuleBroken, ...]]:
    """Broken constraints and strict findings of gold, rule by rule."""
    broken: dict[str, dict[int, str]] = {}
    strict: dict[str, dict[int, str]] = {}
    for row, gold in enumerate(golds, start=1):
        answers = task.gold_predictions(gold)
        for number, answer in enumerate(answers, start=1):
            which = f"gold answer {number}: " if len(answers) > 1 else ""
            flaws = task.diagnose(gold.texts, answer)
            for rules, findings in ((broken, flaws.broken), (strict, flaws.strict)):
                for finding in findings:
                    rules.setdefault(finding.rule, {}).setdefault(row, f"{which}{finding.detail}")
    return _by_rule(broken), _by_rule(strict)


def _by_rule(rules: Mapping[str, Mapping[int, str]]) -> tuple[RuleBroken, ...]:
    ordered = sorted(rules.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(RuleBroken(rule, tuple(rows), tuple(rows.items())[:MOST_NAMED])
                 for rule, rows in ordered)
