"""What a flag says, and every check but that of names.

A file by itself: ``constant``, ``repeats``, ``small-concepts``, ``null`` and ``linking``. Compared
with gold: ``own-gold`` and, of other items, ``train-gold`` and so on. Compared with other files:
``others`` (their answers) and ``same-file`` (their bytes).

``linking``: edges at the end of the graphs that do nothing but connect their parts. The authors of
ExplaGraphs ask not to connect a graph's parts after it was made. One graph never shows it: people
also write an edge that joins two parts, and sometimes last. A file does, whose graphs end with such
an edge often, and more than twice as often as they begin with one. Edges in an arbitrary order do
both equally. A linking edge is one whose two concepts were both there before it, in different
parts. Only the unbroken run of such edges at the end is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.core.errors import counted
from scorer.core.records import Edge

LEAST_ROWS = 3
"""Fewer rows than this raise nothing: on a split of 40 rows, one row is 2.5 % already."""


Units = frozenset[Hashable]
"""What an answer is made of: the facts of a graph, the words of a text."""


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
    title: str
    raised: bool
    """Whether ``count`` reaches the check's threshold."""
    count: int
    """How many of ``n`` show what the check looks for."""
    n: int
    """The rows of the file; for ``null`` the metrics that were tested."""
    rows: tuple[RowNote, ...]
    """Every row that was counted, in order; empty where the check is not about rows."""
    details: tuple[str, ...]
    """Sentences with the figures behind ``raised``."""
    says: str
    """What a raised flag says."""
    does_not_say: str
    """What nobody should conclude from it alone."""

    @property
    def share(self) -> float:
        """``count / n``, from 0 to 1; 0 for an empty file."""
        return self.count / self.n if self.n else 0.0


def enough(rows: Sequence[RowNote], n: int, share: float) -> bool:
    """Whether rows are at least LEAST_ROWS and at least a share of the file."""
    return len(rows) >= LEAST_ROWS and len(rows) >= share * n


# ---- a file by itself ---------------------------------------------------------------------------

LEAST_LABEL_SHARE = 0.95
"""Gold's most frequent label has .50 of dev and .56 of train; Max-Margin's .51 of dev."""

LEAST_ANSWER_SHARE = 0.5
"""The most frequent answer of a file of ExplaGraphs: gold and Max-Margin 1 row of 398, null 6."""


def constant(labels: Sequence[str | None], answers: Sequence[Units]) -> Flag:
    """One label (None: the task has none) and the units of one answer per row."""
    n = len(answers)
    label, with_label = _most(tuple(label for label in labels if label is not None))
    _, with_answer = _most(answers if any(answers) else ())
    details = []
    if with_label:
        details.append(f'The label "{label}" in {with_label} of {n} rows.')
    if with_answer:
        details.append(f"The most frequent answer in {with_answer} of {n} rows.")
    one_label = n >= LEAST_ROWS and with_label >= LEAST_LABEL_SHARE * n and with_label > 0
    one_answer = n >= LEAST_ROWS and with_answer >= LEAST_ANSWER_SHARE * n and with_answer > 1
    count = with_label if with_label and (one_label or not one_answer) else with_answer
    return Flag(
        "constant", "One label or one answer throughout", one_label or one_answer,
        count, n, (), tuple(details),
        "The file hardly depends on the items; its values are what a fixed answer earns.",
        "That it was meant to deceive: fixed answers are honest baselines and common accidents.",
    )


def _most(values: Sequence[Hashable]) -> tuple[Hashable, int]:
    return Counter(values).most_common(1)[0] if values else (None, 0)


LEAST_REPEATED = 0.05
"""No gold graph of train, dev or refinement is repeated, and none of Max-Margin's; the null, a
template over the items' words, repeats .040."""


def repeats(answers: Sequence[Units]) -> Flag:
    """``answers``: the units of each prediction; those without a readable unit are passed over."""
    where: dict[Units, list[int]] = {}
    for row, units in enumerate(answers, start=1):
        if units:
            where.setdefault(units, []).append(row)
    rows = [RowNote(row, f"the same as row {same[0] if row != same[0] else same[1]}")
            for same in where.values() if len(same) > 1 for row in same]
    groups = sum(len(same) > 1 for same in where.values())
    return Flag(
        "repeats", "The same answer for different items",
        enough(rows, len(answers), LEAST_REPEATED), len(rows), len(answers), tuple(sorted(rows)),
        (f"{groups} different answers occur more than once.",),
        "The answers depend less on the item than those that people write.",
        "That they are wrong where they stand: items about the same thing may share an answer.",
    )


