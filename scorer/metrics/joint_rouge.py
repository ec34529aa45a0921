"""Joint ROUGE-L: a choice and its explanation as one answer, which has to hold in both parts."""

from __future__ import annotations

from dataclasses import replace

from scorer.metrics.coco_rouge import ROUGE_L

JOINT_ROUGE_L = replace(
    ROUGE_L, id="joint-ROUGE-L", title="Joint ROUGE-L (coco-caption, of right choices)",
    summary="How close the explanation is to a reference, where the choice is right.",
    definition="ROUGE-L of the explanation if the label equals gold, else 0; the mean divided by "
               "the accuracy is the ROUGE-L of right choices. " + ROUGE_L.definition,
    source=f"this program, scorer/metrics/joint_rouge.py; ROUGE-L of {ROUGE_L.source}",
    citation="Whyboard",
)
"""The gate is the task's: items with another label are not asked about, and score 0."""
