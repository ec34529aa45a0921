"""Every metric, from the files that hold them. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from scorer import metrics
from scorer.metrics.base import WHOLE_SPLIT, MetricInfo


def _found() -> Iterator[MetricInfo]:
    """What the modules of this folder define at their top, by itself or in tuples."""
    for module in iter_modules(metrics.__path__):
        if module.name != "catalogue":
            for value in vars(import_module(f"{metrics.__name__}.{module.name}")).values():
                yield from (metric for metric in (value if isinstance(value, tuple) else (value,))
                            if isinstance(metric, MetricInfo))


METRICS = {metric.id: metric for metric in sorted(_found(), key=lambda info: info.id.casefold())}
"""Every metric by its id. A board's columns stand in the order of its board.yaml."""


def options_text(options: dict[str, Any]) -> list[str]:
    """Options as parts of a signature.

    >>> options_text({"constant": 17})
    ['constant:17']
    """
    return [f"{name}:{value}" for name, value in sorted(options.items())]


FOOLED_BY: Mapping[str, str] = {
    "SA": "Any graph: with gold stances a meaningless one scores 100.0 on ExplaGraphs dev.",
    "StCA": "Form without meaning: a chain of the texts' first words breaks no constraint, and "
            "with gold stances scores 100.0 on ExplaGraphs dev.",
    "SeCA": "Its judge: ours accepts 61.6 of 100 gold graphs on ExplaGraphs dev, so the number "
            "says as much about the judge as about the graphs.",
    "G-BLEU": "Shared wording only: on COPA-SSE dev a second gold graph scores 8.3, a meaningless "
              "one 6.1.",
    "G-ROUGE-2": "Shared wording only: on COPA-SSE dev a second gold graph scores 12.3, a "
                 "meaningless one 6.3.",
    "G-ROUGE-L": "Repeated words: a meaningless graph with gold stances scores 25.4 on "
                 "ExplaGraphs dev, and 24.7 on COPA-SSE dev, where a second gold graph scores "
                 "28.7.",
    "G-BERTScore[minilm-l6]": "Repeated words: a meaningless graph with gold stances scores 40.2 "
                              "on ExplaGraphs dev.",
    "GED": "A plausible size: a meaningless chain is .360 from gold on ExplaGraphs dev, where a "
           "graph that fails a gate counts 1.",
    "EA": "Meaningless graphs: with one stance for every item, those that passed on ExplaGraphs "
          "dev score 83.9, gold 63.4.",
    "R4C-E": "Shared letters: gold of other questions scores 16.5 on R4C dev.",
    "R4C-R": "Few relations, alike: a meaningless graph scores 32.7 on R4C dev, gold of other "
             "questions 28.6.",
    "R4C-ER": "Shared letters: gold of other questions scores 19.3 on R4C dev, a meaningless "
              "graph 13.1.",
    "Leaves-F1": "The first sentences of every item: 18.1 on EntailmentBank dev.",
    "Leaves-AC": "It reads leaves alone, no step. Meaningless trees score 0.0 on EntailmentBank "
                 "dev.",
    "Steps-F1": "Nothing we tried: meaningless trees score 0.0 on EntailmentBank dev, trees of "
                "other items 0.4.",
    "Steps-AC": "Nothing we tried: meaningless trees and trees of other items score 0.0 on "
                "EntailmentBank dev. Gold itself scores 98.4.",
    "graph-lift": "Relation names alone: a model that sees no concept has a lift of 18.3 on the "
                  "dev split of graphqa-explagraphs.",
    "accuracy": "Cues that need no reason: hypotheses alone give 54.3 on e-CARE dev, relation "
                "names alone 68.3 on the dev split of graphqa-explagraphs; chance is 50.",
    "joint-ROUGE-L": "Frequent words: with gold choices, one text of eight frequent words scores "
                     "15.5 on e-CARE dev.",
    "BLEU-1": "Copying: the first observation scores 38.3 on aNLG dev, a reference held out 36.3.",
    "BLEU-2": "Copying: the first observation scores 17.6 on aNLG dev, a reference held out 20.1.",
    "BLEU-3": "Copying: the first observation scores 8.9 on aNLG dev, a reference held out 12.2.",
    "BLEU-4": "Copying: the first observation scores 4.8 on aNLG dev, a reference held out 7.8.",
    "METEOR": "Copying: the first observation scores 22.9 on aNLG dev, a reference held out 26.1.",
    "ROUGE-L": "Copying: the first observation scores 29.0 on aNLG dev, a reference held out "
               "29.9.",
    "CIDEr": "Copying: the first observation scores 46.5 on aNLG dev, a reference held out 53.2.",
    "BLEU-letters": "Frequent letters: with gold choices, one text of eight frequent words scores "
                    "8.6 on e-CARE dev, the explanation of another item 4.9.",
    "ROUGE-L-recall": "Frequent words: with gold choices, one text of eight frequent words scores "
                      "17.0 on e-CARE dev, the explanation of a similar item at most 14.9.",
}
"""What gives a metric a good number without a good answer, by its id, with figures of rows in
``results``, in percent as pages show them; a test compares them. A metric that is not here was not
measured on official data."""

__all__ = ["FOOLED_BY", "METRICS", "WHOLE_SPLIT", "MetricInfo", "options_text"]
