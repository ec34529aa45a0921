"""What people said of systems on a leaderboard: two columns, and when one orders rows."""

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import jsonschema
import pytest

pytest.importorskip("jinja2")

from scorer.boards.policy import HumanRanking
from scorer.core.records import ItemScore
from scorer.people import batches
from scorer.people.aggregation import aggregated, votes_on_systems
from scorer.people.people import Person
from scorer.people.records import Origin
from scorer.people.validate import Workplace
from scorer.people.verdicts import judged, rules_of
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument, Value
from scorer.site.boards.leaderboard_page import by_people
from scorer.site.boards.leaderboards import leaderboard_of, ordered
from scorer.site.exports.row import row_badge
from scorer.site.home import BoardSummary
from scorer.site.reading.people import with_people
from scorer.site.reading.read import read_site
from scorer.site.records import Annotations, BoardView, Entry, SiteView, SplitView
from tests.browser.tiny_site import example_files, rendered
from tests.browser.wide_site import ITEMS, label, make_wide_root
from tests.people_world import DRAWN, World
from tests.values import described, metric_value

pytestmark = pytest.mark.whole

TEAMS = {"alpha-team/strong": 0.9, "beta-team/close": 0.7, "gamma-team/near": 0.2,
         "delta-team/third": 0.5, "secret-folder/hidden": 0.4}
"""One row a team, and how often its graphs are right in people's eyes."""
JUDGE = "SeCA|judge:seca-x-aaaaaaaaaaaa"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> BoardView:
    """A board of 120 items whose rows a judge read, right on every graph that passed."""
    root = make_wide_root(tmp_path_factory.mktemp("wide") / "root")
    site = read_site(root, root / "home")
    [board] = site.boards
    [view] = board.splits
    config = replace(view.board, metrics=("SA", "StCA", "SeCA"), ranking=("SeCA", "StCA"))
    view = replace(view, board=config, entries=tuple(map(_judged, view.entries)), document=None)
    return replace(board, board=config, splits=(view,))


def _judged(entry: Entry) -> Entry:
    items = tuple(replace(item, scores={**item.scores, "SeCA": ItemScore(
        item.scores["StCA"].value)}) for item in entry.result.items)
    count = sum(item.scores["SeCA"].value for item in items)
    value = metric_value(count / ITEMS, signature=JUDGE, n=ITEMS, passed=1.0,
                         n_passed=int(count))
    return replace(entry, result=entry.result.replace(
        items=items, metrics={**entry.result.metrics, "SeCA": value}))


Asked = Callable[..., BoardView]


