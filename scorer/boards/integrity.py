"""Integrity flags: what is worth knowing of a submission, for who reads its row.

``flags`` looks at one file's answers, ``survey`` at all of a split at once, ``same_file`` at bytes
(and ``names.py``, which needs a library, at names). Pure functions: the same predictions, golds and
others give the same flags. ``flags.tsv`` has what each flag says, what it does not say, and the
least share of rows that raises it with the figures which that comes from (docs/integrity.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import Board
from scorer.core.errors import counted
from scorer.core.records import Edge
from scorer.tasks.base import Content

LEAST_ROWS = 3
"""Fewer rows than this raise nothing: on a split of 40 rows, one row is 2.5 % already."""
MOST_NAMED = 5
"""Submissions named in the details."""

Golds = Mapping[str, Sequence[Any]]
"""Split -> the task's gold records, one per item, in order."""
Units = frozenset[Hashable]
"""What an answer is made of: the facts of a graph, the words of a text."""
Answers = Mapping[Units, Mapping[str, frozenset[int]]]
"""Units of an answer -> submission -> its one-based rows that have it."""


class FlagKind(NamedTuple):
    """A flag, as a row of ``flags.tsv`` describes it; ``<split>`` stands for any split."""

    id: str
    title: str
    least_share: str
    """The least share of rows that raises it; empty where rows alone do not decide."""
    says: str
    does_not_say: str
    why: str
    """Where the share comes from."""


_TABLE = Path(__file__).with_name("flags.tsv").read_text("utf-8").removesuffix("\n").split("\n")
KINDS = {kind.id: kind for kind in (FlagKind(*line.split("\t")) for line in _TABLE[1:])}


class RowNote(NamedTuple):
    """One row that a flag rests on."""

    row: int
    """One-based row number, as in ``ItemResult``."""
    note: str
    """What was found there; a clause, no full stop."""


@dataclass(frozen=True)
class Flag:
    """The outcome of one check, raised or not."""

    id: str
    """Stable, such as ``own-gold``; pages link to it."""
    raised: bool
    """Whether ``count`` reaches the check's threshold."""
    count: int
    """How many of ``n`` show what the check looks for."""
    n: int
    """The rows of the file; for ``null`` the metrics that were tested."""
    details: tuple[str, ...]
    """Sentences with the figures behind ``raised``."""
    rows: tuple[RowNote, ...] = ()
    """Every row that was counted, in order; empty where the check is not about rows."""

    def _word(self, index: int) -> str:
        kind = KINDS.get(self.id) or KINDS["<split>-gold"]
        return kind[index].replace("<split>", self.id.removesuffix("-gold"))

    @property
    def title(self) -> str:
        """What is looked for."""
        return self._word(1)

    @property
    def says(self) -> str:
        """What a raised flag says."""
        return self._word(3)

    @property
    def does_not_say(self) -> str:
        """What nobody should conclude from it alone."""
        return self._word(4)

    @property
    def share(self) -> float:
        """``count / n``, from 0 to 1; 0 for an empty file."""
        return self.count / self.n if self.n else 0.0


def _of_rows(kind: str, n: int, rows: Sequence[RowNote], details: Sequence[str], name: str = "",
             ) -> Flag:
    """A flag that a share of the rows raises, if they are not too few."""
    least = float(KINDS[kind].least_share)
    raised = len(rows) >= LEAST_ROWS and len(rows) >= least * n
    return Flag(name or kind, raised, len(rows), n, tuple(details), tuple(rows))


# ---- all flags -----------------------------------------------------------------------------------


def flags(
    board: Board, split: str, predictions: Sequence[Any], golds_by_split: Golds,
    others: Mapping[str, Sequence[Any]], better: Mapping[str, bool] | None = None,
) -> tuple[Flag, ...]:
    """Every check that applies to one file, raised or not, in a fixed order.

    ``predictions`` and ``others`` (name -> predictions on the same split) are the task's records,
    one per row. Golds of splits whose gold is not public are left aside, so that nothing said here
    depends on them. ``better``: metric -> whether the value is significantly better than its null.
    """
    files = {**others, "": predictions}
    return survey(board, split, files, golds_by_split, {"": better or {}})[""]


