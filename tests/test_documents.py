"""Documentation made from code is up to date, and says everything."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from scorer import documents, submission
from scorer.commands import VERBS
from scorer.reading import schema

ROOT = Path(__file__).parent.parent


def test_every_made_piece_is_what_the_code_says_now() -> None:
    assert documents.stale(ROOT) == []  # else: make docs


def test_every_field_of_a_submission_is_in_the_contract() -> None:
    text = (ROOT / "submissions" / "README.md").read_text("utf-8")
    for name in schema.described(submission.Meta)["properties"]:
        assert f"`{name}`" in text


def test_every_verb_is_in_the_readme_or_the_docs() -> None:
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "submissions" / "README.md",
             *(ROOT / "docs").glob("*.md")]
    text = "".join(path.read_text("utf-8") for path in files)
    for verb in VERBS:
        assert f"scorer {verb.name} " in text


def test_the_lines_of_python_in_the_readme_run() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    [code] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})  # noqa: S102 our own README
    assert re.fullmatch(r"0\.\d+ GED\|\S+\n", said.getvalue())


@pytest.mark.claim("The figures of the README's table are those of committed results.")
def test_every_figure_of_the_readme_is_that_of_a_committed_result() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    system, null = (_values("explagraphs", place, "dev") for place in (
        "third-party/max-margin", "reference/null-of-third-party-max-margin"))
    assert f"StCA {100 * null['StCA']:.1f} against {100 * system['StCA']:.1f}" in text
    assert null["G-ROUGE-L"] > system["G-ROUGE-L"]
    assert null["G-BERTScore[minilm-l6]"] > system["G-BERTScore[minilm-l6]"]
    assert null["GED"] < system["GED"]
    copy = _values("anlg", "reference/copy-first", "test")["METEOR"]
    assert f"a METEOR of {100 * copy:.1f};" in text


def _values(board: str, place: str, split: str) -> dict[str, float]:
    document = json.loads((ROOT / "results" / board / place / f"{split}.json").read_bytes())
    return {name: one["value"] for name, one in document["metrics"].items()}


def _documents() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("submissions/*.md")]


def test_every_file_that_the_documentation_names_exists() -> None:
    for path in _documents():
        named = re.findall(r"`((?:scorer|templates|site|tests|docs|locks)/[\w./-]+)`",
                           path.read_text("utf-8"))
        missing = [name for name in named if not (ROOT / name).exists()
                   and not name.startswith("scorer/_")]  # only in a wheel
        assert missing == [], path


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    for path in _documents():
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
            file, _, anchor = target.partition("#")
            if ":" in file:
                continue
            page = path.parent / file if file else path
            assert page.exists(), f"{path}: {target}"
            if anchor and page.suffix == ".md":
                heads = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
                slugs = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
                assert anchor in slugs, f"{path}: {target}"
