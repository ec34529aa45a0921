"""Does any metric agree with people better than those that ship, and better than length does?

    scorer data fetch copa-sse && scorer data fetch wordnet
    python -m benchmarks --only agreement --data DIR

``DIR`` holds the official files of ExplaGraphs and ``third-party/max-margin.dev.predictions.tsv``;
some 15 minutes on one core.

The protocol, written down when only the first half of dev had been looked at:

- **Ratings.** COPA-SSE: four to nine people's explanations of an item as graphs, each rated 1 to 5
  by several others, the ratings that passed its authors' control. What a metric says of the
  explanations of one item is compared with their mean ratings. Gold is the one that people rate
  highest, which is itself left out (*best*); and, beside it, all others of the item, of which the
  closest counts (*others*).
- **Parts.** Rows 1 to 500 of dev choose; rows 501 to 1,000 and the 500 of test report. An item and
  its mirror image, which asks the same alternatives of another premise, are in one part.
- **Candidates.** Three families (``candidates.py``), 13 variants in all. Of each family the variant
  with the greatest Spearman on the first half, against *best*, is the family's candidate; of these,
  by the same number, one is *the* candidate.
- **Agreement.** Within an item, the mean over items whose ratings differ: Spearman's rho and
  Kendall's tau-b, 0 where the metric gives all explanations one value (``scorer meta`` leaves such
  items out). *Partial*: Pearson's r of ranks within the item, less their mean, of all explanations
  together, given those of the number of edges. *Equal*: concordant less discordant pairs, as a
  share of pairs of one item with as many edges that people rate differently.
- **Intervals** of the difference of two metrics: percentile bootstrap, drawn are pairs of mirrored
  items.
- **Rule.** The candidate ships if in the second half, against *best*, the intervals of its
  difference in rho, in tau-b and in partial lie above 0 for every other metric and every number
  that needs no metric: edges, words, characters, and words shared with the texts. Test must not
  contradict.
- **Nulls.** On ExplaGraphs dev a metric should put a null graph below those of real systems: the
  mean difference over the system's graphs that pass every gate; those that fail count 0 whatever
  the metric. Nulls: a chain of the texts' first words, and the gold graph of another item.
- **A sum** of ranks within the item, weighted by least squares on the first half, says how much of
  what people reward all of these know together. It is fitted to ratings and no metric.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import candidates
from benchmarks.within_items import (
    BEST,
    FIGURES,
    OTHERS,
    Graph,
    Item,
    Values,
    agreement,
    alone,
    fitted,
    scores,
    summed,
)
from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import gold_files, read_golds
from scorer.boards.item_files import read_ratings
from scorer.core.files import home_folder
from scorer.lab.systems.records import Question, find
from scorer.metrics.catalogue import METRICS
from scorer.metrics.judged import seca_texts
from scorer.metrics.matching import PRF
from scorer.models.known import Judge
from scorer.models.registry import Models
from scorer.people import bootstrap
from scorer.scoring.checking import check_file
from scorer.tasks.graphs.baselines import BASELINES
from scorer.tasks.graphs.graph_items import Gold, Prediction

HALF = 500
FIRST, SECOND, TEST = "dev, rows 1 to 500", "dev, rows 501 to 1,000", "test"
EXISTING = ("G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "G-BERTScore[minilm-l6]", "GED")
"""G-BERTScore with roberta-large asks 1.4 GB of weights and hours of a core: not measured."""
RATED = "copa-sse"
NULLS = ("null", "shuffled-gold")
FAMILIES = ("edges by meaning", "concepts by synonyms", "support")
SUM = "all of these, weighted on the first half"


class Tools(NamedTuple):
    """What is loaded once."""

    models: Models
    embed: candidates.Embed
    equal: candidates.Equal


def run(data: Path | None) -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note; ours is a candidate's or the sum's."""
    if data is None:
        return []
    tools = tools_of(Models())
    dev, test = (rated_items(home_folder(), split) for split in ("dev", "test"))
    parts = {FIRST: dev[:HALF], SECOND: dev[HALF:], TEST: test}
    rated = boards.load(RATED)
    values = {part: measured(items, rated, tools) for part, items in parts.items()}
    chosen, candidate = choice(parts[FIRST], values[FIRST])
    weights = fitted(parts[FIRST], values[FIRST], [*EXISTING, *NUMBERS, *chosen])
    rows = [*_tried(parts[FIRST], values[FIRST], candidate), _row(
        f"{FIRST}, {BEST}: {SUM}", None, None,
        ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items()), "weights")]
    for part in (SECOND, TEST):
        for against in (BEST, OTHERS):
            rows += reported(part, against, parts[part], values[part], chosen, candidate, weights)
    return [*rows, *_nulls(data, tools, [*EXISTING, *chosen])]


