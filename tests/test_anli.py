"""aNLI: the official number for every file that is accepted, and a line for every fault."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import scorer
from scorer import boards
from scorer.boards.golds import read_golds
from scorer.core.errors import SubmissionError, UsageError
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.scoring.checking import CheckReport, check_file
from scorer.scoring.submissions import Scorer, gold_files
from scorer.tasks.anli.anli_items import Prediction, slices_of
from scorer.tasks.anli.baselines import BASELINES, FORMS, encoded
from scorer.tasks.baselines import answered
from scorer.tasks.text_items import CUES, Gold
from tests.fakes import LetterEncoder

BOARD = boards.load("anli-practice")
ITEM = Gold(("Ann lost a sock.", "She wore one shoe."), ("The sock was one.", "A dog ate it."), "2",
            ids=("s",))


def item(label: str, number: int = 0) -> Gold:
    return Gold(("a", "b"), ("c", "d"), label, ids=(f"s-{number}",))


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def scored(folder: Path, predictions: bytes, gold: bytes = b"1\n2\n1\n") -> Result:
    """What ``scorer score predictions --board anli-practice --gold labels.lst`` finds."""
    found = gold_files(BOARD, {"gold": write(folder, "labels.lst", gold)})
    path = write(folder, "predictions.lst", predictions)
    return Scorer(Models(allowed=False), folder).file(BOARD, path, "given", found)


def faults(folder: Path, predictions: bytes) -> list[str]:
    with pytest.raises(SubmissionError) as raised:
        scored(folder, predictions)
    return [f"{problem.line}:{problem.column} {problem.rule}" for problem in raised.value.problems]


# ---- the official evaluator ----------------------------------------------------------------------


@pytest.mark.parametrize(("predictions", "accuracy"), [
    (b"1\n2\n1", 1.0),
    (b" 1\r\n2 \r\n1\r\n", 1.0),
    (b"2\n2\n2\n", 1 / 3),
])
def test_a_file_that_is_accepted_gets_the_official_number(
    predictions: bytes, accuracy: float, tmp_path: Path
) -> None:
    assert scored(tmp_path, predictions).metrics["accuracy"].value == accuracy


SWALLOWED: dict[bytes, list[str]] = {
    # The official evaluator counts these lines as wrong without a word.
    b"0\n1\n0\n": ["1:1 TSV-LABEL", "3:1 TSV-LABEL"],
    b"1.0\n2\n1\n": ["1:1 TSV-LABEL"],
    b"1\nfoo\n1\n": ["2:1 TSV-LABEL"],
    b"1\n\n1\n": ["2:1 TSV-BLANK"],
    # And here it fails.
    b"1\n2\n": ["2:1 TSV-ROWS"],
    b"1\n2\n1\n\n": ["4:1 TSV-BLANK"],
    b"": ["1:1 TSV-EMPTY"],
}


@pytest.mark.parametrize("predictions", SWALLOWED)
def test_what_the_official_evaluator_swallows_is_refused_with_its_line(
    predictions: bytes, tmp_path: Path
) -> None:
    assert faults(tmp_path, predictions) == SWALLOWED[predictions]


def test_a_byte_order_mark_is_noted_and_not_counted_as_a_wrong_first_line(tmp_path: Path) -> None:
    path = write(tmp_path, "predictions.lst", b"\xef\xbb\xbf1\n2\n1\n")
    report, _ = check_file(BOARD, path, texts=[item("1").texts] * 3)
    assert [note.rule for note in report.notes] == ["TSV-BOM"]
    assert scored(tmp_path, b"\xef\xbb\xbf1\n2\n1\n").metrics["accuracy"].value == 1.0


@given(some.lists(some.tuples(*[some.sampled_from("12")] * 2), min_size=1, max_size=30))
def test_accuracy_and_confusion_are_counts_of_equal_lines(pairs: list[tuple[str, str]]) -> None:
    rows = [(f"s{n}", "a", "b", "c", "d", gold) for n, (gold, _) in enumerate(pairs)]
    result = scorer.score([(label,) for _, label in pairs], rows, board=BOARD)
    equal = sum(gold == label for gold, label in pairs)
    assert result.metrics["accuracy"].value == equal / len(pairs)
    assert result.counts["right"] == equal
    for gold in "12":
        for label in "12":
            assert result.counts["confusion"][gold][label] == pairs.count((gold, label))


# ---- files with ids ------------------------------------------------------------------------------


def checked(folder: Path, content: str, golds: int = 3) -> CheckReport:
    texts = [item("1", number).texts for number in range(golds)]
    return check_file(BOARD, write(folder, "predictions.tsv", content), texts=texts)[0]


@given(order=some.permutations(range(5)), header=some.booleans())
def test_the_order_of_a_file_with_ids_does_not_matter(
    order: list[int], header: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    labels = "12211"
    lines = [f"s-{place}\t{labels[place]}" for place in order]
    content = "\n".join(["story_id\tlabel"] * header + lines)
    path = write(tmp_path_factory.mktemp("ids"), "predictions.tsv", content)
    report, answers = check_file(BOARD, path, texts=[item("1", n).texts for n in range(5)])
    assert report.ok, str(report)
    assert [answer.label for answer in answers] == list(labels)


def test_ids_that_are_unknown_twice_or_missing_are_told_with_their_lines(tmp_path: Path) -> None:
    report = checked(tmp_path, "s-0\t1\ns-9\t1\ns-0\t2\n")
    assert [(p.line, p.rule) for p in report.problems] == [(2, "ART-ID"), (3, "ART-TWICE")]
    report = checked(tmp_path, "s-2\t1\n")
    assert [(p.line, p.rule) for p in report.problems] == [(1, "ART-MISSING")] * 2


def test_a_wrong_label_behind_an_id_is_told_with_its_column(tmp_path: Path) -> None:
    [problem] = checked(tmp_path, "s-0\t1\ns-1\t3\ns-2\t1\n").problems
    assert (problem.line, problem.column, problem.rule) == (2, 5, "TSV-LABEL")


def test_ids_cannot_be_put_in_order_against_labels_alone(tmp_path: Path) -> None:
    assert "ART-ID" in faults(tmp_path, b"s-0\t1\ns-1\t2\ns-2\t1\n")[0]


def test_without_the_items_a_file_with_ids_is_checked_for_its_form(tmp_path: Path) -> None:
    rows = "".join(f"s-{number}\t1\n" for number in range(48))
    assert check_file(BOARD, write(tmp_path, "p.tsv", rows), split="dev")[0].ok
    report, _ = check_file(BOARD, write(tmp_path, "p.tsv", rows + "s-3\t1\n"), split="dev")
    assert {problem.rule for problem in report.problems} == {"ART-TWICE", "TSV-ROWS"}


def test_any_gold_in_the_boards_columns_lets_ids_be_put_in_order(tmp_path: Path) -> None:
    rows = "".join("\t".join((*item(label, number).texts, label)) + "\n"
                   for number, label in enumerate("121"))
    gold = gold_files(BOARD, {"gold": write(tmp_path, "gold.tsv", rows)})
    path = write(tmp_path, "p.tsv", "story_id\tlabel\ns-2\t1\ns-1\t2\ns-0\t2\n")
    result = Scorer(Models(allowed=False), tmp_path).file(BOARD, path, "given", gold)
    assert result.metrics["accuracy"].value == 2 / 3


def test_gold_in_two_files_is_not_for_this_task(tmp_path: Path) -> None:
    path = write(tmp_path, "x", "1\n")
    with pytest.raises(UsageError, match="one file: name it with --gold"):
        gold_files(BOARD, {"source": path, "references": path})


# ---- beside the score ----------------------------------------------------------------------------


def test_an_item_is_in_the_slices_of_its_words_and_of_its_cues() -> None:
    # The right one, "A dog ate it.", has as many words and shares one of four, the other two.
    assert slices_of(BOARD.settings, ITEM) == ["as-long", "right-shares-less"]
    other = Gold(("Ann was glad.", "She left."), ("She ran under the bridge.", "It rained."), "1")
    assert slices_of(BOARD.settings, other) == [
        "spatial", "emotional", "right-is-longer", "right-shares-more"]


def test_counts_of_slices_are_of_items_and_of_right_answers() -> None:
    verdicts = [BOARD.task.verdict(ITEM, Prediction(label)) for label in "212"]
    counts = BOARD.task.tally([ITEM] * 3, verdicts)
    assert counts["confusion"] == {"1": {"1": 0, "2": 0}, "2": {"1": 1, "2": 2}}
    assert counts["slices"]["as-long"] == {"items": 3, "right": 2}
    assert counts["slices"]["numerical"] == {"items": 0, "right": 0}


def test_each_item_has_one_cue_of_each_kind() -> None:
    path = BOARD.data_file("dev", Path("no-home"))
    assert path is not None
    golds = read_golds(BOARD, "dev", path).items
    verdicts = [BOARD.task.verdict(gold, Prediction("1")) for gold in golds]
    counts = BOARD.task.tally(golds, verdicts)["slices"]
    for kind in (CUES[:3], CUES[3:]):
        assert sum(counts[name]["items"] for name in kind) == len(golds) == 48
    assert [gold.label for gold in golds].count("1") == 24


def test_labels_alone_are_in_no_slice(tmp_path: Path) -> None:
    slices = scored(tmp_path, b"1\n2\n1\n").counts["slices"]
    assert all(found == {"items": 0, "right": 0} for found in slices.values())


@pytest.mark.parametrize(("split", "rows"), [("train", 24), ("dev", 48)])
def test_the_practice_items_are_as_the_datasheet_says(split: str, rows: int) -> None:
    path = BOARD.data_file(split, Path("no-home"))
    assert path is not None
    golds = read_golds(BOARD, split, path).items
    assert len({gold.ids for gold in golds}) == rows
    assert [gold.label for gold in golds].count("1") == rows / 2
    assert all(len({*gold.texts}) == 5 for gold in golds)
    sheet = (BOARD.folder / "DATASHEET.md").read_text("utf-8")
    lengths = [len(gold.hypotheses[0].split()) - len(gold.hypotheses[1].split()) for gold in golds]
    counts = (sum(n > 0 for n in lengths), sum(n < 0 for n in lengths), lengths.count(0))
    assert " / ".join(map(str, counts)) in sheet


# ---- baselines -----------------------------------------------------------------------------------


def test_majority_without_train_is_the_most_frequent_label_of_the_others() -> None:
    items = [item("2", n) for n in range(15)] + [item("1", n) for n in range(6)]
    found = BASELINES["majority"].predict(BOARD.settings, [], items)
    assert [answer.label for answer in found] == ["2"] * 21
    assert {answer.label for answer in BASELINES["majority"].predict(
        BOARD.settings, [item("1")], items)} == {"1"}


@given(some.integers(0, 12), some.integers(2, 40))
def test_nobody_answers_what_was_learned_from(train: int, items: int) -> None:
    def fit(known: list[int]) -> object:
        return lambda asked: [(place, place in known) for place in asked]

    found = answered(fit, train, items)  # type: ignore[arg-type]
    assert found == [(place, False) for place in range(train, train + items)]


def test_inputs_have_the_forms_of_the_paper_and_of_the_released_code() -> None:
    one = Gold(("O1", "O2"), ("h", "x"), "1")
    assert {name: form(one, "h") for name, (_, _, form) in FORMS.items()} == {
        "hypothesis-only": ("h",),
        "first-observation": ("O1 [SEP] h",),
        "second-observation": ("h [SEP] O2",),
        "linear-chain": ("O1 [SEP] h", "h [SEP] O2"),
        "fully-connected": ("O1 O2 [SEP] h",),
        "fully-connected-released": ("O1 h [SEP] O2",),
    }


def test_a_sign_in_the_hypotheses_is_learned_and_places_are_not() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    train = [Gold(("o", "o"), ("yes", "no"), "1"), Gold(("o", "o"), ("maybe", "yes"), "2")] * 3
    asked = [Gold(("o", "o"), ("no", "yes"), "1"), Gold(("o", "o"), ("yes", "no"), "2")]
    found = encoded(BOARD, train, asked, encoder=LetterEncoder(),
                    form=FORMS["hypothesis-only"][2])
    assert [answer.label for answer in found] == ["2", "1"]
