"""Scoring a whole hidden split: history and gold in, publishable results and a ledger out.

Every submission of the history is decided anew each time, so that what is published never depends
on what was published before; exact scores that were sealed earlier save the scoring. None is scored
before its day, or if nothing of it is to be released: how long scoring takes, and whether it fails,
is seen by everybody.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from scorer import board as boards
from scorer._version import __version__
from scorer.board import Board
from scorer.board.policy import chosen
from scorer.errors import DataError, UsageError, WhyboardError
from scorer.files import json_bytes, sha256_file, write_atomically
from scorer.hidden import age, confined, exact
from scorer.hidden.age import Identity
from scorer.hidden.confined import ConfinedJob, Work
from scorer.hidden.envelope import Envelope
from scorer.hidden.exact import Exact
from scorer.hidden.faults import GoldError, guarded
from scorer.hidden.items import read_items
from scorer.hidden.release import rules
from scorer.hidden.release.decisions import RELEASED, Decision, Sent, decide, query_ledger, turns
from scorer.hidden.release.history import HistoryEntry
from scorer.hidden.release.rules import Views
from scorer.metrics.catalogue import METRICS
from scorer.models.endpoint import key_variables
from scorer.models.registry import Models
from scorer.results import files as results
from scorer.results import past
from scorer.scoring.checking import check_file, input_texts, raise_if_wrong
from scorer.scoring.evaluate import GoldId
from scorer.scoring.submissions import Scorer, SplitGold
from scorer.submission import predictions_path

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class HiddenScoring:
    """The work of the confined process. Its text form shows no gold."""

    board: Path
    gold: Envelope = field(repr=False)
    home: Path
    sources: Mapping[str, str] = field(default_factory=dict)
    """Model name -> where it is looked for."""
    models: Mapping[str, Any] = field(default_factory=dict)
    """Further options of Models; no cache: what models are asked may hold gold."""
    metrics: tuple[str, ...] = ()

    def __call__(self, job: bytes) -> bytes:
        """Score ``[team, system, path]``, a JSON list; the bytes of the exact scores."""
        team, system, path = json.loads(job)
        scorer, board, gold = self._scorer
        result = scorer.file(board, Path(path), self.gold.split, gold)
        return exact.of_result(replace(result, team=team, system=system)).to_bytes()

    def model_store(self) -> Models:
        """The models that it scores with; none is loaded yet.

        Raises UsageError for an endpoint: hidden items leave this machine for no judge.
        """
        if key_variables(self.sources):
            raise UsageError("hidden items leave this machine for no judge: name no endpoint")
        return Models(self.sources, **{**self.models, "cache": None})

    @cached_property
    def _scorer(self) -> tuple[Scorer, Board, SplitGold]:
        board = boards.load(self.board)
        items = read_items(board, self.gold)
        identified = GoldId(self.gold.hmac, board.split(self.gold.split).golds, public=False)
        scorer = Scorer(self.model_store(), self.home, metrics=self.metrics)
        return scorer, board, SplitGold.of(items, identified)


@dataclass(frozen=True)
class Places:
    """Where things lie."""

    submissions: Path
    results: Path
    ledger: Path
    home: Path

    def predictions(self, board: Board, entry: HistoryEntry, split: str) -> Path:
        """An entry's predictions file."""
        return predictions_path(self.submissions / board.id / entry.team / entry.system, split)

    def result(self, board: Board, entry: HistoryEntry, split: str) -> Path:
        """An entry's result."""
        return self.results / board.id / entry.team / entry.system / f"{split}.json"

    def sealed(self, board: Board, entry: HistoryEntry, split: str) -> Path:
        """An entry's sealed exact scores, beside its result."""
        return self.result(board, entry, split).with_name(f"{split}.exact.age")


@dataclass(frozen=True)
class HiddenOutcome:
    """What became of one submission."""

    entry: HistoryEntry
    decision: Decision | None
    """None if its file has faults and nothing was decided."""
    fault: WhyboardError | None = None


