"""A build that keeps what it drew gives the same bytes, and draws only what is new."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

pytest.importorskip("jinja2")

from scorer.board import boards_folder
from scorer.models import judge_card as cards
from scorer.website.build import build
from scorer.website.keeping import incremental
from scorer.website.keeping.incremental import NOTES, PLACE, Kept
from scorer.website.layouts import themes
from scorer.website.layouts.layout import Wanted
from scorer.website.views.graphs import example
from tests.browser.narrative_site import make_narrative_root
from tests.browser.tiny_site import (
    GOLD,
    judge_all,
    make_judged_root,
    make_root,
    score_all,
    seca_card,
)

pytestmark = pytest.mark.site


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def built(root: Path, name: str, incremental: bool = False, theme: str = "plain"
          ) -> dict[str, bytes]:
    out = root.parent / name / "_site"
    build(root, out, home=root / "home", theme=theme, incremental=incremental)
    return files(out)


def times(folder: Path) -> dict[str, int]:
    """When each file was written."""
    return {path.relative_to(folder).as_posix(): path.stat().st_mtime_ns
            for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path / "root")


def add(root: Path, team: str, date: str, source: str = "fair-team/chains") -> None:
    """One more submission, which says what another one says, on another day."""
    new = root / "submissions" / "tiny" / team / "later"
    shutil.copytree(root / "submissions" / "tiny" / source, new)
    meta = new / "submission.yaml"
    told = yaml.safe_load(meta.read_text("utf-8")) | {"date": date}
    meta.write_text(yaml.safe_dump(told, allow_unicode=True), "utf-8")
    score_all(root)


def test_kept_files_give_the_bytes_of_a_cold_build(root: Path) -> None:
    cold = built(root, "cold")
    assert built(root, "first", incremental=True) == cold
    assert built(root, "second", incremental=True) == cold


def test_kept_files_of_narratives_give_the_bytes_of_a_cold_build(tmp_path: Path) -> None:
    root = make_narrative_root(tmp_path / "root")
    cold = built(root, "cold")
    assert built(root, "first", incremental=True) == cold
    assert built(root, "second", incremental=True) == cold


@pytest.mark.parametrize("date", ["2026-03-01", "2025-01-01"])
def test_a_new_submission_early_or_late_gives_the_bytes_of_a_cold_build(
    root: Path, date: str
) -> None:
    built(root, "before", incremental=True)
    add(root, "new-team", date)
    assert built(root, "after", incremental=True) == built(root, "cold")


@pytest.mark.parametrize(("field", "said"), [
    ("description", "Said otherwise."), ("withdrawn", "It was a mistake."), ("system", "New name"),
    ("saw_dev_gold", True), ("links", [{"title": "Code", "url": "https://example.org/code"}]),
])
def test_what_a_submission_says_of_itself_changes_the_pages_that_tell_it(
    root: Path, field: str, said: object
) -> None:
    before = built(root, "site", incremental=True)
    meta = root / "submissions" / "tiny" / "fair-team" / "chains" / "submission.yaml"
    told = yaml.safe_load(meta.read_text("utf-8")) | {field: said}
    meta.write_text(yaml.safe_dump(told, allow_unicode=True), "utf-8")
    after = built(root, "site", incremental=True)
    assert after == built(root, "cold")
    assert after["boards/tiny/systems/fair-team--chains/index.html"] != before[
        "boards/tiny/systems/fair-team--chains/index.html"]


def test_a_changed_result_board_or_judge_changes_the_pages_that_tell_it(tmp_path: Path) -> None:
    root = make_judged_root(tmp_path / "root")
    built(root, "site", incremental=True)
    judge_all(root, seca="0" * 64, only="fair-team/*")
    assert built(root, "site", incremental=True) == built(root, "cold")
    cards.write(seca_card(name="Another name", weights="0" * 64), root / "home" / "judges" / "new")
    assert built(root, "site", incremental=True) == built(root, "cold")
    board = root / "boards" / "tiny" / "board.yaml"
    text = board.read_text("utf-8").replace("Made for tests.", "Made to be built.")
    board.write_text(text, "utf-8")
    assert built(root, "site", incremental=True) == built(root, "cold")


def test_a_new_submission_changes_no_page_of_a_judge_that_judged_it(tmp_path: Path) -> None:
    root = make_judged_root(tmp_path / "root")
    before = built(root, "site", incremental=True)
    pages = {path for path in before if path.startswith("judges/")}
    add(root, "new-team", "2026-03-01")
    judge_all(root)
    after = built(root, "site", incremental=True)
    assert len(pages) > 2
    assert {path: before[path] for path in pages} == {path: after[path] for path in pages}


def test_nothing_is_kept_if_an_item_changes_of_which_examples_of_metrics_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(boards_folder(), tmp_path / "boards")
    monkeypatch.setattr(incremental, "boards_folder", lambda: tmp_path / "boards")
    before = incremental.code_digest([])
    assert incremental.code_digest([]) == before
    [first, *_] = sorted((tmp_path / "boards" / "anlg-practice").rglob("*dev*"))
    first.write_bytes(first.read_bytes() + b" ")
    assert incremental.code_digest([]) != before


def test_only_the_new_submission_is_drawn(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(root, "before", incremental=True)
    add(root, "new-team", "2026-03-01")
    drawn: list[str] = []
    real = example.Stage.card
    monkeypatch.setattr(example.Stage, "card",
                        lambda self, entry: (drawn.append(entry.team), real(self, entry))[1])
    built(root, "after", incremental=True)
    assert drawn == ["new-team"] * len(GOLD)


def own(path: str) -> bool:
    """Whether a file is of the new submission alone."""
    return path.startswith(("boards/tiny/systems/new-team--later/",
                            "data/tiny/dev/new-team--later/"))


def of_its_board(path: str) -> bool:
    """Whether a file says something of all rows of the new submission's board."""
    tables = ("boards/tiny/dev/index.html", "boards/tiny/dev/columns/", "boards/tiny/dev/compare/",
              "boards/tiny/dev/plots/", "boards/tiny/systems/", "boards/tiny/changes/")
    return (path in ("boards/tiny/index.html", "data/tiny/examples.json",
                     "data/tiny/dev/systems.json", "data/tiny/dev/leaderboard.csv",
                     "data/tiny/dev/leaderboard.json")
            or path.startswith(tables) or path.endswith("/badge.svg"))


