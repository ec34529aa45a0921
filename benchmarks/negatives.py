"""Which kinds of wrong graph teach a SeCA judge to find those that people rejected?

    python -m benchmarks.negatives DIR     (the official files, third-party/contrastive.* too)

A logistic regression on frozen MiniLM features (means of the graph's and of the belief's token
vectors: graph, product, absolute difference) tells gold graphs from one kind of wrong graph, or
several. Printed is the area under the curve on held-out beliefs, gold against each kind: .5 is
chance. It is no judge; it says which kinds have something to say about which, in a minute. The last
row is the counts baseline, which sees no feature of any word: what the linear model has to beat.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scorer.lab.training import counts, edits
from scorer.lab.training import examples as known
from scorer.lab.training.examples import Example
from scorer.models.known import Encoder
from scorer.models.registry import Models

KINDS = (known.NATURAL, *edits.INCORRECT, known.PERTURBED)
SETS: dict[str, tuple[str, ...]] = {
    **{kind: (kind,) for kind in KINDS},
    "natural and released": (known.NATURAL, known.PERTURBED),
    "natural and made": (known.NATURAL, *edits.INCORRECT),
    "all": KINDS,
}
MOST, SEED = 1000, 5


def features(encoder: Encoder, examples: Sequence[Example]) -> NDArray[np.float32]:
    """Shape (examples, 3 x width)."""
    beliefs = [v.mean(0) for v in encoder.embed([one.pair.first for one in examples])]
    graphs = [v.mean(0) for v in encoder.embed([one.pair.second for one in examples])]
    return np.array([np.concatenate([g, g * b, abs(g - b)])
                     for b, g in zip(beliefs, graphs, strict=True)])


def main(data: Path) -> None:
    """Print the table."""
    parts = known.parted(known.seca_examples(data, SEED), SEED)
    encoder, chance = Models()("minilm-l6"), random.Random(SEED)
    found = {}
    for part in ("train", "held out"):
        for kind in (known.GOLD, *KINDS):
            pool = [one for one in parts[part] if one.kind == kind]
            chosen = pool if kind == known.GOLD or len(pool) <= MOST else chance.sample(pool, MOST)
            found[part, kind] = features(encoder, chosen)
    print("| learned from | " + " | ".join(KINDS) + " |")
    print("|---" * (len(KINDS) + 1) + "|")
    for name, kinds in SETS.items():
        gold, wrong = found["train", known.GOLD], [found["train", kind] for kind in kinds]
        model = make_pipeline(StandardScaler(), LogisticRegression(
            C=0.01, max_iter=2000, class_weight="balanced"))
        model.fit(np.concatenate([gold, *wrong]), _ones_after(gold, np.concatenate(wrong)))
        areas = []
        for kind in KINDS:
            sides = found["held out", known.GOLD], found["held out", kind]
            areas.append(_area(*(model.decision_function(side) for side in sides)))
        print(f"| {name} | " + " | ".join(areas) + " |", flush=True)
    judge = counts.fit(parts["train"])
    wrong = {kind: judge.probabilities([one.pair for one in parts["held out"]
                                        if one.kind == kind])[:, -1]
             for kind in (known.GOLD, *KINDS)}
    print("| counts alone: natural | " + " | ".join(
        _area(wrong[known.GOLD], wrong[kind]) for kind in KINDS) + " |")


def _area(gold: NDArray[np.floating[Any]], wrong: NDArray[np.floating[Any]]) -> str:
    found = roc_auc_score(_ones_after(gold, wrong), np.r_[gold, wrong])
    return f"{found:.3f}".removeprefix("0")


def _ones_after(zeros: NDArray[Any], ones: NDArray[Any]) -> NDArray[np.float64]:
    return np.r_[np.zeros(len(zeros)), np.ones(len(ones))]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
