"""Dual adversarial filtering: of several hypotheses a context, the pair that is hard to tell apart.

Algorithm 1 of Bhagavatula et al., Abductive Commonsense Reasoning, ICLR 2020. In each round an
adversary learns from a part of the contexts; in the other part, a pair that it tells apart is
exchanged with probability t_i for another pair of the same context that it tells apart less well.

To the letter the algorithm goes on where nothing is left to find: then it keeps the pairs that the
chance weights of an adversary get wrong, and a learner that says the contrary would be right. So
here a round changes nothing unless its adversary is better than a coin.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import binom

from scorer.core.errors import UsageError, report
from scorer.core.reading.tsv import open_file, read_rows
from scorer.models.known import Encoder
from scorer.tasks.texts.art_files import items_with_labels
from scorer.tasks.texts.items import LABELS, ChoiceSettings, Gold
from scorer.tasks.texts.task import AbductiveInference

Places = NDArray[np.intp]
Pairs = NDArray[np.intp]
"""Shape (contexts, 2): the plausible and the implausible hypothesis that stand for each context, by
their places among all."""
Values = NDArray[np.float64]

FOLDS = 10
LARGEST = 256 * 1024 * 1024
"""Bytes of a file of pairs; the train split of ART has 40 MB."""
FIRST, LAST = 1.0, 0.2
"""Temperatures t_s and t_e that the rounds come from and go to."""
LEARNED_FROM = 0.8
"""Share of the contexts that the adversary learns from in a round; the paper names none."""
LEVEL = 0.01
"""Of a test whether a round's adversary is better than a coin."""
STRENGTH = 1.0
"""Inverse of a regression's regularisation; not tuned."""
DIGITS = 5
"""Vectors are rounded, so that a machine's last digits decide nothing."""
TASK = AbductiveInference(ChoiceSettings())


class Hypothesis(NamedTuple):
    """A hypothesis and what it is to explain."""

    context: tuple[str, str]
    text: str


class HypothesisPool(NamedTuple):
    """The hypotheses of one context, by their places among all."""

    plausible: tuple[int, ...]
    implausible: tuple[int, ...]


Adversary = Callable[[Places, Places], Values]
"""Learns from pairs of a plausible and an implausible hypothesis how plausible each of all is, in
any unit."""


class FilterRound(NamedTuple):
    """What happened in one round."""

    number: int
    temperature: float
    asked: int
    """Contexts that the adversary had not learned from."""
    right: int
    """Those of them whose pair it told apart, before any was exchanged."""
    exchanged: int


def temperature(number: int, count: int) -> float:
    """The share of pairs told apart that round ``number``, from 0, of so many may exchange.

    >>> [round(temperature(number, 50), 6) for number in (0, 25, 49)]
    [0.99999, 0.981618, 0.224615]
    """
    late = 0.3 * (number - 3 * count / 4)
    return LAST + (FIRST - LAST) / (1 + math.exp(late))


def first_pairs(pools: Sequence[HypothesisPool]) -> Pairs:
    """The first plausible and the first implausible hypothesis of each context."""
    return np.array([(pool.plausible[0], pool.implausible[0]) for pool in pools], np.intp)


def rounds(pools: Sequence[HypothesisPool], pairs: Pairs, adversary: Adversary, *,
           count: int, seed: int, level: float | None) -> Iterator[FilterRound]:
    """Run so many rounds one by one; ``pairs`` is changed in place.

    A round exchanges pairs only if the exact binomial p-value of its adversary's right answers
    against a coin is below ``level``; None: always, which is Algorithm 1 to the letter.
    """
    chance = np.random.default_rng(seed)
    learned = round(LEARNED_FROM * len(pools))
    for number in range(count):
        order = chance.permutation(len(pools))
        plausible = adversary(*pairs[order[:learned]].T)
        held_out, heat = order[learned:], temperature(number, count)
        first, other = pairs[held_out].T
        leads = plausible[first] - plausible[other]
        right = int((leads > 0).sum())
        exchanged = 0
        if level is None or binom.sf(right - 1, len(held_out), 0.5) < level:
            for index, lead in zip(held_out, leads, strict=True):
                pool = pools[index]
                harder = [(one, two) for one in pool.plausible for two in pool.implausible
                          if plausible[one] - plausible[two] < lead]
                if chance.random() <= heat and lead >= 0 and harder:
                    pairs[index] = harder[chance.integers(len(harder))]
                    exchanged += 1
        yield FilterRound(number, heat, len(held_out), right, exchanged)


def told_apart(pairs: Pairs, adversary: Adversary, seed: int) -> float:
    """How many pairs an adversary tells apart that learned from the others: a share, 0 to 1.

    Each tenth of the contexts is asked about by one that learned from the other nine; a pair of
    equal plausibility counts a half.
    """
    order = np.random.default_rng(seed).permutation(len(pairs))
    right = 0.0
    for fold in range(min(FOLDS, len(pairs))):
        held_out = order[fold::FOLDS]
        plausible = adversary(*pairs[np.setdiff1d(order, held_out)].T)
        first, other = pairs[held_out].T
        right += float(np.heaviside(plausible[first] - plausible[other], 0.5).sum())
    return right / len(pairs)


