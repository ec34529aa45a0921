"""By what examples can be told apart: the facets of each view, and what systems made of them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from scorer import boards
from scorer.boards.golds import needed_golds
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import Result
from scorer.scoring.leaderboard.about import about
from scorer.scoring.results import files as results
from scorer.site.browsing import browser, facets
from scorer.site.browsing.facets import QUARTERS, GoldFacet, quarters
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.site.views.registry import view_of
from scorer.tasks.texts.items import Gold
from tests.browser.tiny_site import GOLD, ROOT
from tests.values import made_result, moved


@pytest.fixture(scope="module")
def graphs(tiny_site: SiteView) -> BoardView:
    return tiny_site.boards[0]


def practice(name: str) -> BoardView:
    """A practice board with the committed rows that measure every item of its dev split."""
    board = boards.load(ROOT / "boards" / name)
    golds = needed_golds(board, "dev", Path("home")).items
    entries = tuple(
        Entry(about(board, result, None), result, predictions=(None,) * len(golds))
        for path in sorted((ROOT / "results" / name).glob("reference/*/dev.json"))
        if len((result := results.read(path)).items) == len(golds))
    assert len(entries) > 2
    return BoardView(board, (SplitView(board, "dev", golds=golds, entries=entries),))


@pytest.fixture(scope="module")
def choices() -> BoardView:
    return practice("anli-practice")


@pytest.fixture(scope="module")
def stories() -> BoardView:
    return practice("anlg-practice")


def with_golds(board: BoardView, *golds: object) -> BoardView:
    """The board with other gold, and no systems."""
    return replace(board, splits=(replace(board.splits[0], golds=golds, entries=()),))


def gold_facets(board: BoardView) -> Sequence[GoldFacet]:
    return view_of(board.board).gold_facets(board)


def answers(known: Sequence[GoldFacet], facet: str, split: str = "dev") -> list[list[str]]:
    [found] = [one for one in known if one.facet.id == facet]
    return [list(values) for values in found.answers[split]]


@pytest.mark.parametrize("name", ["graphs", "choices", "stories"])
def test_every_view_says_only_what_its_facets_list(
    name: str, request: pytest.FixtureRequest
) -> None:
    board: BoardView = request.getfixturevalue(name)
    view, [dev, *_] = view_of(board.board), board.splits
    known, made, pairs = gold_facets(board), view.system_facets(board), view.pair_facets(board)
    assert pairs
    facets = [one.facet for one in (*known, *made, *pairs)]
    ids = [facet.id for facet in facets]
    assert len(set(ids)) == len(ids)
    assert not {"find", "a", "b", "by", "in", "split"} & set(ids), "addresses use these"
    columns = [(one.facet, one.answers["dev"]) for one in known]
    columns += [(one.facet, one.answers(entry.result.items))
                for one in made for entry in dev.comparable]
    for facet, column in columns:
        assert len(column) == len(dev.golds)
        assert all(set(values) <= set(facet.values) for values in column), facet.id
        assert facet.several or all(len(values) <= 1 for values in column), facet.id
    for facet in facets:
        assert len(facet.labels) in (0, len(facet.values)), facet.id
        assert not facet.number or all(value.isdecimal() for value in facet.values), facet.id
        assert "_" not in "".join((facet.name, *(facet.labels or facet.values))), "for people"
    assert len(view.text_prefixes(board.board)) == len(dev.golds[0].texts)


# ---- explanation graphs --------------------------------------------------------------------------


def test_facets_say_what_can_be_said_of_each_gold_graph(graphs: BoardView) -> None:
    known = gold_facets(graphs)
    assert answers(known, "label") == [[row[2]] for row in GOLD]
    assert answers(known, "depth") == [["3"], ["4"], ["3"], ["8"]], "edges on the longest path"
    assert answers(known, "shape") == [["not one chain"], *[["one chain"]] * 3]
    assert answers(known, "relation")[2] == ["causes", "part of", "has property"]
    assert answers(known, "edges") == [["4"], ["4"], ["3"], ["8"]]
    for name in ("depth", "edges"):
        [facet] = [one.facet for one in known if one.facet.id == name]
        assert (facet.values, facet.number) == (("3", "4", "8"), True)


def test_systems_and_previews_count_and_reference_rows_do_not(graphs: BoardView) -> None:
    dev = graphs.splits[0]
    own = replace(dev, entries=tuple(
        replace(one, preview=one.system == "chains") for one in dev.entries))
    for view in (dev, own):
        assert {one.key for one in facets.counted(view)} == {
            "fair-team/chains", "sly-team/payloads"}
    right = [sum(one.result.items[i].verdict.annotation == dev.board.task.passed
                 for one in dev.entries if one.kind != "reference") for i in range(len(GOLD))]
    known = facets.agreement(graphs, "the gold label")
    assert answers(known, "right") == [[str(count)] for count in right]
    assert answers(known, "systems") == [["disagree"] if count == 1 else [] for count in right]


def test_rules_are_those_that_some_system_broke(graphs: BoardView) -> None:
    got, broke = view_of(graphs.board).system_facets(graphs)
    dev = graphs.splits[0]
    sly = next(one for one in dev.entries if one.system == "payloads")
    assert "EG-CYCLE" in broke.answers(sly.result.items)[1]
    every = {rule for one in dev.comparable for rules in broke.answers(one.result.items)
             for rule in rules}
    assert set(broke.facet.values) == every
    assert got.facet.values == ("stance incorrect", "struct incorrect", "struct correct")
    assert got.facet.labels == ("wrong stance", "broken constraint", "right")


# ---- two systems ---------------------------------------------------------------------------------


def test_graphs_are_compared_by_gates_and_by_every_score_that_has_degrees(
    graphs: BoardView, choices: BoardView
) -> None:
    duel, ahead = view_of(graphs.board).pair_facets(graphs)
    assert duel.facet.metrics == ()
    assert ahead.facet.metrics == (("G-ROUGE-L", 1), ("GED", -1)), "SA and StCA are right or wrong"
    assert len(view_of(choices.board).pair_facets(choices)) == 1, "accuracy has no degrees"
    files = dict(browser.files(graphs))
    for entry in graphs.splits[0].comparable:
        columns = files[f"data/tiny/dev/{entry.slug}/scores.json"]
        assert list(columns) == ["G-ROUGE-L", "GED"]
        assert columns["GED"] == [round(item.scores["GED"].value, 6)
                                  for item in entry.result.items]


def test_a_system_is_told_its_null_where_that_is_scored(graphs: BoardView) -> None:
    def nulls(view: SplitView) -> dict[str, str | None]:
        return {one["key"]: one.get("null") for one in browser.systems(view, [])["systems"]}

    dev = graphs.splits[0]
    null = next(one for one in dev.entries if one.system == "null")
    own = moved(null, "reference", "null-of-fair-team-chains")
    assert nulls(replace(dev, entries=(*dev.entries, own))) == {
        "fair-team/chains": own.key, own.key: None, "sly-team/payloads": None, null.key: None}
    unlabelled = replace(dev.board, settings=replace(dev.board.settings, labels=None))
    assert nulls(replace(dev, board=unlabelled)) == {
        "fair-team/chains": null.key, "sly-team/payloads": null.key, null.key: None}, (
        "without labels every row has the null of the board")
    pairs = view_of(graphs.board).pair_facets(graphs)
    assert browser.systems(dev, pairs)["ahead"] == (
        "G-ROUGE-L", 1, "Next where the first is ahead on G-ROUGE-L")


# ---- which hypothesis ----------------------------------------------------------------------------


def choice(label: str, first: str, second: str) -> Gold:
    return Gold(("Ann saw two cats.", "Ann was sad."), (first, second), label, ids=("id-7",))


def test_a_choice_is_told_by_its_label_slices_and_cues(choices: BoardView) -> None:
    found = gold_facets(with_golds(
        choices, choice("1", "The cats ran off with Ann.", "She slept."),
        choice("2", "The dogs chased birds all over the very large field until noon.", "Ann slept.")
    ))
    assert answers(found, "label") == [["1"], ["2"]]
    assert answers(found, "length") == [["the right one is longer"],
                                       ["the right one is shorter"]], "6 words to 2, 2 words to 12"
    assert answers(found, "words") == [["6"], ["2"]]
    assert answers(found, "shared") == [["the right one shares more"]] * 2, (
        "cats and Ann of 6 to none of 2; Ann of 2 to none of 12")
    assert answers(found, "slice") == [["numerical", "emotional"]] * 2, "two, and sad"


# ---- what happened -------------------------------------------------------------------------------


def test_a_story_is_told_by_its_references_and_observations(stories: BoardView) -> None:
    golds = (Gold(("Ann had a red cat.", "The cat ran."), references=("It saw a dog.",)),
             Gold(("Ann slept.", "It rained all day."), references=("One two three.",) * 12),
             Gold(("A b c d.", "A b x y z."), references=("a " * 14, "a " * 4)))
    found = gold_facets(with_golds(stories, *golds))
    assert answers(found, "references") == [["1"], ["5 or more"], ["2"]]
    assert answers(found, "words") == [["4"], ["3"], ["9"]], "the last: (14 + 4) / 2 words"
    assert answers(found, "overlap") == [["a quarter to a half"], ["less than a quarter"],
                                         ["a quarter to a half"]], "1 / 3, 0 / 4, 2 / 5"
    assert [one.facet.id for one in found] == ["references", "words", "overlap"], "no systems"


def test_stories_are_hard_or_easy_by_the_mean_of_the_first_metric_of_all_items(
    stories: BoardView
) -> None:
    assert facets.difficulty(stories) == [], "reference rows are no systems"
    one, other = scored(0.0, 0.5, 0.25, 0.75), scored(0.5, 0.25, 0.75, 1.0)
    [known] = facets.difficulty(with_results(stories, one, other))
    assert known.facet.name == "METEOR, mean over systems"
    means = [0.25, 0.375, 0.5, 0.875]
    assert [QUARTERS.index(values[0]) for values in known.answers["dev"]] == [
        means.index(mean) for mean in means]


def scored(*scores: float | None, name: str = "METEOR") -> Result:
    items = tuple(
        ItemResult(row, Verdict("answered"), {} if score is None else {name: ItemScore(score)})
        for row, score in enumerate(scores, start=1))
    return made_result("b", "1.0", "anlg", "dev", {}, {}, items)


def with_results(board: BoardView, *found: Result) -> BoardView:
    rows = [result.replace(system=f"s{i}") for i, result in enumerate(found)]
    first = board.splits[0].entries[0]
    entries = tuple(replace(first, about=about(board.board, result, None), result=result)
                    for result in rows)
    return replace(board, splits=(replace(board.splits[0], entries=entries),))


def test_the_metric_is_the_first_of_the_ranking_that_items_have(stories: BoardView) -> None:
    assert stories.board.ranking == ("METEOR", "ROUGE-L")
    rouge = scored(0.5, 0.25, name="ROUGE-L")
    assert facets.metric_of_items(with_results(stories, rouge)) == "ROUGE-L"
    assert facets.metric_of_items(with_results(stories, rouge, scored(0.5, 0.25))) == "METEOR"
    nothing = with_results(stories, scored(None, None))
    assert facets.metric_of_items(nothing) is None
    assert facets.difficulty(nothing) == []
    assert facets.score_pair(nothing) == []


def test_a_system_without_that_metric_has_no_standing(stories: BoardView) -> None:
    one, other = scored(0.0, 0.1, 0.2, 0.3), scored(0.5, 0.25, 0.5, 0.25, name="ROUGE-L")
    [pair] = facets.score_pair(with_results(stories, one, other))
    assert [pair.score(item) for item in one.items] == [0.0, 0.1, 0.2, 0.3]
    assert [pair.score(item) for item in other.items] == [None] * 4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_quarter_is_the_share_of_scores_that_are_lower(scores: list[float]) -> None:
    rounded = [round(score, facets.DIGITS) for score in scores]
    places = [QUARTERS.index(values[0]) for values in quarters(scores)]
    for score, place in zip(rounded, places, strict=True):
        below = sum(other < score for other in rounded)
        assert place / 4 <= below / len(scores) < (place + 1) / 4
