"""The handbook: whole in the wheel, true to the program, and about files that its readers have."""

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scorer.cli import main, parser
from scorer.core.package_data import HANDBOOK, handbook, path
from scorer.people.sheets import TEXTS as RULES
from scorer.pipeline.adopting import repository
from scorer.site import theme

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


# ---- what is printed ---------------------------------------------------------------------------


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


# ---- what is said ------------------------------------------------------------------------------


def commands(text: str) -> Iterator[list[str]]:
    """Every call of the program that a page shows, in a block of shell or in a line."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").split("\n")]
    lines += re.findall(r"`(scorer [a-z][^`<]*)`", text)
    for line in lines:
        if "scorer " in line:
            yield from _calls(line)


def _calls(line: str) -> Iterator[list[str]]:
    """The calls of a line, without what leads their output elsewhere."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    call: list[str] = []
    for word in [*lexer, ";"]:
        if set(word) <= set("&|;<>()"):
            while call and re.fullmatch(r"[A-Z_]+=\S*", call[0]):
                call.pop(0)
            if call[:1] == ["scorer"]:
                yield call[1:]
            call = []
        else:
            call.append(word)


taken = cache(parser)


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_of_a_page_is_one_that_the_program_takes(name: str) -> None:
    for words in commands(TEXTS[name]):
        # A verb with its action is meant, not a call: `scorer gold seal` needs more.
        if "..." in words or len(words) == 1 or (len(words) == 2 and words[1][0] != "-"):
            continue
        try:
            _, unknown = taken().parse_known_args(words)
        except SystemExit:
            pytest.fail(f"{name}: scorer {' '.join(words)}")
        assert not unknown, f"{name}: scorer {' '.join(words)}"


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


# ---- on the site -------------------------------------------------------------------------------


def test_a_page_of_the_site_has_no_link_to_what_is_not_there(tmp_path: Path) -> None:
    theme.stage_handbook(tmp_path)
    staged = {file.name for file in (tmp_path / theme.HANDBOOK).iterdir()}
    assert staged == {"index.md", *(f"{name}.md" for name in (*HANDBOOK, *theme.MOVED))}
    for name in staged:
        text = (tmp_path / theme.HANDBOOK / name).read_text("utf-8")
        assert text.startswith('---\ntitle: "')
        assert "<!--" not in text
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            if "://" not in target:
                there = (tmp_path / theme.HANDBOOK / target, path("site") / "host" / target)
                assert any(place.exists() for place in there), f"{name}: {target}"
