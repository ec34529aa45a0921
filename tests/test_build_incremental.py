"""A build that keeps what it drew gives the same bytes, and draws only what is new."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.website.build import build
from scorer.website.graphs import example
from scorer.website.incremental import PLACE, Kept
from tests.browser.tiny_site import GOLD, PREDICTIONS, make_root, score_all

pytestmark = pytest.mark.site


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def built(root: Path, name: str, incremental: bool = False) -> dict[str, bytes]:
    out = root.parent / name / "_site"
    build(root, out, home=root / "home", theme="plain", incremental=incremental)
    return files(out)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path / "root")


def add(root: Path, team: str, date: str) -> None:
    """One more submission, which says what fair-team says, on another day."""
    new = root / "submissions" / "tiny" / team / "later"
    shutil.copytree(root / "submissions" / "tiny" / "fair-team" / "chains", new)
    meta = new / "submission.yaml"
    meta.write_text(meta.read_text("utf-8").replace("2026-02-01", date), "utf-8")
    score_all(root)


def test_kept_files_give_the_bytes_of_a_cold_build(root: Path) -> None:
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


def test_only_the_new_submission_is_drawn(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(root, "before", incremental=True)
    add(root, "new-team", "2026-03-01")
    drawn: list[str] = []
    real = example.Stage.card
    monkeypatch.setattr(example.Stage, "card",
                        lambda self, entry: (drawn.append(entry.team), real(self, entry))[1])
    built(root, "after", incremental=True)
    assert drawn == ["new-team"] * len(GOLD)


def test_what_no_example_needs_any_more_is_not_kept(root: Path) -> None:
    kept = root / "home" / PLACE
    built(root, "before", incremental=True)
    before = len(files(kept))
    assert before == len(PREDICTIONS) + 2  # and gold, and the pages: all fit in one chunk
    add(root, "new-team", "2026-03-01")
    built(root, "after", incremental=True)
    assert len(files(kept)) == before + 1


def test_nothing_is_kept_and_no_key_made_without_a_folder() -> None:
    kept = Kept()
    assert kept.key("a") == ""
    assert [kept.get("", lambda: b"1"), kept.get("", lambda: b"2")] == [b"1", b"2"]