@pytest.fixture(scope="module")
def asked(wide: BoardView, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """The board after people read so many graphs of each system, in one closed batch each."""

    @cache
    def made(pairs: tuple[tuple[str, int], ...], prefix: str, by_hand: str,
             ) -> BoardView:
        world, read = World(tmp_path_factory.mktemp("asked")), dict(pairs)
        [view] = wide.splits
        for at, (key, count) in enumerate(read.items()):
            entry = next(one for one in view.entries if one.key == key)
            rows = [item.row for item in entry.result.items if item.scores["StCA"].value][:count]
            votes, origins = {}, {}
            for place, row in enumerate(rows):
                good = (place * 7 + 3) % 10 < 10 * TEAMS.get(key, 0.5)
                right = {"support": "S", "counter": "C"}[label(row)]
                name = f"v{at}-{row}"
                votes[name] = 3 * (right if good else "I")
                origins[name] = Origin(
                    source=f"wide-dev:{row}", system=key, label=label(row),
                    predictions=entry.result.predictions.sha256)
            world.labels(f"v{at}", "verify", votes, origins=origins,
                         sampled={batches.SEED: "1"} if key == by_hand else DRAWN)
        place = Workplace(world.folder)
        people = {name: Person(simulated=bool(prefix)) for name in ("ann", "ben", "cleo")}
        place.people = people

        def result(_: str, system: str):
            return judged(next(one for one in view.entries if one.key == system).result)

        found = Annotations(
            results=aggregated(place, result, lambda _: rules_of(view.board)),
            systems=votes_on_systems(place, result), people=people)
        return with_people(wide, found)

    def ask(read: Mapping[str, int], *, prefix: str = "",
            by_hand: str = "") -> BoardView:
        return made(tuple(read.items()), prefix, by_hand)

    return ask


def document(board: BoardView) -> LeaderboardDocument:
    return leaderboard_of(board.splits[0]).document


def said_of(board: BoardView, key: str, column: str = "SeCA+people") -> Value:
    return next(one for one in document(board).rows if one.key == key).values[column]


def why_not(view: SplitView) -> str:
    """Why the column does not order rows; it says the same of itself and of the order."""
    found = leaderboard_of(view).document
    [over] = [one for one in found.order.passed_over if one.code == "people"]
    assert found.people
    assert over.text == "; ".join(found.people.why_not)
    assert over.id == "SeCA+people" != found.order.by
    return over.text


ENOUGH = {"alpha-team/strong": 60, "beta-team/close": 50, "gamma-team/near": 50,
          "delta-team/third": 50, "secret-folder/hidden": 21}
"""Of the last, people read all that passed: 20, and one that an erratum made right."""


def test_without_verdicts_a_leaderboard_has_no_such_column(wide: BoardView) -> None:
    found = document(wide)
    assert [one.id for one in found.columns] == ["SA", "StCA", "SeCA"]
    assert found.people is None


def test_an_opened_row_says_what_people_read_for_its_values(asked: Asked) -> None:
    board = asked({"alpha-team/strong": 60})
    votes, corrected = (said_of(board, "alpha-team/strong", name)
                        for name in ("people", "SeCA+people"))
    # In the eyes of people 9 of 10 graphs are right: 54 of 60; an erratum made 109 pass.
    assert (votes.v, by_people(votes)) == (.9, "60 graphs, 180 votes")
    assert by_people(corrected) == "60 of 109 graphs verified"
    assert votes.ci
    assert corrected.ci


@pytest.mark.parametrize(("read", "why"), [
    ({}, "nobody has verified its graphs"),
    ({"beta-team/close": 50}, "people verified chosen graphs, no random sample"),
])
def test_a_row_without_a_random_sample_of_read_graphs_has_no_value_and_says_why(
    asked: Asked, read: Mapping[str, int], why: str
) -> None:
    board = asked({"alpha-team/strong": 60, **read}, by_hand="beta-team/close")
    found = [said_of(board, "beta-team/close", name) for name in ("people", "SeCA+people")]
    assert [(one.v, one.why) for one in found] == [(None, why), (None, why)]


def test_enough_verdicts_on_every_team_order_rows(asked: Asked) -> None:
    board = asked(ENOUGH)
    found = document(board)
    assert found.order.by == "SeCA+people"
    assert [one.document_key for one in ordered(board.splits[0]).entries] == [
        row.key for row in found.rows]
    ranks = {row.key: row.rank for row in found.rows if row.rank}
    order = [*ranks]
    assert found.people
    assert found.people.why_not == []
    assert len(ranks) == len(ENOUGH)  # withdrawn and reference rows need no verdicts
    assert {key.partition("/")[0] for key in ranks} == {
        "alpha-team", "beta-team", "gamma-team", "delta-team", "anonymous"}
    assert ranks["alpha-team/strong"] == [1, 1]
    assert order[0] == "alpha-team/strong"
    assert order.index("beta-team/close") < order.index("gamma-team/near")


@pytest.mark.parametrize("changed", [
    {"beta-team/close": 49}, {"beta-team/close": 0}, {"beta-team/close": 9}])
def test_one_team_with_too_few_keeps_the_column_from_ordering_rows(
    asked: Asked, changed: Mapping[str, int]
) -> None:
    read = {key: count for key, count in (ENOUGH | changed).items() if count}
    said = f"beta-team/close has {changed['beta-team/close']}"
    assert why_not(asked(read).splits[0]) == f"each row needs 50 graphs verified by people: {said}"


def test_a_row_does_not_hide_behind_another_of_the_same_name(asked: Asked) -> None:
    # Two teams that may not be named yet call their systems alike.
    board = asked(ENOUGH | {"alpha-team/strong": 12})
    [view] = board.splits

    def unnamed(one: Entry) -> Entry:
        return replace(described(one, anonymous_until="2999-01-01"), anonymous=True,
                       result=one.result.replace(system="close"))

    entries = tuple(unnamed(one) if one.key in ("alpha-team/strong", "beta-team/close") else one
                    for one in view.entries)
    moved = {"alpha-team/strong": "alpha-team/close"}
    people = view.people
    assert people is not None
    votes = {moved.get(key, key): one for key, one in people.votes.items()}
    systems = {moved.get(key, key): one for key, one in people.verdicts.systems.items()}
    same = replace(view, entries=entries, people=replace(
        people, votes=votes, verdicts=people.verdicts.model_copy(update={"systems": systems})))
    # printf alpha-team/close | sha256sum
    assert why_not(same) == (
        "each row needs 50 graphs verified by people: anonymous/close-33cbb6 has 12")


def test_a_team_is_ranked_by_its_best_row_of_those_with_enough(asked: Asked) -> None:
    # Its other row has nine verified graphs, so its value says too little to stand for the team.
    board = asked(ENOUGH | {"alpha-team/weaker": 9})
    found = document(board)
    assert found.order.by == "SeCA+people"
    ranked = [one.key for one in found.rows if one.rank]
    assert ranked[0] == "alpha-team/strong"
    assert "alpha-team/weaker" not in ranked


def test_the_document_has_the_columns_with_counts_ranks_and_pairs(asked: Asked) -> None:
    board = asked(ENOUGH)
    found = document(board)
    kinds = {one.id: one.people for one in found.columns}
    assert [*kinds] == ["SA", "StCA", "SeCA", "people", "SeCA+people"]
    assert (kinds["SeCA"], kinds["people"], kinds["SeCA+people"]) == (None, "votes", "corrected")
    votes, corrected = (said_of(board, "alpha-team/strong", name) for name in ("people",
                                                                             "SeCA+people"))
    assert votes.people
    assert (votes.v, votes.people.graphs, votes.people.votes) == (0.9, 60, 180)
    assert corrected.people
    assert (corrected.people.graphs, corrected.rank, corrected.top) == (60, [1, 1], True)
    assert corrected.ci
    assert found.pairs
    assert (found.pairs.by, found.pairs.test) == ("SeCA+people", "prediction-powered")
    assert found.pairs.rows[0] == "alpha-team/strong"
    jsonschema.validate(json.loads(documents.to_bytes(found)), documents.schema())


def test_simulated_votes_are_marked_and_order_nothing(asked: Asked) -> None:
    board = asked(ENOUGH, prefix="x")
    assert why_not(board.splits[0]) == "votes are simulated: those of ann, ben, cleo"
    people = document(board).people
    assert people
    assert people.simulated
    marked = said_of(board, "alpha-team/strong", "people")
    assert by_people(marked) == "60 graphs, 180 votes, simulated"


def test_different_judges_order_nothing(asked: Asked, wide: BoardView) -> None:
    board = asked(ENOUGH)
    [view] = board.splits
    people = view.people
    assert people is not None
    votes = dict(people.votes)
    close = votes["beta-team/close"]
    assert close.judged is not None
    votes["beta-team/close"] = close._replace(
        judged=close.judged._replace(signature="SeCA|judge:seca-y-bbbbbbbbbbbb"))
    other = replace(people, votes=votes)
    view = replace(view, people=other)
    assert why_not(view) == "different judges scored the rows"
    value = leaderboard_of(view).rows["beta-team/close"].values["SeCA+people"]
    assert value.apart == "judge seca-y-bbbbbbbbbbbb instead of seca-x-aaaaaaaaaaaa"


def test_the_board_says_how_much_is_needed(asked: Asked, wide: BoardView) -> None:
    board = asked(ENOUGH | {"beta-team/close": 30})
    [view] = board.splits
    lenient = replace(view, board=replace(view.board, people=HumanRanking(30, 0.4)))
    assert why_not(view)
    assert leaderboard_of(lenient).document.order.by == "SeCA+people"


def test_a_board_that_does_not_rank_by_the_judge_is_not_ordered_by_people(asked: Asked) -> None:
    [view] = asked(ENOUGH).splits
    plain = replace(view, board=replace(view.board, ranking=("StCA",)))
    assert leaderboard_of(plain).document.order.by == "StCA"


def test_a_badge_and_the_front_page_show_what_orders_rows(asked: Asked) -> None:
    board = asked(ENOUGH)
    known = leaderboard_of(board.splits[0])
    assert b"rank 1" in row_badge(known, known.rows["alpha-team/strong"])
    found = BoardSummary(board, known)
    assert found.column
    assert (found.column.id, found.podium[0].title) == ("SeCA+people", "Strong")


def pages(board: BoardView, *paths: str) -> list[str]:
    """Pages of a site with one board."""
    site = rendered(SiteView((board,), "0", None), *paths)
    return [site[path] for path in paths]


def test_pages_say_that_the_column_is_people_s_and_why_it_orders_rows_or_not(asked: Asked) -> None:
    html, system = pages(asked(ENOUGH), "boards/wide/dev/",
                         "boards/wide/systems/alpha-team--strong/")
    assert "Sorted by SeCA+people" in html
    assert "It orders rows" in html
    assert html.count(">by people<") == 2
    # The system's page has the votes on each graph; of 60 every tenth is wrong in all three's eyes.
    assert "the 60 graphs that people judged" in system
    assert (system.count("3 of 3 right"), system.count("0 of 3 right")) == (54, 6)
    assert 'boards/wide/dev/1/?a=alpha-team/strong"' in system
    for name in ("ann", "ben", "cleo"):
        assert f">{name}<" not in system
    [html] = pages(asked({"alpha-team/strong": 12}), "boards/wide/dev/")
    assert "It does not order rows: <bdi>each row needs 50 graphs verified by people" in html


def test_the_page_about_metrics_has_each_metric_beside_people(asked: Asked) -> None:
    html, board = pages(asked({"alpha-team/strong": 12, "beta-team/close": 12}),
                        "human/metrics/", "boards/wide/dev/")
    assert "24 graphs of 2 systems, 72 votes" in html
    # The judge is right on every graph that passed, so it says nothing of these.
    assert html.count("the same for every graph that passed") == 3
    assert "is not measured: fewer than 3 systems" in html
    assert "human/metrics/#wide-dev" in board


def test_a_card_has_the_votes_on_a_graph_that_people_read_and_no_name(asked: Asked) -> None:
    [view] = asked({"alpha-team/strong": 12}).splits
    view = replace(view, entries=view.entries[:2])
    cards = "".join(gzip.decompress(content).decode()
                    for path, content in example_files(view).items() if path.endswith(".shard"))
    # Of the first twelve graphs people find the tenth wrong.
    assert (cards.count("wb-said"), cards.count("3 of 3 right")) == (12, 11)
    assert "cleo" not in cards
