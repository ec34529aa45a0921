"""Everything that annotators of closed batches said, in numbers: ``human-results/1``.

Open batches are left out: whoever annotates must not see what others said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from scorer.core.results import Result
from scorer.people import figures, organisers, stages
from scorer.people.answered import MEASURED, AnsweredItem, by_system, grouped
from scorer.people.disputes import settled
from scorer.people.documents import FORMAT, HumanResults, Simulated, Source
from scorer.people.records import CHOICES, CLOSED, GOLD, LABEL, Batch
from scorer.people.stages import STANCE, VERIFY, Stages, counting
from scorer.people.validate import Workplace
from scorer.people.verdicts import ItemVerdicts, Judged, Results, Rules, SplitVotes, SystemVotes

CSK = "csk"
Figure = TypeVar("Figure")
_ROW = re.compile(r"(?P<split>[a-z0-9]+(?:-[a-z0-9]+)+):(?P<row>[1-9][0-9]*)")


def closed_items(workplace: Workplace) -> dict[str, list[AnsweredItem]]:
    """The items of closed batches that somebody answered, by form, in the order of batches."""
    kinds: dict[str, list[AnsweredItem]] = {}
    for batch in workplace.batches():
        if batch.status == CLOSED:
            kinds.setdefault(batch.kind, []).extend(
                item for item in workplace.items(batch) if item.answers)
    return kinds


@dataclass(frozen=True)
class _Closed:
    """The closed batches of a folder."""

    workplace: Workplace
    batches: Sequence[Batch]
    kinds: Mapping[str, Sequence[AnsweredItem]]
    simulated: dict[str, list[str]] = field(default_factory=dict)
    """Figures in which simulated annotators have part, by key of the document."""

    def mark(self, key: str, name: str, logins: Iterable[str]) -> None:
        """Note a figure that some annotators have part in, if any is simulated."""
        if organisers.simulated(self.workplace.people, logins):
            self.simulated.setdefault(key, []).append(name)

    def figures(self, key: str, groups: Mapping[str, Sequence[AnsweredItem]],
                figure: Callable[[Sequence[AnsweredItem]], Figure]) -> dict[str, Figure]:
        """A figure of each group of items, below a key of the document."""
        for name, group in groups.items():
            self.mark(key, name, _logins(group))
        return {name: figure(group) for name, group in groups.items()}


def aggregated(workplace: Workplace, votes: Mapping[str, SplitVotes], rules: Rules,
               commit: str | None = None) -> HumanResults:
    """The document of everything in closed batches. ``votes``: those on systems.

    Raises DataError for a key that cannot be read, of an open batch too where a graph's way leads
    through it.
    """
    batches = [batch for batch in workplace.batches() if batch.status == CLOSED]
    closed = _Closed(workplace, batches, closed_items(workplace))
    keys = {**_csk(closed), **_by_form(closed), **_rounds(closed), "labels": _labels(closed),
            "verdicts": _verdicts(closed, votes, rules)}
    simulated = {batch.name: list(logins) for batch in batches
                 if (logins := workplace.simulated(batch))}
    if simulated:
        keys["simulated"] = Simulated(
            annotators=sorted({login for logins in simulated.values() for login in logins}),
            batches=simulated,
            figures={key: closed.simulated[key] for key in keys if key in closed.simulated})
    return HumanResults(
        format=FORMAT, generated_from=Source(
            commit=commit, batches={batch.name: batch.sha256 for batch in batches}), **keys)


def _logins(items: Iterable[AnsweredItem]) -> set[str]:
    """Who answered."""
    return {login for item in items for login in item.answers}


def _csk(closed: _Closed) -> dict[str, Any]:
    items = closed.kinds.get(CSK, ())
    systems = by_system(items)
    topics = grouped(items, lambda item: filter(None, [figures.topic(item)]))
    relations = grouped(items, lambda item: {edge.relation for edge in item.item.triplets})
    for relation, group in relations.items():
        closed.mark("csk_relations", relation, _logins(group))
    return {
        "csk": closed.figures("csk", systems, figures.csk_figures),
        "csk_votes": {name: figures.csk_votes(group) for name, group in systems.items()},
        "csk_topics": closed.figures("csk_topics", topics, figures.csk_figures),
        "csk_topic_votes": {name: figures.csk_votes(group) for name, group in topics.items()},
        "csk_relations": figures.by_relation(items),
        "csk_outcome": figures.agreement_on_outcome(items) if items else None,
    }


def _by_form(closed: _Closed) -> dict[str, Any]:
    """Agreement and counts of questions, shares of values, and what was settled."""
    questions, values, settlements = {}, {}, {}
    for kind, items in closed.kinds.items():
        form, systems = closed.workplace.forms[kind], by_system(items)
        if items:
            closed.mark("questions", kind, _logins(items))
            questions[kind] = figures.question_figures(form, items)
        if systems and kind != CSK:
            for name, group in systems.items():
                closed.mark("values", f"{kind}:{name}",
                            [login for item in group for login in item.logins])
            shares = {question.id: {name: figures.value_shares(question, group)
                                    for name, group in systems.items()}
                      for question in form.questions if question.answer in (*MEASURED, CHOICES)}
            if shares:
                values[kind] = shares
        rulings = [(batch.name, ruling) for batch in closed.batches if batch.kind == kind
                   for ruling in closed.workplace.rulings(batch)]
        known = settled(form, items, {
            (f"{batch}:{ruling.item}", ruling.unit, ruling.question): ruling.value
            for batch, ruling in rulings})
        if known:
            settlements[kind] = known
            closed.mark("settled", kind, {*_logins(items), *(ruling.by for _, ruling in rulings)})
    return {"questions": questions, "values": values, "settled": settlements}


def _rounds(closed: _Closed) -> dict[str, Any]:
    """Rounds of verification, and whose graphs were found correct; nobody is named for a graph as
    long as a batch on its way takes answers."""
    every = Stages(closed.workplace)
    items: dict[str, dict[int, AnsweredItem]] = {}
    voters: dict[int, set[str]] = {}
    written: list[tuple[str, str, str | None]] = []
    readers: dict[str, set[str]] = {}
    for graph in (graph for batch in closed.batches if batch.kind == VERIFY
                  for graph in every.of(batch.name)):
        authors = graph.origin.authors
        if not authors:
            continue
        steps = [*every.way(graph.source)]
        number = sum(step.batch.kind == VERIFY for step in steps)
        items.setdefault(steps[-1].origin.source or steps[-1].source, {})[number] = graph
        voters.setdefault(number, set()).update(graph.logins)
        if all(step.batch.status == CLOSED for step in steps):
            written.append((authors[-1], graph.origin.label, graph.label))
            readers.setdefault(authors[-1], {authors[-1]}).update(graph.answers)
    so_far: set[str] = set()
    for number, logins in sorted(voters.items()):
        so_far |= logins
        closed.mark("rounds", str(number), so_far)
    for author, logins in sorted(readers.items()):
        closed.mark("authors", author, logins)
    histories = [(rounds[min(rounds)].origin.label,
                  [rounds[number].label if number in rounds else None
                   for number in range(1, max(rounds) + 1)]) for rounds in items.values()]
    return {"rounds": stages.rounds_table(histories), "authors": stages.authors(written)}


def _labels(closed: _Closed) -> dict[str, Any]:
    """Votes on labels, by batch."""
    batches = {batch.name: closed.workplace.items(batch) for batch in closed.batches
               if batch.kind == STANCE}
    return closed.figures("labels", batches, lambda items: stages.label_votes(
        [[str(vote) for vote in item.given(LABEL).values()] for item in items],
        items[0].batch.needed))


def votes_on_systems(workplace: Workplace, results: Results) -> dict[str, SplitVotes]:
    """What annotators of closed batches said of systems, by board and split.

    The first votes that a batch needs count, in the order of its closing, without those of the
    system's own team. What is decided of a graph, the value that may rank its system and the
    agreement that this rests on are all of these, so that a vote too many moves none of them.
    Raises DataError for a key that cannot be read.
    """
    splits: dict[str, dict[str, list[AnsweredItem]]] = {}
    for batch in workplace.batches():
        if batch.kind == VERIFY and batch.status == CLOSED:
            for graph in counting(workplace, batch):
                match, system = _ROW.fullmatch(graph.origin.source), graph.origin.system
                if match and system not in ("", GOLD):
                    splits.setdefault(match["split"], {}).setdefault(system, []).append(graph)
    outcomes = {}
    for split, systems in sorted(splits.items()):
        votes = {system: _votes(workplace, graphs, results(split, system))
                 for system, graphs in sorted(systems.items())}
        outcomes[split] = SplitVotes(
            votes, workplace.forms[VERIFY].guideline, organisers.simulated(
                workplace.people, (login for row in votes.values() for login in row.voters)))
    return outcomes


def _votes(workplace: Workplace, verified: Sequence[AnsweredItem], result: Result | None,
           ) -> SystemVotes:
    """The votes on a system's graphs. One that several batches ask about counts in the first of
    them that has all its votes, else in the first. Outdated are those where people read other
    predictions than those that were scored, or nobody says which."""
    judged = Judged(result) if result is not None and result.items else None
    current = [graph for graph in verified if judged is None
               or graph.origin.predictions == judged.result.predictions.sha256]
    graphs = [graph for graph in current if not workplace.key(graph.batch.name).chosen]
    read: dict[int, ItemVerdicts] = {}
    for graph in graphs:
        row = int(graph.origin.source.rpartition(":")[2])
        if judged is not None and row not in judged.passed:
            continue
        here = ItemVerdicts(row, graph.origin.label, graph.votes, graph.label is not None)
        if row not in read or (here.done and not read[row].done):
            read[row] = here
    return SystemVotes(
        tuple(read.values()), tuple(dict.fromkeys(
            login for graph in graphs for login in graph.answers)),
        judged, len(verified) - len(current), len(current) - len(graphs))


def _verdicts(closed: _Closed, votes: Mapping[str, SplitVotes], rules: Rules) -> dict[str, Any]:
    for split, tally in votes.items():
        closed.mark("verdicts", split, tally.simulated)
        for system, of_system in tally.votes.items():
            closed.mark("verdicts", f"{split}:{system}", of_system.voters)
    return {split: tally.document(rules(split)) for split, tally in votes.items()}
