"""Everything that annotators of closed batches said, in numbers: ``human-results/1``.

Open batches are left out: whoever annotates must not see what others said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.people import csk, people, round_table, verdicts
from scorer.people.csk import CskRecord
from scorer.people.disputes import Answered, Unit, by_value, settled
from scorer.people.documents import (
    FORMAT,
    HumanResults,
    Settled,
    Simulated,
    Source,
    VerdictDocument,
    VerdictsDocument,
)
from scorer.people.keys import GOLD, Origin
from scorer.people.questions import MEASURED, question_figures, value_shares
from scorer.people.records import CHOICES, CLOSED, OPEN, Annotation, Answers, Batch
from scorer.people.round_table import KEPT, LABELS, VERIFY, ItemRounds
from scorer.people.stages import way
from scorer.people.validate import Workplace
from scorer.people.verdicts import Verified

if TYPE_CHECKING:
    from scorer.boards.policy import HumanRanking

CSK = "csk"
LABEL = "label"
"""The question of forms that ask for a label."""
_ROW = re.compile(r"(?P<split>[a-z0-9]+(?:-[a-z0-9]+)+):(?P<row>[1-9][0-9]*)")


class Judged(NamedTuple):
    """What a result says of one system: how many items passed, and what a judge said of these."""

    items: int
    passed: frozenset[int]
    """Rows of the items that passed every gate."""
    verdicts: Mapping[int, float] | None = None
    """A judge's verdict on each of those, 0 or 1; None without a judge."""
    metric: str = ""
    """The metric that the judge gives."""
    signature: str = ""
    predictions: str = ""
    """The digest of the predictions that were scored."""


class SystemVotes(NamedTuple):
    """What people said of one system's graphs."""

    read: tuple[Verified, ...]
    """Of graphs that passed every gate, as far as anybody knows."""
    voters: tuple[str, ...]
    judged: Judged | None
    outdated: int = 0
    """Graphs of earlier predictions that people read; their votes do not count."""
    chosen: int = 0
    """Graphs of batches that are no random sample; their votes do not count."""
    unfinished: int = 0
    """Graphs in ``read`` with fewer votes than their batch needs."""

    def verdict(self, guideline: str) -> VerdictDocument:
        """The figures of all that; ``guideline``: the version of what people were asked."""
        counts: dict[str, Any] = {name: count for name, count in (
            ("outdated", self.outdated), ("chosen", self.chosen)) if count}
        one = self.judged
        if one is None:
            return verdicts.human_verdict(self.read, **counts)
        judge: dict[str, Any] = {} if one.verdicts is None else {
            "judge": one.metric, "signature": f"{one.signature}|people:{guideline}"}
        return verdicts.human_verdict(self.read, passed=len(one.passed), items=one.items,
                                      by_judge=one.verdicts, **judge, **counts)


@dataclass(frozen=True)
class SplitVotes:
    """What people said of the systems of one split, in closed batches."""

    votes: Mapping[str, SystemVotes]
    """By ``<team>/<system>``."""
    guideline: str
    """The version of what annotators were asked."""
    simulated: tuple[str, ...] = ()
    """Simulated annotators who have part in it."""

    def simulated_of(self, key: str) -> bool:
        """Whether any of a system's votes is simulated."""
        return not set(self.votes[key].voters).isdisjoint(self.simulated)


Results = Callable[[str, str], Judged | None]
"""The result of a system (``team/system``) on a board's split (``explagraphs-dev``), if known."""
Rules = Callable[[str], "HumanRanking"]
"""What a board asks before people's verdicts may order rows, by board and split."""


NOT_DECIDED = round_table.Decision(False, None)


class _Graph(NamedTuple):
    """One graph that was verified, and the votes on it that count.

    These are the first as many as its own batch needs, in the order of the batch's closing, without
    those of the system's own team. What is decided of the graph, the value that may rank its system
    and the agreement that this rests on are all of these votes, so that a vote too many moves none
    of them.
    """

    batch: str
    item: str
    origin: Origin
    votes: Mapping[str, str]
    """By annotator."""
    needed: int
    chosen: bool
    """Whether its batch is no random sample."""

    @property
    def decision(self) -> round_table.Decision:
        return round_table.decided((*self.votes.values(),), self.needed)


