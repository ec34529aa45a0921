"""A choice and why: the joint score, the null, metrics of letters and of recall, e-CARE."""

from pathlib import Path

import pytest

import scorer
from scorer import boards
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.files import sha256
from scorer.core.reading.tsv import Row
from scorer.core.records import Finding
from scorer.metrics.bleu import letter_bleu
from scorer.metrics.rouge import recall
from scorer.tasks.texts import rows as baselines
from scorer.tasks.texts.items import Gold, Prediction

BOARD = "explained-practice"
PRACTICE = boards.load(BOARD)
GOLD = Gold(("It rained.", "effect"), ("The street is wet.", "The street is new."), "1",
            ("Rain is water.", "Water makes things wet."))


def test_every_explanation_of_gold_counts_and_pairs_of_words_are_compared() -> None:
    task = PRACTICE.task
    assert task.gold_count(GOLD) == 2
    assert task.first_golds(GOLD, 1).references == GOLD.references[:1]
    first, _ = task.gold_contents(GOLD)
    assert (first.label, first.units) == ("1", (("rain", "is"), ("is", "water.")))
    assert task.gold_predictions(GOLD) == [Prediction("1", text) for text in GOLD.references]


def test_a_missing_label_and_an_empty_text_lie_in_their_own_columns() -> None:
    for rule, column in (("TSV-NO-ANSWER", 1), ("ART-EMPTY", 3)):
        assert PRACTICE.task.column(Row(1, ("-", "")), Finding(rule, "")) == column


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


def test_a_board_of_other_texts_is_made_like_the_practice_board(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.tsv").write_text(
        "Cats purr.\tThey are content.\tThey are cold.\t1\tPurring is calm.\tCats feel.\n", "utf-8")
    assert main(["board", "new", "mine", "--like", BOARD, "--texts", "fact", "--data",
                 str(tmp_path / "data"), "--boards", str(tmp_path)]) == 0
    settings = boards.load(tmp_path / "mine").settings
    assert (settings.given, settings.null, settings.most_references) == (("fact",), "fact", 2)


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