def score_split(
    board: Board, gold: Envelope, entries: Sequence[HistoryEntry], places: Places, *,
    as_of: datetime.date, identity: Identity | None = None, work: Work | None = None,
    seconds: float = 3600.0, memory: float | None = None, failed: Collection[str] = (),
    planned: Collection[str] | None = None,
) -> list[HiddenOutcome]:
    """Score, decide and write every submission of a history; one outcome each, in order.

    ``as_of``: the day of the commit that is built. ``identity``: opens and seals exact scores;
    without one nothing is kept and everything is scored each time. ``work``: what the confined
    process runs. ``seconds``: limit for one submission; ``memory``: GiB that the process may have.
    ``failed``: names of submissions that failed before and are not tried again; ``planned``: names
    of those to be scored now, all whose day has come if None: of others what was sealed is taken.
    The ledger counts earlier answers where their past values lie beside the results; it knows of no
    others. Raises GoldError if the gold is wrong.
    """
    split, n = gold.split, board.split(gold.split).rows
    grid = chosen(board.release, n)
    if grid is None:
        raise GoldError("GOLD-GRID", f"{board.id} {split}")
    read_items(board, gold, places.home)
    texts = input_texts(board, split, places.home)
    faults: dict[str, WhyboardError] = {}
    views: dict[str, Views] = {}
    for entry in entries:
        try:
            path = places.predictions(board, entry, split)
            views[entry.name] = row_views(board, path, entry, split, texts)
        except WhyboardError as fault:
            faults[entry.name] = fault
    read = [entry for entry in entries if entry.name in views]
    waiting = [Sent(entry, views[entry.name], None) for entry in read]
    due = turns(waiting, board.release, as_of)
    needed = [entry for entry, turn in zip(read, due, strict=True) if turn.word == RELEASED]
    work = work or HiddenScoring(board.folder.resolve(), gold, places.home)
    models = work.model_store() if isinstance(work, HiddenScoring) else Models()
    known = {entry.name: found for entry in needed
             if (found := _kept(board, gold, entry, places, identity, models)) is not None}
    faults |= {entry.name: GoldError("GOLD-SCORE", entry.name) for entry in needed
               if entry.name in failed and entry.name not in known}
    tasks = [_task(entry, places.predictions(board, entry, split)) for entry in needed
             if entry.name not in known and entry.name not in faults
             and (planned is None or entry.name in planned)]
    fetches = isinstance(work, HiddenScoring) and bool(work.models.get("network"))
    for task, answer in confined.run(work, tasks, seconds, memory=memory, network=fetches):
        try:
            known[task.name] = _exact(task, answer)
        except GoldError as fault:
            faults[task.name] = fault
    ranked = {}
    for name, found in known.items():
        try:
            ranked[name] = _ranked(board, found)
        except DataError as fault:
            faults[name] = fault
    sent = [replace(one, ranked=ranked.get(one.entry.name)) for one in waiting]
    decisions = decide(sent, due, board.release)
    outcomes = {one.entry.name: HiddenOutcome(one.entry, decision, faults.get(one.entry.name))
                for one, decision in zip(sent, decisions, strict=True)}
    for name in ranked:
        _publish(board, split, outcomes[name], known[name], grid, places, identity)
    for entry, turn in zip(read, due, strict=True):
        if turn.word != RELEASED:
            result = exact.unscored(board, entry, gold, turn)
            write_atomically(places.result(board, entry, split),
                             json_bytes(results.to_json(result)))
    before = {entry.name: past.releases(past.read(places.result(board, entry, split)))
              for entry in read}
    columns = min(board.release.values,
                  max((len(found.scores) for found in known.values()), default=0))
    write_atomically(
        places.ledger / f"queries.{board.id}.{split}.jsonl",
        query_ledger([one.entry for one in sent], decisions, grid=grid, items=n,
                        metrics=columns, before=before),
    )
    return [outcomes.get(entry.name) or HiddenOutcome(entry, None, faults[entry.name])
            for entry in entries]


def _publish(
    board: Board, split: str, outcome: HiddenOutcome, found: Exact, grid: str, places: Places,
    identity: Identity | None,
) -> None:
    """Write one result, its exact scores sealed beside it first."""
    assert outcome.decision is not None
    path = places.result(board, outcome.entry, split)
    if identity is not None:
        _keep(places.sealed(board, outcome.entry, split), found, identity)
    result = exact.released(found, outcome.decision, grid, board)
    write_atomically(path, json_bytes(results.to_json(result)))


