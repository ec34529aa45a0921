"""Every metric: its name, direction, range, source and denominator. Imports nothing heavy.

The site and the checker read this; the functions that compute are named as ``module:function`` and
loaded when a score is asked for. A function takes a sequence of what ``MetricUse.select`` gives,
keyword options, and returns one ``ItemScore`` each. A metric's value is the mean of these, unless
``total`` makes it from the sums of their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from scorer.records import ItemScore

MetricFunction = Callable[..., Sequence[ItemScore]]
Total = Callable[[Mapping[str, float]], float]
"""Sums of the parts of some items -> the metric's value for these items."""

WHOLE_SPLIT = "a number of the whole split, no mean over items"
"""Why there is no test item by item of a metric with ``MetricInfo.total``, and so no rank."""

RELEASED = "github swarnaHub/ExplaGraphs, commit 67ecab1"
ANLG = ("github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py, which runs "
        "coco-caption's scorers without their tokeniser")
BHAGAVATULA = "Bhagavatula et al.: Abductive Commonsense Reasoning. ICLR 2020"
SAHA = "Saha, Yadav, Bauer and Bansal: ExplaGraphs. EMNLP 2021"
VERSIONS = "nltk 3.10.4, rouge_score 0.1.2, bert_score 0.3.13, networkx 3.6.1, scipy 1.17.1"


@dataclass(frozen=True)
class MetricInfo:
    """What a reader must know to read one column."""

    id: str
    title: str
    better: Literal["higher", "lower"]
    summary: str
    """One sentence: what it measures."""
    definition: str
    """How one item's number is made, and what the mean runs over."""
    source: str
    """The code or paper that defines it."""
    citation: str
    function: str | None = None
    """``module:function``, or None if this version does not compute it."""
    parts: tuple[str, ...] = ()
    """Names of the numbers beside the value."""
    signature: tuple[str, ...] = ()
    """What distinguishes this implementation; completed at scoring time."""
    encoder: str | None = None
    """Name of the encoder in ``encoders``, if it needs one."""
    judge: str | None = None
    """Name of the judge in ``judges``, if it needs one."""
    lexicon: str | None = None
    """Name of the lexicon it looks words up in, if it does."""
    total: str | None = None
    """``module:function``, a ``Total``, where the value is no mean: of the parts of all items."""
    whole: bool = False
    """Whether an item's score depends on the others: the function then gets all items at once."""
    fits: str | None = None
    """``module:function``, whether an item's numbers fit together, where others measured them."""
    highest: float = 1.0
    """No value is above this."""
    lowest: float = 0.0
    """No value is below this."""
    graded: bool = True
    """Whether it grades graphs; such a metric also gets a mean over the graphs that passed."""
    binary: bool = False
    """Whether one item's score is 0 or 1, so that the value is a proportion."""
    group: Literal["core", "plausibility"] = "core"

    @property
    def model(self) -> str | None:
        """Name of the model or lexicon it needs, if any."""
        return self.encoder or self.judge or self.lexicon

    @property
    def role(self) -> str:
        """The keyword by which the function takes that."""
        return "encoder" if self.encoder else "judge" if self.judge else "lexicon"

    def load(self) -> MetricFunction:
        """Import the function. Raises LookupError if this version does not compute the metric."""
        if self.function is None:
            raise LookupError(f"this version does not compute {self.id}")
        function: MetricFunction = _named(self.function)
        return function

    def load_total(self) -> Total | None:
        """Import what makes the value; None where it is the mean of the items' values."""
        return None if self.total is None else _named(self.total)

    def numbers_fit(self, score: ItemScore) -> bool:
        """Whether an item's value, parts and flag can stand together, as the metric says.

        One that says nothing has no flags.
        """
        return score.flag is None if self.fits is None else bool(_named(self.fits)(score))


def _named(path: str) -> Any:
    module, name = path.split(":")
    return getattr(import_module(module), name)


_MATCHED = (
    "Predicted and gold edges are matched one to one so that the sum of {score} is greatest. "
    "Precision is that sum over the predicted edges, recall over the gold edges; the value is F1. "
    "With two golds, the one with the higher F1 gives all three. Mean over all items of the split; "
    "an item with a wrong label or an incorrect structure counts 0."
)

