"""The commands that README.md and the pages of docs and site print: run, or known to need more."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scorer.cli import main, parser
from tests import case_files
from tests.test_recipes import COPIED, run

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("submissions/*.md"),
         *ROOT.glob("docs/*.md"), *ROOT.glob("site/**/*.md"))
CASES = case_files.read("printed.yaml")
RUN, WALKED, NEEDS = CASES["runs"], CASES["walked"], CASES["needs"]
NAMED = ("explagraphs", "explagraphs-practice")
"""The boards that commands name which run here."""
OURS = f"submissions/{NAMED[1]}/my-team/my-system"


def printed(page: Path) -> Iterator[list[str]]:
    """The calls of the program on a page, in blocks of shell and in lines; two words that nobody
    runs are the name of a verb."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").split("\n")]
    for line in [*lines, *re.findall(r"`(scorer [a-z][^`<]*)`", text)]:
        for words in _calls(line) if "scorer " in line else ():
            if len(words) > 2 or words[-1].startswith("-") or _runs(words):
                yield words


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


def _runs(words: list[str]) -> bool:
    """Whether a test here runs such a call, on whatever page it stands."""
    return shlex.join(words).startswith(tuple(one for calls in RUN.values() for one in calls))


taken = cache(parser)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_printed_command_runs_in_a_test_or_needs_what_a_test_lacks(page: Path) -> None:
    for words in printed(page):
        call = shlex.join(words).replace("'", "")
        if "..." not in words:
            assert taken().parse_known_args(words)[1] == [], f"{name(page)}: {call}"
        if name(page) in WALKED or _runs(words):
            continue
        assert any(re.search(pattern, call) for pattern in NEEDS.values()), f"{name(page)}: {call}"


def test_the_pages_that_tests_walk_are_named_in_those_tests() -> None:
    for page, test in WALKED.items():
        stem = Path(page).parent.name if page.startswith("site") else Path(page).stem
        assert stem in (ROOT / f"tests/{test}.py").read_text("utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed repository with the boards that the commands name, and their results."""
    root = tmp_path_factory.mktemp("printed")

    def others(folder: str, names: list[str]) -> set[str]:
        listed = Path(folder).parent == ROOT and Path(folder).name in (
            "boards", "submissions", "results")
        return {name for name in names if name == "__pycache__" or (
            listed and (Path(folder) / name).is_dir() and name not in NAMED)}

    for folder in (*COPIED, "mkdocs.yml"):
        source, target = ROOT / folder, root / folder
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=others)
        else:
            shutil.copy(source, target)
    (root / "boards" / "site.yaml").write_text("schema: 1\nboards: [explagraphs]\n", "utf-8")
    run("git init -q && git add . && git -c user.name=Me -c user.email=me@example.org "
        "commit -qm Begin", root)
    return root


def _filled(root: Path) -> None:
    """What a submitter writes into the folder that ``scorer new`` made."""
    theirs = root / "submissions/explagraphs-practice/reference/edited-gold"
    for split in ("dev", "test"):
        shutil.copy(theirs / f"predictions.{split}.tsv", root / OURS)
    (root / OURS / "submission.yaml").write_text(
        "system: Mine\nteam: My team\ndate: 2026-11-22\ndescription: Edited gold.\n"
        "training_data: None.\nsaw_dev_gold: yes\n", "utf-8")


@pytest.mark.slow
@pytest.mark.site
@pytest.mark.claim("What README.md and the handbook print runs, or says what it needs.")
@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_run_as_they_stand(
    page: str, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "exports" in page:
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(copy)
    monkeypatch.delenv("WHYBOARD_HOME", raising=False)
    calls = dict.fromkeys(shlex.join(words) for words in printed(ROOT / page))
    ran = [call for call in calls if call.startswith(tuple(RUN[page]))
           # a file that nobody has handed in here
           and not call.startswith("annotations validate annotations/")]
    assert len(ran) >= len(RUN[page])
    for call in ran:
        assert main(shlex.split(call)) == 0, call
        if call.startswith("new "):
            _filled(copy)