def row_views(
    board: Board, path: Path, entry: HistoryEntry, split: str,
    texts: Sequence[Sequence[str]] | None,
) -> Views:
    """What a submission says, row by row, for the near-duplicate rule; needs no gold.

    The whole row, each column, and all columns but the last with whether the graph is sound: what
    decides the gates. Then what metrics read of a row, with and without its label: the words of its
    parts, in whatever order and letters; nothing of a graph that is not sound. Raises
    SubmissionError if the file has faults, DataError if it is another.
    """
    if not path.is_file() or path.is_symlink() or sha256_file(path) != entry.predictions:
        raise DataError(f"{path}: not the file that was merged")
    report, answers = check_file(board, path, split=split, texts=texts)
    raise_if_wrong(report)
    columns = board.task.prediction_columns(board.settings)
    rows = [tuple(vars(answer).values()) for answer in answers]
    views: dict[str, Sequence[Any]] = {rules.WHOLE: rows}
    if len(columns) > 1:
        views |= {f"column {at}": [row[at] for row in rows] for at in range(len(columns))}
    views["gates"] = [(row[:-1], not broken)
                      for row, broken in zip(rows, report.broken, strict=True)]
    contents = [board.task.content(board.settings, answer) for answer in answers]
    views["parts"] = [None if broken else frozenset(map(_words, content.units))
                      for content, broken in zip(contents, report.broken, strict=True)]
    views[rules.CONTENT] = [
        (content.label, parts) for content, parts in zip(contents, views["parts"], strict=True)]
    return views


def _words(unit: Any) -> tuple[str, ...]:
    """A part of an answer without stray blanks, points or capitals."""
    texts = (unit,) if isinstance(unit, str) else unit
    return tuple(" ".join(_WORD.findall(text.lower())) for text in texts)


def _ranked(board: Board, found: Exact) -> Any:
    """The scores of the first ranking metric that was measured, higher is better."""
    name = next((name for name in board.ranking if name in found.scores), None)
    if name is None:
        raise DataError(f"{board.id}: no ranking metric was measured")
    sign = 1.0 if METRICS[name].better == "higher" else -1.0
    return sign * np.asarray(found.scores[name])


def _task(entry: HistoryEntry, path: Path) -> ConfinedJob:
    job = json.dumps([entry.team, entry.system, str(path.resolve())]).encode()
    return ConfinedJob(entry.name, job)


def _exact(task: ConfinedJob, answer: bytes | GoldError) -> Exact:
    if isinstance(answer, GoldError):
        raise answer
    return guarded("GOLD-SCORE", task.name, lambda: exact.from_bytes(answer))


def _kept(
    board: Board, gold: Envelope, entry: HistoryEntry, places: Places, identity: Identity | None,
    models: Models,
) -> Exact | None:
    """Exact scores that were sealed earlier, if they are of the same bytes, gold, versions and
    models; on whichever machine.
    """
    path = places.sealed(board, entry, gold.split)
    if identity is None or not path.is_file():
        return None
    found = _opened(path, identity)
    if found is None:
        return None
    about = found.head["provenance"]
    same = (about["predictions"]["sha256"] == entry.predictions
            and about["gold"].get("hmac_sha256") == gold.hmac
            and about["scorer"]["version"] == __version__
            and found.head["board_version"] == board.version
            and found.head["metrics"] == list(board.metrics)
            and all(models.fits(name, tag) for name, tag in about["models"].items()))
    return found if same else None


def _opened(path: Path, identity: Identity) -> Exact | None:
    """The exact scores of a file; None where it cannot be opened: they are made again."""
    try:
        content = identity.open(path.read_bytes(), path.name)
        opened: Exact = guarded("GOLD-ENVELOPE", path.name, lambda: exact.from_bytes(content))
    except GoldError:
        return None
    return opened


def _keep(path: Path, found: Exact, identity: Identity) -> None:
    """Seal exact scores beside the result, unless they are there: sealing again changes bytes."""
    if not path.is_file() or _opened(path, identity) != found:
        write_atomically(path, age.seal(found.to_bytes(), [identity.recipient]))
