"""Three ROUGEs: rouge_score's of two edge sentences, coco-caption's (aNLG), and the recall of rouge
1.0.1 (e-CARE). C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004.

Of edge sentences: ``rouge_score.rouge_scorer.RougeScorer([...], use_stemmer=True).score(target,
prediction)`` (0.1.2), of which the released ExplaGraphs code takes only ``.precision``: the share
of the *predicted* edge found in the gold edge.

ROUGE-L: ``Rouge`` of coco-caption as the released aNLG evaluation carries it (github
allenai/abductive-commonsense-reasoning, anlg/evaluation). It is not rouge_score's:
case and punctuation count, words are cut at every single space, so that two spaces in a row or one
at the start make an empty word, and the best precision and the best recall may come from different
references.

ROUGE-L recall: ``rouge.Rouge().get_scores(prediction, gold)[0]["rouge-l"]["r"]`` of rouge 1.0.1
(github Waste-Wood/e-CARE, commit c3b5264, conceptual_explanation_generation.py). Full stops end
sentences, white space ends words, case counts, and words are sets: a word that a common
subsequence has twice counts once, so which of several longest ones is taken can matter. Recall
alone does not fall when a text grows.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from scorer.core.errors import counted
from scorer.core.records import ItemScore
from scorer.metrics.base import ANLG, BHAGAVATULA, Arithmetic, MetricInfo
from scorer.metrics.bleu import DU, E_CARE, SENTENCES_KEPT, ngrams
from scorer.metrics.captions import CaptionItem
from scorer.metrics.porter import stem

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_UNSTEMMED = 3  # rouge_score/tokenize.py: "Only stem words more than 3 characters long."


def rouge_tokens(sentence: str) -> list[str]:
    """The tokens ROUGE compares: runs of a-z and 0-9 of the lower-cased text, stemmed.

    Equal to rouge_score's ``DefaultTokenizer(use_stemmer=True)`` (0.1.2): words of at most three
    characters stay as they are; any other character, accents included, separates.

    >>> rouge_tokens("Alley cats; capable of; hunting")
    ['alley', 'cat', 'capabl', 'of', 'hunt']
    """
    return [
        stem(word) if len(word) > _LONGEST_UNSTEMMED else word
        for word in _WORD.findall(sentence.lower())
    ]


def places(tokens: Sequence[str]) -> dict[str, int]:
    """Where each token stands, as a number with one bit per place.

    >>> places(["a", "b", "a"])
    {'a': 5, 'b': 2}
    """
    masks: dict[str, int] = {}
    for index, token in enumerate(tokens):
        masks[token] = masks.get(token, 0) | 1 << index
    return masks


def longest_common_subsequence(target: Mapping[str, int], prediction: Sequence[str]) -> int:
    """The length in tokens; the target is given as ``places``.

    Bit-parallel: after each predicted token, the zero bits of ``row`` (a negative number, so ones
    without end to the left) are the places at which a row of the usual table goes up by one.
    H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.

    >>> longest_common_subsequence(places("a b c d".split()), "b x d a".split())
    2
    """
    row = -1
    for token in prediction:
        if token in target:
            hits = row & target[token]
            row = (row + hits) | (row - hits)
    return (~row).bit_count()


def rouge_2_similarity(predicted: str, gold: str) -> float:
    """rouge_score's rouge2 precision of an edge sentence against another, 0 to 1.

    Clipped shared bigrams / bigrams of the prediction; 0.0 if the prediction has none. Bigrams
    are cached for the next batch, whose gold is mostly the same.

    >>> rouge_2_similarity("cat is an animal", "cats; is a; pets")  # cat is | is an | an animal
    0.3333333333333333
    """
    bigrams = _bigrams(predicted)
    return len(bigrams & _bigrams(gold)) / len(bigrams) if bigrams else 0.0


def rouge_l_similarity(predicted: str, gold: str) -> float:
    """rouge_score's rougeL precision of an edge sentence against another, 0 to 1.

    Longest common subsequence of tokens / tokens of the prediction; 0.0 if either has no token.

    >>> rouge_l_similarity("cat is an old pet", "cats; is a; pets")
    0.6
    """
    tokens = _tokens(predicted)
    return longest_common_subsequence(_places(gold), tokens) / len(tokens) if tokens else 0.0


@lru_cache(maxsize=SENTENCES_KEPT)
def _tokens(sentence: str) -> tuple[str, ...]:
    return tuple(rouge_tokens(sentence))


@lru_cache(maxsize=SENTENCES_KEPT)
def _bigrams(sentence: str) -> frozenset[Hashable]:
    return ngrams(_tokens(sentence), 2)


@lru_cache(maxsize=SENTENCES_KEPT)
def _places(sentence: str) -> dict[str, int]:
    return places(_tokens(sentence))


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


def explain_rouge_l(items: Sequence[CaptionItem], score: ItemScore) -> Arithmetic:
    """The longest common sequences, and what comes of them."""
    text, references = items[0]
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
    return Arithmetic((
        *steps, f"greatest precision P = {most}/{len(words)} = {precision:.3f}",
        f"greatest recall R = {over}/{under} = {recall:.3f}",
        f"ROUGE-L = (1 + 1.2²) P R / (R + 1.2² P) = {score.value:.3f}"),
        (1 + square) * precision * recall / (recall + square * precision))


ROUGE_L = MetricInfo(
    "ROUGE-L", "ROUGE-L (coco-caption)", "higher",
    "How long a sequence of words the text shares with a reference.",
    "F measure (beta 1.2) of the best precision and the best recall over the references, which "
    "may be two. Mean over all items. Every space separates words; case counts.",
    ANLG, BHAGAVATULA, rouge_l, graded=False,
    signature=("rouge:coco-L", "beta:1.2", "tok:blank", "case:mixed"), explain=explain_rouge_l,
)

JOINT_ROUGE_L = replace(
    ROUGE_L, id="joint-ROUGE-L", title="Joint ROUGE-L (coco-caption, of right choices)",
    summary="How close the explanation is to a reference, where the choice is right.",
    definition="ROUGE-L of the explanation if the label equals gold, else 0; the mean divided by "
               "the accuracy is the ROUGE-L of right choices. " + ROUGE_L.definition,
    source=f"this program, scorer/metrics/rouge.py; ROUGE-L of {ROUGE_L.source}",
    citation="Whyboard",
)
"""The gate is the task's: items with another label are not asked about, and score 0."""


