"""Two systems of a split side by side: what the document and their items say."""

from pathlib import Path
from urllib.parse import parse_qs

import pytest

pytest.importorskip("jinja2")

from scorer.site.boards.comparing import (
    apart,
    columns,
    compare_path,
    counted_by,
    difference,
    graded_by,
    has_page,
    item_lists,
    neighbours,
    pair_cell,
    sentence,
)
from scorer.site.boards.leaderboards import Leaderboard, leaderboard_of
from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, SiteView
from scorer.site.views.registry import view_of
from tests.browser.tiny_site import rendered
from tests.browser.wide_site import ITEMS, RIGHT, make_wide_root

pytestmark = pytest.mark.whole

STRONG, CLOSE, NEAR, THIRD = (
    "alpha-team/strong", "beta-team/close", "gamma-team/near", "delta-team/third")
NULL = "reference/null"
BLANK = "\u00a0"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    root: Path = make_wide_root(tmp_path_factory.mktemp("wide") / "root")
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def known(site: SiteView) -> Leaderboard:
    return leaderboard_of(site.boards[0].splits[0])


@pytest.fixture(scope="module")
def html(site: SiteView) -> dict[str, str]:
    return rendered(site)


def test_the_sentence_names_the_better_system_first_whatever_the_order(known: Leaderboard) -> None:
    """8 to 0 is p = 2 / 2^8 = .008; by Holm among three rows above it, three times that: .023."""
    said = sentence(known, STRONG, THIRD)
    assert said.startswith("Strong (90.8) is better than Third (84.2) on StCA: difference +6.7 [")
    assert round(100 * (108 - 100) / ITEMS, 1) == 6.7
    assert said.endswith(f"p{BLANK}={BLANK}.008 (p{BLANK}={BLANK}.023 by Holm).")
    assert (round(2 / 2**8, 3), round(3 * 2 / 2**8, 3)) == (.008, .023)
    assert sentence(known, THIRD, STRONG) == said


def test_what_holm_does_not_bear_out_is_no_difference(known: Leaderboard) -> None:
    said = sentence(known, STRONG, NEAR)
    assert said.startswith("No significant difference on StCA between Strong (90.8) and Near")
    assert f"p{BLANK}={BLANK}.031 (p{BLANK}={BLANK}.062 by Holm)" in said
    assert (round(2 / 2**6, 3), round(2 * 2 / 2**6, 3)) == (.031, .062)


def test_the_four_counts_divide_the_items(known: Leaderboard) -> None:
    column = counted_by(known)
    assert column is not None
    assert column.id == "StCA"
    both, only_a, only_b, none = item_lists(known, column, STRONG, NEAR)
    assert only_a == ("only Strong right", [*range(103, 109)],
                      "split=dev&a=alpha-team/strong&b=gamma-team/near&pair=a")
    assert [len(rows) for _, rows, _ in (both, only_b, none)] == [103, 0, 120 - 109], (
        "an erratum gives both item 120")
    board = BoardView(known.view.board, (known.view,))
    [pair] = [one.facet for one in view_of(board.board).pair_facets(board)
              if one.facet.id == "pair"]
    queries = [parse_qs(query) for *_, query in (both, only_a, only_b, none)]
    assert {query["pair"][0] for query in queries} == set(pair.values), "as the browser reads it"


def test_a_difference_is_that_of_the_document_turned_round_where_needed(
    known: Leaderboard,
) -> None:
    found = difference(known, "GED", STRONG, NEAR)
    back = difference(known, "GED", NEAR, STRONG)
    assert found is not None
    assert back == found.reversed
    cell = known.document.close["GED"]
    assert (found.d, found.low, found.high, found.p) == tuple(
        cell.tri[cell.rows.index(NEAR) - 1][:4]), "Strong stands first"
    assert found.d < 0, "and is nearer to gold"


def test_the_document_has_interval_and_p_of_every_pair_with_a_page(known: Leaderboard) -> None:
    for a, b in known.pairs:
        for column, found, _ in columns(known, a, b) if has_page(known, a, b) else ():
            assert found is not None
            assert None not in (found.low, found.p), (a, b, column.id)


