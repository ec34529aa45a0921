"""How well the structured model does on official dev, what each of its parts loses, what it costs.

    python -m benchmarks --only systems --data DIR --reference CHECKOUT --systems DIR
    python -m benchmarks.bench_systems DATA CHECKOUT SYSTEMS SEED

``--data`` holds the official files and ``third-party/max-margin.dev.predictions.tsv``, from which
labels are taken; the checkout of github swarnaHub/ExplaGraphs has the concepts of the paper's BART
(``data/external_nodes_dev.txt``). Seeds 1 to 5 are trained and measured, each in a folder of
``--systems``; what lies there already is taken if it is of the same data, labels and program, so
the second command does one seed of the work ahead. ``card.json`` and ``label/card.json`` are
written there too: the cards of the seed that comes with the program
(``scorer/lab/systems/embedded/structured``).
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import scorer
from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import GoldId, Golds, read_golds
from scorer.core.errors import DataError, NotMeasured
from scorer.core.files import json_bytes, sha256, sha256_file, write_atomically
from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.lab.systems import labels, records
from scorer.lab.systems.predicting import file_of_concepts
from scorer.lab.systems.records import Data, Question, Trained, TrainingRequest
from scorer.lab.systems.registry import SMALL
from scorer.lab.systems.structured import system as structured
from scorer.lab.systems.structured.alignment import AlignedText, Chances, ConceptCandidate, outside
from scorer.lab.systems.structured.decoding import EdgeLimits, Need, best_graph
from scorer.scoring.checking import check_file
from scorer.scoring.evaluate import Session
from scorer.tasks.graphs.graph_items import Gold, Prediction

SEEDS = (5, 1, 2, 3, 4)
"""The first is the default, and comes with the program."""
METRICS = ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "GED")
PASSED = ("G-ROUGE-2", "GED")
"""Also over the graphs that pass every gate."""
ROOT = Path(scorer.__file__).parent
SECONDS = "seconds an item"
EDGES = "edges an item"
SURE = 50.0
"""Log-odds of what an oracle tells."""
BARS = (
    ("given", "StCA", "at least SA - .005"), ("given", "G-ROUGE-2", "at least .21"),
    ("given", "GED", "at most .45"), ("given", SECONDS, "at most .3"),
    ("own", "SA", "at least .60"),
)

LIMITS = (
    "It was trained on ExplaGraphs' beliefs and arguments in English, and knows its 28 relations "
    "only.",
    "Structural constraints hold by construction, so StCA says how right its labels are, and "
    "nothing of its graphs.",
    "Whether a graph is a good reason is not among these figures: no judge was asked (SeCA, EA).",
    "A concept from outside the texts is only used if it is offered (--external). By default no "
    "graph has any, though a quarter of train's gold concepts are such (2,978 of 12,140).",
    "The label and the graph come from two models; a graph that argues for the other label is not "
    "noticed.",
)
LICENCE = (
    "Base: all-MiniLM-L6-v2, Apache-2.0, not part of these files. Data: ExplaGraphs train, MIT "
    "(repository) or CC BY-SA 4.0 (web page); no row of it is part of these files."
)
MEASURING = "python -m benchmarks --only systems --data DIR --reference CHECKOUT --systems DIR"
COMMANDS = ("scorer train structured --board explagraphs --seed N --out DIR/seedN", MEASURING)
LABEL_COMMANDS = (
    "scorer train label --board explagraphs --seed N --out DIR/seedN/label "
    "(scorer train structured does the same)", MEASURING)
LABEL_LIMITS = (
    "It was trained on ExplaGraphs' beliefs and arguments in English, and gives one of two stances "
    "to whatever it reads.",
    "About one stance in three is wrong on new beliefs. It reads each text by itself, and compares "
    "two vectors.",
    "The held-out beliefs are a tenth of train, others for each seed, and chose the epoch, so that "
    "figure flatters. Dev chose nothing.",
)


class Given(NamedTuple):
    """The official files, and what others predicted."""

    board: Board
    train: Data
    dev: Sequence[Gold]
    gold_id: GoldId
    others: list[Prediction]
    """Max-Margin's."""
    released: list[list[str]] | None
    """Concepts of the paper's BART."""
    digest: str
    """Of the files that questions are made of, and of the program."""


ALONE = "texts alone"
"""How the label model is asked."""
Figures = Mapping[str, float | None]
"""Of one way to ask; None: not measured."""
Ask = Callable[[Given, Path, Trained], Sequence[Prediction]]


class Way(NamedTuple):
    """One row of the ablations."""

    name: str
    about: str
    ask: Ask


