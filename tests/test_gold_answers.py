"""Any number of gold answers an item, relations named freely, and concepts that are ids."""

import shutil
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from statistics import fmean

import pytest
import yaml

import scorer
from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.metrics.catalogue import METRICS
from scorer.site.reading.read import read_site
from scorer.site.views.graphs.example import GraphExample
from scorer.tasks.graphs.facts import node_texts, partitions
from scorer.tasks.graphs.graph_statistics import relation_use
from tests.node import over

ROOT = Path(__file__).resolve().parent.parent
GRAPHS = ("(rain; causes; wet ground)", "(rain; makes; wet ground)(wet ground; is; slippery)",
          "(clouds; bring; rain)", "(rain; falls on; ground)(ground; becomes; wet)")
ROWS = (
    ("The ground is wet.", *GRAPHS),
    ("The lamp glows.", "(current; heats; wire)", "(switch; closes; circuit)"),
    ("The ice melted.", "(sun; warms; ice)"),
)
ANSWERS = (GRAPHS[3], "(current; heats; lamp)", "(sun; warms; ice)")
GRAPH = {"relations": "any", "least_edges": 1, "acyclic": True, "connected": False}
SETTINGS = {
    "texts": [{"name": "fact", "concepts": 0}], "graph": GRAPH,
    "ged_constant": 17, "null": {"relation": "is", "most": 4}, "most_graphs": 4,
}


def board(folder: Path, items: int = 3, **settings: object) -> Board:
    """A board of so many items with four, two and one gold graphs, and any relation."""
    path = folder / "boards" / "freely"
    (path / "data").mkdir(parents=True)
    fields = {
        "schema": 1, "id": "freely", "version": "1.0", "task": "explanation_graphs",
        "title": "Freely", "summary": "Why?", "licence": "CC0", "attribution": "Ours.",
        "citation": "@misc{freely}", "metrics": ["StCA", "G-ROUGE-2", "GED"],
        "ranking": ["G-ROUGE-2"],
        "splits": {"dev": {"file": "dev.tsv", "rows": items, "gold": "public", "golds": 4}},
        "settings": {**SETTINGS, **settings},
    }
    (path / "board.yaml").write_text(yaml.safe_dump(fields, sort_keys=False))
    (path / "data" / "dev.tsv").write_text("".join("\t".join(row) + "\n" for row in ROWS[:items]))
    return boards.load(path)


def alone(metric: str, answer: str, gold: str) -> float:
    """The score against one gold graph."""
    use = {"G-ROUGE-2": lambda text: Graph(text).sentences, "GED": lambda text: Graph(text).edges}
    options = {"constant": 17} if metric == "GED" else {}
    pair = (use[metric](answer), (use[metric](gold),))
    return METRICS[metric].compute([pair], **options)[0].value


@pytest.mark.parametrize(("over", "of"), [
    ("best", {"G-ROUGE-2": max, "GED": min}), (None, {"G-ROUGE-2": max, "GED": min}),
    ("first", dict.fromkeys(("G-ROUGE-2", "GED"), itemgetter(0))),
    ("mean", dict.fromkeys(("G-ROUGE-2", "GED"), fmean)),
])
def test_scores_against_several_golds_become_one_as_the_board_says(
    tmp_path: Path, over: str | None, of: dict[str, Callable[[list[float]], float]],
) -> None:
    described = board(tmp_path, **({"over": over} if over else {}))
    found = scorer.score([(answer,) for answer in ANSWERS], ROWS, board=described).metrics
    for metric, choose in of.items():
        apart = [[alone(metric, answer, gold) for gold in golds]
                 for answer, (_, *golds) in zip(ANSWERS, ROWS, strict=True)]
        assert len({choose(apart[0]) for choose in (max, min, itemgetter(0), fmean)}) > 2
        assert found[metric].value == pytest.approx(fmean(map(choose, apart)))
        assert "golds:4" in found[metric].signature
        assert (f"over:{over}" if over else "over:") in found[metric].signature or over is None


def test_a_fifth_graph_and_relations_that_are_neither_a_list_nor_any_are_refused(
    tmp_path: Path
) -> None:
    described = board(tmp_path / "a")
    path = described.folder / "data" / "dev.tsv"
    path.write_text(path.read_text().replace(ROWS[0][1], f"{ROWS[0][1]}\t{ROWS[0][1]}", 1))
    with pytest.raises(scorer.DataError, match=r"6 columns; expected 2 to 5 columns"):
        read_golds(described, "dev", path)
    with pytest.raises(scorer.SubmissionError, match="expected any, or a list of 1 to 500"):
        board(tmp_path / "b", graph={**GRAPH, "relations": "all"})


