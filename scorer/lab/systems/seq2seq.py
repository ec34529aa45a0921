"""Rationalizing and reasoning models: which comes first, the label or the graph.

After Saha et al., ExplaGraphs, EMNLP 2021, section 7. A sequence-to-sequence model writes the graph
in the board's own notation. What it writes is a prediction as it stands: nothing is repaired.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scorer.core.errors import UsageError, counted
from scorer.core.graph import Graph, concepts, syntax_faults
from scorer.core.reading.characters import UNWELCOME
from scorer.core.records import Edge
from scorer.lab.systems import labels, records
from scorer.lab.systems.records import Base, Data, Predicted, Question, Trained, TrainingRequest
from scorer.lab.systems.runs import Run, counts_of
from scorer.lab.systems.writer import (
    Order,
    Writer,
    WriterExample,
    WritingCourse,
    WritingLearner,
    make_tiny,
)
from scorer.models.sources import FOR_BASE, locate, weights_digest
from scorer.tasks.graphs.constraints import findings
from scorer.tasks.graphs.graph_items import Gold, Prediction, Settings


def ordered(edges: Sequence[Edge], order: Order, seed: str) -> list[Edge]:
    """The edges in an order; ``seed`` decides a random one."""
    if order == "depth-first":
        return depth_first(edges)
    mixed = [*edges]
    random.Random(seed).shuffle(mixed)  # noqa: S311 a fixed draw, no secret
    return mixed


def depth_first(edges: Sequence[Edge]) -> list[Edge]:
    """Edges by the topological order of their sources, then of their targets.

    Of all topological orders of the concepts it is the depth-first one: a path is followed to its
    end before the next begins. Where that leaves a choice, what stood first comes first. In a
    graph with a cycle the order is the same, though not topological.

    >>> names = ["b c", "a b", "a d", "c e"]
    >>> chosen = depth_first([Edge(a, "r", b) for a, b in map(str.split, names)])
    >>> [f"{edge.source} {edge.target}" for edge in chosen]
    ['a b', 'a d', 'b c', 'c e']
    """
    targets: dict[str, list[str]] = {concept: [] for concept in concepts(edges)}
    for edge in edges:
        targets[edge.source].append(edge.target)
    finished: dict[str, int] = {}
    for root in reversed(targets):
        path = [root]
        while path:
            left = [node for node in targets[path[-1]] if node not in finished and node not in path]
            if left:
                path.append(left[-1])
            else:
                finished.setdefault(path.pop(), -len(finished))
    return sorted(edges, key=lambda edge: (finished[edge.source], finished[edge.target]))


RATIONALIZING, REASONING = "rationalizing", "reasoning"
TINY = "tiny-t5"
"""The base that is made here, of random weights."""
TINY_COURSE: dict[str, Any] = {"epochs": 8, "learning_rate": 5e-3}
"""What it needs, which knows nothing; chosen on the practice board's train split."""
TINY_EPOCH = 360
"""It is shown at least so many graphs an epoch, each as often as that takes."""
MEASURED = 100
"""Held-out items that choose the epoch."""
NOTHING = "()"
"""Stands for an empty string, which may not be a line; a graph that breaks the rules too."""
REPLACED = "\ufffd"
"""Stands for a character that a file of predictions may not hold, such as a tab."""


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Train the model of graphs, and one of labels in a folder inside."""
    source = request.options.get("base")
    if not source:
        raise UsageError(f"{name} needs an encoder-decoder: --base hub:NAME@COMMIT, a folder, or "
                         f"{TINY} for a first try (scorer handbook systems)")
    labels.fit_inside(labels.WITH_GRAPH if name == REASONING else labels.LABEL, data, request)
    with TemporaryDirectory() as folder:
        return _fit(name, data, request, locate(source, advice=FOR_BASE) if source != TINY
                    else make_tiny(Path(folder), texts_of(data), request.seed))


def _fit(name: str, data: Data, request: TrainingRequest, base: Path) -> Trained:
    source = request.options["base"]
    learned, held_out = data.parts(request.seed)
    writer = Writer(base, source)
    course = _course(request, len(learned))
    pairs = _pairs(name, data.settings, learned, course)
    course = course.model_copy(update={"most_tokens": writer.most([pair.target for pair in pairs])})
    run = Run(name, data, request, course.to_json(),
              Base(source=source, weights=weights_digest(base)))
    done = run.finished()
    if done is not None:
        return done
    some = held_out[:: max(1, len(held_out) // MEASURED)][:MEASURED]

    def measure(texts: Sequence[str]) -> tuple[float, Mapping[str, float]]:
        """The graphs that break no rule; of equal epochs the one is better whose others break
        fewer."""
        broken = [len(findings(data.settings, gold.texts, Graph(_held(text))).broken)
                  for gold, text in zip(some, texts, strict=True)]
        right = broken.count(0)
        return (round(right + sum(1 / (1 + count) for count in broken) / len(broken), 6),
                {"structurally correct": round(right / len(broken), 6)})

    fitted = run.fit(lambda *_: WritingLearner(
        writer, course, pairs, _pairs(name, data.settings, some, course), measure))
    writer.save(request.out)
    kept = sum(writer.keeps(pair.target) for pair in pairs) / len(pairs)
    return run.end(run.trained(
        learned, held_out, weights_digest(request.out), counts_of(writer.model),
        {**fitted.figures, "gold graphs that the tokenizer keeps": round(kept, 6)}, fitted.epochs))


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """A label and a graph for each item.

    Raises UsageError if there is no label model and no labels were given.
    """
    course = records.course_of(WritingCourse, trained)
    own = labels.inside(folder, trained, question)
    nothing = [None] * len(question.texts)
    if trained.system == REASONING:
        graphs, remark = _written(folder, trained, question, nothing)
    answers: Sequence[str | None] = question.labels or nothing
    if own is not None:
        read = graphs if trained.system == REASONING else None
        answers = labels.labels(folder / labels.LABEL, own, question.texts, read)
    if trained.system == RATIONALIZING:
        graphs, remark = _written(folder, trained, question, answers)
    return Predicted(
        [Prediction(label, graph) for label, graph in zip(answers, graphs, strict=True)],
        f"Beam search, {course.beams} beams, at most {course.most_tokens} tokens. "
        "No graph is repaired.",
        (trained,) if own is None else (trained, own), remark,
    )


def _written(folder: Path, trained: Trained, question: Question,
             answers: Sequence[str | None]) -> tuple[list[Graph], str]:
    """The graphs, and what became of the strings, in words."""
    records.check_weights(folder, trained, weights_digest(folder))
    course = records.course_of(WritingCourse, trained)
    sources = [_source(question.settings, texts, label)
               for texts, label in zip(question.texts, answers, strict=True)]
    written = Writer(folder, str(folder)).write(sources, course.most_tokens, course.beams)
    graphs = [Graph(_held(output.text)) for output in written]
    faulty = sum(bool(syntax_faults(output.text, most=1)) for output in written)
    cut = sum(output.cut for output in written)
    other = sum(output.text != graph.text for output, graph in zip(written, graphs, strict=True))
    return graphs, (
        f"of {counted(len(written), 'string')} {faulty} are not in the notation, {cut} were "
        f"cut at the limit, and {other} hold a substitute (U+FFFD for a character that a file "
        f"may not have, {NOTHING} for nothing)")


def _held(text: str) -> str:
    """What a model wrote as a file of predictions may hold it; no graph gets better by it."""
    return UNWELCOME.sub(REPLACED, text.replace("\t", REPLACED)) or NOTHING


def _pairs(name: str, settings: Settings, golds: Sequence[Gold], course: WritingCourse
           ) -> list[WriterExample]:
    """What is read and written of each item, its first gold graph."""
    return [
        WriterExample(_source(settings, gold.texts, gold.label if name == RATIONALIZING else None),
                      Graph.of(ordered(gold.graphs[0].edges, course.edge_order,
                                       f"{course.seed} {index}")).text)
        for index, gold in enumerate(golds)
    ]


def _source(settings: Settings, texts: Sequence[str], label: str | None) -> str:
    """What a model reads of an item: the texts with their names, and the label if it comes first.
    """
    parts = [f"{setting.name}: {text}" for setting, text in zip(settings.texts, texts, strict=True)]
    if label is not None and settings.labels is not None:
        parts.append(f"{settings.labels.name}: {label}")
    return " ".join(parts)


def _course(request: TrainingRequest, items: int) -> WritingCourse:
    course = WritingCourse(seed=request.seed, bfloat16=request.bfloat16)
    changed: dict[str, Any] = {}
    if request.options["base"] == TINY:
        changed = {**TINY_COURSE, "repeats": max(1, round(TINY_EPOCH / items))}
    changed |= {name: request.options[name] for name in ("edge_order", "learning_rate")
                if name in request.options}
    if request.epochs:
        changed["epochs"] = request.epochs
    return course.model_copy(update=changed)


def texts_of(data: Data) -> list[str]:
    """Everything that is read and written of train, for a tokenizer to learn from."""
    return [text for gold in data.golds
            for text in (_source(data.settings, gold.texts, gold.label), gold.graphs[0].text)]
