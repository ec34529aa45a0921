"""Any number of gold answers an item, relations named freely, and concepts that are ids."""

import shutil
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
from scorer.scoring.results.files import read as read_result
from scorer.site.reading.read import read_site
from scorer.site.views.graphs.example import GraphExample
from scorer.tasks.graphs.facts import node_texts, partitions
from scorer.tasks.graphs.graph_statistics import OTHERS, relation_use
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
SETTINGS = {
    "texts": [{"name": "fact", "concepts": 0}],
    "graph": {"relations": "any", "least_edges": 1, "acyclic": True, "connected": False},
    "ged_constant": 17, "null": {"relation": "is", "most": 4}, "most_graphs": 4,
}


def board(folder: Path, items: int = 3, **settings: object) -> Board:
    """A board of so many items with four, two and one gold graphs, and any relation."""
    place = folder / "boards" / "freely"
    (place / "data").mkdir(parents=True)
    fields = {
        "schema": 1, "id": "freely", "version": "1.0", "task": "explanation_graphs",
        "title": "Freely", "summary": "Why?", "licence": "CC0", "attribution": "Ours.",
        "citation": "@misc{freely}", "metrics": ["StCA", "G-ROUGE-2", "GED"],
        "ranking": ["G-ROUGE-2"],
        "splits": {"dev": {"file": "dev.tsv", "rows": items, "gold": "public", "golds": 4}},
        "settings": {**SETTINGS, **settings},
    }
    (place / "board.yaml").write_text(yaml.safe_dump(fields, sort_keys=False))
    (place / "data" / "dev.tsv").write_text("".join(
        "\t".join(row) + "\n" for row in ROWS[:items]))
    return boards.load(place)


def scored(folder: Path, **settings: object) -> dict[str, object]:
    described = board(folder, **settings)
    return dict(scorer.score([(answer,) for answer in ANSWERS], ROWS, board=described).metrics)


def alone(metric: str, answer: str, gold: str) -> float:
    """The score against one gold graph."""
    use = {"G-ROUGE-2": lambda text: Graph(text).sentences, "GED": lambda text: Graph(text).edges}
    options = {"constant": 17} if metric == "GED" else {}
    pair = (use[metric](answer), (use[metric](gold),))
    return METRICS[metric].compute([pair], **options)[0].value


def apart(metric: str) -> list[list[float]]:
    return [[alone(metric, answer, gold) for gold in golds]
            for answer, (_, *golds) in zip(ANSWERS, ROWS, strict=True)]


@pytest.mark.parametrize(("over", "of"), [
    ("best", {"G-ROUGE-2": max, "GED": min}),
    ("first", dict.fromkeys(("G-ROUGE-2", "GED"), lambda scores: scores[0])),
    ("mean", dict.fromkeys(("G-ROUGE-2", "GED"), fmean)),
    (None, {"G-ROUGE-2": max, "GED": min}),
])
def test_scores_against_several_golds_become_one_as_the_board_says(
    tmp_path: Path, over: str | None, of: dict[str, object],
) -> None:
    found = scored(tmp_path, **({"over": over} if over else {}))
    for metric, choose in of.items():
        value = found[metric]
        assert value.value == pytest.approx(fmean(map(choose, apart(metric))))
        assert "golds:4" in value.signature
        assert ("over:" in value.signature) == (over is not None)
        assert over is None or f"over:{over}" in value.signature


def test_the_ways_to_take_several_golds_differ_here() -> None:
    golds = apart("G-ROUGE-2")[0]
    assert len({max(golds), golds[0], fmean(golds)}) == 3


def test_a_fifth_graph_is_refused_where_four_are_allowed(tmp_path: Path) -> None:
    described = board(tmp_path)
    path = described.folder / "data" / "dev.tsv"
    path.write_text(path.read_text().replace(ROWS[0][1], f"{ROWS[0][1]}\t{ROWS[0][1]}", 1))
    with pytest.raises(scorer.DataError, match=r"6 columns; expected 2 to 5 columns"):
        read_golds(described, "dev", path)


def test_any_relation_is_right_where_the_board_says_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    described = board(tmp_path)
    assert main(["board", "check", "freely", "--boards", str(tmp_path / "boards")]) == 0
    assert "gold reads" in capsys.readouterr().out
    assert described.settings.graph.knows("whatever one says")


