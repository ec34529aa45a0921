"""The page of all submissions and their states, and the state on a submission's own page."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any, get_args

import pytest

pytest.importorskip("jinja2")

from scorer.core.errors import DataError
from scorer.pipeline.ci.main_branch import Name
from scorer.site.reading.read import read_site
from scorer.site.reading.states import MEANINGS, read
from scorer.site.records import SiteView
from tests.browser.tiny_site import ROOT, STATUS, rendered
from tests.pages import check, shown_on

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def html(tiny_site: SiteView) -> dict[str, str]:
    return rendered(replace(tiny_site, states=read(STATUS)))


@shown_on("states")
def test_a_page_shows(case: Mapping[str, Any], html: dict[str, str]) -> None:
    check(case, html)


def one(**changes: Any) -> dict[str, Any]:
    return STATUS | {"submissions": [STATUS["submissions"][0] | changes]}


def test_every_state_of_the_pipeline_has_a_meaning() -> None:
    assert list(MEANINGS) == list(get_args(Name))


def test_without_a_status_the_page_says_so_and_leads_to_the_rows(tiny_site: SiteView) -> None:
    html = rendered(tiny_site, "submissions/")["submissions/"]
    assert "built without the states of submissions" in html
    assert "data/status.json" not in html, "which there is not"


def test_the_newest_comes_first_and_every_row_says_what_when_and_where(tiny_site: SiteView) -> None:
    newest = STATUS["submissions"][1] | {"date": "2026-03-01T00:00:00Z", "commit": 40 * "e",
                                         "split": "test"}
    status = STATUS | {"submissions": [*STATUS["submissions"], newest]}
    html = rendered(replace(tiny_site, states=read(status)), "submissions/")["submissions/"]
    first, *rest = html.partition("<tbody>")[2].partition("</tbody>")[0].split("<tr>")[1:]
    for words in ("2026-03-01 00:00", 12 * "e", "test"):
        assert words in first
    assert len(rest) == len(STATUS["submissions"])
    assert any("2026-02-01 13:00" in row and 12 * "d" in row for row in rest)


def test_a_team_s_name_is_text_on_the_page_of_all_submissions(html: dict[str, str]) -> None:
    assert "f<script>window.pwned=1</script>/../" in unescape(html["submissions/"])


@pytest.mark.parametrize("document", [
    None, [], {}, STATUS | {"schema": 2}, STATUS | {"submissions": [{}]}, one(state="fine"),
    one(attempts="x"), one(published="x"), STATUS | {"codes": []},
])
def test_what_is_no_status_is_refused(document: Any) -> None:
    with pytest.raises(DataError, match="expected what scorer ci status prints"):
        read(document)


def test_a_file_that_is_no_json_is_refused_before_anything_is_built(
    tmp_path: Path, fails: Callable[..., None],
) -> None:
    (tmp_path / "status.json").write_text("{")
    out = tmp_path / "_site"
    fails(2, "no JSON can be read there; run: scorer ci status", "site", "build", "--root",
          str(ROOT), "--out", str(out), "--home", str(tmp_path), "--status",
          str(tmp_path / "status.json"))
    assert not out.exists()


def test_a_row_stays_while_other_predictions_lie_there(tiny_root: Path, tmp_path: Path) -> None:
    root = shutil.copytree(tiny_root, tmp_path / "root")
    file = root / "submissions/tiny/fair-team/chains/predictions.dev.tsv"
    file.write_bytes(file.read_bytes().replace(b"support", b"counter", 1))

    def rows(*states: Any) -> list[tuple[str, bool]]:
        dev = read_site(root, root / "home", *states).boards[0].splits[0]
        return [(entry.team, bool(entry.predictions)) for entry in dev.entries
                if entry.team == "fair-team"]

    assert rows() == []
    assert rows(read(STATUS)) == [("fair-team", False)]
