"""METEOR as nltk 3.4.5 computes it: aNLG's METEOR.

Whose METEOR: ``nltk.translate.meteor_score`` of nltk 3.4.5, which was current when aNLG was
published; not the Java program's, whose numbers are far lower. nltk from 3.8 on aligns otherwise
and gives other numbers. A. Lavie and A. Agarwal, "METEOR: an automatic metric for MT evaluation
with high levels of correlation with human judgments", WMT 2007.

Words are lower-cased and cut at white space. They are aligned in three stages: equal words, equal
Porter stems, a synonym of WordNet 3.0. A word matched by its stem remains open for synonyms, so it
may be counted twice: a fault of nltk 3.4.5 that its numbers contain, and ours too. That nltk's
stemmer took an asterisk for a rule is left out (``porter.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scorer.core.errors import counted
from scorer.core.records import ItemScore
from scorer.metrics.base import ANLG, BHAGAVATULA, Arithmetic, MetricInfo
from scorer.metrics.bleu import SENTENCES_KEPT
from scorer.metrics.captions import CaptionItem
from scorer.metrics.porter import stem

if TYPE_CHECKING:
    from scorer.models.wordnet import WordNet

ALPHA, BETA, GAMMA = 0.9, 3, 0.5
DIGITS = 4
"""aNLG's meteor_nltk.py rounds each item before the mean."""

Word = tuple[int, str]
"""A word and its place in its sentence."""
Match = tuple[int, int]
"""Place in the hypothesis, place in the reference."""


@lru_cache(maxsize=SENTENCES_KEPT)
def words(sentence: str) -> tuple[Word, ...]:
    """The lower-cased words of a sentence with their places."""
    return tuple(enumerate(sentence.lower().split()))


def meteor(items: Sequence[CaptionItem], *, lexicon: WordNet) -> list[ItemScore]:
    """METEOR of each item, 0 to 2, higher is better; the corpus' value is their mean.

    ``items``: hypothesis and references each; the best reference counts, rounded to 4 digits.
    ``lexicon``: gives each word's synonyms.
    """
    return [
        ItemScore(round(max(score(text, reference, lexicon) for reference in references), DIGITS))
        for text, references in items
    ]


def score(hypothesis: str, reference: str, lexicon: WordNet) -> float:
    """METEOR of one pair: 0 if no word is matched; above 1 only where words are counted twice.

    With m matches in c runs of neighbours, P = m / words of the hypothesis and R = m / words of the
    reference: (1 - 0.5 (c / m)^3) P R / (0.9 P + 0.1 R).
    """
    ours, theirs = words(hypothesis), words(reference)
    matches = align(ours, theirs, lexicon)
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(ours), len(matches) / len(theirs)
    mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    return (1 - GAMMA * (runs(matches) / len(matches)) ** BETA) * mean


def align(ours: Sequence[Word], theirs: Sequence[Word], lexicon: WordNet) -> list[Match]:
    """The matched places of three stages, in the order of the hypothesis."""
    exact = _equal(ours, theirs)
    left, right = _without(ours, (i for i, _ in exact)), _without(theirs, (j for _, j in exact))
    if not left or not right:
        return sorted(exact)
    stems = _equal([(i, stem(word)) for i, word in left], [(j, stem(word)) for j, word in right])
    return sorted(exact + stems + _synonyms(left, right, lexicon), key=lambda match: match[0])


def _without(tokens: Sequence[Word], matched: Iterable[int]) -> list[Word]:
    gone = set(matched)
    return [word for word in tokens if word[0] not in gone]


def _equal(ours: Sequence[Word], theirs: Sequence[Word]) -> list[Match]:
    """Each word from the last to the first takes the last equal word that is still free."""
    free: dict[str, list[int]] = {}
    for position, word in theirs:
        free.setdefault(word, []).append(position)
    return [(index, free[word].pop()) for index, word in reversed(ours) if free.get(word)]


def _synonyms(ours: Sequence[Word], theirs: Sequence[Word], lexicon: WordNet) -> list[Match]:
    """The same, where a word takes any of its synonyms; no equal words are left."""
    free, matches = list(reversed(theirs)), []
    for index, word in reversed(ours):
        synonyms = lexicon.synonyms(word)
        for other in free:
            if other[1] in synonyms:
                matches.append((index, other[0]))
                free.remove(other)
                break
    return matches


def runs(matches: Sequence[Match]) -> int:
    """Into how many runs the matches fall, neighbours on both sides in each; at least 1.

    >>> runs([(0, 0), (1, 1), (3, 2)])
    2
    """
    return 1 + sum(
        (i + 1, j + 1) != following for (i, j), following in pairwise(matches)
    )


def explain(items: Sequence[CaptionItem], result: ItemScore, *, lexicon: WordNet) -> Arithmetic:
    """How words are aligned, and what comes of it."""
    text, references = items[0]
    best = max(references, key=lambda reference: score(text, reference, lexicon))
    ours, theirs = words(text), words(best)
    matches = align(ours, theirs, lexicon)
    m, c = len(matches), runs(matches)
    precision, recall = m / len(ours), m / len(theirs)
    value = ((1 - GAMMA * (c / m) ** BETA) * precision * recall
             / (ALPHA * precision + (1 - ALPHA) * recall))
    aligned = ", ".join(f"{ours[i][1]} with {theirs[j][1]}" for i, j in matches)
    return Arithmetic((
        f"the best of the references: “{best}”",
        f"equal words, equal stems, synonyms: {aligned}; m = {m} in c = {counted(c, 'run')}",
        f"P = {m}/{len(ours)} words of the text, R = {m}/{len(theirs)} of the reference",
        f"METEOR = (1 - 0.5 (c/m)³) · P R / (0.9 P + 0.1 R) = {result.value:.4f}"),
        round(value, DIGITS))


def no_synonyms(items: Sequence[CaptionItem]) -> Mapping[str, Any]:
    """No two words of the worked example are synonyms."""
    from scorer.models.wordnet import WordNet

    return {"lexicon": WordNet.of_lines([])}


METEOR = MetricInfo(
    "METEOR", "METEOR (nltk 3.4.5)", "higher",
    "How many words find an equal word, a word of the same stem or a synonym in a reference, "
    "in how few runs.",
    "The best reference of each item, rounded to 4 digits. Mean over all items. A word matched "
    "by its stem may be matched once more as a synonym, as in nltk 3.4.5, so an item can "
    "exceed 1. nltk from 3.8 on and the Java program give other numbers.",
    f"{ANLG} with METEOR of nltk 3.4.5 and WordNet 3.0", BHAGAVATULA,
    meteor, lexicon="wordnet", highest=2.0, graded=False,
    signature=("meteor:nltk-3.4.5", "tok:white-space", "case:lower", "round:1e-4"), explain=explain,
    stand_in=no_synonyms,
)
