"""The handbook: whole in the wheel, true to the program, and about files that its readers have."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.core.package_data import HANDBOOK, handbook
from scorer.people.sheets import TEXTS as RULES
from scorer.pipeline.adopting import repository

ROOT = Path(__file__).resolve().parent.parent
TEXTS = {**{name: handbook(name) for name in ("README", *HANDBOOK)},
         **{name: (ROOT / "site" / name / "index.md").read_text("utf-8")
            for name in ("host", "annotators", "organisers")}}
FOR_ADOPTERS = ("README", "host", "run-a-board", "hidden-gold", "errata")
"""Pages that tell somebody with a repository of boards alone what to do."""


def test_the_first_page_leads_to_every_page_in_order() -> None:
    assert tuple(re.findall(r"^\| \[[^]]+\]\(([\w-]+)\.md\)", handbook(), re.M)) == HANDBOOK


def test_the_wheel_has_every_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    included = {name for name in wheel["only-include"] if name.startswith("docs/")}
    assert included == {f"docs/{name}.md" for name in ("README", *HANDBOOK)}
    assert wheel["sources"]["docs"] == "scorer/_repository/docs"


def test_the_program_prints_its_handbook(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["handbook"]) == 0
    assert capsys.readouterr().out == handbook()
    assert main(["handbook", "run-a-board"]) == 0
    assert capsys.readouterr().out.startswith("# Run a board\n")
    with pytest.raises(SystemExit):
        main(["handbook", "no-such-page"])
    assert "choose from" in capsys.readouterr().err


def messages() -> Iterator[tuple[Path, str]]:
    """Every text of the program that is not about its code and may name a page."""
    for source in (ROOT / "scorer" / "pipeline" / "adopting" / "files").iterdir():
        yield source, source.read_text("utf-8")
    for source in sorted((ROOT / "scorer").rglob("*.py")):
        text = source.read_text("utf-8")
        nodes = [*ast.walk(ast.parse(text))] if "docs/" in text or "handbook" in text else []
        about = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        yield from ((source, node.value) for node in nodes if isinstance(node, ast.Constant)
                    and isinstance(node.value, str) and id(node) not in about)


@pytest.mark.slow
def test_messages_name_the_handbook_s_pages_and_no_file_that_the_wheel_has_not() -> None:
    texts = [(source, text) for source, text in messages()
             if source != ROOT / "scorer/documents.py"]
    assert not [f"{source.relative_to(ROOT)}: {text[:80]}" for source, text in texts
                if re.search(r"\bdocs/[\w-]+\.md", text)]
    named = {name for _, text in texts
             for name in re.findall(r"scorer handbook ([\w-]+)", text)}
    assert {"run-a-board", "hidden-gold", "judges"} <= named <= set(HANDBOOK)


def test_every_rule_of_annotators_that_a_page_names_is_one() -> None:
    named = {rule for text in TEXTS.values() for rule in re.findall(r"`(ANN-[A-Z-]+)`", text)}
    assert named
    assert named <= {name.partition(" ")[0] for name in RULES}


def test_adopters_are_told_of_no_file_that_they_have_not(tmp_path: Path) -> None:
    repository.init(tmp_path, "My benchmark")
    have = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*")
            if file.is_file()}
    tops = {name.partition("/")[0] for name in have} | {
        "results", "gold", "templates", "data"}
    for name in FOR_ADOPTERS:
        for found in re.findall(r"`(\.?[\w.-]+/[\w./-]*)`", TEXTS[name]):
            top = found.partition("/")[0]
            assert top in tops, f"{name}: {found}"
            if top in (".github", "locks"):
                assert any(file.startswith(found) for file in have), f"{name}: {found}"
