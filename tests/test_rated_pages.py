"""What pages say of metrics beside people's ratings: a metric's page, columns, the front page."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("jinja2")

from scorer import boards
from scorer.boards import Board
from scorer.core.files import sha256
from scorer.people.documents import MetaResults, RatedGoldsDocument
from scorer.site.people.figures import column_notes
from scorer.site.people.pages import HumanPages, people_files
from scorer.site.reading.read import read_site
from scorer.site.records import SiteView
from tests.browser.tiny_site import make_root, rendered, text
from tests.pages import check_pages

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
RATINGS = b"5\n"
"""Nothing reads more of them than their digest."""
NO = {"value": None, "n": 0, "ci": None, "method": "none", "note": "no variation"}


def estimate(value: float, width: float = .04) -> dict[str, Any]:
    return {"value": value, "n": 40, "ci": [value - width, value + width], "method": "bootstrap",
            "note": ""}


def agreement(plain: float | None, fixed: float | None = None, better: str = "higher",
              ) -> dict[str, Any]:
    """A metric with Spearman's correlation as it stands, and with length fixed."""
    one = NO if plain is None else estimate(plain)
    given = NO if fixed is None else estimate(fixed)
    return {"better": better, "note": "", "within": {
        "answers": 120, "items": 40, "spearman": one, "tau_b": one, "partial": given,
        "matched": given, "pairwise": estimate(.5), "threshold": .1, "overall": one}}


def document(board: Board) -> RatedGoldsDocument:
    metrics: dict[str, dict[str, Any]] = {
        "SA": agreement(None), "G-BLEU": agreement(.11, .13), "GED": agreement(-.3, .09, "lower"),
        "G-ROUGE-2": agreement(.05, .01),
        "G-BERTScore": {"better": "higher", "within": None, "note": "no weights"}}
    return RatedGoldsDocument.model_validate({
        "board_version": board.version,
        "gold_sha256": sha256((board.folder / "data" / "dev.tsv").read_bytes()),
        "ratings_sha256": sha256(RATINGS),
        "items": 40, "answers": 120, "ratings": 1600, "half": estimate(.3), "full": estimate(.46),
        "within_half": estimate(.28), "within_full": estimate(.44), "ceiling": estimate(.66),
        "controls": ["parts", "words"],
        "counts": {"words": agreement(.4, .2), "parts": agreement(.3, .02)},
        "against_others": metrics, "against_best": metrics})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose board has ratings."""
    root = make_root(tmp_path_factory.mktemp("rated") / "root")
    path = root / "boards" / "tiny" / "board.yaml"
    described = yaml.safe_load(path.read_text("utf-8"))
    described["splits"]["dev"]["ratings"] = {"file": "dev-ratings.tsv", "lowest": 1, "highest": 5}
    path.write_text(yaml.safe_dump(described, sort_keys=False), "utf-8")
    (path.parent / "data" / "dev-ratings.tsv").write_bytes(RATINGS)
    write(root, document(boards.load(path.parent)).to_json())
    return root


def write(root: Path, figures: dict[str, Any]) -> None:
    place = root / "results" / "tiny" / "metric-agreement.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"format": "metric-agreement/1", "splits": {}, "simulated": [],
                                 "rated": {"tiny-dev": figures}}), "utf-8")


@pytest.fixture(scope="module")
def site(root: Path) -> SiteView:
    return read_site(root, root / "home")


def test_pages_say_how_far_metrics_agree_with_people(site: SiteView) -> None:
    check_pages(site, "rated")
    files = dict(people_files(site))
    assert MetaResults.model_validate_json(files["data/human/metrics.json"]).rated == {
        "tiny-dev": document(site.boards[0].board)}


def test_columns_of_leaderboards_say_what_follows(site: SiteView) -> None:
    notes = column_notes(site)
    assert "no agreement with people's ratings is shown, .01" in notes["G-ROUGE-2"]
    assert "SA" not in notes, "it says the same of every answer"
    shown = text(*rendered(site, "boards/tiny/dev/").values())
    assert f"People : {notes['GED']}" in shown
    assert shown.count("People : ") == len(notes.keys() & {*site.boards[0].board.metrics})


def changed(root: Path, home: Path, **keys: Any) -> SiteView:
    """The site with a file of the home folder that has other keys."""
    write(home, document(boards.load(root / "boards" / "tiny")).to_json() | keys)
    return read_site(root, home)


@pytest.mark.claim("Figures on people's ratings that were measured on another version of the "
                   "board, other gold or other ratings are not shown.")
@pytest.mark.parametrize(("keys", "fault"), [
    ({"board_version": "0.9"}, "of board version '0.9'; the board has 1.0"),
    ({"gold_sha256": "cd" * 32}, "of gold cdcdcdcdcdcd...; the board has"),
    ({"ratings_sha256": "ef" * 32}, "of ratings efefefefefef...; the board has"),
])
def test_figures_that_fit_no_longer_are_left_out_with_a_warning(
    root: Path, tmp_path: Path, keys: dict[str, Any], fault: str,
) -> None:
    site = changed(root, tmp_path, **keys)
    assert HumanPages(site).rated == []
    assert any(fault in one and "run: scorer meta --board tiny --json results/tiny" in one
               for one in site.warnings), site.warnings