@dataclass(frozen=True)
class _Closed:
    """The closed batches of a folder."""

    workplace: Workplace
    marked: dict[str, list[str]] = field(default_factory=dict)
    """Figures in which simulated annotators have part, by key of the document."""

    def mark(self, key: str, name: str, annotators: Iterable[str]) -> None:
        """Note a figure that some annotators have part in, if any is simulated."""
        if people.simulated(self.workplace.people, annotators):
            self.marked.setdefault(key, []).append(name)

    @cached_property
    def batches(self) -> list[Batch]:
        return [one for one in self.workplace.batches() if one.status == CLOSED]

    @cached_property
    def annotations(self) -> dict[str, list[Annotation]]:
        return {one.name: self.workplace.annotations(one) for one in self.batches}

    def of_kind(self, kind: str) -> list[Annotation]:
        return [one for batch in self.batches if batch.kind == kind
                for one in self.annotations[batch.name]]

    def origin(self, batch: str, item: str) -> Origin | None:
        return self.workplace.origins(batch).get(item)

    def system(self, batch: str, item: str) -> str:
        """Whose an item is; empty where no key says so."""
        origin = self.origin(batch, item)
        return origin.system if origin else ""

    def votes(self, batch: Batch) -> dict[str, dict[str, str]]:
        """The labels that each item was given and by whom, those handed in first coming first."""
        given = self.annotations[batch.name]
        return {item.id: {one.annotator: str(one.answers[item.id][LABEL]) for one in given
                          if LABEL in one.answers.get(item.id, {})}
                for item in batch.items}

    def graphs(self) -> list[_Graph]:
        """Every graph of a batch of verification whose origin is known."""
        return [self._graph(batch, item, origin, votes)
                for batch in self.batches if batch.kind == VERIFY
                for item, votes in self.votes(batch).items()
                if (origin := self.origin(batch.name, item)) is not None]

    def _graph(self, batch: Batch, item: str, origin: Origin, given: Mapping[str, str]) -> _Graph:
        votes = [(login, vote) for login, vote in given.items()
                 if people.may_judge(self.workplace.people, login, origin.system)]
        return _Graph(batch.name, item, origin, dict(votes[:batch.needed]), batch.needed,
                      bool(self.workplace.key(batch.name).chosen))


def aggregated(workplace: Workplace, results: Results, rules: Rules, commit: str | None = None,
               ) -> HumanResults:
    """The document of everything in closed batches.

    Raises DataError for a key that cannot be read.
    """
    closed = _Closed(workplace)
    figures = {**_csk(closed), "questions": _questions(closed), "values": _values(closed),
               "settled": _settled(closed),
               **_stages(closed), "verdicts": _verdicts(closed, results, rules),
               **_simulated(closed)}
    return HumanResults(
        format=FORMAT,
        generated_from=Source(
            commit=commit, batches={one.name: one.sha256 for one in closed.batches}),
        **figures)


def _simulated(closed: _Closed) -> dict[str, Any]:
    """What simulated annotators have part in, once all figures are made; nothing without any."""
    batches = {one.name: list(who) for one in closed.batches
               if (who := closed.workplace.simulated(one))}
    if not batches:
        return {}
    return {"simulated": Simulated(
        annotators=sorted({login for who in batches.values() for login in who}),
        batches=batches, figures=closed.marked)}


def _csk(closed: _Closed) -> dict[str, Any]:
    records: list[CskRecord] = []
    systems: dict[str, list[CskRecord]] = {}
    subjects: dict[Any, str] = {}
    for batch in closed.batches:
        if batch.kind != CSK:
            continue
        found = [record for one in closed.annotations[batch.name]
                 for record in _records(batch, one)]
        records += found
        texts = {topic.key: topic.text for topic in batch.topics}
        subjects |= {item: texts[key] for item, key in csk.topics(found).items()
                     if key is not None and key in texts}
        for record in found:
            systems.setdefault(closed.system(*record.item), []).append(record)  # type: ignore[misc]
    topics: dict[str, list[CskRecord]] = {}
    for record in records:
        if record.item in subjects:
            topics.setdefault(subjects[record.item], []).append(record)
    _mark_csk(closed, {"csk": systems, "csk_topics": topics}, records)

    def figures(groups: Mapping[str, Sequence[CskRecord]], key: str, votes: str) -> dict[str, Any]:
        found = {name: csk.figures(of) for name, of in sorted(groups.items())}
        return {
            key: {group: dict(of.metrics) for group, of in found.items()},
            votes: {group: of.votes for group, of in found.items()}}

    return {
        **figures(systems, "csk", "csk_votes"), **figures(topics, "csk_topics", "csk_topic_votes"),
        "csk_relations": csk.by_relation(records),
        "csk_outcome": csk.agreement_on_outcome(records) if records else None,
    }