def survey(
    board: Board, split: str, submissions: Mapping[str, Sequence[Any]], golds_by_split: Golds,
    better: Mapping[str, Mapping[str, bool]] | None = None,
) -> dict[str, tuple[Flag, ...]]:
    """``flags`` of every submission, each compared with all the others.

    Leave out reference rows: a submission that equals gold or a null has flags of its own.
    """
    def contents(name: str) -> list[Content]:
        return [board.task.content(prediction) for prediction in submissions[name]]

    golds = {name: Index((row, frozenset(content.units)) for row, gold in enumerate(items, start=1)
                         for content in board.task.gold_contents(gold))
             for name, items in golds_by_split.items()
             if submissions and board.split(name).gold == "public"}
    known = shared_answers([*submissions], lambda name: _units(contents(name)))
    return {name: tuple(_flags(split, contents(name), golds, known, name,
                               (better or {}).get(name, {}))) for name in submissions}


def _units(contents: Sequence[Content]) -> list[Units]:
    return [frozenset(content.units) for content in contents]


def _flags(
    split: str, contents: Sequence[Content], golds: Mapping[str, Index], known: Answers,
    name: str, better: Mapping[str, bool],
) -> Iterator[Flag]:
    """The flags that apply: answers of labels alone have no overlap, texts have no concepts."""
    units = _units(contents)
    yield constant([content.label for content in contents], units)
    if any(units):
        if split in golds:
            yield _near("own-gold", units, split, split, golds[split])
        for source, index in golds.items():
            yield _near("<split>-gold", units, split, source, index)
        yield with_others(units, known, name)
        yield repeats(units)
    graphs = [[unit for unit in content.units if isinstance(unit, Edge)] for content in contents]
    if any(graphs):
        yield linking(graphs)
    if any(content.concepts for content in contents):
        yield small_concepts([content.concepts for content in contents])
    worse = [metric for metric, is_better in better.items() if not is_better]
    if better:
        yield Flag("null", bool(worse), len(worse), len(better),
                   (f"Not better: {', '.join(worse)}.",) if worse else ())


# ---- a file by itself ---------------------------------------------------------------------------

LEAST_LABEL_SHARE = 0.95
"""Gold's most frequent label has .50 of dev and .56 of train; Max-Margin's .51 of dev."""


def constant(labels: Sequence[str | None], answers: Sequence[Units]) -> Flag:
    """One label (None: the task has none) and the units of one answer per row."""
    n = len(answers)
    label, with_label = _most([label for label in labels if label is not None])
    _, with_answer = _most(answers if any(answers) else ())
    details = []
    if with_label:
        details.append(f'The label "{label}" in {with_label} of {n} rows.')
    if with_answer:
        details.append(f"The most frequent answer in {with_answer} of {n} rows.")
    one_label = n >= LEAST_ROWS and with_label >= LEAST_LABEL_SHARE * n and with_label > 0
    least = float(KINDS["constant"].least_share)
    one_answer = n >= LEAST_ROWS and with_answer >= least * n and with_answer > 1
    count = with_label if with_label and (one_label or not one_answer) else with_answer
    return Flag("constant", one_label or one_answer, count, n, tuple(details))


def _most(values: Sequence[Hashable]) -> tuple[Hashable, int]:
    return Counter(values).most_common(1)[0] if values else (None, 0)


def repeats(answers: Sequence[Units]) -> Flag:
    """``answers``: the units of each prediction; those without a readable unit are passed over."""
    where: dict[Units, list[int]] = {}
    for row, units in enumerate(answers, start=1):
        if units:
            where.setdefault(units, []).append(row)
    groups = [same for same in where.values() if len(same) > 1]
    rows = [RowNote(row, f"the same as row {same[0] if row != same[0] else same[1]}")
            for same in groups for row in same]
    return _of_rows("repeats", len(answers), sorted(rows),
                    [f"{len(groups)} different answers occur more than once."])