def tools_of(models: Models) -> Tools:
    """The small encoder, its vectors kept, and WordNet."""
    encoder = models("minilm-l6")

    @cache
    def embed(text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = encoder.means([text])[0]
        return vector

    return Tools(models, embed, candidates.synonyms(models("wordnet")))


def choice(items: Sequence[Item], values: Mapping[str, Values]) -> tuple[list[str], str]:
    """The candidate of each family, and of these the one that is compared."""
    rho = {name: agreement(items, scores(items, one, BEST), BEST).figures()[0]
           for name, one in values.items()}
    chosen = [max((name for name in values if name.startswith(family)), key=rho.__getitem__)
              for family in FAMILIES]
    return chosen, max(chosen, key=rho.__getitem__)


# ---- what was rated ------------------------------------------------------------------------


def rated_items(home: Path, split: str) -> list[Item]:
    """The items of COPA-SSE with the ratings of their explanations, as fetched."""
    board = boards.load(RATED)
    described, folder = board.split(split), home / "data" / board.id
    assert described.file is not None
    assert described.ratings is not None
    golds = read_golds(board, split, folder / described.file).items
    rated = read_ratings(board, split, folder / described.ratings.file,
                         [len(gold.graphs) for gold in golds])
    return [_item(gold, ratings) for gold, ratings in zip(golds, rated, strict=True)]


def _item(gold: Gold, ratings: Sequence[Sequence[float]]) -> Item:
    premise, *alternatives = gold.texts
    right = alternatives[("first", "second").index(str(gold.label))]
    return Item(" ".join(sorted(alternatives)), f"{premise} {right}", (premise, right),
                tuple(graph.edges for graph in gold.graphs),
                tuple(sum(one) / len(one) for one in ratings))


# ---- what metrics say ----------------------------------------------------------------------


def measured(items: Sequence[Item], board: Board, tools: Tools) -> dict[str, Values]:
    """All that is compared, by name; GED as the board normalises it."""
    embed, equal = tools.embed, tools.equal
    return {
        **{name: shipped(name, items, board, tools.models) for name in EXISTING},
        **{name: _alone(items, of) for name, of in NUMBERS.items()},
        **_kinds("edges by meaning", items,
                 lambda ours, theirs: candidates.edges_by_meaning(ours, theirs, embed)),
        **_kinds("concepts by synonyms, whole", items,
                 lambda ours, theirs: candidates.concepts_by_synonyms(ours, theirs, equal)),
        **_kinds("concepts by synonyms, words", items,
                 lambda ours, theirs: candidates.words_by_synonyms(ours, theirs, equal)),
        "support, texts covered": _alone(
            items, lambda item, graph: candidates.texts_covered(graph, item.texts, embed)),
        "support, edges grounded": _alone(
            items, lambda item, graph: candidates.edges_grounded(graph, item.texts, embed)),
        **judged(items, tools.models("seca")),
    }


def shipped(name: str, items: Sequence[Item], board: Board, models: Models) -> Values:
    """A metric that ships, of every explanation against every one; higher is better."""
    metric, options = METRICS[name], {}
    if metric.encoder is not None:
        options["encoder"] = models(metric.encoder)
    if name == "GED":
        options["constant"] = board.settings.ged_constant
    written = [[graph if name == "GED" else tuple(map(candidates.sentence, graph))
                for graph in item.graphs] for item in items]
    found = metric.compute([(ours, [theirs]) for graphs in written for ours in graphs
                            for theirs in graphs], **options)
    sign = 1.0 if metric.better == "higher" else -1.0
    values = iter([sign * score.value for score in found])
    return [np.array([[next(values) for _ in graphs] for _ in graphs]) for graphs in written]


def _kinds(name: str, items: Sequence[Item], of: Callable[[Graph, Graph], PRF],
           ) -> dict[str, Values]:
    """Precision, recall and F1 of every explanation against every one."""
    found = [np.array([[of(ours, theirs) for theirs in item.graphs] for ours in item.graphs])
             for item in items]
    return {f"{name}, {kind}": [one[:, :, place] for one in found]
            for place, kind in enumerate(("precision", "recall", "F1"))}


def _alone(items: Sequence[Item], of: Callable[[Item, Graph], float]) -> Values:
    return alone(items, lambda item: [of(item, graph) for graph in item.graphs])


def judged(items: Sequence[Item], judge: Judge) -> dict[str, Values]:
    """How sure the judge is that the graph supports the claim, or that it says anything of it."""
    answers = iter(judge.probabilities(
        [seca_texts(item.claim, graph) for item in items for graph in item.graphs]).astype(float))
    support, incorrect = map(judge.labels.index, ("support", "incorrect"))
    found = [np.stack([next(answers) for _ in item.graphs]) for item in items]
    return {
        "support, judge says support": [
            np.tile(one[:, [support]], len(one)) for one in found],
        "support, judge says support or counter": [
            np.tile(1 - one[:, [incorrect]], len(one)) for one in found],
    }


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _words_of(graph: Graph) -> list[str]:
    return _words(" ".join(map(" ".join, graph)))


NUMBERS: dict[str, Callable[[Item, Graph], float]] = {
    "edges": lambda item, graph: len(graph),
    "words": lambda item, graph: len(_words_of(graph)),
    "characters": lambda item, graph: sum(map(len, _words_of(graph))),
    "words shared with the texts": lambda item, graph: len(
        {*_words_of(graph)} & {*_words(" ".join(item.texts))}),
}
"""What a graph has without any metric."""


# ---- rows ----------------------------------------------------------------------------------


def _row(name: str, ours: float | None, theirs: float | None, note: str, unit: str = "rho",
         ) -> dict[str, Any]:
    return {"name": name, "ours": ours, "theirs": theirs, "ratio": None, "unit": unit,
            "note": note}


def _tried(items: Sequence[Item], values: Mapping[str, Values], candidate: str,
           ) -> Iterator[dict[str, Any]]:
    """All that was tried, on the half that chooses."""
    for name, one in values.items():
        rho, *rest = agreement(items, scores(items, one, BEST), BEST).figures()
        note = ", ".join(f"{figure} {value:.3f}"
                         for figure, value in zip(FIGURES[1:], rest, strict=True))
        yield _row(f"{FIRST}, {BEST}: {name}", rho, None,
                   f"{note}{'; the candidate' if name == candidate else ''}")


def reported(part: str, against: str, items: Sequence[Item], values: Mapping[str, Values],
             chosen: Sequence[str], candidate: str, weights: Mapping[str, float],
             ) -> Iterator[dict[str, Any]]:
    """The candidate beside everything else, and those of other families and the sum beside the best
    of what ships and of what needs no metric, on items that chose nothing."""
    said = {name: scores(items, values[name], against) for name in (*EXISTING, *NUMBERS, *chosen)}
    said[SUM] = summed(items, values, weights, against)
    found = {name: agreement(items, one, against) for name, one in said.items()}
    rho = {name: one.figures()[0] for name, one in found.items()}
    best = [max(names, key=rho.__getitem__) for names in (EXISTING, NUMBERS)]
    yield _row(f"{part}, {against}: {candidate}", rho[candidate], None, found[candidate].told())
    for ours in (candidate, *(name for name in (*chosen, SUM) if name != candidate)):
        for theirs in (name for name in said if name != ours) if ours == candidate else best:
            yield _row(f"{part}, {against}: {ours}, against {theirs}", rho[ours], rho[theirs],
                       f"ours less theirs: {found[ours].told(found[theirs])}")


# ---- nulls of ExplaGraphs ------------------------------------------------------------------


def _nulls(data: Path, tools: Tools, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """How far the graphs of real systems are above graphs that say nothing."""
    board = boards.load("explagraphs")
    golds = gold_files(board, {"gold": data / "dev.tsv"}).items
    nulls = [BASELINES[name] for name in NULLS]
    answers = [null.predict(board.settings, (), golds) for null in nulls]
    for title, predictions in _systems(data, board, golds).items():
        passed = [row for row, pair in enumerate(zip(golds, predictions, strict=True))
                  if board.task.verdict(*pair).annotation == board.task.passed]
        items = [_beside(golds[row], [one[row] for one in (predictions, *answers)])
                 for row in passed]
        values = measured(items, board, tools)
        for place, null in enumerate(nulls, start=1):
            for name in names:
                system, other = (np.array([one[at, -1] for one in values[name]])
                                 for at in (0, place))
                yield _row(f"ExplaGraphs dev, {title} against {null.title.lower()}: {name}",
                           float(system.mean()), float(other.mean()), _margin(system - other),
                           "mean")


def _beside(gold: Gold, answers: Sequence[Prediction]) -> Item:
    """A system's graph, nulls, and gold, as the explanations of one item."""
    return Item("", gold.texts[0], gold.texts,
                tuple(one.edges for one in (*(answer.graph for answer in answers),
                                            gold.graphs[0])), ())


def _margin(apart: NDArray[np.float64]) -> str:
    parts = np.stack([apart, np.ones_like(apart)], axis=1)
    low, high = bootstrap.of_parts(parts, bootstrap.ratio, len(apart)).ci or (np.nan, np.nan)
    return (f"{len(apart)} graphs that pass; difference {apart.mean():.3f} [{low:.3f}, "
            f"{high:.3f}]; above in {(apart > 0).mean():.0%}, equal in "
            f"{(apart == 0).mean():.0%}")


def _systems(data: Path, board: Board, golds: Sequence[Gold]) -> dict[str, Sequence[Prediction]]:
    """The released predictions, and those of the structured model that comes with the program."""
    texts = [gold.texts for gold in golds]
    released = data / "third-party" / "max-margin.dev.predictions.tsv"
    structured, folder, trained = find("structured")
    asked = Question(board.settings, texts)
    return {"Max-Margin": check_file(board, released, texts=texts).accepted(),
            "the structured model": structured.loaded().predict(folder, trained, asked).predictions}


def main() -> None:
    """Print the rows."""
    for row in run(Path(sys.argv[1])):
        print(row["name"], row["ours"], row["theirs"], row["note"], sep=" | ")


if __name__ == "__main__":
    main()