def _mark_csk(closed: _Closed, by_key: Mapping[str, Mapping[str, Sequence[CskRecord]]],
              records: Sequence[CskRecord]) -> None:
    """Mark figures in which simulated annotators have part."""
    for key, groups in by_key.items():
        for name, group in sorted(groups.items()):
            closed.mark(key, name, {record.annotator for record in group})
    relations: dict[str, set[str]] = {}
    for record in records:
        for relation in record.relations:
            relations.setdefault(relation, set()).add(record.annotator)
    for relation, annotators in sorted(relations.items()):
        closed.mark("csk_relations", relation, annotators)


def _records(batch: Batch, annotation: Annotation) -> list[CskRecord]:
    return [CskRecord((batch.name, item), annotation.annotator, answers,
                      tuple(edge.relation for edge in batch.by_id[item].triplets))
            for item, answers in annotation.answers.items()]


def _questions(closed: _Closed) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in dict.fromkeys(batch.kind for batch in closed.batches):
        form, given = closed.workplace.forms[kind], closed.of_kind(kind)
        if given:
            closed.mark("questions", kind, [one.annotator for one in given])
            found[kind] = question_figures(form, given)
    return found


def _values(closed: _Closed) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in dict.fromkeys(batch.kind for batch in closed.batches if batch.kind != CSK):
        systems: dict[str, list[tuple[tuple[str, str], Answers]]] = {}
        voters: dict[str, set[str]] = {}
        for one in closed.of_kind(kind):
            for item, answers in one.answers.items():
                origin = closed.origin(one.batch, item)
                name = origin.system if origin else ""
                systems.setdefault(name, []).append(((one.batch, item), answers))
                voters.setdefault(name, set()).update(
                    (one.annotator, *(origin.authors if origin else ())))
        for name, logins in sorted(voters.items()):
            closed.mark("values", f"{kind}:{name}", logins)
        asked = [question for question in closed.workplace.forms[kind].questions
                 if question.answer in (*MEASURED, CHOICES)]
        if systems and asked:
            found[kind] = {question.id: {
                name: value_shares(question, [
                    (item, answers[question.id]) for item, answers in given
                    if question.id in answers]) for name, given in sorted(systems.items())}
                for question in asked}
    return found


def _settled(closed: _Closed) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in dict.fromkeys(batch.kind for batch in closed.batches):
        batches = [Answered(batch, closed.annotations[batch.name],
                            closed.workplace.rulings(batch))
                   for batch in closed.batches if batch.kind == kind]
        for question, units in settled(closed.workplace.forms[kind], batches).items():
            systems: dict[str, list[Unit]] = {}
            for unit in units:
                systems.setdefault(closed.system(unit.batch, unit.item), []).append(unit)
            found.setdefault(kind, {})[question] = {
                name: Settled(units=len(of), ruled=sum(one.ruled for one in of),
                              values=dict(by_value(of)))
                for name, of in sorted(systems.items())}
        if kind in found:
            closed.mark("settled", kind, [
                *(one.annotator for one in closed.of_kind(kind)),
                *(one.by for answered in batches for one in answered.rulings)])
    return found


def _stages(closed: _Closed) -> dict[str, Any]:
    made = [one for one in closed.graphs() if one.origin.authors]
    items: dict[tuple[str, str], dict[int, _Graph]] = {}
    rounds: dict[int, set[str]] = {}
    for one in made:
        root, number = _root(closed, one)
        items.setdefault(root, {})[number] = one
        rounds.setdefault(number, set()).update(one.votes, one.origin.authors)
    for number in sorted(rounds):
        closed.mark("rounds", str(number), {login for earlier, logins in rounds.items()
                                            if earlier <= number for login in logins})
    named = [one for one in made if not _in_open_batch(closed, one)]
    for author in sorted({one.origin.authors[-1] for one in named}):
        closed.mark("authors", author, {author, *(
            voter for one in named if one.origin.authors[-1] == author for voter in one.votes)})
    for batch in closed.batches:
        if batch.kind == LABELS:
            closed.mark("labels", batch.name, [one.annotator
                                               for one in closed.annotations[batch.name]])
    histories = [ItemRounds(found[min(found)].origin.label,
                            [found[number].decision if number in found else NOT_DECIDED
                             for number in range(1, max(found) + 1)])
                 for found in items.values()]
    return {
        "labels": {batch.name: round_table.label_votes(
            [(*votes.values(),) for votes in closed.votes(batch).values()], batch.needed, KEPT)
            for batch in closed.batches if batch.kind == LABELS},
        "rounds": round_table.rounds_table(histories, KEPT),
        "authors": round_table.authors(
            (one.origin.authors[-1], one.origin.label, one.decision) for one in named),
    }