def test_relations_that_are_neither_a_list_nor_any_are_refused(tmp_path: Path) -> None:
    graph = {**SETTINGS["graph"], "relations": "all"}  # type: ignore[dict-item]
    with pytest.raises(scorer.SubmissionError, match="expected any, or a list of 1 to 500"):
        board(tmp_path, graph=graph)


def test_the_commonest_free_relations_divide_the_items(tmp_path: Path) -> None:
    described = board(tmp_path)
    golds = read_golds(described, "dev", described.folder / "data" / "dev.tsv").items
    found = next(one for one in partitions(described.settings, golds) if one.id == "relation")
    assert found.values == ("causes", "heats", "warms")
    [use] = relation_use(described.settings, golds)
    assert dict(use.relations) == {"causes": 1, "heats": 1, "warms": 1}
    assert OTHERS not in use.relations


def test_the_second_gold_is_scored_where_an_item_has_two(tmp_path: Path) -> None:
    described = board(tmp_path)
    assert main(["baseline", "second-gold", "--board", described.id, "--boards",
                 str(tmp_path / "boards"), "--out", str(tmp_path / "submissions")]) == 0
    folder = tmp_path / "submissions" / "freely" / "reference" / "second-gold"
    assert (folder / "predictions.dev.tsv").read_text().split("\n")[:2] == [GRAPHS[1], ROWS[1][2]]
    assert main(["score", str(folder), "--results", str(tmp_path / "results"),
                 "--boards", str(tmp_path / "boards")]) == 0
    path = tmp_path / "results" / "freely" / "reference" / "second-gold" / "dev.json"
    assert read_result(path).counts["items"] == 2


PROOF = "(s1; entails; i1: Cats purr)(s2; entails; i1)(i1: Cats purr; entails; end)"
OTHER_WORDS = "(s1; entails; i1: A cat purrs)(s2; entails; i1)(i1; entails; end)"


def by_id(folder: Path) -> Board:
    graph = {**SETTINGS["graph"], "nodes": "id", "connected": True}  # type: ignore[dict-item]
    return board(folder, graph=graph)


def test_concepts_with_equal_ids_are_the_same_whatever_their_texts_say(tmp_path: Path) -> None:
    described = by_id(tmp_path)
    gold = [("Why? | s1: Cats are content", PROOF)]
    found = scorer.score([(OTHER_WORDS,)], gold, board=described).metrics
    assert (found["StCA"].value, found["G-ROUGE-2"].value, found["GED"].value) == (1.0, 1.0, 0.0)
    by_text = board(tmp_path / "text")
    assert scorer.score([(OTHER_WORDS,)], gold, board=by_text).metrics["GED"].value > 0


def test_the_texts_of_ids_come_from_the_graph_or_from_an_input_that_lists_them(
    tmp_path: Path,
) -> None:
    graph = by_id(tmp_path).settings.graph.read(PROOF)
    given = "s1: Cats are content | s2: Content cats purr"
    assert node_texts(graph, {"question": "Why?", "given": given}) == {
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


def test_a_row_of_gold_is_shown_beside_the_gold_that_it_was_scored_by(tmp_path: Path) -> None:
    described = board(tmp_path, items=2)
    folders = ["--boards", str(tmp_path / "boards")]
    submissions = tmp_path / "submissions"
    assert main(["baseline", "held-out-gold", "second-gold", "--board", described.id,
                 "--out", str(submissions), *folders]) == 0
    assert main(["score", *map(str, submissions.glob("*/*/*")), "--results",
                 str(tmp_path / "results"), *folders]) == 0
    [view] = read_site(tmp_path, tmp_path / "home").boards[0].splits
    example = GraphExample(described.settings, view.golds[0], 1)
    beside = {entry.key: example.card(entry).compared for entry in view.entries}
    assert beside == {"reference/held-out-gold": "gold graph 2, the closest one",
                      "reference/second-gold": "gold graph 1, the closest one"}


def test_a_gold_graph_of_other_concepts_is_drawn_by_itself(tmp_path: Path) -> None:
    described = board(tmp_path)
    item = read_golds(described, "dev", described.folder / "data" / "dev.tsv").items[0]
    layouts = GraphExample(described.settings, item, 1).layouts
    assert [sorted(layout.boxes) for layout in layouts] == [
        ["rain", "wet ground"], ["rain", "slippery", "wet ground"],
        ["clouds", "rain", "wet ground"], ["ground", "rain", "wet"]]