LISTS = {"index.html", "downloads/index.html", "feed.xml", "sitemap.xml"}
"""Home, what to download, the feed and the list of pages: they name every row."""


def test_a_new_submission_changes_its_own_paths_its_board_and_the_lists_alone(root: Path) -> None:
    before = built(root, "site", incremental=True)
    out = root.parent / "site" / "_site"
    written = times(out)
    # Below the best one, so that what examples show first stays.
    add(root, "new-team", "2026-03-01", "sly-team/payloads")
    after = built(root, "site", incremental=True)
    assert after == built(root, "cold")
    assert before.keys() <= after.keys()
    new = after.keys() - before.keys()
    assert {path for path in new if not own(path)} == set()
    assert {path.rpartition("/")[2] for path in new} >= {
        "index.html", "0.shard", "outcomes.json", "result.json", "badge.svg", "cite.bib"}
    changed = {path for path, content in before.items() if after[path] != content}
    assert {path for path in changed if not of_its_board(path)} == LISTS
    assert {path for path, time in times(out).items() if written.get(path) != time} == changed | new


def test_examples_change_if_a_new_submission_is_shown_first(root: Path) -> None:
    before = built(root, "site", incremental=True)
    score_all(root)
    path = root / "submissions" / "tiny" / "reference" / "null" / "predictions.dev.tsv"
    told = path.read_text("utf-8")
    gold = "".join(f"{item[2]}\t{item[3]}\n" for item in GOLD)
    assert told != gold
    add(root, "new-team", "2026-03-01")
    new = root / "submissions" / "tiny" / "new-team" / "later" / "predictions.dev.tsv"
    new.write_text(gold, "utf-8")
    score_all(root)
    after = built(root, "site", incremental=True)
    assert after == built(root, "cold")
    pages = [f"boards/tiny/dev/{number}/index.html" for number in range(1, len(GOLD) + 1)]
    assert all(after[page] != before[page] for page in pages)


