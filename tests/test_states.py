"""The page of all submissions and their states, and the state on a submission's own page."""

import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any, get_args

import pytest

pytest.importorskip("jinja2")

from scorer.cli import main
from scorer.core.errors import DataError
from scorer.pipeline.ci import queue as pipeline
from scorer.pipeline.ci.main_branch import CiJob
from scorer.pipeline.ci.runner import CODES
from scorer.site.reading.read import read_site
from scorer.site.reading.states import MEANINGS, read
from scorer.site.records import SiteView
from tests.browser.tiny_site import ROOT, STATUS, make_root, rendered
from tests.ci_world import git

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    root = make_root(tmp_path_factory.mktemp("tiny") / "root")
    return read_site(root, root / "home")


def one(**changes: Any) -> dict[str, Any]:
    return STATUS | {"submissions": [STATUS["submissions"][0] | changes]}


def test_every_state_of_the_pipeline_has_a_meaning() -> None:
    assert list(MEANINGS) == list(get_args(pipeline.Name))


def test_without_a_status_the_page_tells_what_files_tell(site: SiteView) -> None:
    html = rendered(site, "submissions/")["submissions/"]
    assert "built from files alone" in html
    assert "data/status.json" not in html, "which there is not"
    found = {row.key: row.state for row in site.states.rows}
    assert found == {
        ("tiny", "sly-team", "payloads", "dev"): "published",
        ("tiny", "fair-team", "chains", "dev"): "published",
        ("tiny", "reference", "null", "dev"): "scored",
    }


def local(root: Path) -> dict[str, tuple[str, str, str]]:
    """State, reason and title of each submission of a checkout, by board and name."""
    rows = read_site(root, root / "home").states.rows
    return {f"{row.board}/{row.name}": (row.state, row.reason, row.title) for row in rows}


def test_the_state_of_each_submission_follows_from_its_files(tmp_path: Path) -> None:
    root = make_root(tmp_path / "root")
    sent, results = root / "submissions" / "tiny", root / "results" / "tiny"
    fair = (sent / "fair-team/chains/submission.yaml").read_text("utf-8")

    def send(name: str, board: str = "tiny", more: str = "", rows: bool = True) -> None:
        folder = root / "submissions" / board / "new-team" / name
        shutil.copytree(sent / "fair-team/chains", folder)
        (folder / "submission.yaml").write_text(fair + more, "utf-8")
        if not rows:
            (folder / "predictions.dev.tsv").write_text("support\n", "utf-8")

    send("waits")
    send("nowhere", board="no-such-board")
    send("torn", rows=False)
    send("gone", more="withdrawn: A bug.\n")
    send("masked", more="anonymous_until: 2999-01-01\n")
    send("odd", more="colour: red\nanonymous_until: 2999-01-01\n")
    (root / "home/results/tiny").mkdir(parents=True)
    shutil.move(results / "fair-team", root / "home/results/tiny/fair-team")
    title = "fair-team chains"
    assert local(root) == {
        "tiny/new-team/waits": ("queued", "", title),
        "no-such-board/new-team/nowhere": ("received", "no such board or split", title),
        "tiny/new-team/torn": ("rejected", "TSV-COLUMNS", title),
        "tiny/new-team/gone": ("withdrawn", "A bug.", title),
        "tiny/anonymous/masked": ("queued", "", ""),
        "tiny/anonymous/odd": ("rejected", "META-FIELD", ""),
        "tiny/fair-team/chains": ("local preview", "", ""),
        "tiny/sly-team/payloads": ("published", "", ""),
        "tiny/reference/null": ("scored", "", ""),
    }
    git(root, "init", "--quiet")
    git(root, "add", "boards", "results", "submissions/tiny/sly-team")
    git(root, "commit", "--quiet", "--message=Some")
    told = local(root)
    assert told["tiny/new-team/waits"] == ("local preview", "not scored yet", title)
    assert told["tiny/sly-team/payloads"][0] == "published"
    assert read_site(root, root / "home").states.of(
        "tiny", "sly-team", "payloads", "dev").merged.commit == git(root, "rev-parse", "HEAD")


