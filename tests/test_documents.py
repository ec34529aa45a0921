"""Documentation made from code is up to date, and says everything."""

from __future__ import annotations

from pathlib import Path

from scorer import documents, fields, submission
from scorer.cli import parser
from scorer.commands import VERBS

ROOT = Path(__file__).parent.parent


def test_every_made_piece_is_what_the_code_says_now() -> None:
    assert documents.stale(ROOT) == []  # else: make docs


def test_every_field_of_a_submission_is_in_the_contract() -> None:
    text = (ROOT / "submissions" / "README.md").read_text("utf-8")
    for name in fields.names(submission.META):
        assert f"`{name}`" in text


def test_every_verb_is_in_the_readme_or_the_docs() -> None:
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "submissions" / "README.md",
             *(ROOT / "docs").glob("*.md")]
    text = "".join(path.read_text("utf-8") for path in files)
    for verb in VERBS:
        assert f"scorer {verb.__name__.rpartition('.')[2]} " in text


def test_every_verb_shows_an_example() -> None:
    for verb in VERBS:
        assert "scorer " in verb.EXAMPLE
    assert parser().prog == "scorer"