_METRICS = (
    MetricInfo(
        "SA", "Stance accuracy", "higher",
        "Share of items whose predicted label is the gold label.",
        "1 if the label equals gold, else 0. Mean over all items of the split.",
        f"{RELEASED}, metrics/eval.py", SAHA,
        "scorer.metrics.accuracy:label_accuracy", signature=("match:exact",), graded=False,
        binary=True,
    ),
    MetricInfo(
        "StCA", "Structural correctness accuracy of graphs", "higher",
        "Share of items with the right label whose graph keeps every structural constraint.",
        "1 if the label is right and no constraint is broken, else 0. Mean over all items.",
        f"{RELEASED}, metrics/eval.py", SAHA,
        "scorer.metrics.accuracy:passed", signature=("concepts:substring", "repeats:allowed"),
        graded=False, binary=True,
    ),
    MetricInfo(
        "SeCA", "Semantic correctness accuracy of graphs", "higher",
        "Share of items whose structurally correct graph makes a judge model infer the gold label.",
        "1 if the judge (support, counter, incorrect) says the gold label, else 0. Mean over all "
        "items; items stopped at an earlier gate count 0.",
        f"{RELEASED}, metrics/run_seca.py", SAHA,
        "scorer.metrics.seca:seca", signature=("order:depth-first",), judge="seca", binary=True,
    ),
    MetricInfo(
        "G-BLEU", "Graph BLEU", "higher",
        "How far predicted edges repeat the words of gold edges, as four-grams.",
        _MATCHED.format(score="nltk's sentence BLEU (up to 4-grams, no smoothing)"),
        f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA,
        "scorer.metrics.matching:g_bleu", parts=("precision", "recall"), group="plausibility",
        signature=("bleu:nltk-sentence-4gram", "smooth:none", "tok:spacy-infix-semicolon",
                   "match:hungarian"),
    ),
    MetricInfo(
        "G-ROUGE-2", "Graph ROUGE-2", "higher",
        "How far predicted edges repeat the word pairs of gold edges.",
        _MATCHED.format(score="rouge_score's ROUGE-2 precision (stemmed)"),
        f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA,
        "scorer.metrics.matching:g_rouge_2", parts=("precision", "recall"), group="plausibility",
        signature=("rouge:2-precision", "stem:porter-nltk", "tok:rouge-score", "match:hungarian"),
    ),
    MetricInfo(
        "G-ROUGE-L", "Graph ROUGE-L", "higher",
        "How far predicted edges keep the word order of gold edges.",
        _MATCHED.format(score="rouge_score's ROUGE-L precision (stemmed)"),
        f"The paper's tables; computed by the matching of {RELEASED}, which itself prints only "
        f"ROUGE-2, with {VERSIONS}", SAHA,
        "scorer.metrics.matching:g_rouge_l", parts=("precision", "recall"), group="plausibility",
        signature=("rouge:L-precision", "stem:porter-nltk", "tok:rouge-score", "match:hungarian"),
    ),
    MetricInfo(
        "G-BERTScore", "Graph BERTScore (roberta-large)", "higher",
        "How close predicted edges are to gold edges in the eyes of roberta-large.",
        _MATCHED.format(score="BERTScore F1 (layer 17, no idf, no rescaling)"),
        f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA,
        "scorer.metrics.bertscore:g_bertscore", parts=("precision", "recall"),
        encoder="roberta-large", group="plausibility", fits="scorer.metrics.matching:fits",
        lowest=-1.0,
        signature=("idf:no", "rescale:no", "round:1e-6", "match:hungarian"),
    ),
    MetricInfo(
        "G-BERTScore[minilm-l6]", "Graph BERTScore (MiniLM, 6 layers)", "higher",
        "How close predicted edges are to gold edges in the eyes of a small encoder; never "
        "comparable with the roberta-large column.",
        _MATCHED.format(score="BERTScore F1 (all-MiniLM-L6-v2, layer 6, no idf, no rescaling)"),
        f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS} and another encoder", SAHA,
        "scorer.metrics.bertscore:g_bertscore", parts=("precision", "recall"),
        encoder="minilm-l6", group="plausibility", fits="scorer.metrics.matching:fits",
        lowest=-1.0,
        signature=("idf:no", "rescale:no", "round:1e-6", "match:hungarian"),
    ),
    MetricInfo(
        "GED", "Graph edit distance", "lower",
        "How many unit edits turn the predicted graph into the gold graph, normalised.",
        "Exact unit-cost edit distance over (gold nodes + gold edges + the board's constant), at "
        "most 1; the lesser of two golds. Mean over all items; an item with a wrong label or an "
        "incorrect structure counts 1. A graph too large to be sure of within the search budget "
        "counts 1 and is flagged.",
        f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA,
        "scorer.metrics.graph_distance:ged",
        signature=("cost:unit", "collapse:last", "budget:500000"),
        group="plausibility",
    ),
    MetricInfo(
        "EA", "Edge importance accuracy", "higher",
        "Share of a graph's edges whose removal makes a judge model less sure of the gold label.",
        "Share of the edges of a structurally correct graph. Mean over all items; items stopped at "
        "an earlier gate count 0. Decided leaves out edges with a difference below 1e-4. A graph "
        "of more than 32 edges is not judged: it counts 0 and is flagged.",
        f"{RELEASED}, metrics/run_ea.py, create_ea_data.py and compute_ea.py", SAHA,
        "scorer.metrics.ea:ea", parts=("decided",), judge="ea", fits="scorer.metrics.ea:fits",
        signature=("order:depth-first", "compare:float32", "edges:32"),
    ),
    MetricInfo(
        "accuracy", "Accuracy", "higher",
        "Share of items for which the right hypothesis was chosen.",
        "1 if the label equals gold, else 0. Mean over all items of the split.",
        "github allenai/mosaic-leaderboard, anli/evaluator/eval.py", BHAGAVATULA,
        "scorer.metrics.accuracy:label_accuracy", signature=("match:exact",), graded=False,
        binary=True,
    ),
    *(
        MetricInfo(
            f"BLEU-{order}", f"BLEU-{order} (coco-caption)", "higher",
            f"How far the texts repeat the references, {words}.",
            "Matched n-grams over all n-grams of all texts of the split, n = 1 to "
            f"{order}, their geometric mean, times a penalty where the texts are shorter than the "
            "references closest in length. One number of the whole split, no mean over items; an "
            "item shows the same of itself alone. White space cuts words; case counts.",
            ANLG, BHAGAVATULA, f"scorer.metrics.coco_bleu:bleu_{order}", graded=False,
            total="scorer.metrics.coco_bleu:of_counts",
            signature=("bleu:coco-corpus", f"order:{order}", "ref:closest", "tok:white-space",
                       "case:mixed"),
        )
        for order, words in enumerate(
            ("word by word", "up to word pairs", "up to three words in a row",
             "up to four words in a row"), start=1,
        )
    ),
    MetricInfo(
        "METEOR", "METEOR (nltk 3.4.5)", "higher",
        "How many words find an equal word, a word of the same stem or a synonym in a reference, "
        "in how few runs.",
        "The best reference of each item, rounded to 4 digits. Mean over all items. A word matched "
        "by its stem may be matched once more as a synonym, as in nltk 3.4.5, so an item can "
        "exceed 1. nltk from 3.8 on and the Java program give other numbers.",
        f"{ANLG} with METEOR of nltk 3.4.5 and WordNet 3.0", BHAGAVATULA,
        "scorer.metrics.meteor:meteor", lexicon="wordnet", highest=2.0, graded=False,
        signature=("meteor:nltk-3.4.5", "tok:white-space", "case:lower", "round:1e-4"),
    ),
    MetricInfo(
        "ROUGE-L", "ROUGE-L (coco-caption)", "higher",
        "How long a sequence of words the text shares with a reference.",
        "F measure (beta 1.2) of the best precision and the best recall over the references, which "
        "may be two. Mean over all items. Every blank cuts words; case counts.",
        ANLG, BHAGAVATULA, "scorer.metrics.coco_rouge:rouge_l", graded=False,
        signature=("rouge:coco-L", "beta:1.2", "tok:blank", "case:mixed"),
    ),
    MetricInfo(
        "CIDEr", "CIDEr (CIDEr-D of coco-caption)", "higher",
        "How many n-grams the text shares with the references, rare ones counting most.",
        "Cosine of n-gram counts weighted by how few items have the n-gram in a reference, n = 1 "
        "to 4, with cut counts and a penalty for another length; mean over references, times 10. "
        "Mean over all items; only whole splits are comparable.",
        ANLG, BHAGAVATULA, "scorer.metrics.cider:cider", whole=True, highest=10.0, graded=False,
        signature=("cider:coco-D", "n:4", "sigma:6", "df:references", "tok:white-space",
                   "case:mixed"),
    ),
    MetricInfo(
        "BERTScore", "BERTScore (bert-base-uncased)", "higher",
        "How close the text is to the references in the eyes of bert-base-uncased.",
        "BERTScore F1 (layer 8, idf of all references, no rescaling), mean over an item's "
        "references. Mean over all items.",
        f"{ANLG} and bert_score", BHAGAVATULA, "scorer.metrics.idf_bertscore:bertscore",
        encoder="bert-base-uncased", whole=True, graded=False, lowest=-1.0,
        signature=("idf:references", "rescale:no", "refs:mean", "round:1e-6"),
    ),
)

METRICS = {metric.id: metric for metric in _METRICS}
"""Every metric by its id, in the order in which boards usually show them."""


def options_text(options: dict[str, Any]) -> list[str]:
    """Options as parts of a signature.

    >>> options_text({"constant": 17})
    ['constant:17']
    """
    return [f"{name}:{value}" for name, value in sorted(options.items())]
