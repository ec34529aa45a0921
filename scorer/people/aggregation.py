"""Everything that annotators of closed batches said, in numbers: ``human-results/1``.

Open batches are left out: whoever annotates must not see what others said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scorer.people import figures, organisers, stages, verdicts
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
from scorer.people.records import CHOICES, CLOSED, GOLD, LABEL, Annotation, Answers, Batch, Origin
from scorer.people.stages import STANCE, VERIFY, Place, places, way
from scorer.people.validate import Workplace
from scorer.people.verdicts import ItemVerdicts, Judged, Results, Rules, SplitVotes, SystemVotes

CSK = "csk"
_ROW = re.compile(r"(?P<split>[a-z0-9]+(?:-[a-z0-9]+)+):(?P<row>[1-9][0-9]*)")


@dataclass(frozen=True)
class _Closed:
    """The closed batches of a folder."""

    workplace: Workplace
    marked: dict[str, list[str]] = field(default_factory=dict)
    """Figures in which simulated annotators have part, by key of the document."""

    def mark(self, key: str, name: str, annotators: Iterable[str]) -> None:
        """Note a figure that some annotators have part in, if any is simulated."""
        if organisers.simulated(self.workplace.people, annotators):
            self.marked.setdefault(key, []).append(name)

    @cached_property
    def kinds(self) -> dict[str, list[Batch]]:
        """The batches of each form."""
        groups: dict[str, list[Batch]] = {}
        for batch in self.workplace.batches():
            if batch.status == CLOSED:
                groups.setdefault(batch.kind, []).append(batch)
        return groups

    def of_kind(self, kind: str) -> list[Annotation]:
        return [note for batch in self.kinds.get(kind, ())
                for note in self.workplace.annotations(batch)]

    def origin(self, batch: str, item: str) -> Origin:
        """Where an item comes from; an empty one where no key says so."""
        return self.workplace.origins(batch).get(item, Origin(source=""))


def aggregated(workplace: Workplace, results: Results, rules: Rules, commit: str | None = None,
               ) -> HumanResults:
    """The document of everything in closed batches.

    Raises DataError for a key that cannot be read.
    """
    closed = _Closed(workplace)
    batches = [batch for batch in workplace.batches() if batch.status == CLOSED]
    keys = {**_csk(closed), "questions": _questions(closed), "values": _values(closed),
            "settled": _settled(closed), **_stages(closed),
            "verdicts": _verdicts(closed, results, rules)}
    simulated = {batch.name: list(logins) for batch in batches
                 if (logins := workplace.simulated(batch))}
    if simulated:
        keys["simulated"] = Simulated(
            annotators=sorted({login for logins in simulated.values() for login in logins}),
            batches=simulated, figures=closed.marked)
    return HumanResults(
        format=FORMAT, generated_from=Source(
            commit=commit, batches={batch.name: batch.sha256 for batch in batches}), **keys)


def _csk(closed: _Closed) -> dict[str, Any]:
    records: list[CskRecord] = []
    systems: dict[str, list[CskRecord]] = {}
    topics: dict[str, list[CskRecord]] = {}
    relations: dict[str, list[CskRecord]] = {}
    for batch in closed.kinds.get(CSK, ()):
        of_batch = [
            CskRecord((batch.name, item), annotation.annotator, answers,
                      tuple(edge.relation for edge in batch.by_id[item].triplets))
            for annotation in closed.workplace.annotations(batch)
            for item, answers in annotation.answers.items()]
        texts = {topic.key: topic.text for topic in batch.topics}
        subjects = figures.topics(of_batch)
        for record in of_batch:
            records.append(record)
            systems.setdefault(closed.origin(*record.item).system, []).append(record)
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
        "csk": {name: metrics for name, (metrics, _) in of_systems.items()},
        "csk_votes": {name: votes for name, (_, votes) in of_systems.items()},
        "csk_topics": {name: metrics for name, (metrics, _) in of_topics.items()},
        "csk_topic_votes": {name: votes for name, (_, votes) in of_topics.items()},
        "csk_relations": figures.by_relation(records),
        "csk_outcome": figures.agreement_on_outcome(records) if records else None,
    }


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
                systems.setdefault(origin.system, []).append(((annotation.batch, item), answers))
                voters.setdefault(origin.system, set()).update(
                    (annotation.annotator, *origin.authors))
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
        batches = [AnsweredBatch(batch, closed.workplace.annotations(batch),
                                 closed.workplace.rulings(batch)) for batch in of_kind]
        for question, units in settled(closed.workplace.forms[kind], batches).items():
            systems: dict[str, list[Unit]] = {}
            for unit in units:
                systems.setdefault(closed.origin(unit.batch, unit.item).system, []).append(unit)
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
    """Votes on labels, rounds of verification, and whose graphs were found correct; nobody is named
    for a graph as long as a batch on its way takes answers."""
    workplace = closed.workplace
    items: dict[tuple[str, str], dict[int, tuple[Origin, str | None]]] = {}
    voters: dict[int, set[str]] = {}
    written: list[tuple[str, str, str | None]] = []
    readers: dict[str, set[str]] = {}
    for graph, origin in _verified(workplace):
        if not origin.authors:
            continue
        steps = [*way(workplace.origins, graph.batch.name, graph.item.id)]
        batches = [batch for name, _ in steps if (batch := workplace.batch(name)[0])]
        number = sum(batch.kind == VERIFY for batch in batches)
        items.setdefault(steps[-1], {})[number] = origin, graph.label
        logins = {login for login, _ in graph.answers}
        voters.setdefault(number, set()).update(logins, origin.authors)
        if all(batch.status == CLOSED for batch in batches):
            author = origin.authors[-1]
            written.append((author, origin.label, graph.label))
            readers.setdefault(author, {author}).update(logins)
    for number in sorted(voters):
        closed.mark("rounds", str(number), {login for earlier, logins in voters.items()
                                            if earlier <= number for login in logins})
    for author, logins in sorted(readers.items()):
        closed.mark("authors", author, logins)
    labels = {}
    for batch in closed.kinds.get(STANCE, ()):
        sheets = workplace.annotations(batch)
        closed.mark("labels", batch.name, [sheet.annotator for sheet in sheets])
        labels[batch.name] = stages.label_votes(
            [[str(sheet.answers[item][LABEL]) for sheet in sheets if item in sheet.answers]
             for item in batch.by_id], batch.needed)
    histories = []
    for rounds in items.values():
        wanted = rounds[min(rounds)][0].label
        histories.append((wanted, [rounds[number][1] if number in rounds else None
                                   for number in range(1, max(rounds) + 1)]))
    return {"labels": labels, "rounds": stages.rounds_table(histories),
            "authors": stages.authors(written)}


def _verified(workplace: Workplace) -> Iterator[tuple[Place, Origin]]:
    """Every graph of a closed batch of verification whose origin is known.

    The first votes that its batch needs count, in the order of the batch's closing, without those
    of the system's own team. What is decided of the graph, the value that may rank its system and
    the agreement that this rests on are all of these, so that a vote too many moves none of them.
    """
    for batch in workplace.batches():
        if batch.kind == VERIFY and batch.status == CLOSED:
            for place in places(workplace, batch):
                if place.origin is not None:
                    yield place, place.origin


def votes_on_systems(workplace: Workplace, results: Results) -> dict[str, SplitVotes]:
    """What annotators of closed batches said of systems, by board and split.

    Raises DataError for a key that cannot be read.
    """
    splits: dict[str, dict[str, list[tuple[Place, Origin]]]] = {}
    for graph, origin in _verified(workplace):
        match = _ROW.fullmatch(origin.source)
        if match and origin.system not in ("", GOLD):
            systems = splits.setdefault(match["split"], {})
            systems.setdefault(origin.system, []).append((graph, origin))
    outcomes = {}
    for split, systems in sorted(splits.items()):
        votes = {system: _votes(workplace, graphs, results(split, system))
                 for system, graphs in sorted(systems.items())}
        outcomes[split] = SplitVotes(
            votes, workplace.forms[VERIFY].guideline, organisers.simulated(
                workplace.people, (login for row in votes.values() for login in row.voters)))
    return outcomes


def _votes(workplace: Workplace, verified: Sequence[tuple[Place, Origin]], judged: Judged | None,
           ) -> SystemVotes:
    """The votes on a system's graphs. One that several batches ask about counts in the first of
    them that has all its votes, else in the first. Outdated are those where people read other
    predictions than those that were scored, or nobody says which."""
    current = [(graph, origin) for graph, origin in verified
               if judged is None or origin.predictions == judged.predictions]
    graphs = [(graph, origin) for graph, origin in current
              if not workplace.key(graph.batch.name).chosen]
    read: dict[int, ItemVerdicts] = {}
    for graph, origin in graphs:
        row = int(origin.source.rpartition(":")[2])
        if judged is not None and row not in judged.passed:
            continue
        here = ItemVerdicts(row, origin.label, graph.votes, graph.label is not None)
        if row not in read or (here.done and not read[row].done):
            read[row] = here
    return SystemVotes(
        tuple(read.values()),
        tuple(dict.fromkeys(login for graph, _ in graphs for login, _ in graph.answers)),
        judged, len(verified) - len(current), len(current) - len(graphs))


def _verdicts(closed: _Closed, results: Results, rules: Rules) -> dict[str, Any]:
    documents = {}
    for split, tally in votes_on_systems(closed.workplace, results).items():
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
