"""Everything that annotators of closed batches said, in numbers: ``human-results/1``.

Open batches are left out: whoever annotates must not see what others said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from scorer.people import figures, people, round_table, verdicts
from scorer.people.disputes import AnsweredBatch, Unit, by_value, settled
from scorer.people.documents import (
    FORMAT,
    HumanResults,
    Settled,
    Simulated,
    Source,
    VerdictsDocument,
)
from scorer.people.figures import MEASURED, CskRecord
from scorer.people.records import CHOICES, CLOSED, GOLD, OPEN, Annotation, Answers, Batch, Origin
from scorer.people.round_table import KEPT, LABELS, VERIFY, ItemRounds
from scorer.people.stages import way
from scorer.people.validate import Workplace
from scorer.people.verdicts import ItemVerdicts, Judged, Results, Rules, SplitVotes, SystemVotes

CSK = "csk"
LABEL = "label"
"""The question of forms that ask for a label."""
_ROW = re.compile(r"(?P<split>[a-z0-9]+(?:-[a-z0-9]+)+):(?P<row>[1-9][0-9]*)")
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
        return [batch for batch in self.workplace.batches() if batch.status == CLOSED]

    @cached_property
    def annotations(self) -> dict[str, list[Annotation]]:
        return {batch.name: self.workplace.annotations(batch) for batch in self.batches}

    @cached_property
    def kinds(self) -> dict[str, list[Batch]]:
        """The batches of each form."""
        groups: dict[str, list[Batch]] = {}
        for batch in self.batches:
            groups.setdefault(batch.kind, []).append(batch)
        return groups

    def of_kind(self, kind: str) -> list[Annotation]:
        return [note for batch in self.kinds.get(kind, ()) for note in self.annotations[batch.name]]

    def origin(self, batch: str, item: str) -> Origin | None:
        return self.workplace.origins(batch).get(item)

    def system(self, batch: str, item: str) -> str:
        """Whose an item is; empty where no key says so."""
        origin = self.origin(batch, item)
        return origin.system if origin else ""

    def votes(self, batch: Batch) -> dict[str, dict[str, str]]:
        """The labels that each item was given and by whom, those handed in first coming first."""
        notes = self.annotations[batch.name]
        return {item.id: {note.annotator: str(note.answers[item.id][LABEL]) for note in notes
                          if LABEL in note.answers.get(item.id, {})}
                for item in batch.items}

    def graphs(self) -> list[_Graph]:
        """Every graph of a batch of verification whose origin is known."""
        return [self._graph(batch, item, origin, votes)
                for batch in self.kinds.get(VERIFY, ())
                for item, votes in self.votes(batch).items()
                if (origin := self.origin(batch.name, item)) is not None]

    def _graph(self, batch: Batch, item: str, origin: Origin, labels: Mapping[str, str]) -> _Graph:
        votes = [(login, vote) for login, vote in labels.items()
                 if people.may_judge(self.workplace.people, login, origin.system)]
        return _Graph(batch.name, item, origin, dict(votes[:batch.needed]), batch.needed,
                      bool(self.workplace.key(batch.name).chosen))


def aggregated(workplace: Workplace, results: Results, rules: Rules, commit: str | None = None,
               ) -> HumanResults:
    """The document of everything in closed batches.

    Raises DataError for a key that cannot be read.
    """
    closed = _Closed(workplace)
    batches = {batch.name: batch.sha256 for batch in closed.batches}
    keys = {**_csk(closed), "questions": _questions(closed), "values": _values(closed),
            "settled": _settled(closed), **_stages(closed),
            "verdicts": _verdicts(closed, results, rules)}
    simulated = {batch.name: list(logins) for batch in closed.batches
                 if (logins := workplace.simulated(batch))}
    if simulated:
        keys["simulated"] = Simulated(
            annotators=sorted({login for logins in simulated.values() for login in logins}),
            batches=simulated, figures=closed.marked)
    return HumanResults(
        format=FORMAT, generated_from=Source(commit=commit, batches=batches), **keys)


def _csk(closed: _Closed) -> dict[str, Any]:
    records: list[CskRecord] = []
    systems: dict[str, list[CskRecord]] = {}
    topics: dict[str, list[CskRecord]] = {}
    relations: dict[str, list[CskRecord]] = {}
    for batch in closed.kinds.get(CSK, ()):
        of_batch = [record for annotation in closed.annotations[batch.name]
                    for record in _records(batch, annotation)]
        texts = {topic.key: topic.text for topic in batch.topics}
        subjects = figures.topics(of_batch)
        for record in of_batch:
            records.append(record)
            systems.setdefault(closed.system(*record.item), []).append(record)
            if (subject := subjects[record.item]) in texts:
                topics.setdefault(texts[str(subject)], []).append(record)
            for relation in dict.fromkeys(record.relations):
                relations.setdefault(relation, []).append(record)
    for key, groups in (("csk", systems), ("csk_topics", topics), ("csk_relations", relations)):
        for name, group in sorted(groups.items()):
            closed.mark(key, name, [record.annotator for record in group])
    of_systems, of_topics = ({name: figures.csk_figures(group)
                              for name, group in sorted(groups.items())}
                             for groups in (systems, topics))
    return {
        "csk": {name: result.metrics for name, result in of_systems.items()},
        "csk_votes": {name: result.votes for name, result in of_systems.items()},
        "csk_topics": {name: result.metrics for name, result in of_topics.items()},
        "csk_topic_votes": {name: result.votes for name, result in of_topics.items()},
        "csk_relations": figures.by_relation(records),
        "csk_outcome": figures.agreement_on_outcome(records) if records else None,
    }


def _records(batch: Batch, annotation: Annotation) -> list[CskRecord]:
    return [CskRecord((batch.name, item), annotation.annotator, answers,
                      tuple(edge.relation for edge in batch.by_id[item].triplets))
            for item, answers in annotation.answers.items()]


def _questions(closed: _Closed) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for kind in closed.kinds:
        form, annotations = closed.workplace.forms[kind], closed.of_kind(kind)
        if annotations:
            closed.mark("questions", kind, [annotation.annotator for annotation in annotations])
            results[kind] = figures.question_figures(form, annotations)
    return results


def _values(closed: _Closed) -> dict[str, Any]:
    shares: dict[str, Any] = {}
    for kind in closed.kinds:
        if kind == CSK:
            continue
        systems: dict[str, list[tuple[tuple[str, str], Answers]]] = {}
        voters: dict[str, set[str]] = {}
        for annotation in closed.of_kind(kind):
            for item, answers in annotation.answers.items():
                origin = closed.origin(annotation.batch, item)
                name = origin.system if origin else ""
                systems.setdefault(name, []).append(((annotation.batch, item), answers))
                voters.setdefault(name, set()).update(
                    (annotation.annotator, *(origin.authors if origin else ())))
        for name, logins in sorted(voters.items()):
            closed.mark("values", f"{kind}:{name}", logins)
        questions = [question for question in closed.workplace.forms[kind].questions
                     if question.answer in (*MEASURED, CHOICES)]
        if systems and questions:
            shares[kind] = {question.id: {
                name: figures.value_shares(question, [
                    (item, answers[question.id]) for item, answers in pairs
                    if question.id in answers]) for name, pairs in sorted(systems.items())}
                for question in questions}
    return shares


def _settled(closed: _Closed) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for kind, of_kind in closed.kinds.items():
        batches = [AnsweredBatch(batch, closed.annotations[batch.name],
                                 closed.workplace.rulings(batch)) for batch in of_kind]
        for question, units in settled(closed.workplace.forms[kind], batches).items():
            systems: dict[str, list[Unit]] = {}
            for unit in units:
                systems.setdefault(closed.system(unit.batch, unit.item), []).append(unit)
            results.setdefault(kind, {})[question] = {
                name: Settled(units=len(of), ruled=sum(case.ruled for case in of),
                              values=dict(by_value(of)))
                for name, of in sorted(systems.items())}
        if kind in results:
            closed.mark("settled", kind, [
                *(annotation.annotator for annotation in closed.of_kind(kind)),
                *(ruling.by for answered in batches for ruling in answered.rulings)])
    return results


def _stages(closed: _Closed) -> dict[str, Any]:
    made = [graph for graph in closed.graphs() if graph.origin.authors]
    items: dict[tuple[str, str], dict[int, _Graph]] = {}
    rounds: dict[int, set[str]] = {}
    for stage in made:
        root, number = _root(closed, stage)
        items.setdefault(root, {})[number] = stage
        rounds.setdefault(number, set()).update(stage.votes, stage.origin.authors)
    for number in sorted(rounds):
        closed.mark("rounds", str(number), {login for earlier, logins in rounds.items()
                                            if earlier <= number for login in logins})
    named = [graph for graph in made if not _in_open_batch(closed, graph)]
    for author in sorted({graph.origin.authors[-1] for graph in named}):
        closed.mark("authors", author, {author, *(
            voter for graph in named if graph.origin.authors[-1] == author
            for voter in graph.votes)})
    for batch in closed.kinds.get(LABELS, ()):
        closed.mark("labels", batch.name, [sheet.annotator
                                          for sheet in closed.annotations[batch.name]])
    histories = [ItemRounds(item[min(item)].origin.label,
                            [item[number].decision if number in item else NOT_DECIDED
                             for number in range(1, max(item) + 1)])
                 for item in items.values()]
    return {
        "labels": {batch.name: round_table.label_votes(
            [(*votes.values(),) for votes in closed.votes(batch).values()], batch.needed, KEPT)
            for batch in closed.kinds.get(LABELS, ())},
        "rounds": round_table.rounds_table(histories, KEPT),
        "authors": round_table.authors(
            (graph.origin.authors[-1], graph.origin.label, graph.decision) for graph in named),
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
    for graph in closed.graphs():
        match = _ROW.fullmatch(graph.origin.source)
        if match and graph.origin.system not in ("", GOLD):
            splits.setdefault(match["split"], {}).setdefault(graph.origin.system, []).append(graph)
    outcomes = {}
    for split, systems in sorted(splits.items()):
        votes = {system: _votes(graphs, results(split, system))
                 for system, graphs in sorted(systems.items())}
        outcomes[split] = SplitVotes(
            votes, closed.workplace.forms[VERIFY].guideline, people.simulated(
                closed.workplace.people, (login for row in votes.values() for login in row.voters)))
    return outcomes


def _votes(verified: Sequence[_Graph], judged: Judged | None) -> SystemVotes:
    """The votes on a system's graphs. One that several batches ask about counts in the first of
    them that has all its votes, else in the first."""
    current = [entry for entry in verified if not _outdated(entry.origin, judged)]
    graphs = [entry for entry in current if not entry.chosen]
    read: dict[int, ItemVerdicts] = {}
    for graph in graphs:
        row = int(graph.origin.source.rpartition(":")[2])
        if judged is not None and row not in judged.passed:
            continue
        here = ItemVerdicts(row, graph.origin.label, (*graph.votes.values(),), graph.decision.done)
        if row not in read or (here.done and not read[row].done):
            read[row] = here
    return SystemVotes(
        tuple(read.values()),
        tuple(dict.fromkeys(login for entry in graphs for login in entry.votes)),
        judged, len(verified) - len(current), len(current) - len(graphs),
        sum(not entry.done for entry in read.values()))


def _outdated(origin: Origin, judged: Judged | None) -> bool:
    """Whether people read other predictions than those that were scored, or nobody says which."""
    return judged is not None and origin.predictions != judged.predictions


def _verdicts(closed: _Closed, results: Results, rules: Rules) -> dict[str, Any]:
    documents = {}
    for split, tally in _of_systems(closed, results).items():
        closed.mark("verdicts", split, tally.simulated)
        for system, votes in tally.votes.items():
            closed.mark("verdicts", f"{split}:{system}", votes.voters)
        systems = {system: votes.verdict(tally.guideline) for system, votes in tally.votes.items()}
        rows = {system: verdict.powered for system, verdict in systems.items()
                if verdict.powered is not None}
        together = verdicts.agreement_of([read for votes in tally.votes.values()
                                          for read in votes.read])
        documents[split] = VerdictsDocument(
            systems=systems, agreement=together, why_not_ranked=list(verdicts.why_not_ranked(
                rows, together, rules(split), tally.simulated,
                {system: tally.votes[system].unfinished for system in rows})))
    return documents