LEAST_SMALL = 0.05
"""Rows with such a concept: gold .0055 (train, 2,368) and .0025 (dev, 398), Max-Margin 0; the null
and the reference row nearest-neighbour, which take words without looking at them, .72 and .55."""

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
    return Flag(
        "small-concepts", "Concepts of one letter or without a content word",
        enough(rows, len(concepts), LEAST_SMALL), len(rows), len(concepts), tuple(rows),
        (f"{counted(letters, 'row')} with a concept of one letter, {len(rows) - letters} with stop "
         "words only.",),
        "Concepts are used that occur in almost every text, so that the gate that asks for "
        "concepts of the texts says little here.",
        "That this was aimed at the gate: a tool that cuts words from texts does it too.",
    )


def is_small(concept: str) -> bool:
    """Whether a concept is one letter or digit, or stop words only.

    >>> [is_small(c) for c in ("a", "should not", "the us", "7", "cats", "", "\u732b")]
    [True, True, False, True, False, False, False]
    """
    words = concept.split()
    if len(concept.strip()) == 1:
        return concept.isascii() and concept.strip().isalnum()
    return bool(words) and all(word in STOP_WORDS for word in words)


def null(better: Mapping[str, bool]) -> Flag:
    """``better``: for each tested metric, whether the value is significantly above its null's."""
    worse = [metric for metric, is_better in better.items() if not is_better]
    return Flag(
        "null", "Not better than its null", bool(worse), len(worse), len(better), (),
        (f"Not better: {', '.join(worse)}.",) if worse else (),
        "On these metrics the answers are not significantly better than their null: the same "
        "labels with answers that say nothing.",
        "That the answers are worthless: a metric that such answers win may be the one to doubt.",
    )


LEAST_LAST = 0.15
"""Share of rows that end with a linking edge. In ExplaGraphs: gold .088 (dev) and .103
(train), Max-Margin .003, dev gold after edits .090 to .136; with the disconnected 22 % of
Max-Margin repaired .221."""

LEAST_RATIO = 2.0
"""Rows that end so over rows that begin so. Gold .76 (dev) and .62 (train), edges of gold
shuffled 1.1, Max-Margin repaired 4.0."""

MOST_LAST_CHANCE = 1e-3
"""Greatest probability of such a difference between end and beginning (sign test)."""

EdgeList = Sequence[Edge]


def linking(graphs: Sequence[EdgeList]) -> Flag:
    """``graphs``: the readable edges of each prediction, in the order of its string."""
    last = [linking_run(edges) for edges in graphs]
    first = [linking_run(edges[::-1]) for edges in graphs]
    ends, begins = sum(map(bool, last)), sum(map(bool, first))
    only = sum(bool(a) and not b for a, b in zip(last, first, strict=True))
    other = sum(bool(b) and not a for a, b in zip(last, first, strict=True))
    raised = (
        ends >= max(LEAST_ROWS, LEAST_LAST * len(last)) and ends >= LEAST_RATIO * begins
        and tail(only + other, only, 0.5) <= MOST_LAST_CHANCE)
    rows = [RowNote(row, ", ".join("; ".join(edge) for edge in run))
            for row, run in enumerate(last, start=1) if run]
    return Flag(
        "linking", "Edges that only connect the parts of a graph",
        raised, len(rows), len(graphs), tuple(rows),
        (f"Graphs that end with a linking edge: {ends}; that begin with one: {begins}.",),
        "Many graphs hinge on edges that look added to parts that stood without them. The authors "
        "of ExplaGraphs ask not to connect a graph after it was made.",
        "That they were added: a system may have learnt to write so, and the order of edges is its "
        "own choice. Nor, where it is not raised, that nothing was: edges added at the beginning "
        "or in the middle of a graph are mostly not seen.",
    )


def linking_run(edges: EdgeList) -> tuple[Edge, ...]:
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
        source, target = (root(parent.setdefault(c, c)) for c in (edge.source, edge.target))
        run = run + 1 if known and source != target else 0
        parent[source] = target
    return tuple(edges[len(edges) - run :])


def tail(n: int, least: int, chance: float) -> float:
    """The probability of ``least`` or more successes in ``n`` trials (binomial distribution).

    >>> round(tail(2, 1, 0.5), 12), tail(3, 0, 0.2)
    (0.75, 1.0)
    """
    from scipy.special import bdtrc  # here, because few files have linking edges

    return float(bdtrc(least - 1, n, chance))


# ---- compared with gold and with other files ---------------------------------------------------

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
    matches = {row: max((match for match in index.matches(units) if counts(row, match.place)),
                        key=lambda match: match.shared / match.union, default=None)
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
