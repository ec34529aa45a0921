"""A data folder of made-up items, laid out like that of the ExplaGraphs board."""

import random
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from scorer.core.records import Edge
from scorer.lab.training.edits import STANCES, TrainingItem

CHAIN = TrainingItem(
    "Trains should not replace short flights.", "Flights pollute the air.", "support",
    (Edge("flights", "causes", "pollution"), Edge("pollution", "has property", "harmful"),
     Edge("trains", "not causes", "pollution"), Edge("harmful", "not desires", "replace short")))
"""One item, with a graph of four facts and two beginnings."""

FINAL = "(trains; has property; clean)(clean; is a; good)(trains; is a; good)"
FIRST = "(trains; is a; good)(good; is a; clean)"


def _written(folder: Path, **files: Iterable[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        (folder / f"{name}.tsv").write_text("".join(f"{line}\n" for line in lines))
    return folder


def made_up_data(folder: Path) -> Path:
    """40 items of 40 beliefs; three quarters of them have a first graph unlike the last."""
    texts = [f"Trains number {n} are good.\tTrains are clean.\t{STANCES[n % 2]}" for n in range(40)]
    return _written(
        folder, train=[f"{text}\t{FINAL}" for text in texts],
        dev=[f"{text}\t{FINAL}" for text in texts[:6]],
        refinement_graphs_train=[f"{text}\t{FINAL if n % 4 == 0 else FIRST}\t{FINAL}"
                                 for n, text in enumerate(texts)])


RELATIONS = ("causes", "has property", "capable of", "used for", "part of", "desires")


def made_up_world(folder: Path, items: int = 1500) -> Path:
    """Many items with graphs of several lengths, two thirds of which were first rejected.

    Facts are true of a topic or not, and only who knows the topics can tell; but rejected graphs
    are shorter and negate more often, so that counting finds some of them.
    """
    rng = random.Random(5)
    train, rounds, dev = [], [], []
    for n in range(items + 300):
        topic, stance = f"topic{n}", STANCES[rng.random() < 0.43]
        texts = f"{topic} policies should win.\t{topic} reasons {n} matter.\t{stance}"
        final = _graph(rng, topic, rng.choice((3, 4, 4, 5)), 0.3 if stance == "support" else 0.6)
        if n >= items:
            dev.append(f"{texts}\t{final}")
            continue
        train.append(f"{texts}\t{final}")
        first = final
        if rng.random() < (0.8 if stance == "counter" else 0.4):
            foreign = f"topic{rng.randrange(items)}"
            first = _graph(rng, foreign, rng.choice((3, 3, 4, 5)), 0.5, topic)
        rounds.append(f"{texts}\t{first}\t{final}")
    return _written(folder, train=train, dev=dev, refinement_graphs_train=rounds)


def _graph(rng: random.Random, topic: str, length: int, negated: float, own: str = "") -> str:
    """A chain of the topic's own concepts in their order, between words of argument and belief."""
    concepts = [f"{own or topic} reasons", *(f"{topic} fact{n}" for n in range(length - 1)),
                f"{own or topic} policies"]
    at = rng.randrange(length) if rng.random() < negated else -1
    return "".join(
        f"({a}; {'not ' if n == at else ''}{rng.choice(RELATIONS)}; {b})"
        for n, (a, b) in enumerate(pairwise(concepts)))
