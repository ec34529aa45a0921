"""What people said of systems on a leaderboard: two columns, and when one orders rows."""

import gzip
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema
import pytest
import yaml

pytest.importorskip("jinja2")

from scorer.boards.policy import HumanRanking
from scorer.core.reading.schema import schema_of
from scorer.core.records import ItemScore
from scorer.people.records import Origin
from scorer.people.verdicts import Judged
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument, Value
from scorer.site.boards.leaderboard_page import by_people
from scorer.site.exports import row_badge
from scorer.site.home import BoardSummary
from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, SiteView, SplitView
from tests.browser.tiny_site import example_files
from tests.browser.wide_site import ITEMS, label, make_wide_root
from tests.pages import check_pages
from tests.people_world import DRAWN, World
from tests.values import metric_value

pytestmark = pytest.mark.whole

TEAMS = {"alpha-team/strong": 0.9, "alpha-team/weaker": 1.0, "beta-team/close": 0.7,
         "gamma-team/near": 0.2, "delta-team/third": 0.5, "secret-folder/hidden": 0.4}
"""How often a row's graphs are right in people's eyes."""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a board of 120 items whose rows a judge read, right on every graph that
    passed."""
    root = make_wide_root(tmp_path_factory.mktemp("wide") / "root")
    board = root / "boards" / "wide" / "board.yaml"
    board.write_text(yaml.safe_dump(yaml.safe_load(board.read_text("utf-8")) | {
        "metrics": ["SA", "StCA", "SeCA"], "ranking": ["SeCA", "StCA"]}), "utf-8")
    for path in root.glob("results/wide/*/*/dev.json"):
        result = results.read(path)
        items = tuple(replace(item, scores={**item.scores, "SeCA": ItemScore(
            item.scores["StCA"].value)}) for item in result.items)
        count = sum(item.scores["SeCA"].value for item in items)
        value = metric_value(count / ITEMS, n=ITEMS, passed=1.0, n_passed=int(count),
                             signature="SeCA|judge:seca-x-aaaaaaaaaaaa")
        results.write(result.replace(items=items, metrics={**result.metrics, "SeCA": value}),
                      root / "results")
    return root


Asked = Callable[..., BoardView]


@pytest.fixture(scope="module")
def asked(wide: Path, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """The board after people read so many graphs of each system, in one closed batch each; those of
    ``by_hand`` are chosen, those of ``simulated`` people are read by a program."""

    @cache
    def made(counts: tuple[tuple[str, int], ...], simulated: bool, by_hand: str) -> BoardView:
        root = shutil.copytree(wide, tmp_path_factory.mktemp("asked") / "root")
        world = World(root)
        for at, (key, count) in enumerate(counts):
            result = results.read(root / "results" / "wide" / key / "dev.json")
            rows = [item.row for item in result.items if item.scores["StCA"].value][:count]
            votes, origins = {}, {}
            for place, row in enumerate(rows):
                good = (place * 7 + 3) % 10 < 10 * TEAMS[key]
                votes[f"v{at}-{row}"] = 3 * (label(row)[0].upper() if good else "I")
                origins[f"v{at}-{row}"] = Origin(
                    source=f"wide-dev:{row}", system=key, label=label(row),
                    predictions=result.predictions.sha256)
            world.labels(f"v{at}", "verify", votes, origins=origins,
                         sampled={"seed": "1"} if key == by_hand else DRAWN)
        if simulated:
            (world.folder / "annotators.yml").write_text("".join(
                f"{name}: {{simulated: yes}}\n" for name in ("ann", "ben", "cleo")), "utf-8")
        [board] = read_site(root, root / "home").boards
        # The document is made anew of whatever a test changes.
        return replace(board, splits=tuple(replace(one, written=None) for one in board.splits))

    def ask(counts: Mapping[str, int], *, simulated: bool = False, by_hand: str = "",
            ) -> BoardView:
        return made(tuple(counts.items()), simulated, by_hand)

    return ask


def document(board: BoardView) -> LeaderboardDocument:
    return board.splits[0].document


def value(board: BoardView, key: str, column: str = "SeCA+people") -> Value:
    return document(board).by_key[key].values[column]


def why_not(view: SplitView) -> str:
    """Why the column does not order rows; it says the same of itself and of the order."""
    made = view.document
    [over] = [one for one in made.order.passed_over if one.code == "people"]
    assert made.people
    assert over.text == "; ".join(made.people.why_not)
    assert over.id == "SeCA+people" != made.order.by
    return over.text


ENOUGH = {"alpha-team/strong": 60, "beta-team/close": 50, "gamma-team/near": 50,
          "delta-team/third": 50, "secret-folder/hidden": 21}
"""Of the last, people read all that passed: 20, and one that an erratum made right."""


def test_without_verdicts_a_leaderboard_has_no_such_column(asked: Asked) -> None:
    made = document(asked({}))
    assert ([one.id for one in made.columns], made.people) == (["SA", "StCA", "SeCA"], None)


@pytest.mark.parametrize(("counts", "why"), [
    ({}, "nobody has verified its graphs"),
    ({"beta-team/close": 50}, "people verified chosen graphs, no random sample"),
])
def test_a_row_without_a_random_sample_of_read_graphs_has_no_value_and_says_why(
    asked: Asked, counts: Mapping[str, int], why: str
) -> None:
    board = asked({"alpha-team/strong": 60, **counts}, by_hand="beta-team/close")
    for column in ("people", "SeCA+people"):
        one = value(board, "beta-team/close", column)
        assert (one.v, one.why) == (None, why)


def test_enough_verdicts_on_every_team_order_rows(asked: Asked) -> None:
    board = asked(ENOUGH)
    made = document(board)
    assert made.people
    assert (made.order.by, made.people.why_not) == ("SeCA+people", [])
    ranks = {row.key: row.rank for row in made.rows if row.rank}
    order = [*ranks]
    # Withdrawn and reference rows need no verdicts.
    assert sorted(key.partition("/")[0] for key in ranks) == [
        "alpha-team", "anonymous", "beta-team", "delta-team", "gamma-team"]
    assert (order[0], ranks[order[0]]) == ("alpha-team/strong", [1, 1])
    assert order.index("beta-team/close") < order.index("gamma-team/near")
    view = board.splits[0]
    assert b"rank 1" in row_badge(view, made.by_key["alpha-team/strong"])
    summary = BoardSummary(board)
    assert summary.column
    assert (summary.column.id, view.title(summary.systems[0].key)) == ("SeCA+people", "Strong")


def test_the_document_has_the_columns_with_counts_ranks_and_pairs(asked: Asked) -> None:
    board = asked(ENOUGH)
    made = document(board)
    assert {one.id: one.people for one in made.columns} == {
        "SA": None, "StCA": None, "SeCA": None, "people": "votes", "SeCA+people": "corrected"}
    votes, corrected = (value(board, "alpha-team/strong", column)
                        for column in ("people", "SeCA+people"))
    # In the eyes of people 9 of 10 graphs are right: 54 of 60; an erratum made 109 pass.
    assert votes.people
    assert (votes.v, votes.people.graphs, votes.people.votes) == (.9, 60, 180)
    assert by_people(votes) == "60 graphs, 180 votes"
    assert by_people(corrected) == "60 of 109 graphs verified"
    assert (corrected.rank, corrected.top) == ([1, 1], True)
    assert votes.ci
    assert corrected.ci
    assert made.pairs
    assert (made.pairs.by, made.pairs.test) == ("SeCA+people", "prediction-powered")
    assert made.pairs.rows[0] == "alpha-team/strong"
    jsonschema.validate(json.loads(documents.to_bytes(made)), schema_of(LeaderboardDocument, ""))


@pytest.mark.parametrize("count", [49, 0])
def test_one_team_with_too_few_keeps_the_column_from_ordering_rows(
    asked: Asked, count: int
) -> None:
    counts = {key: many for key, many in (ENOUGH | {"beta-team/close": count}).items() if many}
    assert why_not(asked(counts).splits[0]) == (
        f"each row needs 50 graphs verified by people: beta-team/close has {count}")


def test_a_team_is_ranked_by_its_best_row_of_those_with_enough(asked: Asked) -> None:
    # Its other row is better in people's eyes, but thirty verified graphs say too little to stand
    # for the team.
    made = document(asked(ENOUGH | {"alpha-team/weaker": 30}))
    assert made.order.by == "SeCA+people"
    ranked = [one.key for one in made.rows if one.rank]
    assert ranked[0] == "alpha-team/strong"
    assert "alpha-team/weaker" not in ranked


def test_simulated_votes_are_marked_and_order_nothing(asked: Asked) -> None:
    board = asked(ENOUGH, simulated=True)
    assert why_not(board.splits[0]) == "votes are simulated: those of ann, ben, cleo"
    people = document(board).people
    assert people
    assert people.simulated
    assert by_people(value(board, "alpha-team/strong", "people")) == (
        "60 graphs, 180 votes, simulated")


def test_different_judges_order_nothing(asked: Asked) -> None:
    [view] = asked(ENOUGH).splits
    people = view.people
    assert people is not None
    close = people.votes["beta-team/close"]
    assert close.judged is not None
    result = close.judged.result
    signature = {"signature": "SeCA|judge:seca-y-bbbbbbbbbbbb"}
    other = close._replace(judged=Judged(result.replace(
        metrics={**result.metrics, "SeCA": result.metrics["SeCA"].replace(**signature)})))
    view = replace(view, people=replace(people, votes={**people.votes, "beta-team/close": other}))
    assert why_not(view) == "different judges scored the rows"
    assert view.document.by_key["beta-team/close"].values["SeCA+people"].apart == (
        "judge seca-y-bbbbbbbbbbbb instead of seca-x-aaaaaaaaaaaa")


def test_the_board_says_how_much_is_needed_and_whether_the_judge_ranks(asked: Asked) -> None:
    [view] = asked(ENOUGH | {"beta-team/close": 30}).splits
    assert why_not(view)
    lenient = replace(view, board=replace(view.board, people=HumanRanking(30, 0.4)))
    assert lenient.document.order.by == "SeCA+people"
    plain = replace(lenient, board=replace(lenient.board, ranking=("StCA",)))
    assert plain.document.order.by == "StCA"


def test_pages_say_that_the_column_is_people_s_and_why_it_orders_rows_or_not(asked: Asked) -> None:
    html = check_pages(SiteView((asked(ENOUGH),), "0", None), "verdicts that order rows")
    assert html["boards/wide/dev/"].count(">by people<") == 2
    system = html["boards/wide/systems/alpha-team--strong/"]
    assert (system.count("3 of 3 right"), system.count("0 of 3 right")) == (54, 6)
    few = SiteView((asked({"alpha-team/strong": 12, "beta-team/close": 12}),), "0", None)
    check_pages(few, "verdicts on few graphs")


def test_a_card_has_the_votes_on_a_graph_that_people_read_and_no_name(asked: Asked) -> None:
    [view] = asked({"alpha-team/strong": 12, "beta-team/close": 12}).splits
    view = replace(view, entries=tuple(one for one in view.entries
                                       if one.key == "alpha-team/strong"))
    cards = "".join(gzip.decompress(content).decode()
                    for path, content in example_files(view).items() if path.endswith(".shard"))
    # Of the first twelve graphs people find the tenth wrong.
    assert (cards.count("wb-said"), cards.count("3 of 3 right")) == (12, 11)
    assert "cleo" not in cards
