"""A choice and why: files of two columns, the joint score, the null, e-CARE and its evaluator."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import scorer
from scorer import boards
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.files import sha256
from scorer.core.reading.tsv import Problems, Row
from scorer.metrics.bleu import letter_bleu
from scorer.metrics.rouge import recall
from scorer.tasks.explained_choices import baselines
from scorer.tasks.explained_choices.explained_items import Prediction, Settings
from scorer.tasks.explained_choices.task import ExplainedChoices
from scorer.tasks.text_items import Gold

BOARD = "explained-practice"
PRACTICE = boards.load(BOARD)
SETTINGS = Settings(given=("premise", "asks_for"), choices=("first", "second"), null="premise")
TASK = ExplainedChoices(SETTINGS)
INPUT = ("It rained.", "effect", "The street is wet.", "The street is new.")
GOLD = Gold(INPUT[:2], INPUT[2:], "1", ("Rain is water.", "Water makes things wet."))


def items(split: str = "dev") -> tuple[Gold, ...]:
    path = PRACTICE.data_file(split, Path("nowhere"))
    assert path is not None
    return read_golds(PRACTICE, split, path).items


def scored(*rows: tuple[str, str], metrics: tuple[str, ...] = ()) -> Any:
    """The metrics of rows against items whose hypothesis 1 is right."""
    golds = [[*INPUT, "1", GOLD.references[0]] for _ in rows]
    return scorer.score([list(row) for row in rows], golds, board=PRACTICE, null=True,
                        metrics=metrics or ("joint-ROUGE-L", "accuracy", "ROUGE-L")).metrics


# ---- scores --------------------------------------------------------------------------------------


def test_an_explanation_counts_for_the_joint_score_where_the_choice_is_right() -> None:
    found = scored(("1", "Rain is water."), ("2", "Rain is water."), ("1", "No idea"),
                   ("-", "Rain is water."))
    assert found["accuracy"].value == 2 / 4
    assert found["ROUGE-L"].value == 3 / 4
    assert found["joint-ROUGE-L"].value == 1 / 4


def test_the_null_takes_the_same_choice_and_copies_the_premise() -> None:
    assert TASK.null(GOLD, Prediction("2", "Why not?")) == Prediction("2", "It rained.")
    found = scored(("1", "Rain is water."), ("2", "Rain is water."))
    assert (found["accuracy"].null, found["joint-ROUGE-L"].null) == (1 / 2, 0)


def test_every_explanation_of_gold_counts_and_pairs_of_words_are_compared() -> None:
    assert TASK.gold_count(GOLD) == 2
    assert TASK.first_golds(GOLD, 1).references == GOLD.references[:1]
    first, _ = TASK.gold_contents(GOLD)
    assert (first.label, first.units) == ("1", (("rain", "is"), ("is", "water.")))
    assert TASK.gold_predictions(GOLD) == [
        Prediction("1", text) for text in GOLD.references]


def test_letters_stand_for_words_in_e_care_s_bleu() -> None:
    [one, other] = letter_bleu([("abcde", ("abcd",)), ("abcd", ("xyz", "abcde"))])
    # 4/5 of the letters, 3/4, 2/3 and 1/2 of the runs; and a text too short: exp(1 - 5/4).
    assert one.value == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4))
    assert other.value == pytest.approx(2.718281828459045 ** (1 - 5 / 4))


@pytest.mark.parametrize(("text", "reference", "value"), [
    ("", "a b", 0), ("...", "a b", 0), ("a b", "...", 0), ("a b c", "b c", 1),
    ("a. b", "a b. c", 2 / 3), ("a a", "a a b", 1 / 2), ("A b", "a b", 1 / 2), (" ", " ", 1),
])
def test_recall_is_over_different_words_sentence_by_sentence(
    text: str, reference: str, value: float
) -> None:
    assert recall(text, reference) == value


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "told"), [
    ("1\n", ":1:1 TSV-COLUMNS "),
    ("0\tx\n", ":1:1 TSV-LABEL "),
    ("x\t" + "y " * 201, ":1:3 ART-LONG "),
])
def test_a_fault_of_either_column_is_told_with_its_place(
    content: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.tsv"
    file.write_text(content, "utf-8")
    assert main(["check", str(file), "--board", BOARD]) == 2
    assert told in "".join(capsys.readouterr())


def test_no_label_and_no_text_are_told_and_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.tsv"
    file.write_text("-\tx\n1\t\n" + "1\ty\n" * 22, "utf-8")
    assert main(["check", str(file), "--board", BOARD, "--split", "dev"]) == 0
    said = "".join(capsys.readouterr())
    assert ":1:1 TSV-NO-ANSWER no label in 1 of 24 rows (line 1)" in said
    assert ":2:3 ART-EMPTY 1 of 24 texts empty (line 2)" in said


@pytest.mark.parametrize(("fields", "told"), [
    ((*INPUT, "3", "x"), ["label '3'"]), ((*INPUT, "1", " "), ["an empty column"]),
    (("", *INPUT[1:], "0", "x"), ["an empty column", "label '0'"]),
])
def test_gold_without_a_text_or_a_label_is_refused(fields: Any, told: list[str]) -> None:
    problems = Problems("gold.tsv")
    assert TASK.read_gold(Row(1, fields), problems) is None
    assert [one.found for one in problems.kept] == told


@pytest.mark.parametrize(("change", "found"), [
    ({"choices": ("first", "label")}, "two columns label"),
    ({"given": ("premise", "first")}, "two columns first"),
    ({"null": "first"}, "the null first"),
])
def test_settings_that_do_not_fit_together_are_named(change: dict[str, Any], found: str) -> None:
    assert TASK.misfits([]) == []
    changed = ExplainedChoices(replace(SETTINGS, **change))
    assert [one.found for one in changed.misfits([])] == [found]


def test_a_board_of_other_texts_is_made_like_the_practice_board(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.tsv").write_text(
        "Cats purr.\tThey are content.\tThey are cold.\t1\tPurring is calm.\tCats feel.\n", "utf-8")
    assert main(["board", "new", "mine", "--like", BOARD, "--texts", "fact", "--data",
                 str(tmp_path / "data"), "--boards", str(tmp_path)]) == 0
    settings = boards.load(tmp_path / "mine").settings
    assert (settings.given, settings.null, settings.most_references) == (("fact",), "fact", 2)


# ---- reference rows ------------------------------------------------------------------------------


def test_the_practice_items_are_as_the_datasheet_says() -> None:
    for split, count in (("train", 12), ("dev", 24)):
        golds = items(split)
        assert Counter(gold.label for gold in golds) == {"1": count / 2, "2": count / 2}
        assert Counter(gold.given[1] for gold in golds) == {"cause": count / 2, "effect": count / 2}


def test_no_row_explains_an_item_by_its_own_explanation() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    golds = items()
    for name in ("majority", "word-overlap", "other-explanation"):
        answers = baselines.BASELINES[name].predict(PRACTICE.settings, [], golds)
        assert len(answers) == len(golds)
        assert all(answer.text not in gold.references
                   for answer, gold in zip(answers, golds, strict=True)), name


def test_frequent_words_say_one_thing_of_all_items_in_the_order_of_most_explanations() -> None:
    train = [replace(items("train")[0], references=(text,))
             for text in ("rain is wet", "snow is cold", "the rain is wet and so is the river")]
    found = baselines.frequent_words(SETTINGS, train, items())
    # is: 3 texts; rain, wet: 2; the, snow, cold, and, so: the first of those with 1. Mean places of
    # rain: (0 + 1/9) / 2; is: (1/3 + 1/3 + 2/9) / 3 = .30; wet: (2/3 + 3/9) / 2 = .50.
    assert {one.text for one in found} == {"snow the rain is and wet so cold"}
    assert [one.label for one in found] == [gold.label for gold in items()]


def test_word_overlap_takes_the_hypothesis_of_which_more_words_are_given() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    asked = [Gold(("A cat purrs.", "effect"), ("It rains.", "The cat purrs on."), "1", ("Why?",)),
             Gold(("A cat purrs.", "effect"), ("One cat.", "A dog barks."), "1", ("Why?",)),
             Gold(("A cat purrs.", "effect"), ("Rain.", "Snow."), "1", ("Why?",))]
    found = baselines.word_overlap(SETTINGS, items("train"), asked)
    assert [answer.label for answer in found] == ["2", "1", "1"]


# ---- e-CARE --------------------------------------------------------------------------------------


# Made by `python -m tests.e_care_evaluator FOLDER`, which runs the evaluator itself.
RELEASED = {
    "other-explanation": (1.0, 0.04883868033730218, 0.039105682384428936),
    "premises": (0.5, 0.2483168704637462, 0.15262187941576122),
}


@pytest.mark.claim("Accuracy, BLEU of letters and ROUGE-L recall equal e-CARE's own evaluator.")
@pytest.mark.slow
def test_e_care_is_made_of_its_file_and_scored_as_its_evaluator_does(
    outside: Path, tmp_path: Path
) -> None:
    where = ["--home", str(tmp_path)]
    assert main(["data", "fetch", "e-care", "--from", str(outside / "e-care"), *where]) == 0
    board = boards.load("e-care")
    path = board.data_file("dev", tmp_path)
    assert path is not None
    assert sha256(path.read_bytes()) == board.splits["dev"].sha256
    golds: tuple[Gold, ...] = read_golds(board, "dev", path).items
    rows = {"other-explanation": baselines.other_explanation(board.settings, [], golds),
            "premises": [Prediction("1", gold.given[0]) for gold in golds]}
    metrics = ("accuracy", "BLEU-letters", "ROUGE-L-recall")
    for name, answers in rows.items():
        found = scorer.score(
            [[answer.label, answer.text] for answer in answers],
            [[*gold.texts, gold.label, *gold.references] for gold in golds],
            board=board, metrics=metrics).metrics
        assert [found[metric].value for metric in metrics] == pytest.approx(RELEASED[name])