def test_any_relation_is_right_and_the_commonest_divide_the_items_where_the_board_says_any(
    tmp_path: Path
) -> None:
    described = board(tmp_path)
    assert main(["board", "check", "freely", "--boards", str(tmp_path / "boards")]) == 0
    golds = read_golds(described, "dev", described.folder / "data" / "dev.tsv").items
    found = next(one for one in partitions(described.settings, golds) if one.id == "relation")
    assert found.values == ("causes", "heats", "warms")
    [use] = relation_use(described.settings, golds)
    assert dict(use.relations) == {"causes": 1, "heats": 1, "warms": 1}
    # A gold graph of other concepts is drawn by itself.
    layouts = GraphExample(described.settings, golds[0], 1).layouts
    assert [sorted(layout.boxes) for layout in layouts] == [
        ["rain", "wet ground"], ["rain", "slippery", "wet ground"],
        ["clouds", "rain", "wet ground"], ["ground", "rain", "wet"]]


def test_rows_of_gold_are_scored_where_an_item_has_another_and_shown_beside_that(
    tmp_path: Path
) -> None:
    described = board(tmp_path, items=2)
    folders = ["--boards", str(tmp_path / "boards")]
    submissions = tmp_path / "submissions"
    assert main(["baseline", "held-out-gold", "second-gold", "--board", described.id,
                 "--out", str(submissions), *folders]) == 0
    reference = submissions / "freely" / "reference"
    assert (reference / "second-gold" / "predictions.dev.tsv").read_text().split("\n")[:2] == [
        GRAPHS[1], ROWS[1][2]]
    assert main(["score", *map(str, reference.iterdir()), "--results", str(tmp_path / "results"),
                 *folders]) == 0
    [view] = read_site(tmp_path, tmp_path / "home").boards[0].splits
    assert {entry.result.counts["items"] for entry in view.entries} == {2}
    example = GraphExample(described.settings, view.golds[0], 1)
    beside = {entry.key: example.card(entry)["compared"] for entry in view.entries}
    assert beside == {"reference/held-out-gold": "gold graph 2, the closest one",
                      "reference/second-gold": "gold graph 1, the closest one"}


PROOF = "(s1; entails; i1: Cats purr)(s2; entails; i1)(i1: Cats purr; entails; end)"
OTHER_WORDS = "(s1; entails; i1: A cat purrs)(s2; entails; i1)(i1; entails; end)"


def test_concepts_with_equal_ids_are_the_same_whatever_their_texts_say(tmp_path: Path) -> None:
    graph = {**GRAPH, "nodes": "id", "connected": True}
    by_id, by_text = board(tmp_path / "id", graph=graph), board(tmp_path / "text")
    gold = [("Why? | s1: Cats are content", PROOF)]
    found = scorer.score([(OTHER_WORDS,)], gold, board=by_id).metrics
    assert (found["StCA"].value, found["G-ROUGE-2"].value, found["GED"].value) == (1.0, 1.0, 0.0)
    assert scorer.score([(OTHER_WORDS,)], gold, board=by_text).metrics["GED"].value > 0
    # Their texts come from the graph, or from an input that lists them.
    given = "s1: Cats are content | s2: Content cats purr"
    assert node_texts(by_id.settings.graph.read(PROOF), {"question": "Why?", "given": given}) == {
        "s1": "Cats are content", "i1": "Cats purr", "s2": "Content cats purr"}
    assert node_texts(Graph(PROOF), {"given": "s1: Cats are content"}) == {}


def test_the_checker_of_the_browser_reads_ids_as_the_program_does(tmp_path: Path) -> None:
    shutil.copy(ROOT / "site/assets/check/language.js", tmp_path)
    shutil.copy(ROOT / "scorer/site/views/graphs/check/graph.js", tmp_path)
    body = """
        const { pieces } = await load("graph.js");
        return ([graph, nodes]) => pieces(graph, nodes);
    """
    graphs = [PROOF.lower(), "(s1; so; i1: a)(broken: b)", "", "(a: b; c: d; e: f: g)",
              "(a:b; c; d)"]
    cases = [(graph, nodes) for graph in graphs for nodes in ("id", "text")]
    assert over(tmp_path, body, None, cases) == [
        [list(piece) for piece in Graph(graph, nodes == "id").pieces] for graph, nodes in cases]