STOP_WORDS = frozenset((
    "a", "an", "the", "this", "that", "these", "those", "and", "or", "but", "nor", "if", "than",
    "then", "so", "as", "because", "while", "of", "to", "in", "on", "at", "by", "for", "with",
    "from", "into", "about", "over", "under", "i", "he", "she", "it", "we", "they", "him",
    "her", "them", "his", "its", "our", "your", "their", "my", "me", "is", "are", "was", "were",
    "be", "been", "being", "am", "do", "does", "did", "done", "has", "have", "had", "can",
    "could", "will", "would", "shall", "should", "may", "might", "must", "not", "no",
))
"""Articles, conjunctions, prepositions, pronouns, auxiliaries. Without "us", which names a country,
and "you": people write both as concepts."""


def small_concepts(concepts: Sequence[Sequence[str]]) -> Flag:
    """``concepts``: those of each prediction, lower-cased."""
    rows, letters = [], 0
    for row, named in enumerate(concepts, start=1):
        small = [concept for concept in dict.fromkeys(named) if is_small(concept)]
        if small:
            rows.append(RowNote(row, ", ".join(f'"{concept}"' for concept in small)))
            letters += any(len(concept.strip()) == 1 for concept in small)
    return _of_rows("small-concepts", len(concepts), rows, [
        f"{counted(letters, 'row')} with a concept of one letter, {len(rows) - letters} with stop "
        "words only."])


def is_small(concept: str) -> bool:
    """Whether a concept is one letter or digit, or stop words only.

    >>> [is_small(c) for c in ("a", "should not", "the us", "7", "cats", "", "\u732b")]
    [True, True, False, True, False, False, False]
    """
    words = concept.split()
    if len(concept.strip()) == 1:
        return concept.isascii() and concept.strip().isalnum()
    return bool(words) and all(word in STOP_WORDS for word in words)


# ---- edges that only connect --------------------------------------------------------------------

LEAST_RATIO = 2.0
"""Rows that end so over rows that begin so. Gold .76 (dev) and .62 (train), edges of gold
shuffled 1.1, Max-Margin repaired 4.0."""
MOST_LAST_CHANCE = 1e-3
"""Greatest probability of such a difference between end and beginning (sign test)."""


def linking(graphs: Sequence[Sequence[Edge]]) -> Flag:
    """Edges at the end of graphs that do nothing but connect their parts.

    ``graphs``: the readable edges of each prediction, in the order of its string.

    The authors of ExplaGraphs ask not to connect a graph's parts after it was made. One graph never
    shows it: people also write an edge that joins two parts, and sometimes last. A file does, whose
    graphs end with such an edge often, and more than twice as often as they begin with one. Edges
    in an arbitrary order do both equally.
    """
    last = [linking_run(edges) for edges in graphs]
    first = [linking_run(edges[::-1]) for edges in graphs]
    ends, begins = sum(map(bool, last)), sum(map(bool, first))
    only = sum(bool(a) and not b for a, b in zip(last, first, strict=True))
    other = sum(bool(b) and not a for a, b in zip(last, first, strict=True))
    flag = _of_rows("linking", len(graphs), [
        RowNote(row, ", ".join("; ".join(edge) for edge in run))
        for row, run in enumerate(last, start=1) if run],
        [f"Graphs that end with a linking edge: {ends}; that begin with one: {begins}."])
    if not flag.raised or ends < LEAST_RATIO * begins:
        return replace(flag, raised=False)
    from scipy.special import bdtrc  # here, because few files have linking edges

    chance = bdtrc(only - 1, only + other, 0.5)  # that so many, or more, would only end so
    return replace(flag, raised=bool(chance <= MOST_LAST_CHANCE))


