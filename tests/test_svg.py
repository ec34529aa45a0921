"""Layout, edge comparison and drawing of graphs."""

import random
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from scorer.core.graph import Graph, concepts
from scorer.core.records import Edge
from scorer.site.views.graphs import svg
from scorer.site.views.graphs.geometry import PITCH, WIDTH, Layout, label_of, text_width
from scorer.site.views.graphs.layout import lay_out, lay_over, wrap
from scorer.tasks.graphs.diff import diff

CHAIN = Graph("(a; causes; b)(b; causes; c)(c; causes; d)").edges
FORK = Graph("(a; causes; b)(a; is a; c)(b; part of; d)(c; part of; d)(a; desires; d)").edges
CIRCLE = Graph("(a; causes; b)(b; causes; c)(c; causes; a)(x; is a; x)(p; is a; q)").edges


def draw(edges: list[Edge], layout: Layout | None = None, **more: object) -> str:
    names = concepts(edges)
    ghosts = [c for edge, _ in more.get("ghosts", ()) for c in (edge.source, edge.target)]
    kinds = dict.fromkeys([*names, *ghosts], "kx")
    return svg.render(layout or lay_out(edges), edges, kinds, "title", **more)


def overlaps(layout: Layout) -> list[tuple[str, str]]:
    return [
        (a, b)
        for (a, one), (b, two) in combinations(layout.boxes.items(), 2)
        if abs(one.x - two.x) < (one.w + two.w) / 2 - 0.2 and abs(one.y - two.y) < 30
        and one.layer == two.layer
    ]


def random_graph(seed: int, most: int = 9) -> list[Edge]:
    rng = random.Random(seed)
    names = ["".join(rng.choices("abcdefgh ", k=rng.randint(1, 24))).strip() or "z"
             for _ in range(rng.randint(2, most))]
    return [Edge(rng.choice(names), rng.choice(["causes", "not part of"]), rng.choice(names))
            for _ in range(rng.randint(1, most))]


# ---- comparison ----------------------------------------------------------------------------


@pytest.mark.parametrize(("gold", "predicted", "statuses", "missing"), [
    ("(a; causes; b)(b; is a; c)(c; part of; d)(d; desires; e)",
     "(a; causes; b)(b; causes; c)(d; part of; c)(x; is a; y)",
     ["kept", "changed", "reversed", "extra"], (3,)),
    ("(a; causes; b)", "(b; is a; a)(a; is a; b)(a; causes; b)", ["extra", "extra", "kept"], ()),
], ids=["each status", "a gold edge is answered once, by the best answer"])
def test_every_edge_has_a_status(gold: str, predicted: str, statuses: list[str],
                                 missing: tuple[int, ...]) -> None:
    found = diff(Graph(gold).edges, Graph(predicted).edges)
    assert [mark.status for mark in found.marks] == statuses
    assert found.missing == missing


# ---- layout --------------------------------------------------------------------------------


def test_every_edge_of_a_graph_without_circle_runs_down_and_a_chain_is_one_column() -> None:
    chain = [Edge(f"concept {i}", "causes", f"concept {i + 1}") for i in range(8)]
    for edges in (FORK, chain):
        boxes = lay_out(edges).boxes
        assert all(boxes[edge.source].layer < boxes[edge.target].layer for edge in edges)
    assert len({box.x for box in boxes.values()}) == 1
    assert lay_out(chain).bottom > 8 * PITCH


def test_no_two_boxes_overlap_and_concepts_of_gold_keep_their_places() -> None:
    for seed in range(150):
        base = lay_out(random_graph(seed))
        over = lay_over(base, random_graph(seed + 1000))
        assert all(over.boxes[concept] == box for concept, box in base.boxes.items()), seed
        for layout in (base, over):
            assert not overlaps(layout), seed
            assert all(box.x - box.w / 2 > 3.8 and box.x + box.w / 2 <= layout.width
                       for box in layout.boxes.values()), seed


