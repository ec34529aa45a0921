"""Texts that a board names itself: of choices, of generated texts and of graphs."""

from collections.abc import Callable
from pathlib import Path

import pytest

import scorer
from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import read_golds
from scorer.boards.prompts.prompt import prompts_of
from scorer.cli import main
from scorer.scoring.reference import applicable
from scorer.site.views.answers.view import AnswerExample
from scorer.site.views.base import practice
from scorer.site.views.registry import view_of
from scorer.tasks.texts.items import Gold, Prediction

ROWS = {
    "anli-practice": ("c-1\tIt rained.\tcause\tClouds came.\tThe sun shone.\t1\n"
                      "c-2\tHe fell.\teffect\tHe sang.\tHe got hurt.\t2\n"),
    "anlg-practice": ("It rained.\tClouds are made of water.\tWater falls.\n"
                      "He fell.\tIce is slippery.\n"),
    "explagraphs-practice": "It rained.\tClouds came.\tBirds sang.\tsupport\t"
                            "(clouds; causes; rain)(rain; causes; wet)(wet; is a; state)\n",
}


def new(folder: Path, like: str, texts: str) -> Board:
    (folder / "data").mkdir()
    (folder / "data" / "dev.tsv").write_text(ROWS[like])
    assert main(["board", "new", "mine", "--like", like, "--texts", texts, "--data",
                 str(folder / "data"), "--boards", str(folder / "boards")]) == 0
    return boards.load(folder / "boards" / "mine")


def items(board: Board) -> tuple[object, ...]:
    return read_golds(board, "dev", board.folder / "data" / "dev.tsv").items


def shown(board: Board, gold: object) -> list[tuple[str, str]]:
    return AnswerExample(view_of(board), board.settings, gold, 1).context()["texts"]  # type: ignore[arg-type]


def test_a_board_of_choices_names_what_is_given(tmp_path: Path) -> None:
    board = new(tmp_path, "anli-practice", "premise,asks_for")
    assert board.task.input_columns == ("story_id", "premise", "asks_for", "hyp1", "hyp2")
    gold = [line.split("\t") for line in ROWS["anli-practice"].splitlines()]
    assert scorer.score([("1",), ("1",)], gold, board=board).metrics["accuracy"].value == 0.5
    assert not prompts_of(board), "those that ship speak of observations"
    assert shown(board, items(board)[0]) == [("premise", "It rained."), ("asks for", "cause")]


@pytest.mark.parametrize("given", [("a",), ("a", "b", "c")])
def test_a_choice_may_be_given_any_number_of_texts(tmp_path: Path, given: tuple[str, ...]) -> None:
    gold = Gold(given, ("one", "two"), "2", ids=("s",))
    assert gold.texts == ("s", *given, "one", "two")
    task = boards.load("anli-practice").task
    settings = task.with_texts(given)
    assert task.endings(gold.texts).context == " ".join(given)
    named = {name for name, one in task.baselines.items() if one.fits(settings)}
    assert named == {"random", "majority", "hypothesis-only", "fully-connected"}


def test_a_board_of_texts_may_be_given_one(tmp_path: Path) -> None:
    board = new(tmp_path, "anlg-practice", "fact")
    assert board.settings.null == "fact"
    [first, second] = items(board)
    assert (first.texts, first.references) == (  # type: ignore[attr-defined]
        ("It rained.",), ("Clouds are made of water.", "Water falls."))
    assert board.task.null(second, Prediction()).text == "He fell."
    assert not applicable(board, board.task.baselines["copy-second"], "dev")
    found = scorer.score([("Ice is slippery.",)], [("He fell.", "Ice is slippery.")], board=board,
                         metrics=["ROUGE-L"])
    assert found.metrics["ROUGE-L"].value == 1.0


def test_a_board_of_graphs_may_have_another_number_of_texts_without_concept_rules(
    tmp_path: Path,
) -> None:
    board = new(tmp_path, "explagraphs-practice", "premise,first,second")
    assert {text.name: text.concepts for text in board.settings.texts} == {
        "premise": 0, "first": 0, "second": 0}
    assert len(items(board)) == 1


def test_names_that_no_column_may_have_are_refused(
    tmp_path: Path, fails: Callable[..., None],
) -> None:
    (tmp_path / "dev.tsv").write_text(ROWS["anlg-practice"])
    fails(2, "a lower-case name", "board", "new", "mine", "--like", "anlg-practice", "--texts",
          "The fact", "--data", str(tmp_path), "--boards", str(tmp_path / "boards"))


def test_boards_that_name_nothing_have_the_columns_of_art() -> None:
    for name in ("anli-practice", "anlg-practice"):
        board, golds = practice(name)
        assert {"obs1", "obs2"} <= {*board.task.input_columns}
        assert board.settings.given == ("obs1", "obs2")
        assert [name for name, _ in shown(board, golds[0])] == ["before", "after"]