def run(data: Path | None, systems: Path | None, reference: Path | None) -> list[dict[str, Any]]:
    """Rows of figures: ours is the mean of the seeds, theirs Max-Margin's."""
    if data is None:
        return []
    given = read(data, reference)
    with tempfile.TemporaryDirectory() as scratch:
        folder = systems or Path(scratch)
        trained = [train(given, folder, seed) for seed in SEEDS]
        measured = {seed: measure(given, folder, seed) for seed in SEEDS}
        conditions = [one for way in WAYS if (one := condition(way, measured)) is not None]
        write_card(folder, Card(
            schema=1, weights=trained[0].weights, commands=COMMANDS,
            split=f"the official dev split, {len(given.dev)} items",
            conditions=tuple(conditions), limits=LIMITS, licence=LICENCE))
        stances = stance_condition(measured)
        models = [records.read(folder / f"seed{seed}" / labels.LABEL)
                  for seed in (stances.seeds if stances else ())]
        if stances is not None:
            write_card(folder / labels.LABEL, Card(
                schema=1, weights=models[0].weights, commands=LABEL_COMMANDS,
                split=f"the official dev split, {len(given.dev)} items, and of beliefs held out "
                "of train",
                conditions=(stances,), limits=LABEL_LIMITS, licence=LICENCE))
    return [*training_rows("structured: training of the graphs", trained),
            *training_rows("label: training", models),
            *figure_rows(conditions, scores(given, given.others)),
            *figure_rows([stances] if stances else [], {}, "label"),
            *unmeasured_rows(conditions, measured)]


def read(data: Path, reference: Path | None) -> Given:
    """The files."""
    board = boards.load("explagraphs")
    train, dev = (read_golds(board, split, data / f"{split}.tsv") for split in ("train", "dev"))
    predictions = data / "third-party" / "max-margin.dev.predictions.tsv"
    others = check_file(board, predictions, texts=[item.texts for item in dev.items]).accepted()
    concepts = reference / "data" / "external_nodes_dev.txt" if reference else None
    released = file_of_concepts(concepts, len(dev.items)) if concepts else None
    digest = sha256(json_bytes([
        train.sha256, dev.sha256, sha256_file(predictions),
        sha256_file(concepts) if concepts else None, program_digest()]))
    learned = Data(board.id, board.settings, train.items, train.sha256, len(board.task.id_columns))
    return Given(board, learned, dev.items, GoldId(dev.sha256, 1), [*others], released,
                 digest)


def program_digest() -> str:
    """Of every source file of the program, and of this one."""
    found = hashlib.sha256()
    for path in (*sorted(ROOT.rglob("*.py")), Path(__file__)):
        found.update(sha256_file(path).encode())
    return found.hexdigest()


def train(given: Given, folder: Path, seed: int) -> Trained:
    """A system of the default settings; one that lies there already is taken. Raises DataError for
    one of another seed or other data."""
    out = folder / f"seed{seed}"
    if (out / records.FILE).is_file():
        found = records.read(out)
        if found.seed != seed or found.data != {"train": given.train.sha256}:
            raise DataError(f"{out}: trained with another seed or on other data; remove it, or "
                            "name another folder")
        return found
    return structured.fit("structured", given.train, TrainingRequest(SMALL, out, seed))


def measure(given: Given, folder: Path, seed: int) -> dict[str, Figures]:
    """The figures of one seed by way; those that were found of the same system, labels, files and
    program are taken."""
    out = folder / f"seed{seed}"
    trained, path = train(given, folder, seed), out / "figures.json"
    own = out / labels.LABEL / records.FILE
    key = sha256(json_bytes([sha256_file(out / records.FILE),
                             sha256_file(own) if own.is_file() else None, given.digest]))
    known = json.loads(path.read_bytes()) if path.is_file() else {}
    found: dict[str, Figures] = known.get(key, {})
    for way in WAYS:
        possible = ((out / labels.LABEL).is_dir() or way.name != "own") and (
            given.released is not None or "released" not in way.name)
        if possible and way.name not in found:
            begun = time.process_time()
            answers = way.ask(given, out, trained)
            seconds = (time.process_time() - begun) / len(answers)
            found[way.name] = {**scores(given, answers), SECONDS: round(seconds, 4)}
            write_atomically(path, json_bytes({key: found}))
    if own.is_file() and ALONE not in found:
        found[ALONE] = stances_alone(given, out / labels.LABEL)
        write_atomically(path, json_bytes({key: found}))
    return found


def stances_alone(given: Given, folder: Path) -> Figures:
    """How often a label model is right on dev, by the right label too; and on what it held out."""
    trained = records.read(folder)
    begun = time.process_time()
    answers = labels.labels(folder, trained, [item.texts for item in given.dev])
    seconds = (time.process_time() - begun) / len(answers)
    right = [(item.label, answer == item.label)
             for item, answer in zip(given.dev, answers, strict=True)]
    of = {label: [found for own, found in right if own == label] for label in trained.labels}
    return {
        "SA": _rounded(fmean(found for _, found in right)),
        **{f"SA of {label}": _rounded(fmean(found)) for label, found in of.items()},
        "SA on held-out beliefs": trained.figures["labels right"], SECONDS: round(seconds, 4),
    }


