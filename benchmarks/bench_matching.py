"""How much faster G-BLEU and G-ROUGE are than the same numbers out of nltk and rouge_score.

    python -m benchmarks.bench_matching [FOLDER WITH dev.tsv]

Both sides run in this process on the same items, and their numbers are compared first. Times are
medians of process time for the whole batch; our caches are emptied before every run. Their side is
given our tokens for BLEU (not spaCy's, which take longer to make) and our matching.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scorer.core.graph import Graph
from scorer.core.records import ItemScore
from scorer.metrics import bleu, rouge
from scorer.metrics.bleu import edge_tokens
from scorer.metrics.catalogue import METRICS
from scorer.metrics.matching import PRF, Pair, Similarity, match
from scorer.metrics.porter import stem

KEPT = (stem, bleu._counted, rouge._bigrams, rouge._places, rouge._tokens)
"""Caches that outlive a batch."""
ITEMS = 400
OUR_RUNS, THEIR_RUNS = 7, 3
GRAPH_COLUMN = 3
NOUNS = [
    "cats",
    "dogs",
    "barns",
    "mice",
    "owners",
    "gardens",
    "children",
    "schools",
    "rivers",
    "farms",
]
TRAITS = ["stray", "quiet", "clean", "hungry", "careful", "generous", "playing", "dangerous"]
RELATIONS = ["is a", "causes", "capable of", "desires", "not desires", "has context", "part of"]

Metric = Callable[[Sequence[Pair]], list[PRF]]


def run(data_dir: Path | None) -> list[dict[str, Any]]:
    """One row per metric: name, ours, theirs (ms for all items), ratio, unit, note.

    ``data_dir`` holds the dev.tsv of ExplaGraphs; without it, graphs are made up. The prediction
    of an item is its gold graph with half of the edges taken from the next item's.
    """
    golds = _made_up_golds() if data_dir is None else _golds(data_dir / "dev.tsv")
    pairs = _perturbed(golds)
    source = "made-up" if data_dir is None else "dev"
    return [
        _row(f"{name}, {len(pairs)} {source} items", pairs, ours, theirs)
        for name, ours, theirs in _contestants()
    ]


def _contestants() -> list[tuple[str, Metric, Metric]]:
    return [
        ("G-BLEU", _prf_of(METRICS["G-BLEU"].compute), lambda pairs: _with(pairs, _nltk_bleu())),
        ("G-ROUGE-2", _prf_of(METRICS["G-ROUGE-2"].compute),
         lambda pairs: _with(pairs, _rouge_score("rouge2"))),
        ("G-ROUGE-L", _prf_of(METRICS["G-ROUGE-L"].compute),
         lambda pairs: _with(pairs, _rouge_score("rougeL"))),
    ]


def _prf_of(metric: Callable[[Sequence[Pair]], list[ItemScore]]) -> Metric:
    return lambda pairs: [
        PRF(score.parts["precision"], score.parts["recall"], score.value)
        for score in metric(pairs)
    ]


def _with(pairs: Sequence[Pair], similarity: Similarity[str]) -> list[PRF]:
    return [match(predicted, golds, similarity) for predicted, golds in pairs]


def _nltk_bleu() -> Similarity[str]:
    from nltk.translate.bleu_score import sentence_bleu

    tokens: dict[str, list[str]] = {}

    def similarity(predicted: str, gold: str) -> float:
        for sentence in (predicted, gold):
            if sentence not in tokens:
                tokens[sentence] = edge_tokens(sentence)
        return float(sentence_bleu([tokens[gold]], tokens[predicted]))

    return similarity


def _rouge_score(kind: str) -> Similarity[str]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], use_stemmer=True)
    return lambda predicted, gold: float(scorer.score(gold, predicted)[kind].precision)


def _row(name: str, pairs: list[Pair], ours: Metric, theirs: Metric) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nltk warns of every missing order
        furthest = _difference(ours(pairs), theirs(pairs))
        mine, other = _median(ours, pairs, OUR_RUNS), _median(theirs, pairs, THEIR_RUNS)
    return {
        "name": name,
        "ours": mine,
        "theirs": other,
        "ratio": other / mine,
        "unit": "ms",
        "note": f"against {_versions()}; numbers differ by at most {furthest:.1g}",
    }


def _difference(ours: list[PRF], theirs: list[PRF]) -> float:
    return max(
        abs(mine - other)
        for found, wanted in zip(ours, theirs, strict=True)
        for mine, other in zip(found, wanted, strict=True)
    )


def _median(metric: Metric, pairs: list[Pair], runs: int) -> float:
    times = []
    for _ in range(runs):
        for kept in KEPT:
            kept.cache_clear()
        start = time.process_time()
        metric(pairs)
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times)


def _versions() -> str:
    from importlib.metadata import version

    return f"nltk {version('nltk')}, rouge_score {version('rouge_score')}"


def _golds(path: Path) -> list[list[str]]:
    rows = path.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    return [Graph(row.split("\t")[GRAPH_COLUMN]).sentences for row in rows]


def _made_up_golds() -> list[list[str]]:
    """400 graphs of 3 to 6 edges, 4.5 on average, seeded."""
    chance = random.Random(1)
    concepts = NOUNS + [f"{trait} {noun}" for trait in TRAITS for noun in NOUNS]
    return [
        [
            f"{chance.choice(concepts)}; {chance.choice(RELATIONS)}; {chance.choice(concepts)}"
            for _ in range(chance.randint(3, 6))
        ]
        for _ in range(ITEMS)
    ]


def _perturbed(golds: list[list[str]]) -> list[Pair]:
    neighbours = golds[1:] + golds[:1]
    return [
        (gold[: len(gold) // 2] + other[len(other) // 2 :], [gold])
        for gold, other in zip(golds, neighbours, strict=True)
    ]


def main() -> None:
    """Print the rows as a table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for row in run(folder):
        print(
            f"{row['name']:30} ours {row['ours']:8.1f} {row['unit']}   "
            f"theirs {row['theirs']:8.1f} {row['unit']}   {row['ratio']:5.1f}x   {row['note']}"
        )


if __name__ == "__main__":
    main()