# ---- adversaries: regressions on the difference of two hypotheses' features ------------------


def words(candidates: Sequence[Hypothesis]) -> Adversary:
    """Words of the hypothesis alone, and pairs of them: what artefacts of writing are made of."""
    from sklearn.feature_extraction.text import CountVectorizer

    reader = CountVectorizer(binary=True, ngram_range=(1, 2), min_df=2, tokenizer=str.split,
                             token_pattern=None)
    return _regression(reader.fit_transform([item.text for item in candidates]).astype("float64"))


def encoded(candidates: Sequence[Hypothesis], encoder: Encoder) -> Adversary:
    """The mean vector of the context, ``[SEP]`` and the hypothesis, by a fixed encoder."""
    texts = [f"{' '.join(candidate.context)} [SEP] {candidate.text}" for candidate in candidates]
    means = [vectors.mean(axis=0, dtype=np.float64).round(DIGITS)
             for start in range(0, len(texts), 256)
             for vectors in encoder.embed(texts[start : start + 256])]
    return _regression(np.array(means))


def _regression(features: Any) -> Adversary:
    """Logistic regression of which of two is plausible; ``features`` has a row a hypothesis."""
    from sklearn.linear_model import LogisticRegression

    def learned(plausible: Places, implausible: Places) -> Values:
        difference = features[plausible] - features[implausible]
        model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=1000)
        # A pair and the same exchanged: neither place is preferred.
        both = (sparse.vstack([difference, -difference], format="csr")
                if sparse.issparse(difference) else np.concatenate([difference, -difference]))
        model.fit(both, np.repeat([1, 0], len(plausible)))
        scores: Values = np.asarray(features @ model.coef_[0], np.float64)
        return scores

    return learned


@dataclass(frozen=True)
class Hypotheses:
    """Every distinct hypothesis of every context, and which are plausible."""

    ids: tuple[str, ...]
    """The id of each context: that of its first pair."""
    pools: tuple[HypothesisPool, ...]
    """One a context, in order of its first pair."""
    candidates: tuple[Hypothesis, ...]


def read(path: Path, labels: Path | None = None) -> Hypotheses:
    """The pools of a gold file, or of JSON lines and their labels.

    Contexts are equal where both observations are. A hypothesis that is plausible in one pair of a
    context and implausible in another is in neither pool; a context with an empty pool is left out.
    Raises UsageError or DataError for a file that is none.
    """
    golds = _golds(path, labels)
    groups: dict[tuple[str, str], list[Gold]] = {}
    for gold in golds:
        groups.setdefault((gold.given[0], gold.given[1]), []).append(gold)
    ids, pools, candidates = list[str](), [], list[Hypothesis]()
    for context, pairs in groups.items():
        sides = [dict.fromkeys(pair.hypotheses[side] for pair in pairs) for side in (0, 1)]
        plausible, implausible = ([text for text in side if text not in other]
                                  for side, other in (sides, sides[::-1]))
        if not plausible or not implausible:
            continue
        first = len(candidates)
        candidates += [Hypothesis(context, text) for text in (*plausible, *implausible)]
        indices = range(first, len(candidates))
        pools.append(HypothesisPool(tuple(indices[: len(plausible)]),
                                    tuple(indices[len(plausible) :])))
        ids += pairs[0].ids
    if not pools:
        raise UsageError(f"{path}: no context has a plausible and an implausible hypothesis; name "
                         "a file of labelled pairs")
    return Hypotheses(tuple(ids), tuple(pools), tuple(candidates))


def _golds(path: Path, labels: Path | None) -> list[Gold]:
    file = open_file(path, largest=LARGEST)
    if labels is not None:
        content = items_with_labels(file.content, open_file(labels, largest=LARGEST).content)
        file = type(file)(content, file.shown, LARGEST)
    table = read_rows(file, TASK.gold_columns[0])
    golds = [TASK.read_gold(row, table.problems) for row in table.rows]
    if table.problems.total:
        raise UsageError(report(table.problems.kept, table.problems.total))
    return [gold for gold in golds if gold is not None]


def written(read: Hypotheses, pairs: Pairs, seed: int) -> bytes:
    """One pair of each context as a gold file; which comes first is drawn."""
    chance = random.Random(seed)  # noqa: S311 a fixed draw, no secret
    lines = []
    for name, pair in zip(read.ids, pairs.tolist(), strict=True):
        texts = [read.candidates[index].text for index in pair]
        label = chance.choice(LABELS)
        ordered = texts if label == LABELS[0] else texts[::-1]
        context = read.candidates[pair[0]].context
        lines.append("\t".join((name, *context, *ordered, label)) + "\n")
    return "".join(lines).encode()
