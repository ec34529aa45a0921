"""aNLG's metrics of one text, written for a context of the practice board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import exp, fsum, log

import numpy as np

from scorer.errors import counted
from scorer.metrics import coco_rouge, meteor
from scorer.metrics.caption_ngrams import Item
from scorer.metrics.catalogue import METRICS
from scorer.metrics.idf_bertscore import bertscore, weighted_f1
from scorer.metrics.rouge import longest_common_subsequence, places
from scorer.models.wordnet import WordNet
from scorer.website.arithmetic import (
    Arithmetic,
    Example,
    checked,
    greedy,
    practice,
    product,
)

BOARD = "anlg-practice"
"""It comes with the program; the example is its first context."""
TEXT = "Birds came and ate it."
NO_SYNONYMS = WordNet.of_lines([])
"""No two words of the example are synonyms, so that WordNet gives the same (tested)."""


def example(metric: str) -> Example | None:
    """The example of a metric of aNLG; None for others."""
    steps = _STEPS.get(metric)
    if steps is None:
        return None
    (text, references), *_ = items = _items()
    first = practice(BOARD)[1][0]
    texts = (("obs1", first.obs1), ("obs2", first.obs2),
             *((f"reference {number}", one) for number, one in enumerate(references, start=1)),
             ("predicted", text))
    return Example(texts, steps(metric, items))


@cache
def _items() -> tuple[Item, ...]:
    """What the metrics see of the practice board, were the text written for every context."""
    return tuple((TEXT, gold.references) for gold in practice(BOARD)[1])


def _bleu(metric: str, items: Sequence[Item]) -> Arithmetic:
    text, references = items[0]
    [score] = METRICS[metric].compute([(text, references)])
    parts = {name: int(count) for name, count in score.parts.items()}
    highest = int(metric.rpartition("-")[2])
    pairs = [(parts[f"matched {n}-grams"], parts[f"{n}-grams"]) for n in range(1, highest + 1)]
    steps = [f"{_run_of(n)} that a reference has too: {matched} of {possible}"
             for n, (matched, possible) in enumerate(pairs, start=1)]
    ours, theirs = parts["1-grams"], parts["reference words"]
    penalty = exp(min(0.0, 1 - theirs / ours))
    steps.append(f"words: {ours}; of the reference closest in length: {theirs}; penalty for a "
                 f"shorter text: {'none' if penalty == 1 else f'{penalty:.3f}'}")
    mean = 1.0
    for matched, possible in pairs:
        mean *= matched / possible
    checked(metric, mean ** (1 / highest) * penalty, score.value, 1e-6)
    root = f"({product(pairs)})" + (f" ^ (1/{highest})" if highest > 1 else "")
    factor = "" if penalty == 1 else f" · {penalty:.3f}"
    return Arithmetic((
        *steps, "of a split, the counts of all texts are added up before they are divided",
        f"of this text alone, {metric} = {root}{factor} = {score.value:.3f}"), score.value)


def _run_of(words: int) -> str:
    return "words" if words == 1 else f"{words} words in a row"


def _rouge(metric: str, items: Sequence[Item]) -> Arithmetic:
    text, references = items[0]
    [score] = coco_rouge.rouge_l([(text, references)])
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
    precision, recall, square = most / len(words), over / under, coco_rouge.BETA**2
    value = (1 + square) * precision * recall / (recall + square * precision)
    checked(metric, value, score.value)
    return Arithmetic((
        *steps, f"greatest precision P = {most}/{len(words)} = {precision:.3f}",
        f"greatest recall R = {over}/{under} = {recall:.3f}",
        f"ROUGE-L = (1 + 1.2²) P R / (R + 1.2² P) = {score.value:.3f}"), score.value)


def _meteor(metric: str, items: Sequence[Item]) -> Arithmetic:
    text, references = items[0]
    [score] = meteor.meteor([(text, references)], lexicon=NO_SYNONYMS)
    best = max(references, key=lambda one: meteor.score(text, one, NO_SYNONYMS))
    ours, theirs = meteor.words(text), meteor.words(best)
    matches = meteor.align(ours, theirs, NO_SYNONYMS)
    m, runs = len(matches), meteor.runs(matches)
    precision, recall = m / len(ours), m / len(theirs)
    value = ((1 - meteor.GAMMA * (runs / m) ** meteor.BETA) * precision * recall
             / (meteor.ALPHA * precision + (1 - meteor.ALPHA) * recall))
    checked(metric, round(value, meteor.DIGITS), score.value)
    found = ", ".join(f"{ours[i][1]} with {theirs[j][1]}" for i, j in matches)
    return Arithmetic((
        f"the best of the references: “{best}”",
        f"equal words, equal stems, synonyms: {found}; m = {m} in c = {counted(runs, 'run')}",
        f"P = {m}/{len(ours)} words of the text, R = {m}/{len(theirs)} of the reference",
        f"METEOR = (1 - 0.5 (c/m)³) · P R / (0.9 P + 0.1 R) = {score.value:.4f}"), score.value)


def _cider(metric: str, items: Sequence[Item]) -> Arithmetic:
    """How rare each word is, and what comes of it."""
    scores = METRICS[metric].compute(items)
    text, n = items[0][0], len(items)
    having = Counter(word for _, references in items
                     for word in {word for one in references for word in one.split()})
    steps = [f"“{word}” stands in references of {having[word]} of the {n} contexts, so it weighs "
             f"log({n}/{max(having[word], 1)}) = {log(n / max(having[word], 1)):.3f}"
             for word in dict.fromkeys(text.split())]
    value = scores[0].value
    return Arithmetic((
        *steps, "the same for 2, 3 and 4 words in a row",
        "for each reference and each length of run, the cosine of text and reference as weights "
        "times counts, less where their lengths differ",
        f"CIDEr = the mean of these, times 10 = {value:.3f}"), value)


def _bertscore(metric: str, items: Sequence[Item]) -> Arithmetic:
    """Here the references of this context alone say how rare a word is."""
    text, references = items[0]
    [score] = bertscore([(text, references)], encoder=greedy.Words())
    n = len(references)
    having = Counter(word for one in references for word in set(one.split()))
    rarity = {word: log((n + 1) / (having[word] + 1))
              for one in (text, *references) for word in one.split()}
    vectors = greedy.Words().embed([text, *references])
    weights = [np.array([0.0, *(rarity[word] for word in one.split()), 0.0])
               for one in (text, *references)]
    found = [weighted_f1(vectors[0], theirs, weights[0], weight)
             for theirs, weight in zip(vectors[1:], weights[1:], strict=True)]
    checked(metric, fsum(found) / n, score.value, 1e-6)
    best = max(range(n), key=found.__getitem__)
    told = greedy.matched(metric, text, references[best], found[best], rarity)
    weighing = ", ".join(f"{word} {rarity[word]:.2f}"
                         for word in dict.fromkeys([*text.split(), *references[best].split()]))
    added = " + ".join(f"{one:.3f}" for one in found)
    return Arithmetic((
        f"a word weighs log({n + 1} / (1 + references with it)), on a board of all references, "
        f"here of these {n}: {weighing}",
        *told.steps, f"BERTScore = the mean over the references = ({added}) / {n} = "
        f"{score.value:.3f}"), score.value, told.made, told.table)


_STEPS: Mapping[str, Callable[[str, Sequence[Item]], Arithmetic]] = {
    **{f"BLEU-{order}": _bleu for order in (1, 2, 3, 4)},
    "METEOR": _meteor, "ROUGE-L": _rouge, "CIDEr": _cider, "BERTScore": _bertscore,
}