def _root(closed: _Closed, graph: _Graph) -> tuple[tuple[str, str], int]:
    """The item that a graph is of, and its round: how often it was verified before, from 1."""
    steps = _way(closed, graph)
    return steps[-1][0], sum(batch is not None and batch.kind == VERIFY for _, batch in steps)


def _in_open_batch(closed: _Closed, graph: _Graph) -> bool:
    """Whether a batch on a graph's way still takes answers, so that nobody may be named for it."""
    return any(batch is not None and batch.status == OPEN for _, batch in _way(closed, graph))


def _way(closed: _Closed, graph: _Graph) -> list[tuple[tuple[str, str], Batch | None]]:
    """A graph's item and those that it was made of, each with its batch; None for no batch."""
    return [(here, closed.workplace.batch(here[0])[0])
            for here in way(closed.workplace.origins, graph.batch, graph.item)]


def votes_on_systems(workplace: Workplace, results: Results) -> dict[str, SplitVotes]:
    """What annotators of closed batches said of systems, by board and split.

    Raises DataError for a key that cannot be read.
    """
    return _of_systems(_Closed(workplace), results)


def _of_systems(closed: _Closed, results: Results) -> dict[str, SplitVotes]:
    splits: dict[str, dict[str, list[_Graph]]] = {}
    for one in closed.graphs():
        place = _ROW.fullmatch(one.origin.source)
        if place and one.origin.system not in ("", GOLD):
            splits.setdefault(place["split"], {}).setdefault(one.origin.system, []).append(one)
    found = {}
    for split, systems in sorted(splits.items()):
        votes = {system: _votes(graphs, results(split, system))
                 for system, graphs in sorted(systems.items())}
        found[split] = SplitVotes(
            votes, closed.workplace.forms[VERIFY].guideline, people.simulated(
                closed.workplace.people, (login for one in votes.values() for login in one.voters)))
    return found


def _votes(verified: Sequence[_Graph], judged: Judged | None) -> SystemVotes:
    """The votes on a system's graphs. One that several batches ask about counts in the first of
    them that has all its votes, else in the first."""
    current = [one for one in verified if not _outdated(one.origin, judged)]
    graphs = [one for one in current if not one.chosen]
    read: dict[int, Verified] = {}
    for one in graphs:
        row = int(one.origin.source.rpartition(":")[2])
        if judged is not None and row not in judged.passed:
            continue
        here = Verified(row, one.origin.label, (*one.votes.values(),), one.decision.done)
        if row not in read or (here.done and not read[row].done):
            read[row] = here
    return SystemVotes(
        tuple(read.values()),
        tuple(dict.fromkeys(login for one in graphs for login in one.votes)),
        judged, len(verified) - len(current), len(current) - len(graphs),
        sum(not one.done for one in read.values()))


def _outdated(origin: Origin, judged: Judged | None) -> bool:
    """Whether people read other predictions than those that were scored, or nobody says which."""
    return judged is not None and origin.predictions != judged.predictions


def _verdicts(closed: _Closed, results: Results, rules: Rules) -> dict[str, Any]:
    found = {}
    for split, one in _of_systems(closed, results).items():
        closed.mark("verdicts", split, one.simulated)
        for system, votes in one.votes.items():
            closed.mark("verdicts", f"{split}:{system}", votes.voters)
        systems = {system: votes.verdict(one.guideline) for system, votes in one.votes.items()}
        rows = {system: verdict.powered for system, verdict in systems.items()
                if verdict.powered is not None}
        together = verdicts.agreement_of([read for votes in one.votes.values()
                                          for read in votes.read])
        found[split] = VerdictsDocument(
            systems=systems, agreement=together, why_not_ranked=list(verdicts.why_not_ranked(
                rows, together, rules(split), one.simulated,
                {system: one.votes[system].unfinished for system in rows})))
    return found
