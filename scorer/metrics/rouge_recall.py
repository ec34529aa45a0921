"""ROUGE-L recall as the package rouge computes it: what e-CARE's released evaluator prints.

Whose ROUGE: ``rouge.Rouge().get_scores(prediction, gold)[0]["rouge-l"]["r"]`` of rouge 1.0.1
(github Waste-Wood/e-CARE, commit c3b5264, conceptual_explanation_generation.py). Full stops end
sentences, white space ends words, case counts, and words are sets: a word that a common
subsequence has twice counts once, so which of several longest ones is taken can matter. Recall
alone does not fall when a text grows. C.-Y. Lin, "ROUGE: a package for automatic evaluation of
summaries", 2004.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.records import ItemScore
from scorer.metrics.base import MetricInfo
from scorer.metrics.caption_ngrams import CaptionItem
from scorer.metrics.letter_bleu import DU, E_CARE
from scorer.metrics.worked import Arithmetic


def rouge_l_recall(items: Sequence[CaptionItem]) -> list[ItemScore]:
    """Recall of each item, 0 to 1, higher is better; the best reference counts.

    ``items``: text and references each. A text of nothing but full stops, or an empty one: 0.

    >>> [found] = rouge_l_recall([("Cats are so content.", ("Cats are content when fed.",))])
    >>> found.value  # Cats, are and content of five words
    0.6
    """
    return [ItemScore(max(recall(text, one) for one in references)) for text, references in items]


def recall(text: str, reference: str) -> float:
    """Different words of common subsequences of sentences / different words of the reference."""
    ours, theirs = _sentences(text), _sentences(reference)
    if not ours or not theirs:
        return 0.0
    return len(_shared(ours, theirs)) / len({word for one in theirs for word in one})


def _shared(ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> set[str]:
    return {word for one in theirs for other in ours for word in common(one, other)}


def _sentences(text: str) -> list[list[str]]:
    """Words of what stands between full stops; of white space alone an empty word."""
    return [one.split() or [""] for one in text.split(".") if one]


def common(reference: Sequence[str], text: Sequence[str]) -> list[str]:
    """The longest common subsequence that rouge 1.0.1 takes of several, its last word first.

    >>> common("a b c".split(), "b c a".split())
    ['c', 'b']
    """
    table = [[0] * (len(text) + 1)]
    for word in reference:
        row = [0]
        for place, other in enumerate(text):
            row.append(table[-1][place] + 1 if word == other else max(table[-1][place + 1],
                                                                      row[place]))
        table.append(row)
    found = []
    i, j = len(reference), len(text)
    while i and j:
        if reference[i - 1] == text[j - 1]:
            i, j = i - 1, j - 1
            found.append(reference[i])
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


def explain(metric: MetricInfo, items: Sequence[CaptionItem]) -> Arithmetic:
    """The words that the text shares with its best reference, in order."""
    [found] = metric.compute(items[:1])
    text, references = items[0]
    best = max(references, key=lambda one: recall(text, one))
    theirs = _sentences(best)
    shared = _shared(_sentences(text), theirs)
    words = {word for one in theirs for word in one}
    return Arithmetic((
        f"the best of the references: “{best}”",
        f"words in the same order: {', '.join(sorted(shared)) or 'none'}",
        f"{len(shared)} of the reference's {len(words)} different words = {found.value:.3f}"),
        found.value)


ROUGE_L_RECALL = MetricInfo(
    "ROUGE-L-recall", "ROUGE-L recall (rouge 1.0.1)", "higher",
    "How many of a reference's words the text has in the same order.",
    "Different words of the longest common subsequences, sentence by sentence, over the different "
    "words of the reference; the best reference of an item counts. Mean over all items. A longer "
    "text loses nothing by its length.",
    f"{E_CARE}, with rouge 1.0.1", DU, rouge_l_recall, graded=False, explain=explain,
    signature=("rouge:rouge-1.0.1-L-recall", "tok:white-space", "case:mixed"),
)