def test_the_newest_comes_first_and_every_row_says_what_when_and_where(site: SiteView) -> None:
    status = STATUS | {"submissions": [
        *STATUS["submissions"], STATUS["submissions"][1] | {"date": "2026-03-01T00:00:00Z",
                                                            "commit": "e" * 40, "split": "test"}]}
    html = rendered(replace(site, states=read(status)), "submissions/")["submissions/"]
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    first, *rest = body.split("<tr>")[1:]
    assert "2026-03-01 00:00" in first
    assert "e" * 12 in first
    assert "test" in first
    assert len(rest) == len(STATUS["submissions"])
    assert any("2026-02-01 13:00" in row and "d" * 12 in row for row in rest)


def test_a_rule_and_a_code_lead_to_what_they_mean(site: SiteView) -> None:
    html = rendered(replace(site, states=read(STATUS)), "submissions/")["submissions/"]
    assert '<a href="../submit/rules/#tsv-rows"><code>TSV-ROWS</code></a>' in html
    assert '<a href="../submissions/#scorer-time"><code>SCORER-TIME</code></a>' in html
    assert '<div id="scorer-time">' in html
    assert "<bdi>EVIL-RULE</bdi>" in html, "a rule that nobody knows is text"
    assert "3 attempts" in html
    assert "waiting for gold" in html
    for markup in ("<script", "<img", '" onmouseover="'):
        assert markup not in html
    assert "f<script>window.pwned=1</script>/../" in unescape(html)


def test_a_submission_s_page_tells_its_state(site: SiteView) -> None:
    html = rendered(replace(site, states=read(STATUS)))
    mine = html["boards/tiny/systems/sly-team--payloads/"]
    assert 'href="../../../../submissions/#published">published</a>' in mine
    assert "d" * 12 in mine
    other = html["boards/tiny/systems/fair-team--chains/"]
    assert "queued" in other
    assert "c" * 12 in other, "not published yet: the commit that brought it"
    assert "wb-state" not in html["boards/tiny/systems/reference--null/"]


def test_what_the_pipeline_derives_can_be_read() -> None:
    job = CiJob("b", "t", "s", "dev", "k", "p", "c" * 40, "2026-01-31T00:00:00Z")
    found = [pipeline.State(job, "error", code, 1) for code in CODES]
    document = {"schema": 1, "commit": "a" * 40, "codes": CODES,
                "submissions": [pipeline.row_json(state, {}) for state in found]}
    assert [row.reason for row in read(document).rows] == list(CODES)


@pytest.mark.parametrize("document", [
    None, [], {}, STATUS | {"schema": 2}, STATUS | {"submissions": [{}]}, one(state="fine"),
    one(attempts="x"), one(published="x"), STATUS | {"codes": []},
])
def test_what_is_no_status_is_refused(document: Any) -> None:
    with pytest.raises(DataError, match="expected what scorer ci status prints"):
        read(document)


def test_a_file_that_is_no_json_is_refused_before_anything_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "status.json"
    path.write_text("{")
    out = tmp_path / "_site"
    assert main(["site", "build", "--root", str(ROOT), "--out", str(out), "--home",
                 str(tmp_path), "--status", str(path)]) == 2
    assert "no JSON can be read there; run: scorer ci status" in capsys.readouterr().err
    assert not out.exists()


def test_a_row_stays_while_other_predictions_lie_there(tmp_path: Path) -> None:
    root = make_root(tmp_path / "root")
    file = root / "submissions/tiny/fair-team/chains/predictions.dev.tsv"
    file.write_bytes(file.read_bytes().replace(b"support", b"counter", 1))

    def rows(*told: Any) -> list[tuple[str, bool]]:
        view = read_site(root, root / "home", (), *told)
        return [(entry.team, bool(entry.predictions)) for board in view.boards
                for split in board.splits for entry in split.entries if entry.team == "fair-team"]

    assert rows() == []
    assert rows(read(STATUS)) == [("fair-team", False)]
