"""Tasks of texts: choices (aNLI), texts (aNLG), choices with a text; their metrics, reference rows,
the null, and boards that name their own texts.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import scorer
from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import gold_files, read_golds
from scorer.boards.prompts import prompts_of
from scorer.cli import main
from scorer.core.errors import SubmissionError, UsageError
from scorer.core.files import sha256
from scorer.core.reading.tsv import Row
from scorer.core.records import Finding
from scorer.metrics.bleu import letter_bleu
from scorer.metrics.rouge import recall
from scorer.models.registry import Models
from scorer.scoring.reference import applicable
from scorer.scoring.submissions import Scorer
from scorer.tasks.baselines import answered
from scorer.tasks.texts.items import CUES, Gold, Prediction, slices_of
from scorer.tasks.texts.rows import FORMS, encoded, other_explanation
from tests.fakes import LetterEncoder
from tests.test_task_files import record

ANLI, ANLG, EXPLAINED = (boards.load(name) for name in (
    "anli-practice", "anlg-practice", "explained-practice"))


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


# ---- choices -------------------------------------------------------------------------------------

ITEM = Gold(("Ann lost a sock.", "She wore one shoe."), ("The sock was one.", "A dog ate it."), "2",
            ids=("s",))


@given(some.lists(some.tuples(*[some.sampled_from("12")] * 2), min_size=1, max_size=30))
def test_accuracy_and_confusion_are_counts_of_equal_lines(pairs: list[tuple[str, str]]) -> None:
    rows = [(f"s{n}", "a", "b", "c", "d", gold) for n, (gold, _) in enumerate(pairs)]
    result = scorer.score([(label,) for _, label in pairs], rows, board=ANLI)
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
    found = gold_files(ANLI, {"gold": tmp_path / "gold"})
    run = Scorer(Models(allowed=False), tmp_path)
    result = run.file(ANLI, tmp_path / "p", "given", found).result
    assert result.metrics["accuracy"].value == accuracy
    assert any(counts["items"] for counts in result.counts["slices"].values()) == ("a" in gold)
    with pytest.raises(UsageError, match="one file: name it with --gold"):
        gold_files(ANLI, {"source": tmp_path / "gold", "references": tmp_path / "gold"})


def test_an_item_is_in_the_slices_of_its_words_and_of_its_cues() -> None:
    # The right one, "A dog ate it.", has as many words and shares one of four, the other two.
    assert slices_of(ANLI.settings, ITEM) == ["as-long", "right-shares-less"]
    other = Gold(("Ann was glad.", "She left."), ("She ran under the bridge.", "It rained."), "1")
    assert slices_of(ANLI.settings, other) == [
        "spatial", "emotional", "right-is-longer", "right-shares-more"]
    verdicts = [ANLI.task.verdict(ITEM, Prediction(label)) for label in "212"]
    counts = ANLI.task.tally([ITEM] * 3, verdicts)["slices"]
    assert (counts["as-long"], counts["numerical"]) == (
        {"items": 3, "right": 2}, {"items": 0, "right": 0})


@pytest.mark.parametrize(("split", "rows"), [("train", 24), ("dev", 48)])
def test_the_practice_items_are_as_the_datasheet_says(split: str, rows: int) -> None:
    golds = read_golds(ANLI, split, ANLI.folder / f"data/{split}.tsv").items
    assert len({gold.ids for gold in golds}) == rows
    assert [gold.label for gold in golds].count("1") == rows / 2
    assert all(len({*gold.texts}) == 5 for gold in golds)
    lengths = [len(gold.hypotheses[0].split()) - len(gold.hypotheses[1].split()) for gold in golds]
    counts = (sum(n > 0 for n in lengths), sum(n < 0 for n in lengths), lengths.count(0))
    assert " / ".join(map(str, counts)) in (ANLI.folder / "DATASHEET.md").read_text("utf-8")
    for cues in (CUES[:3], CUES[3:]):
        assert all(len({*cues} & {*slices_of(ANLI.settings, gold)}) == 1 for gold in golds)


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
    found = encoded(ANLI, train, asked, encoder=LetterEncoder(), form=FORMS["hypothesis-only"][2])
    assert [answer.label for answer in found] == ["2", "1"]


# ---- texts ---------------------------------------------------------------------------------------

LATE, WHOLE = "Tom was late for the bus.", "It rained the whole day."


def test_the_command_pools_references_and_the_last_text_counts_as_in_the_released_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "p", "\n".join([record("A", "B", ["Tom was late today."]),
                                    record("A", "B", ["Tom missed the bus."]),
                                    record("C", "D", ["It rained all day."])]))
    write(tmp_path, "s", "A\tB\nA\tB\nC\tD\n")
    write(tmp_path, "r", f"Tom missed the bus.\n{LATE}\n{WHOLE}\n")
    assert main(["score", "p", "--board", "anlg", "--split", "test", "--gold-source", "s",
                 "--gold-references", "r", "--models", "no", "--home", "home", "--json", "o"]) == 0
    found = json.loads((tmp_path / "o").read_bytes())
    assert (found["split"], found["gold"]["golds"], found["counts"]["items"]) == ("test", 2, 2)
    metrics = found["metrics"]
    # V10 of the vectors: the unmodified eval.py on the same three lines.
    assert {name: metrics[name]["value"] for name in metrics} == {
        "BLEU-1": pytest.approx(.772184789568475, abs=1e-9),
        "BLEU-2": pytest.approx(.6740181425937835, abs=1e-9),
        "BLEU-3": pytest.approx(.5852509433504194, abs=1e-9),
        "BLEU-4": pytest.approx(.5453526028302365, abs=1e-9),
        "ROUGE-L": pytest.approx(.8267857142857142, abs=1e-9),
        "CIDEr": pytest.approx(4.238396670810826, abs=1e-9), "METEOR": None, "BERTScore": None}
    assert metrics["METEOR"]["reason"].startswith("WordNet 3.0 is not at hand")


def test_gold_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path, "s", "A\tB\nC\tD\n")
    with pytest.raises(UsageError, match="2 contexts and 1 lines of references"):
        gold_files(ANLG, {"source": source, "references": write(tmp_path, "r", "one\n")})
    with pytest.raises(UsageError, match="--gold-source and --gold-references"):
        gold_files(ANLG, {"source": source})
    with pytest.raises(SubmissionError, match="TSV-GOLD an empty column; expected a text"):
        gold_files(ANLG, {"source": source, "references": write(tmp_path, "r", "one\ntwo\t\n")})


def test_texts_are_compared_by_their_pairs_of_words_and_a_null_copies_an_observation() -> None:
    assert ANLG.task.content(Prediction(text="It rained  all Day")).units == (
        ("it", "rained"), ("rained", "all"), ("all", "day"))
    assert ANLG.task.content(Prediction(text=" ")).units == ()
    gold = Gold(("A", "B"), references=("x y", "z"))
    assert [one.units for one in ANLG.task.gold_contents(gold)] == [(("x", "y"),), ("z",)]
    assert ANLG.task.null(gold, Prediction(text="y")) == Prediction(text="A")


def test_the_practice_contexts_are_as_the_datasheet_says() -> None:
    golds = read_golds(ANLG, "dev", ANLG.folder / "data/dev.tsv").items
    assert len({gold.texts for gold in golds}) == 40
    counts = [sum(len(gold.references) == n for gold in golds) for n in range(1, 6)]
    row = " | ".join(map(str, [*counts, len(golds)]))
    assert f"| contexts | {row} |" in (ANLG.folder / "DATASHEET.md").read_text("utf-8")


def test_contexts_with_one_reference_are_left_out_of_the_held_out_row_and_of_no_other() -> None:
    root = Path(__file__).parent.parent / "submissions" / "anlg-practice" / "reference"
    run = Scorer(Models(allowed=False), Path("no-home"), metrics=("ROUGE-L",))
    [held], [copied] = (run.score(root / name) for name in ("held-out-reference", "copy-first"))
    several = [row for row, item in enumerate(run.gold(ANLG, "dev").items, start=1)
               if len(item.references) > 1]
    assert [item.row for item in held.items] == several
    assert (held.counts["items"], copied.counts["items"]) == (len(several), 40)
    assert held.gold.against == "others"
    assert "|golds:4|against:others|" in held.signature("ROUGE-L")
    assert copied.metrics["ROUGE-L"].lift == 0.0


# ---- choices with a text -------------------------------------------------------------------------

GOLD = Gold(("It rained.", "effect"), ("The street is wet.", "The street is new."), "1",
            ("Rain is water.", "Water makes things wet."))


def test_every_explanation_of_gold_counts_and_pairs_of_words_are_compared() -> None:
    task = EXPLAINED.task
    assert task.gold_count(GOLD) == 2
    assert task.first_golds(GOLD, 1).references == GOLD.references[:1]
    first, _ = task.gold_contents(GOLD)
    assert (first.label, first.units) == ("1", (("rain", "is"), ("is", "water.")))
    assert task.gold_predictions(GOLD) == [Prediction("1", text) for text in GOLD.references]


def test_a_missing_label_and_an_empty_text_lie_in_their_own_columns() -> None:
    for rule, column in (("TSV-NO-ANSWER", 1), ("ART-EMPTY", 3)):
        assert EXPLAINED.task.column(Row(1, ("-", "")), Finding(rule, "")) == column


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
    assert main(["board", "new", "mine", "--like", EXPLAINED.id, "--texts", "fact", "--data",
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
    rows = {"other-explanation": other_explanation(board.settings, [], golds),
            "premises": [Prediction("1", gold.given[0]) for gold in golds]}
    metrics = ("accuracy", "BLEU-letters", "ROUGE-L-recall")
    for name, answers in rows.items():
        found = scorer.score(
            [[answer.label, answer.text] for answer in answers],
            [[*gold.texts, gold.label, *gold.references] for gold in golds],
            board=board, metrics=metrics).metrics
        assert [found[metric].value for metric in metrics] == pytest.approx(RELEASED[name])


# ---- texts that a board names itself -------------------------------------------------------------

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
    pytest.importorskip("jinja2")
    from scorer.site.views.registry import view_of

    return [*view_of(board).example(board.settings, gold, 1).context()["texts"]]


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
    for board in (ANLI, ANLG):
        assert board.settings.given == ("obs1", "obs2")
        assert [name for name, _ in shown(board, items(board)[0])] == ["before", "after"]