@pytest.mark.parametrize("theme", ["plain", "material"])
def test_the_same_input_again_writes_nothing(root: Path, theme: str) -> None:
    cold = built(root, "site", incremental=True, theme=theme)
    out = root.parent / "site" / "_site"
    written = times(out)
    assert built(root, "site", incremental=True, theme=theme) == cold
    assert times(out) == written


def test_what_somebody_did_to_the_folder_is_undone(root: Path) -> None:
    cold = built(root, "site", incremental=True)
    out = root.parent / "site" / "_site"
    (out / "boards/tiny/dev/1/index.html").write_text("x", "utf-8")
    (out / "data/tiny/dev/gold/0.shard").unlink()
    (out / "index.html").write_text("x" * len(cold["index.html"]), "utf-8")
    (out / "stray" / "deep").mkdir(parents=True)
    (out / "stray" / "deep" / "file").write_text("x", "utf-8")
    assert built(root, "site", incremental=True) == cold
    assert not (out / "stray").exists()


def test_a_withdrawn_submission_leaves_no_file(root: Path) -> None:
    before = built(root, "site", incremental=True)
    add(root, "new-team", "2026-03-01")
    built(root, "site", incremental=True)
    for folder in ("submissions", "results"):
        shutil.rmtree(root / folder / "tiny" / "new-team")
    assert built(root, "site", incremental=True) == before
    assert not (root.parent / "site" / "_site/data/tiny/dev/new-team--later").exists()


def test_another_page_of_ours_or_setting_is_a_new_theme(root: Path) -> None:
    built(root, "site", incremental=True, theme="material")
    page = root / "site" / "about.md"
    page.write_text(page.read_text("utf-8") + "\nA new sentence.\n", "utf-8")
    config = root / "mkdocs.yml"
    config.write_text("site_name: Another name\n", "utf-8")
    after = built(root, "site", incremental=True, theme="material")
    assert b"A new sentence." in after["about/index.html"]
    assert b"Another name" in after["about/index.html"]
    assert after == built(root, "cold", theme="material")


def test_a_theme_with_hooks_or_what_we_do_not_know_is_never_kept(root: Path) -> None:
    kept, wanted = Kept(root / "kept"), Wanted(root, root / "stage", [], [], "")
    assert themes.key("material", wanted, kept)
    for told in ("hooks: [x.py]\n", "INHERIT: other.yml\n", "site_name: !ENV NAME\n", "[1\n", ""):
        (root / "mkdocs.yml").write_text(told, "utf-8")
        assert themes.key("material", wanted, kept) == "", told


def test_what_no_example_needs_any_more_is_not_kept(root: Path) -> None:
    def shards() -> int:
        built(root, "site", incremental=True)
        return sum(path.parent.name != NOTES for path in (root / "home" / PLACE).rglob("*")
                   if path.is_file())

    before = shards()
    add(root, "new-team", "2026-03-01")
    # Its row, what is counted of it, its graphs as a whole, its page.
    assert shards() == before + 4
    for folder in ("submissions", "results"):
        shutil.rmtree(root / folder / "tiny" / "new-team")
    assert shards() == before


def test_nothing_is_kept_and_no_key_made_without_a_folder() -> None:
    kept = Kept()
    assert kept.key("a") == ""
    assert [kept.get("", lambda: b"1"), kept.get("", lambda: b"2")] == [b"1", b"2"]