def linking_run(edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """The edges at the end that each join two parts which the edges before them had left apart.

    >>> linking_run([Edge("a", "is a", "b"), Edge("c", "is a", "d"), Edge("d", "causes", "a")])
    (Edge(source='d', relation='causes', target='a'),)
    >>> linking_run([Edge("a", "is a", "b"), Edge("b", "is a", "c")])
    ()
    """
    parent: dict[str, str] = {}

    def root(concept: str) -> str:
        while parent[concept] != concept:
            parent[concept] = concept = parent[parent[concept]]
        return concept

    run = 0
    for edge in edges:
        known = edge.source in parent and edge.target in parent
        source, target = (root(parent.setdefault(end, end)) for end in (edge.source, edge.target))
        run = run + 1 if known and source != target else 0
        parent[source] = target
    return tuple(edges[len(edges) - run :])


# ---- compared with gold and with other files ---------------------------------------------------

NEAR = 0.6
"""Least Jaccard index of two answers' units to be called near: of four facts, one replaced (3/5).

In ExplaGraphs no gold graph of train or dev (2,766) is that near to the gold of another item;
none of the 398 graphs of Max-Margin is near to any gold.
"""


class Index:
    """Answers by their units. Asking costs the number of answers that share a unit."""

    def __init__(self, known: Iterable[tuple[int, Units]]) -> None:
        """``known``: the answers with their rows, of which there may be several."""
        self._known = [(row, units) for row, units in known if units]
        self._with: dict[Hashable, list[int]] = {}
        for number, (_, units) in enumerate(self._known):
            for unit in units:
                self._with.setdefault(unit, []).append(number)

    def matches(self, query: Units) -> Iterator[tuple[int, int, int]]:
        """Every known answer at NEAR or above, in the order in which they were given: its row, the
        units in both, and the units in either.

        >>> list(Index([(1, frozenset("abcd"))]).matches(frozenset("abce")))
        [(1, 3, 5)]
        """
        shared = Counter(number for unit in query for number in self._with.get(unit, ()))
        for number in sorted(shared):
            row, units = self._known[number]
            union = len(query) + len(units) - shared[number]
            if shared[number] >= NEAR * union:
                yield row, shared[number], union


def _near(kind: str, answers: Sequence[Units], split: str, source: str, index: Index) -> Flag:
    """Answers to a split that are near to gold of ``source``: their own, or any but that."""
    rows, exact = [], 0
    for row, units in enumerate(answers, start=1):
        near = [(shared, union, gold) for gold, shared, union in index.matches(units)
                if (source == split and gold == row) == (kind == "own-gold")]
        if near:
            shared, union, gold = max(near, key=lambda match: match[0] / match[1])
            exact += shared == union
            words = "the same as" if shared == union else f"{shared} of {union} parts shared with"
            rows.append(RowNote(row, f"{words} the gold of {source} row {gold}"))
    return _of_rows(kind, len(answers), rows, [f"{exact} exact, {len(rows) - exact} near."],
                    kind.replace("<split>", source))


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
            if other != name and row in positions:
                same.setdefault(other, []).append(row)
            elif other != name:
                elsewhere[other] += 1
    by_share = sorted(same, key=lambda other: (-len(same[other]), other))
    n = len(answers)
    details = [f"{counted(len(same[other]), 'row')} of {n} the same as in {other}."
               for other in by_share[:MOST_NAMED]]
    details += [f"{counted(count, 'answer')} that {other} has at another row."
                for other, count in elsewhere.most_common(MOST_NAMED)]
    return _of_rows("others", n, [RowNote(row, f"the same as in {other}")
                                  for other in by_share[:1] for row in same[other]], details)


def same_file(name: str, n: int, digests: Mapping[str, str]) -> Flag:
    """``digests``: of the predictions of every submission to the split, this one among them.
    ``n``: its rows, all of which are the same if any file is.
    """
    mine = digests.get(name)
    same = sorted(other for other, digest in digests.items() if digest == mine and other != name)
    return Flag("same-file", bool(same), n if same else 0, n, tuple(
        f"Byte for byte the file of {other}." for other in same[:MOST_NAMED]))