@dataclass(frozen=True)
class Condition:
    """One way to ask a system, and what came of it."""

    name: str
    about: str
    """What is given to it, and what it finds by itself."""
    seeds: tuple[int, ...]
    """Those that were asked so, the one that comes with the program first."""
    figures: Mapping[str, tuple[float, ...]]
    """Of each seed."""

    def mean(self, name: str) -> float:
        """Over the seeds."""
        return fmean(self.figures[name])


@dataclass(frozen=True)
class Card:
    """What was measured of a system with several seeds, of which one comes with the program."""

    schema: int
    weights: str
    """Of the seed that comes with the program."""
    commands: tuple[str, ...]
    """What trained, measured and copied it."""
    split: str
    """What the figures are of; training never saw it."""
    conditions: tuple[Condition, ...]
    limits: tuple[str, ...]
    licence: str


def write_card(folder: Path, card: Card) -> None:
    """Beside the weights that it is of."""
    write_atomically(folder / records.CARD, json_bytes(asdict(card)))


# ---- ways to ask -----------------------------------------------------------------------------


def asked(labels: str, external: Any = "none", *, constrained: bool = True) -> Ask:
    """Ask as scorer predict does, with some labels and concepts from outside."""
    def ask(given: Given, folder: Path, trained: Trained) -> Sequence[Prediction]:
        own = {"given": [one.label for one in given.others],
               "gold": [one.label for one in given.dev], "own": None}[labels]
        question = Question(
            given.board.settings, [item.texts for item in given.dev], labels=own,
            options={"external": given.released if external == "file" else external,
                     "no_constraints": not constrained},
            train=given.train.golds)
        return structured.predict(folder, trained, question).predictions
    return ask


def oracle(kind: type[_Oracle]) -> Ask:
    """Ask with gold labels, and more of gold."""
    def ask(given: Given, folder: Path, trained: Trained) -> Sequence[Prediction]:
        model = kind(folder, trained, given.board.settings)
        return [Prediction(item.label, model.told(item)) for item in given.dev]
    return ask


class _Oracle(structured.StructuredModel, ABC):
    """The model, told something of an item's gold graph."""

    @abstractmethod
    def told(self, item: Gold) -> Graph:
        """The graph that it then finds."""


class _Concepts(_Oracle):
    """Told the concepts of the gold graph: it has the edges to find."""

    _wanted: Sequence[str] = ()

    def told(self, item: Gold) -> Graph:
        own = item.graphs[0].concepts
        self._wanted = own
        scores = self.scores(item.label, item.texts, outside(item.texts, own))
        try:
            return self._worded(scores, best_of_all(scores.edges, self._limits))
        except ValueError:  # a gold graph of one concept or ten
            return self.graph(item.label, item.texts)

    def _candidates(self, texts: Sequence[AlignedText],
                    chances: Sequence[Chances]) -> list[ConceptCandidate]:
        found = []
        for concept in self._wanted:
            places = tuple((n, run) for n, text in enumerate(texts)
                           if (run := text.covering(concept)) is not None)
            if places:
                found.append(ConceptCandidate(concept, places, SURE))
        return found


class _Edges(_Oracle):
    """Told the gold edges between the concepts that it has chosen: their ends and relations."""

    def told(self, item: Gold) -> Graph:
        import numpy as np

        scores = self.scores(item.label, item.texts, ())
        own = self._best(scores, item.texts, self._shift)
        if own is None:
            return self.graph(item.label, item.texts)
        names = own.concepts
        at = [scores.concepts.index(name) for name in names]
        edges, relations = scores.edges[np.ix_(at, at)], scores.relations[np.ix_(at, at)]
        for edge in item.graphs[0].edges:
            if edge.source in names and edge.target in names:
                place = names.index(edge.source), names.index(edge.target)
                edges[place], relations[place] = SURE, self._relations.index(edge.relation)
        return Graph.of(Edge(names[a], self._relations[relations[a, b]], names[b])
                        for a, b in best_of_all(edges, self._limits))


def best_of_all(scores: Any, limits: EdgeLimits) -> list[tuple[int, int]]:
    """The edges of the best graph that has every concept. Raises ValueError if there is none."""
    import numpy as np

    count = len(scores)
    return best_graph(scores, limits, np.zeros(count), [Need(frozenset(range(count)), count)])


