"""Every metric, from the files that hold them. Imports nothing heavy."""

from __future__ import annotations

from typing import Any

from scorer.metrics import (
    accuracy,
    bertscore,
    cider,
    coco_bleu,
    coco_rouge,
    ea,
    ged,
    graph_lift,
    idf_bertscore,
    intermediates,
    joint_rouge,
    leaves,
    letter_bleu,
    matching,
    meteor,
    r4c,
    rouge_recall,
    seca,
    steps,
)
from scorer.metrics.base import WHOLE_SPLIT, MetricInfo
from scorer.metrics.fooled import FOOLED_BY

METRICS = {metric.id: metric for metric in (
    accuracy.SA, accuracy.STCA, seca.SECA,
    matching.G_BLEU, matching.G_ROUGE_2, matching.G_ROUGE_L,
    bertscore.G_BERTSCORE, bertscore.G_BERTSCORE_MINILM,
    ged.GED, ea.EA,
    *r4c.R4C,
    leaves.LEAVES_F1, leaves.LEAVES_AC, steps.STEPS_F1, steps.STEPS_AC,
    intermediates.INTERMEDIATES_F1, intermediates.INTERMEDIATES_AC, intermediates.OVERALL_AC,
    graph_lift.GRAPH_LIFT, accuracy.ACCURACY, joint_rouge.JOINT_ROUGE_L,
    *coco_bleu.BLEU, meteor.METEOR, coco_rouge.ROUGE_L, cider.CIDER, idf_bertscore.BERTSCORE,
    letter_bleu.LETTER_BLEU, rouge_recall.ROUGE_L_RECALL,
)}
"""Every metric by its id, in the order of the page that lists them all. A board's columns stand in
the order of its board.yaml."""


def options_text(options: dict[str, Any]) -> list[str]:
    """Options as parts of a signature.

    >>> options_text({"constant": 17})
    ['constant:17']
    """
    return [f"{name}:{value}" for name, value in sorted(options.items())]


__all__ = ["FOOLED_BY", "METRICS", "WHOLE_SPLIT", "MetricInfo", "options_text"]