def test_of_rows_that_are_no_leaders_pages_say_no_more_than_the_document(
    known: Leaderboard,
) -> None:
    gone = "omega-team/gone"
    assert gone not in known.document.close["SA"].rows
    stca, graded = (difference(known, column, STRONG, gone) for column in ("StCA", "GED"))
    assert stca is not None
    assert stca.p == pytest.approx(2 / 2**58), "58 wins to none"
    assert (stca.low, stca.high) == (None, None)
    assert graded is not None
    assert graded.p is None


def test_examples_that_differ_most_go_by_a_column_that_grades(known: Leaderboard) -> None:
    column = graded_by(known, STRONG, NEAR)
    assert column is not None
    assert column.id == "G-ROUGE-L"
    found = [*apart(known, column, STRONG, NEAR)]
    assert [row for row, *_ in found] == [103, 104, 105, 106, 107]
    assert {scores for *_, own, other in found for scores in [(own, other)]} == {(1.0, 0.0)}
    assert [ahead for *_, ahead in columns(known, STRONG, NEAR)] == ["a"] * 4, "6 to 0 in each"


def test_a_pair_has_one_address_for_both_orders(known: Leaderboard) -> None:
    path = "boards/wide/dev/compare/alpha-team--strong--vs--gamma-team--near/"
    assert compare_path(known, STRONG, NEAR) == compare_path(known, NEAR, STRONG) == path
    far = compare_path(known, "omega-team/gone", NULL)
    assert far == "boards/wide/dev/compare/?a=omega-team/gone&b=reference/null"


def test_leading_systems_have_pages_with_each_other_and_their_null(
    known: Leaderboard, html: dict[str, str],
) -> None:
    pages = {path for path in html if "--vs--" in path}
    assert pages == {compare_path(known, *both) for both in known.pairs
                     if has_page(known, *both)}
    assert len(known.systems) == len(RIGHT) - 2 == 6, "without the null and a withdrawn row"
    assert len(pages) == 6 * 5 // 2 + 6, "all are among the first ten; each has the null"


def test_a_page_has_the_sentence_the_lists_and_every_column(html: dict[str, str]) -> None:
    page = html["boards/wide/dev/compare/alpha-team--strong--vs--gamma-team--near/"]
    assert "No significant difference on StCA between Strong" in page
    assert '<a href="../../103/?a=alpha-team/strong&amp;b=gamma-team/near">103</a>' in page
    for metric in ("SA", "StCA", "G-ROUGE-L", "GED"):
        assert f">{metric}</a>" in page
    both = page.partition("<bdi>both right</bdi></summary>")[2].partition("</details>")[0]
    assert "?split=dev&amp;a=alpha-team/strong&amp;b=gamma-team/near&amp;pair=both" in both
    assert ">3 more</a>" in both, "100 of 103 are listed"


def test_an_anonymous_team_is_in_no_address_of_a_pair(html: dict[str, str]) -> None:
    pages = [path for path in html if "--vs--" in path and "hidden" in path]
    assert pages
    assert all("anonymous--hidden-" in path and "secret" not in path for path in pages)


def test_the_matrix_has_systems_alone_each_pair_once(html: dict[str, str]) -> None:
    page = html["boards/wide/dev/compare/"]
    matrix = page.partition('<table class="wb-table wb-matrix">')[2].partition("</table>")[0]
    assert matrix.count('class="num') == 6 * 5 // 2
    assert "Null" not in matrix
    assert f"\u22126.7</a> \u25bc<small>p{BLANK}={BLANK}.023</small>" in matrix
    rest = page.partition('<table class="wb-table wb-matrix">')[2].partition("</table>")[2]
    assert "alpha-team--strong--vs--reference--null/" in rest


def test_a_system_meets_its_neighbours_the_first_and_its_null(known: Leaderboard) -> None:
    found = neighbours(known, THIRD, 1)
    systems = known.systems
    place = systems.index(THIRD)
    assert set(found) == {STRONG, NULL, systems[place - 1], systems[place + 1]}
    assert pair_cell(known, STRONG, THIRD) == (8, 0, 0.0078125, 0.0234375)
