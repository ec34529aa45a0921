"""Judges on the site: cards read, the gate on leaderboards, what pages say of a judge."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer.models import judge_card as cards
from scorer.models.judge_card import Card, Evaluation
from scorer.scoring.judging import NOBODY, KnownJudge
from scorer.site import outputs
from scorer.site.boards.leaderboard_page import standings
from scorer.site.reading.read import read_judges, read_site
from scorer.site.records import SiteView, SplitView
from tests import case_files
from tests.browser.tiny_site import (
    JUDGE_PAGE,
    PAYLOADS,
    SECA,
    hostile_card,
    judge_all,
    make_judged_root,
    rendered,
    seca_card,
)
from tests.pages import check_pages

pytestmark = pytest.mark.whole

LEADERBOARD, JUDGE = "boards/tiny/dev/", "judges/seca-small/"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_judged_root(tmp_path_factory.mktemp("judged") / "root")


@pytest.fixture
def with_card(judged: Path, tmp_path: Path) -> Callable[..., SiteView]:
    """Reads the judged site with another card for SeCA, or with none."""

    def read(card: Card | None) -> SiteView:
        home = tmp_path / "home"
        shutil.rmtree(home, ignore_errors=True)
        if card is not None:
            cards.write(card, home / "judges" / "any")
        return read_site(judged, home)

    return read


def dev(site: SiteView) -> SplitView:
    return site.boards[0].splits[0]


def order(table: SplitView) -> list[str]:
    return [row.key.partition("/")[0] for row in table.document.rows]


def known(site: SiteView) -> KnownJudge:
    return next(one for one in site.judges.known if one.card.weights == SECA)


# ---- the gate on leaderboards ----------------------------------------------------------------


BOARDS = case_files.read("judged_boards.yaml")


@pytest.mark.claim("A judge without a card orders no rows.")
@pytest.mark.parametrize("name", BOARDS)
def test_a_judge_orders_rows_by_its_card(name: str, with_card: Callable[..., SiteView]) -> None:
    case = BOARDS[name]
    site = with_card(None if case["card"] is None else seca_card(**case["card"]))
    table = dev(site)
    assert table.document.order.by == case["by"]
    assert order(table) == (["fair-team", "reference", "sly-team"] if case["by"] == "SeCA"
                            else [entry.team for entry in dev(site).entries])
    assert standings(dev(site))["SeCA"].state == case.get("state", "ranks")
    assert standings(dev(site))["EA"].state == "never-ranked"
    failed = known(site).card.fitness.failed if case["card"] is not None else ()
    html = rendered(site, LEADERBOARD, JUDGE)
    for path, sentences in ((LEADERBOARD, case["leaderboard"]), (JUDGE, case.get("judge", []))):
        for sentence in sentences:
            assert sentence.replace("<condition>", "".join(check.figure for check in failed)) in (
                html[path])
    if failed:
        assert html[LEADERBOARD].count(failed[0].figure) == 1, "in the note below the table"
        assert (html[JUDGE].count("✗ failed"), html[JUDGE].count("✓ passed")) == (1, 6)


def test_a_judge_of_unknown_training_has_no_band(with_card: Callable[..., SiteView]) -> None:
    errors = tuple(Evaluation(name, "", {label: {label: right, "incorrect": 100 - right}
                                         for label in ("support", "counter")})
                   for name, right in ((cards.GOLD, 90), (cards.REFUSED, 10)))
    for data, unbounded in ((seca_card().data, False), ({"files": {}}, True)):
        site = with_card(seca_card(data=data, evaluations=errors))
        bands = re.findall(r">band ([^<]+)<", rendered(site, LEADERBOARD)[LEADERBOARD])
        assert [band == "unbounded" for band in bands] == [unbounded] * 2, "of the two systems"


@pytest.mark.claim("A judge whose training is not known is never called fit without saying so.")
def test_a_fit_judge_of_unknown_training_says_so_wherever_it_is_called_fit(
    with_card: Callable[..., SiteView]
) -> None:
    html = {path: page.replace("not fit to rank", "") for path, page in
            rendered(with_card(seca_card(data={"files": {}}))).items()}
    called = {path for path, page in html.items() if "fit to rank" in page}
    assert {"judges/", JUDGE, LEADERBOARD} <= called
    for path in called:
        assert html[path].count("fit to rank") == html[path].count(
            "fit to rank, but it may have seen its test")


@pytest.fixture
def two_judges(judged: Path, tmp_path: Path) -> Path:
    """The site, one team's rows by another judge; a home folder, with the card of the first."""
    root = shutil.copytree(judged, tmp_path / "root")
    judge_all(root, seca="0f" * 32, only="sly-team/*")
    cards.write(seca_card(), tmp_path / "home" / "judges" / "a")
    return root


@pytest.mark.claim("Rows of different judges are never ranked together.")
def test_rows_of_different_judges_are_never_ranked_together(two_judges: Path) -> None:
    home = two_judges.parent / "home"
    cards.write(seca_card(weights="0f" * 32, name="other"), home / "judges" / "b")
    site = read_site(two_judges, home)
    assert dev(site).document.order.by == "StCA"
    assert standings(dev(site))["SeCA"].state == "judges-differ"
    page = rendered(site, LEADERBOARD)[LEADERBOARD]
    assert 'href="../../../judges/seca-small/"' in page
    assert 'href="../../../judges/seca-other/"' in page


