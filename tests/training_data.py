"""A data folder of made-up items, laid out like that of the ExplaGraphs board."""

import random
from itertools import pairwise
from pathlib import Path

from scorer.lab.training.edits import STANCES

FINAL = "(trains; has property; clean)(clean; is a; good)(trains; is a; good)"
FIRST = "(trains; is a; good)(good; is a; clean)"


def made_up_data(folder: Path) -> Path:
    """40 items of 40 beliefs; three quarters of them have a first graph unlike the last."""
    lines, rounds = [], []
    for n in range(40):
        texts = f"Trains number {n} are good.\tTrains are clean.\t{STANCES[n % 2]}"
        lines.append(f"{texts}\t{FINAL}")
        rounds.append(f"{texts}\t{FINAL if n % 4 == 0 else FIRST}\t{FINAL}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.tsv").write_text("\n".join(lines) + "\n")
    (folder / "dev.tsv").write_text("\n".join(lines[:6]))
    (folder / "refinement_graphs_train.tsv").write_text("\n".join(rounds) + "\n")
    return folder


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
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("train.tsv", train), ("dev.tsv", dev),
                        ("refinement_graphs_train.tsv", rounds)):
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder


def _graph(rng: random.Random, topic: str, length: int, negated: float, own: str = "") -> str:
    """A chain of the topic's own concepts in their order, between words of argument and belief."""
    concepts = [f"{own or topic} reasons", *(f"{topic} fact{n}" for n in range(length - 1)),
                f"{own or topic} policies"]
    at = rng.randrange(length) if rng.random() < negated else -1
    return "".join(
        f"({a}; {'not ' if n == at else ''}{rng.choice(RELATIONS)}; {b})"
        for n, (a, b) in enumerate(pairwise(concepts)))
