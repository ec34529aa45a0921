"""aNLI: accuracy, what is counted beside it, and reference rows."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import scorer
from scorer import boards
from scorer.boards.golds import gold_files, read_golds
from scorer.core.errors import UsageError
from scorer.models.registry import Models
from scorer.scoring.submissions import Scorer
from scorer.tasks.anli.anli_items import FORMS, Prediction, encoded, slices_of
from scorer.tasks.baselines import answered
from scorer.tasks.text_items import CUES, Gold
from tests.fakes import LetterEncoder

BOARD = boards.load("anli-practice")
ITEM = Gold(("Ann lost a sock.", "She wore one shoe."), ("The sock was one.", "A dog ate it."), "2",
            ids=("s",))


@given(some.lists(some.tuples(*[some.sampled_from("12")] * 2), min_size=1, max_size=30))
def test_accuracy_and_confusion_are_counts_of_equal_lines(pairs: list[tuple[str, str]]) -> None:
    rows = [(f"s{n}", "a", "b", "c", "d", gold) for n, (gold, _) in enumerate(pairs)]
    result = scorer.score([(label,) for _, label in pairs], rows, board=BOARD)
    equal = sum(gold == label for gold, label in pairs)
    assert result.metrics["accuracy"].value == equal / len(pairs)
    assert result.counts["right"] == equal
    assert result.counts["confusion"] == {gold: {label: pairs.count((gold, label))
                                                 for label in "12"} for gold in "12"}


@pytest.mark.parametrize(("gold", "predictions", "accuracy"), [
    ("1\n2\n1\n", "1\n2\n2", 2 / 3),  # labels alone, as the official evaluator takes them
    ("s-0\ta\tb\tc\td\t1\ns-1\ta\tb\tc\td\t2\n", "story_id\tlabel\ns-1\t2\ns-0\t2\n", 1 / 2),
])
def test_gold_is_a_file_of_labels_or_of_the_boards_columns(
    gold: str, predictions: str, accuracy: float, tmp_path: Path
) -> None:
    for name, content in (("gold", gold), ("p", predictions)):
        (tmp_path / name).write_text(content)
    found = gold_files(BOARD, {"gold": tmp_path / "gold"})
    result = Scorer(Models(allowed=False), tmp_path).file(BOARD, tmp_path / "p", "given", found)
    assert result.metrics["accuracy"].value == accuracy
    assert any(counts["items"] for counts in result.counts["slices"].values()) == ("a" in gold)
    with pytest.raises(UsageError, match="one file: name it with --gold"):
        gold_files(BOARD, {"source": tmp_path / "gold", "references": tmp_path / "gold"})


def test_an_item_is_in_the_slices_of_its_words_and_of_its_cues() -> None:
    # The right one, "A dog ate it.", has as many words and shares one of four, the other two.
    assert slices_of(BOARD.settings, ITEM) == ["as-long", "right-shares-less"]
    other = Gold(("Ann was glad.", "She left."), ("She ran under the bridge.", "It rained."), "1")
    assert slices_of(BOARD.settings, other) == [
        "spatial", "emotional", "right-is-longer", "right-shares-more"]
    verdicts = [BOARD.task.verdict(ITEM, Prediction(label)) for label in "212"]
    counts = BOARD.task.tally([ITEM] * 3, verdicts)["slices"]
    assert (counts["as-long"], counts["numerical"]) == (
        {"items": 3, "right": 2}, {"items": 0, "right": 0})


@pytest.mark.parametrize(("split", "rows"), [("train", 24), ("dev", 48)])
def test_the_practice_items_are_as_the_datasheet_says(split: str, rows: int) -> None:
    golds = read_golds(BOARD, split, BOARD.folder / f"data/{split}.tsv").items
    assert len({gold.ids for gold in golds}) == rows
    assert [gold.label for gold in golds].count("1") == rows / 2
    assert all(len({*gold.texts}) == 5 for gold in golds)
    lengths = [len(gold.hypotheses[0].split()) - len(gold.hypotheses[1].split()) for gold in golds]
    counts = (sum(n > 0 for n in lengths), sum(n < 0 for n in lengths), lengths.count(0))
    assert " / ".join(map(str, counts)) in (BOARD.folder / "DATASHEET.md").read_text("utf-8")
    for cues in (CUES[:3], CUES[3:]):
        assert all(len({*cues} & {*slices_of(BOARD.settings, gold)}) == 1 for gold in golds)


# ---- reference rows ------------------------------------------------------------------------------


@given(some.integers(0, 12), some.integers(2, 40))
def test_nobody_answers_what_was_learned_from(train: int, items: int) -> None:
    def fit(known: list[int]) -> object:
        return lambda asked: [(place, place in known) for place in asked]

    found = answered(fit, train, items)  # type: ignore[arg-type]
    assert found == [(place, False) for place in range(train, train + items)]


def test_inputs_have_the_forms_of_the_paper_and_of_the_released_code() -> None:
    one = Gold(("O1", "O2"), ("h", "x"), "1")
    assert {name: form(one, "h") for name, (_, _, form) in FORMS.items()} == {
        "hypothesis-only": ("h",), "first-observation": ("O1 [SEP] h",),
        "second-observation": ("h [SEP] O2",), "linear-chain": ("O1 [SEP] h", "h [SEP] O2"),
        "fully-connected": ("O1 O2 [SEP] h",), "fully-connected-released": ("O1 h [SEP] O2",)}


def test_a_sign_in_the_hypotheses_is_learned_and_their_order_is_not() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    train = [Gold(("o", "o"), ("yes", "no"), "1"), Gold(("o", "o"), ("maybe", "yes"), "2")] * 3
    asked = [Gold(("o", "o"), ("no", "yes"), "1"), Gold(("o", "o"), ("yes", "no"), "2")]
    found = encoded(BOARD, train, asked, encoder=LetterEncoder(), form=FORMS["hypothesis-only"][2])
    assert [answer.label for answer in found] == ["2", "1"]
