"""Intermediate conclusions and the whole tree of EntailmentBank: known by name, not computed here.

Its evaluator calls a predicted conclusion right if BLEURT (bleurt-large-512) gives its text and
that of the gold conclusion to which it is aligned 0.28 or more. The model is no part of this
program, and a text that another model calls right would be another metric.
"""

from __future__ import annotations

from scorer.metrics.base import MetricInfo
from scorer.metrics.trees import DALVI, ENTAILMENT_BANK

MISSING = "BLEURT (bleurt-large-512) compares the texts of conclusions, and is no part of it"

INTERMEDIATES_F1 = MetricInfo(
    "Intermediates-F1", "Intermediate conclusions, F1", "higher",
    "How many texts of predicted conclusions say what gold's do, according to BLEURT.",
    "Precision and recall of conclusions whose text BLEURT gives 0.28 or more beside that of the "
    "gold conclusion to which they are aligned, as Steps-F1 aligns them. Not computed by this "
    "version.",
    f"{ENTAILMENT_BANK}, eval/run_scorer.py", DALVI, missing=MISSING, group="plausibility",
)

INTERMEDIATES_AC = MetricInfo(
    "Intermediates-AC", "Intermediate conclusions, all correct", "higher",
    "Share of items of which all conclusions say what gold's do, according to BLEURT.",
    "1 if Intermediates-F1 is 1, else 0. Not computed by this version.",
    f"{ENTAILMENT_BANK}, eval/run_scorer.py", DALVI, missing=MISSING, group="plausibility",
    binary=True,
)

OVERALL_AC = MetricInfo(
    "Overall-AC", "Whole tree, all correct", "higher",
    "Share of items of which leaves, steps and intermediate conclusions are all correct.",
    "Leaves-AC · Steps-AC · Intermediates-AC of each item, so never above Steps-AC. Not computed "
    "by this version.",
    f"{ENTAILMENT_BANK}, eval/run_scorer.py", DALVI, missing=MISSING, group="plausibility",
    binary=True,
)
