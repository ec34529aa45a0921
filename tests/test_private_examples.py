"""Of a board whose items may not be shown, nothing of an item is on the site or in a batch."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.site.browsing import browser
from scorer.site.build import build
from scorer.site.page import header
from scorer.site.reading.read import read_site
from scorer.site.render import environment
from tests.browser.narrative_site import CONTEXTS, ITEMS, TEXTS, make_narrative_root
from tests.browser.tiny_site import ROOT, copy_boards, write_lines, write_yaml

BOARD = "explagraphs-practice"
ITEM, GRAPH = 7, "(canary in the erratum; causes; joy)"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with boards of narratives and the practice board, their items private. Of the
    latter rows of gold itself are committed, so are the rounds of its graphs and a correction."""
    folder = make_narrative_root(tmp_path_factory.mktemp("private") / "root", "private")
    for place in (f"boards/{BOARD}", *(f"{top}/{BOARD}/reference/{row}" for row in ("gold", "null")
                                      for top in ("results", "submissions"))):
        shutil.copytree(ROOT / place, folder / place)
    board = folder / "boards" / BOARD
    with (board / "board.yaml").open("a") as file:
        file.write("examples: private\n")
    rows = (board / "data/dev.tsv").read_text("utf-8").splitlines()
    write_lines(board / "data/refinement_graphs_dev.tsv",
                [f"{row}\t(one; causes; two)" for row in rows])
    (board / "errata").mkdir()
    write_yaml(board / "errata/0001-dev-7.yaml", {
        "schema": 1, "split": "dev", "row": ITEM, "found": "An edge is the wrong way round.",
        "decision": "accepted", "reason": "Two people agree.", "since": "2.0",
        "change": {"graph": GRAPH}})
    return folder


@pytest.mark.site
@pytest.mark.claim("Of a board whose items may not be shown, the site has no text and no graph.")
def test_no_file_of_the_site_has_a_text_or_a_graph_of_an_item(root: Path, tmp_path: Path) -> None:
    build(root, tmp_path / "site", home=tmp_path / "home")
    shown = tmp_path / "site"
    files = [path for path in shown.rglob("*") if path.is_file()
             and path.relative_to(shown).parts[0] != "metrics"]  # examples of the program itself
    assert shown / "data" / BOARD / "dev/reference--gold/result.json" in files
    secrets = [GRAPH.encode()] + [
        field.encode() for file in (root / "boards" / BOARD / "data").glob("*.tsv")
        for line in file.read_text("utf-8").splitlines() for field in line.split("\t")
        if len(field) > len("(one; causes; two)")]
    assert len(secrets) > 300
    # what a system wrote is its own; only gold and inputs belong to others
    answers = "\n".join(text for texts in TEXTS.values() for text in texts)
    secrets += [text.encode() for text in (
        *(text for item in ITEMS[:2] for text in item[1:5]),
        *(text for obs1, obs2, references in CONTEXTS[:2] for text in (obs1, obs2, *references)))
        if text not in answers]
    page = (shown / "boards/riddles/systems/sly-team--payloads/index.html").read_text("utf-8")
    assert "Confusion matrix" in page
    assert "the licence forbids showing items" in page
    for path in files:
        content = path.read_bytes()
        if path.suffix == ".shard":
            content = gzip.decompress(content)
        assert [one for one in secrets if one in content] == [], path


def test_its_examples_page_leads_to_items_of_our_own_making(root: Path, tmp_path: Path) -> None:
    view = next(view for view in read_site(root, tmp_path).boards if view.board.id == BOARD)
    copy_boards(tmp_path / "own", BOARD)
    page = browser.page(view, read_site(tmp_path / "own", tmp_path).boards)
    html = environment(ROOT / "templates").get_template(page.template).render(
        page.names | {"header": header(view, {}, page.path)})
    assert "No item of this board may be shown here" in html
    assert f'href="../../../boards/{BOARD}/examples/"' in html
    assert browser.page(view).context["practice"] is None, "no practice board of its task"


def test_no_batch_is_made_of_its_items(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["annotations", "make-batch", "b", "--form", "stance", "--board", BOARD, "--split",
                 "dev", "--gold", f"--boards={root / 'boards'}", f"--annotations={tmp_path}",
                 f"--home={tmp_path}"]) == 2
    assert f"{BOARD}: its board.yaml says that no item may be shown" in capsys.readouterr().err
    assert not (tmp_path / "batches").exists()