def test_a_concept_before_the_first_may_stand_one_layer_above() -> None:
    over = lay_over(lay_out(CHAIN), [Edge("new", "causes", "a")])
    assert over.boxes["new"].layer == -1
    assert over.top == -PITCH


def test_a_long_edge_goes_round_the_boxes_between() -> None:
    edges = [*CHAIN, Edge("a", "causes", "d")]
    layout = lay_out(edges)
    curve = layout.routes[3].curve
    for concept in "bc":
        box = layout.boxes[concept]
        assert not any(
            abs(x - box.x) < box.w / 2 and abs(y - box.y) < box.h / 2
            for x, y in curve.at(*(t / 20 for t in range(21))))


def test_a_long_concept_is_wrapped_and_then_cut() -> None:
    assert wrap("responsible cannabis use") == ("responsible", "cannabis use")
    assert len(wrap("word " * 200)) == len(wrap("x" * 60_000)) == 4
    assert wrap("word " * 200)[-1].endswith("\u2026")


# ---- drawing -------------------------------------------------------------------------------


@pytest.mark.parametrize("edges", [CHAIN, FORK, CIRCLE, []])
def test_a_drawing_is_wellformed_has_a_title_and_no_style(edges: list[Edge]) -> None:
    text = draw(edges)
    root = ElementTree.fromstring(text)  # noqa: S314  # our own text
    assert (root.attrib["role"], root[0].tag, root[0].text) == ("img", "title", "title")
    assert not re.search("style|#", text)
    assert len(text) < 2600, "small"


def test_a_long_relation_is_cut_and_its_label_stays_in_the_drawing() -> None:
    assert label_of("is a film of the year 1990 by") == "is a film of the year 1990 by"
    for relation in ("is a film that was made in " * 9, "w" * 900, "i" * 900):
        [route] = lay_out([Edge("a", relation, "b")]).routes
        label = label_of(relation)
        half = text_width(label, 11) / 2
        assert label.endswith("\u2026")
        assert relation.startswith(label[:-1])
        assert half <= route.label.x <= WIDTH - half


def test_hostile_concepts_and_relations_are_text() -> None:
    edges = [Edge("<script>x</script>", "\"'><img src=x>", "</svg>&amp;")]
    root = ElementTree.fromstring(draw(edges))  # noqa: S314  # our own text
    assert {element.tag for element in root.iter()} == {
        "svg", "title", "g", "path", "rect", "text", "tspan"}
    assert "</svg>&amp;" in "".join(root.itertext())


def test_every_status_has_a_class_and_a_mark_that_is_not_colour() -> None:
    edges = Graph("(a; causes; b)(b; is a; c)(c; desires; d)(d; causes; e)").edges
    statuses = ("kept", "changed", "reversed", "extra")
    text = draw(edges, statuses=statuses)
    for status, symbol in zip(statuses, ("=", "~", "\u21c5", "+"), strict=True):
        assert f'class="e {status}"' in text
        assert re.search(rf'class="l {status}"[^>]*><tspan class="s">{re.escape(symbol)}<', text)


def test_culprits_negations_and_what_only_gold_has_are_marked_without_colour() -> None:
    base, [first, *_] = lay_out(CHAIN), CHAIN
    culprits = draw(CHAIN, statuses=["extra"] * 3, bad_edges={1}, bad_concepts={"c"})
    barred = draw([Edge("a", "is not a", "b")], negated=["is not a"])
    ghosts = draw([first], lay_over(base, [first]), statuses=["kept"],
                  ghosts=[(CHAIN[2], base.routes[2])])
    for drawing, counts in (
        (culprits, {'class="e extra bad"': 1, 'class="n kx bad"': 1, ">!<": 2}),
        (barred, {'class="l neg"': 1, "M": 3}), (draw([first]), {'class="l neg"': 0, "M": 2}),
        (ghosts, {'class="e missing"': 1, 'class="n kx ghost"': 2}),
    ):
        assert {mark: drawing.count(mark) for mark in counts} == counts
