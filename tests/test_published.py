"""Numbers published elsewhere: what a board's published.yaml may say, and what ours say."""

import json
import re
import shutil
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
import yaml

from scorer import boards
from scorer.boards import published
from scorer.cli import main
from scorer.core.errors import SubmissionError
from scorer.site.formats import FORMATS
from tests import case_files

ROOT = Path(__file__).resolve().parent.parent
CASES = sorted((ROOT / "tests" / "cases" / "published").iterdir())
SCHEMA = next(one for one in FORMATS if one.name == "published").document()
ALL = {name: published.load(boards.load(name)) for name in boards.known_boards(ROOT / "boards")
       if (ROOT / "boards" / name / published.FILE_NAME).exists()}


def board_with(text: str, folder: Path) -> boards.Board:
    """The board explagraphs with this published.yaml."""
    place = folder / "explagraphs"
    place.mkdir()
    shutil.copy(ROOT / "boards/explagraphs/board.yaml", place)
    (place / published.FILE_NAME).write_text(text, "utf-8")
    return boards.load(place)


def told(board: boards.Board) -> str:
    """What is said of its published.yaml, without the path."""
    try:
        published.load(board)
    except SubmissionError as fault:
        return "".join(f"{line}\n" for line in str(fault).split("\n")[:-1]).replace(
            f"{board.folder / published.FILE_NAME}:", "")
    return ""


def test_a_number_keeps_its_digits_and_is_read_once(tmp_path: Path) -> None:
    case = ROOT / "tests/cases/published/good/published.yaml"
    [source] = published.load(board_with(case.read_text("utf-8"), tmp_path)).sources
    one, people = source.values
    printed = one.printed["G-BLEU precision"]
    assert printed == ("3.80 +- .32", Decimal("3.80"))
    assert [source.value(one, name) for name in one.printed] == [0.872, 0.57, 0.038]
    assert people.human


def test_the_example_of_the_documentation_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs/board.md").read_text("utf-8").partition("## Numbers published")[2]
    [example] = re.findall(r"```yaml\n(.*?)```", text.partition("## Fields")[0], re.DOTALL)
    found = published.load(board_with(example, tmp_path))
    assert (len(found.sources), len(found.listed)) == (1, 1)


def test_board_check_refuses_a_wrong_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = ROOT / "tests/cases/published/out-of-range"
    board = board_with((case / published.FILE_NAME).read_text("utf-8"), tmp_path)
    assert main(["board", "check", str(board.folder), "--home", str(tmp_path)]) == 2
    output = "".join(capsys.readouterr())
    for line in (case / "expected.txt").read_text("utf-8").splitlines():
        assert f"{board.folder / published.FILE_NAME}:{line}" in output


@pytest.mark.parametrize("name", ALL)
def test_the_files_that_ship_fit_the_schema_and_say_where_each_number_stands(name: str) -> None:
    text = (ROOT / "boards" / name / published.FILE_NAME).read_text("utf-8")
    jsonschema.validate(yaml.safe_load(text), SCHEMA, cls=jsonschema.Draft202012Validator)
    for source in ALL[name].sources:
        assert source.place
        if "github.com" in source.url and "/blob/" in source.url:
            assert re.search(r"/blob/[0-9a-f]{40}/", source.url), "a commit, not a branch"


PRINTED = case_files.read("published_numbers.yaml")


@pytest.mark.parametrize("board", PRINTED)
def test_the_published_numbers_are_those_of_the_sources(board: str) -> None:
    assert {source.id for source in ALL[board].sources} == {*PRINTED[board]}
    for source in ALL[board].sources:
        printed = PRINTED[board][source.id]
        assert bool(source.second_hand) == printed.get("second hand", False)
        columns = printed.get("columns", "accuracy").split(", ")
        rows = [f"{row.system}: {' '.join(row.printed[name].text for name in columns)}"
                for row in source.values]
        assert sorted(rows) == sorted(printed["rows"].splitlines())


@pytest.mark.parametrize(("board", "split"), [("graphqa-explagraphs", "dev"),
                                              ("graphqa-explagraphs-random", "test")])
def test_the_finding_of_graphqa_is_what_results_and_sources_say(board: str, split: str) -> None:
    path = ROOT / "results" / board / "reference/relations-only" / f"{split}.json"
    result = json.loads(path.read_bytes())
    relations = f"{100 * result['metrics']['accuracy']['value']:.1f}"
    printed = {row.system: row.printed["accuracy"].text
               for name in ("graphqa-explagraphs", "graphqa-explagraphs-random")
               for source in ALL[name].sources for row in source.values}
    figures = set(re.findall(r"[0-9]+(?:\.[0-9]+)?(?= %)", ALL[board].finding or ""))
    assert figures == {relations, printed["LoRA without a graph"], printed["LoRA with graph text"],
                    printed["ReGraph 8B"]}