WAYS = (
    Way("given", "labels of Max-Margin; no concepts from outside", asked("given")),
    Way("given, retrieved", "the same; concepts of similar train items are offered",
        asked("given", "retrieved")),
    Way("given, released", "the same; concepts of the paper's BART are offered",
        asked("given", "file")),
    Way("given, no constraints", "labels of Max-Margin; no concepts from outside; any edges",
        asked("given", constrained=False)),
    Way("own", "its own labels; no concepts from outside", asked("own")),
    Way("gold labels", "gold labels; no concepts from outside", asked("gold")),
    Way("gold concepts", "gold labels and the concepts of the gold graph", oracle(_Concepts)),
    Way("gold edges", "gold labels; of its own concepts, the edges that gold has between them",
        oracle(_Edges)),
)


# ---- figures ---------------------------------------------------------------------------------


def stance_condition(measured: Mapping[int, Mapping[str, Figures]]) -> Condition | None:
    """What the label model says of dev by itself."""
    about = "the two texts and nothing else"
    return condition(Way(ALONE, about, asked("own")), measured)


def condition(way: Way, measured: Mapping[int, Mapping[str, Figures]]) -> Condition | None:
    """One way, of the seeds that could be asked so; None if fewer than two could. Figures that a
    seed lacks are left out."""
    found = {seed: ways[way.name] for seed, ways in measured.items() if way.name in ways}
    if len(found) < 2:
        return None
    figures = {name: [one[name] for one in found.values()] for name in next(iter(found.values()))}
    return Condition(name=way.name, about=way.about, seeds=tuple(found), figures={
        name: tuple(values) for name, values in figures.items() if None not in values})


def scores(given: Given, answers: Sequence[Prediction]) -> Figures:
    """The metrics, those over passed graphs, and the edges an item."""
    def none(name: str) -> Any:
        raise NotMeasured(f"{name} is not needed")

    result = Session(given.board, none, none, METRICS).evaluate(
        Golds.of(given.dev, given.gold_id), answers, split="dev", with_null=False)
    values = result.metrics
    return {
        **{name: _rounded(values[name].value) for name in METRICS},
        **{f"{name} of passed": _rounded(values[name].passed.value) for name in PASSED},
        EDGES: round(sum(len(one.graph.edges) for one in answers) / len(answers), 4),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def training_rows(name: str, trained: Sequence[Trained]) -> list[dict[str, Any]]:
    """What training cost; no row of no systems."""
    if not trained:
        return []
    minutes = [sum(epoch["cpu_seconds"] for epoch in one.epochs) / 60 for one in trained]
    note = f"{trained[0].settings['epochs']} epochs, {len(trained)} seeds; "
    return [_row(name, fmean(minutes), None, "CPU min",
                 f"{note}{min(minutes):.3g} to {max(minutes):.3g}; bar: at most 15 minutes on two "
                 "cores for graphs and labels together")]


def figure_rows(conditions: Sequence[Condition], theirs: Figures, system: str = "structured"
                ) -> list[dict[str, Any]]:
    """Every figure of every condition."""
    bars = {(name, metric): bar for name, metric, bar in BARS}
    rows = []
    for one in conditions:
        for metric in one.figures:
            low, high = min(one.figures[metric]), max(one.figures[metric])
            whole = len(one.seeds) == len(SEEDS)
            bar = bars.get((one.name, metric)) if whole else None
            rows.append(_row(
                f"{system}, {one.name}: {metric}", one.mean(metric), theirs.get(metric),
                "CPU s" if metric == SECONDS else "",
                f"{low:.3g} to {high:.3g}, {len(one.seeds)} seeds"
                + (f"; bar: {bar}" if bar else "")))
    return rows


def unmeasured_rows(conditions: Sequence[Condition], measured: Mapping[int, Mapping[str, Figures]]
                    ) -> list[dict[str, Any]]:
    """What some seed lacks, and every bar that not all seeds were held to."""
    known = {(one.name, name): len(one.seeds) for one in conditions for name in one.figures}
    lacking = {(way, name) for ways in measured.values() for way, figures in ways.items()
               for name, value in figures.items() if value is None}
    rows = []
    for way, name in sorted(lacking - known.keys()):
        rows.append(_row(f"structured, {way}: {name}", None, None, "",
                         "not measured: a seed has no value, such as where no graph passed"))
    for way, name, bar in BARS:
        asked = sum(way in ways for ways in measured.values())
        if known.get((way, name), 0) < len(SEEDS):
            rows.append(_row(f"structured, {way}: bar of {name}", None, None, "",
                             f"not measured: {asked} of {len(SEEDS)} seeds; bar: {bar}"))
    return rows


def _row(name: str, ours: float | None, theirs: float | None, unit: str, note: str
         ) -> dict[str, Any]:
    return {"name": name, "ours": ours, "theirs": theirs, "ratio": None, "unit": unit,
            "note": note}


if __name__ == "__main__":
    official, checkout, kept = map(Path, sys.argv[1:4])
    print(measure(read(official, checkout), kept, int(sys.argv[4])))