def test_no_preview_changes_what_orders_the_rows(two_judges: Path) -> None:
    home, own = two_judges.parent / "home", Path("results/tiny/sly-team")
    (home / own).parent.mkdir(parents=True)
    shutil.move(two_judges / own, home / own)
    view = dev(read_site(two_judges, home))
    assert [entry.team for entry in view.entries if entry.kind == "preview"] == ["sly-team"]
    assert (view.document.order.by, order(view)[:2]) == ("SeCA", ["fair-team", "reference"])
    assert standings(view)["SeCA"].ranks
    previews = replace(view, entries=tuple(
        replace(entry, preview=True) if entry.team == "fair-team" else entry
        for entry in view.entries if entry.team != "reference"))
    by = previews.document.order.by
    assert by == "StCA", "nothing but previews: all of them count"


def test_where_nothing_may_order_rows_they_stand_by_name(judged: Path, tmp_path: Path) -> None:
    root = shutil.copytree(judged, tmp_path / "root")
    path = root / "boards/tiny/board.yaml"
    path.write_text(path.read_text("utf-8").replace("ranking:\n- SeCA\n- StCA", "ranking:\n- EA"),
                    "utf-8")
    site = read_site(root, root / "home")
    table = dev(site)
    assert table.document.order.by is None
    assert order(table) == ["fair-team", "reference", "sly-team"]
    assert {row.rank for row in table.document.rows} == {None}
    html = rendered(site, LEADERBOARD)[LEADERBOARD]
    assert "Sorted by name. EA would rank, but we never rank by it." in html
    assert "aria-sort" not in html


# ---- the page of a judge ---------------------------------------------------------------------


def test_the_page_says_what_the_card_has(with_card: Callable[..., SiteView]) -> None:
    check_pages(with_card(seca_card()), "a fit judge")


def test_negative_numbers_have_a_minus_not_a_hyphen(with_card: Callable[..., SiteView]) -> None:
    html = check_pages(with_card(seca_card(low=-0.1)),
                       "negative numbers")
    assert not re.findall(r">[^<]*(?<![\w-])-\.?\d", "".join(html.values()))


def test_a_judge_of_ea_and_none_at_all_have_no_gate_and_say_so(judged: Path) -> None:
    site = read_site(judged, judged / "home")
    check_pages(site, "a judge of EA")
    check_pages(replace(site, judges=NOBODY), "no judge")


def test_payloads_in_a_card_are_words_on_pages_and_as_they_are_in_its_download(
    judged: Path
) -> None:
    site = read_site(judged, judged / "home")
    html = rendered(site, "judges/", JUDGE_PAGE, LEADERBOARD, "metrics/", "metrics/seca/",
                    "boards/tiny/systems/sly-team--payloads/")
    assert len(html) == 6
    for path, text in html.items():
        for tag in ("<script", "<img", 'href="javascript'):
            assert tag not in text, path
        assert "&lt;script&gt;" in text, path
    assert "{{7*7}}" in html[JUDGE_PAGE]
    assert not [payload for payload in PAYLOADS[:2] if payload in html[JUDGE_PAGE]]
    path = f"data/{JUDGE_PAGE}card.json"
    assert f'href="../../{path}"' in html[JUDGE_PAGE]
    publisher = outputs.publisher_of("https://example.org/", None)
    files = next(outputs.file_groups(site, publisher))  # those of no board
    assert json.loads(dict(files())[path]) == cards.to_json(hostile_card())


# ---- cards from folders ----------------------------------------------------------------------


def test_a_card_at_home_comes_before_another_of_the_same_judge(
    judged: Path, tmp_path: Path
) -> None:
    for folder, name in (("x", "first"), ("y", "second")):
        cards.write(seca_card(name=name), tmp_path / "judges" / folder)
    site = read_site(judged, tmp_path)
    assert "first" in {one.name for one in site.judges.known}
    assert "second" not in {one.name for one in site.judges.known}
    assert any("another card of the judge" in warning for warning in site.warnings)


def test_two_judges_of_one_name_have_two_pages(tmp_path: Path) -> None:
    files = [cards.write(seca_card(weights=digit * 64), tmp_path / digit) for digit in "ab"]
    assert [one.path for one in read_judges(files, pytest.fail).known] == [
        JUDGE, f"judges/seca-small-{'b' * 12}/"]


@pytest.mark.parametrize("changed", [
    {"judge": "../../etc"}, {"weights": "short"}, {"labels": [1]}, {"evaluations": [
    {"name": "n", "about": "a", "confusion": {"x": {"y": -1}}, "brier": None, "bins": []}]}])
def test_a_broken_card_is_left_out_with_a_warning(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    path = cards.write(seca_card(), tmp_path)
    path.write_text(json.dumps(cards.to_json(seca_card()) | changed), "utf-8")
    warnings: list[str] = []
    assert read_judges([path], warnings.append).known == ()
    assert any("judge" in warning for warning in warnings)
