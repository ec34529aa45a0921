"""ROUGE-L as coco-caption computes it: aNLG's ROUGE-L.

Whose ROUGE: ``Rouge`` of coco-caption as the released aNLG evaluation carries it (github
allenai/abductive-commonsense-reasoning, anlg/evaluation). It is not rouge_score's (``rouge.py``):
case and punctuation count, words are cut at every single space, so that two spaces in a row or one
at the start make an empty word, and the best precision and the best recall may come from different
references. C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scorer.core.errors import counted
from scorer.core.records import ItemScore
from scorer.metrics.base import ANLG, BHAGAVATULA, MetricInfo
from scorer.metrics.caption_ngrams import CaptionItem
from scorer.metrics.rouge import longest_common_subsequence, places
from scorer.metrics.worked import Arithmetic, checked

BETA = 1.2  # rouge.py of coco-caption


def rouge_l(items: Sequence[CaptionItem]) -> list[ItemScore]:
    """ROUGE-L of each item, 0 to 1, higher is better; the corpus' value is their mean.

    ``items``: hypothesis and references each. With P and R the greatest over the references of the
    longest common subsequence over the words of the hypothesis and of the reference,
    (1 + 1.2^2) P R / (R + 1.2^2 P), and 0 if nothing is shared.

    >>> [score] = rouge_l([("Tom missed it.", ("Tom missed it.", "Ann."))])
    >>> score.value
    1.0
    """
    return [ItemScore(_of_item(hypothesis.split(" "), references))
            for hypothesis, references in items]


def _of_item(hypothesis: Sequence[str], references: Sequence[str]) -> float:
    at = places(hypothesis)
    precision = recall = 0.0
    for reference in references:
        words = reference.split(" ")
        shared = longest_common_subsequence(at, words)
        precision = max(precision, shared / len(hypothesis))
        recall = max(recall, shared / len(words))
    if not precision:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def explain(metric: MetricInfo, items: Sequence[CaptionItem]) -> Arithmetic:
    """The longest common sequences, and what comes of them."""
    text, references = items[0]
    [score] = metric.compute(items[:1])
    words = text.split(" ")
    at, steps, shares = places(words), [], []
    for reference in references:
        theirs = reference.split(" ")
        shared = longest_common_subsequence(at, theirs)
        shares.append((shared, len(theirs)))
        steps.append(f"in the order of “{reference}”: {counted(shared, 'word')} shared, of its "
                     f"{len(theirs)} and the text's {len(words)}")
    most = max(shared for shared, _ in shares)
    over, under = max(shares, key=lambda pair: pair[0] / pair[1])
    precision, recall, square = most / len(words), over / under, BETA**2
    value = (1 + square) * precision * recall / (recall + square * precision)
    checked(metric.id, value, score.value)
    return Arithmetic((
        *steps, f"greatest precision P = {most}/{len(words)} = {precision:.3f}",
        f"greatest recall R = {over}/{under} = {recall:.3f}",
        f"ROUGE-L = (1 + 1.2²) P R / (R + 1.2² P) = {score.value:.3f}"), score.value)


ROUGE_L = MetricInfo(
    "ROUGE-L", "ROUGE-L (coco-caption)", "higher",
    "How long a sequence of words the text shares with a reference.",
    "F measure (beta 1.2) of the best precision and the best recall over the references, which "
    "may be two. Mean over all items. Every space separates words; case counts.",
    ANLG, BHAGAVATULA, rouge_l, graded=False,
    signature=("rouge:coco-L", "beta:1.2", "tok:blank", "case:mixed"), explain=explain,
)

JOINT_ROUGE_L = replace(
    ROUGE_L, id="joint-ROUGE-L", title="Joint ROUGE-L (coco-caption, of right choices)",
    summary="How close the explanation is to a reference, where the choice is right.",
    definition="ROUGE-L of the explanation if the label equals gold, else 0; the mean divided by "
               "the accuracy is the ROUGE-L of right choices. " + ROUGE_L.definition,
    source=f"this program, scorer/metrics/coco_rouge.py; ROUGE-L of {ROUGE_L.source}",
    citation="Whyboard",
)
"""The gate is the task's: items with another label are not asked about, and score 0."""