def rouge_l_recall(items: Sequence[CaptionItem]) -> list[ItemScore]:
    """Recall of each item, 0 to 1, higher is better; the best reference counts.

    ``items``: text and references each. A text of nothing but full stops, or an empty one: 0.

    >>> [found] = rouge_l_recall([("Cats are so content.", ("Cats are content when fed.",))])
    >>> found.value  # Cats, are and content of five words
    0.6
    """
    return [ItemScore(max(recall(text, gold) for gold in references)) for text, references in items]


def recall(text: str, reference: str) -> float:
    """Different words of common subsequences of sentences / different words of the reference."""
    ours, theirs = _sentences(text), _sentences(reference)
    if not ours or not theirs:
        return 0.0
    return len(_shared(ours, theirs)) / len({word for their in theirs for word in their})


def _shared(ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> set[str]:
    return {word for their in theirs for other in ours for word in common(their, other)}


def _sentences(text: str) -> list[list[str]]:
    """Words of what stands between full stops; of white space alone an empty word."""
    return [sentence.split() or [""] for sentence in text.split(".") if sentence]


def common(reference: Sequence[str], text: Sequence[str]) -> list[str]:
    """The longest common subsequence that rouge 1.0.1 takes of several, its last word first.

    >>> common("a b c".split(), "b c a".split())
    ['c', 'b']
    """
    table = [[0] * (len(text) + 1)]
    for word in reference:
        row = [0]
        for index, other in enumerate(text):
            row.append(table[-1][index] + 1 if word == other else max(table[-1][index + 1],
                                                                      row[index]))
        table.append(row)
    words = []
    i, j = len(reference), len(text)
    while i and j:
        if reference[i - 1] == text[j - 1]:
            i, j = i - 1, j - 1
            words.append(reference[i])
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return words


def explain_recall(items: Sequence[CaptionItem], result: ItemScore) -> Arithmetic:
    """The words that the text shares with its best reference, in order."""
    text, references = items[0]
    best = max(references, key=lambda reference: recall(text, reference))
    theirs = _sentences(best)
    shared = _shared(_sentences(text), theirs)
    words = {word for their in theirs for word in their}
    return Arithmetic((
        f"the best of the references: “{best}”",
        f"words in the same order: {', '.join(sorted(shared)) or 'none'}",
        f"{len(shared)} of the reference's {len(words)} different words = {result.value:.3f}"),
        len(shared) / len(words))


ROUGE_L_RECALL = MetricInfo(
    "ROUGE-L-recall", "ROUGE-L recall (rouge 1.0.1)", "higher",
    "How many of a reference's words the text has in the same order.",
    "Different words of the longest common subsequences, sentence by sentence, over the different "
    "words of the reference; the best reference of an item counts. Mean over all items. A longer "
    "text loses nothing by its length.",
    f"{E_CARE}, with rouge 1.0.1", DU, rouge_l_recall, graded=False, explain=explain_recall,
    signature=("rouge:rouge-1.0.1-L-recall", "tok:white-space", "case:mixed"),
)
