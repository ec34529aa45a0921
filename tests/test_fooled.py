"""What fools a metric is said with the figures of committed results."""

import re
from pathlib import Path

import pytest

from scorer.metrics.catalogue import FOOLED_BY, METRICS
from scorer.scoring.results import files as results

ROOT = Path(__file__).parent.parent
EXPLAGRAPHS, COPA = "explagraphs/reference/{}/dev", "copa-sse/reference/{}/dev"
TREES, R4C = "entailment-bank/reference/{}/dev", "r4c/reference/{}/dev"
CAUSES = "e-care/reference/{}/dev"
STORIES, LABELS = "anlg/reference/{}/dev", "graphqa-explagraphs/reference/{}/dev"
NULL = [(EXPLAGRAPHS, "null", "value")]
COPIED = [(STORIES, "copy-first", "value"), (STORIES, "held-out-reference", "value")]
SECOND = [(COPA, "second-gold", "value"), (COPA, "null", "value")]
FIGURES = {
    "SA": NULL, "StCA": NULL, "G-BERTScore[minilm-l6]": NULL, "GED": NULL,
    "SeCA": [(EXPLAGRAPHS, "gold", "value")],
    "G-BLEU": SECOND, "G-ROUGE-2": SECOND,
    "G-ROUGE-L": [(EXPLAGRAPHS, "null", "value"), *reversed(SECOND)],
    "EA": [(EXPLAGRAPHS, "majority-template", "passed"), (EXPLAGRAPHS, "gold", "passed")],
    "R4C-E": [(R4C, "shuffled-gold", "value")],
    "R4C-R": [(R4C, "null", "value"), (R4C, "shuffled-gold", "value")],
    "R4C-ER": [(R4C, "shuffled-gold", "value"), (R4C, "null", "value")],
    "Leaves-F1": [(TREES, "null", "value")], "Leaves-AC": [(TREES, "null", "value")],
    "Steps-F1": [(TREES, "null", "value"), (TREES, "shuffled-gold", "value")],
    "Steps-AC": [(TREES, "shuffled-gold", "value"), (TREES, "gold", "value")],
    "graph-lift": [(LABELS, "relations-only", "value")],
    "accuracy": [(CAUSES, "hypothesis-only", "value"), (LABELS, "relations-only", "value")],
    "joint-ROUGE-L": [(CAUSES, "frequent-words", "value")],
    "BLEU-1": COPIED, "BLEU-2": COPIED, "BLEU-3": COPIED, "BLEU-4": COPIED, "METEOR": COPIED,
    "ROUGE-L": COPIED, "CIDEr": COPIED,
    "BLEU-letters": [(CAUSES, "frequent-words", "value"), (CAUSES, "other-explanation", "value")],
    "ROUGE-L-recall": [(CAUSES, "frequent-words", "value"), (CAUSES, "word-overlap", "value")],
}
"""Of each sentence, in its order: the row, and whether the mean is over all items or those that
passed."""


def figure(metric: str, board: str, row: str, which: str) -> str:
    result = results.read(ROOT / "results" / f"{board.format(row)}.json")
    value = result.metrics[metric]
    found = value.passed.value if which == "passed" else value.value
    if METRICS[metric].better == "lower":
        return f"{found:.3f}".removeprefix("0")
    return f"{100 * found:.1f}"


def test_every_sentence_is_about_a_metric_and_has_figures() -> None:
    assert set(FOOLED_BY) == set(FIGURES) <= set(METRICS)


@pytest.mark.parametrize("metric", FIGURES)
def test_what_fools_a_metric_is_what_committed_results_say(metric: str) -> None:
    said = re.findall(r"(?<![\w.-])\d*\.\d+", FOOLED_BY[metric])
    assert said == [figure(metric, *one) for one in FIGURES[metric]]
