"""aNLG: formats, pooled references, full coverage, and the released evaluation's numbers."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import scorer
from scorer import boards
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.errors import SubmissionError, UsageError
from scorer.core.reading.tsv import File
from scorer.core.results import Result
from scorer.core.rules import CATALOGUE
from scorer.models.registry import Models
from scorer.scoring.checking import CheckReport, check_file
from scorer.scoring.submissions import Scorer, gold_files
from scorer.tasks.anlg.anlg_items import BASELINES, Prediction
from scorer.tasks.art_files import context_id
from scorer.tasks.text_items import Gold
from tests.fuzz_helpers import assert_fit_for_a_log, assert_inside

BOARD = boards.load("anlg-practice")
CONTEXTS = [("A", "B"), ("C", "D"), ("E", "F")]


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def checked(
    folder: Path, content: bytes | str, contexts: Sequence[tuple[str, str]] = CONTEXTS
) -> tuple[CheckReport, list[str]]:
    path = write(folder, "predictions.tsv", content)
    report, answers = check_file(BOARD, path, texts=contexts)
    return report, [answer.text for answer in answers]


def rules(report: CheckReport) -> list[tuple[int, str]]:
    return [(problem.line, problem.rule) for problem in report.problems]


def record(obs1: str, obs2: str, text: object, model: str = "m") -> str:
    return json.dumps({"obs1": obs1, "obs2": obs2, "generations": {model: text}})


def scored(folder: Path, predictions: str, source: str, references: str) -> Result:
    gold = gold_files(BOARD, {"source": write(folder, "source", source),
                              "references": write(folder, "references", references)})
    path = write(folder, "predictions", predictions)
    return Scorer(Models(allowed=False), folder).file(BOARD, path, "given", gold)


# ---- formats -------------------------------------------------------------------------------------

FORMS: dict[str, str] = {
    "in order": "one\ntwo\nthree\n",
    "numbers": "2\ttwo\n1\tone\n3\tthree",
    "numbers and a header": "context_id\thypothesis\n1\tone\n2\ttwo\n3\tthree\n",
    "digests": "".join(f"{context_id(*CONTEXTS[n])}\t{text}\n"
                       for n, text in ((2, "three"), (0, "one"), (1, "two"))),
    "official": "\n".join([record("E", "F", ["three"]), record("A", "B", ["one"]),
                           record("C", "D", ["two"])]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_texts_in_the_order_of_the_contexts(form: str, tmp_path: Path) -> None:
    report, texts = checked(tmp_path, FORMS[form])
    assert report.ok, str(report)
    assert str(report) == "3 rows, all readable"
    assert texts == ["one", "two", "three"]


def test_a_text_is_kept_with_the_blanks_at_its_ends(tmp_path: Path) -> None:
    assert checked(tmp_path, "1\t one \n2\t\n3\tthree\n")[1] == [" one ", "", "three"]
    lines = [record(*CONTEXTS[n], [text]) for n, text in enumerate((" one ", "", "x"))]
    assert checked(tmp_path, "\n".join(lines))[1] == [" one ", "", "x"]


def test_an_empty_text_is_told_and_scored(tmp_path: Path) -> None:
    report, _ = checked(tmp_path, "1\tone\n2\t \n3\tthree\n")
    assert report.ok
    assert report.strict_counts() == {"ART-EMPTY": 1}
    result = scored(tmp_path, "1\tTom ran.\n2\t\n", "A\tB\nC\tD\n", "Tom ran.\nAnn sat.\n")
    assert (result.counts["empty"], result.counts["answered"]) == (1, 1)
    assert result.metrics["ROUGE-L"].value == (1 + 0) / 2


EMPTY_LINES: dict[str, tuple[list[str] | None, list[str]]] = {
    # content: (texts or None, what is noted and refused)
    "a\nb\nc\n": (["a", "b", "c"], []),
    "a\nb\nc": (["a", "b", "c"], []),
    "a\n\nc\n": (["a", "", "c"], ["2:1 ART-EMPTY"]),
    "\n\nc": (["", "", "c"], ["1:1 ART-EMPTY"]),
    "a\r\n\r\nc\r\n": (["a", "", "c"], ["2:1 ART-EMPTY"]),
    "a\nb\n\n": (["a", "b", ""], ["3:1 ART-EMPTY"]),
    "a\nb\n": (None, ["2:1 TSV-ROWS"]),
    "a\nb\nc\n\n": (None, ["4:1 TSV-BLANK"]),
    "a\n\nb\n\nc\n": (None, ["2:1 TSV-BLANK", "4:1 TSV-BLANK"]),
    "a\n\nc\n\n\n": (None, ["2:1 ART-EMPTY", "4:1 TSV-BLANK", "5:1 TSV-BLANK"]),
    "a\n\nb\nc\nd\n": (None, ["2:1 ART-EMPTY", "4:1 TSV-ROWS"]),
    "\n\n\n": (None, ["1:1 TSV-EMPTY"]),
    "1\ta\n\n2\tb\n3\tc\n": (None, ["2:1 TSV-BLANK"]),
}


@pytest.mark.parametrize("content", EMPTY_LINES)
def test_an_empty_line_is_an_empty_text_where_the_number_of_rows_is_right_with_it(
    content: str, tmp_path: Path
) -> None:
    wanted, places = EMPTY_LINES[content]
    report, texts = checked(tmp_path, content)
    assert (texts if report.ok else None) == wanted
    assert [f"{one.line}:{one.column} {one.rule}" for one in (*report.notes, *report.problems)
            if one.rule != "TSV-CRLF"] == places


def test_spaces_that_only_rouge_l_sees_are_told_once_with_their_rows(tmp_path: Path) -> None:
    report, _ = checked(tmp_path, " a b\nc\u00a0d \n\u2003e  f")
    assert [str(note).partition(" ")[2] for note in report.notes] == [
        "ART-SPACES U+00A0 NO-BREAK SPACE in 1, U+2003 EM SPACE in 1, a space at the end in 1, a "
        "space at the start in 1, two spaces in a row in 1 of 3 texts (lines 1, 2, 3); expected "
        "one space between words, none at the ends; remove them unless they are meant"]
    assert not checked(tmp_path, "a b\nc d\n \u2003 ")[0].notes[1:], "an empty text is told alone"


def test_quotes_as_a_writer_of_csv_puts_them_around_commas_are_noted(tmp_path: Path) -> None:
    plain = ["Ann ran."] * 37
    written = ['"It rained, all day."', '"He said ""no""."', '"x, y"']
    report, _ = check_file(BOARD, write(tmp_path, "p", "\n".join([*plain, *written])), split="dev")
    [note] = report.notes
    assert str(note).partition(" ")[2].startswith(
        "ART-FORM quotes around 3 of 40 texts (lines 38, 39, 40); expected the text alone; ")
    for other in ('He said "no".', '"No."', "x, y", '"x, y'):
        lines = [*plain[1:], *written, other]
        assert not check_file(BOARD, write(tmp_path, "p", "\n".join(lines)), split="dev")[0].notes


@pytest.mark.parametrize(("text", "found"), [
    ('"text {0}"', "quotes around 40 of 40 texts"),
    ("{0},text", "a running number before 40 of 40 texts"),
    ('{1};"a ""b"" "', "a running number before 40 of 40 texts")])
def test_texts_in_quotes_or_behind_numbers_are_scored_as_they_are_with_a_note(
    text: str, found: str, tmp_path: Path
) -> None:
    lines = [text.format(number, number + 1) for number in range(40)]
    report, _ = check_file(BOARD, write(tmp_path, "p", "\n".join(lines)), split="dev")
    assert report.ok
    [note] = report.notes
    assert str(note).partition(" ")[2].startswith(f"ART-FORM {found}")
    assert note.advice == "remove them if the system did not write them"
    report, _ = check_file(BOARD, write(tmp_path, "p", "\n".join([*lines[:35], *"abcde"])),
                           split="dev")
    assert not report.notes


def test_without_the_contexts_a_file_is_checked_for_its_form(tmp_path: Path) -> None:
    for content in ("\n".join(f"{n}\tx" for n in range(40)),
                    "\n".join(record(str(n), "b", ["x"]) for n in range(40))):
        assert check_file(BOARD, write(tmp_path, "p", content), split="dev")[0].ok
    few = check_file(BOARD, write(tmp_path, "p", record("a", "b", ["x"])), split="dev")[0]
    assert rules(few) == [(1, "TSV-ROWS")]


# ---- faults --------------------------------------------------------------------------------------

LONG = "x" * 1001
CASES: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "an id of no context": ("1\ta\n4\tb\n2\tc\n3\td", [(2, "ART-ID")]),
    "a number with a nought": ("01\ta\n2\tc\n3\td", [(1, "ART-ID")]),
    "a context twice": ("1\ta\n2\tb\n1\tc\n3\td", [(3, "ART-TWICE")]),
    "a context by number and by digest": (
        f"1\ta\n{context_id('A', 'B')}\tb\n2\tc\n3\td", [(2, "ART-TWICE")]),
    "no text for two contexts": ("2\ta", [(1, "ART-MISSING"), (1, "ART-MISSING")]),
    "a tab inside a text": ("1\ta\tb\n2\tc\n3\td", [(1, "TSV-COLUMNS")]),
    "too many letters": (f"1\ta\n2\t{LONG}\n3\tc", [(2, "ART-LONG")]),
    "too many words": ("1\ta\n2\t" + "a " * 201 + "\n3\tc", [(2, "ART-LONG")]),
    "no object": (record("A", "B", ["x"]) + "\n[]\nnonsense", [(2, "ART-JSON"), (3, "ART-JSON")]),
    "a text that is in no list": (
        "\n".join([record("A", "B", "x"), record("C", "D", ["x"]), record("E", "F", ["x"])]),
        [(1, "ART-JSON")]),
    "two texts": (
        "\n".join([record("A", "B", ["x", "y"]), record("C", "D", ["x"]),
                   record("E", "F", ["x"])]), [(1, "ART-JSON")]),
    "two models": (
        "\n".join([record("A", "B", ["x"]), record("C", "D", ["x"], "n"),
                   record("E", "F", ["x"])]), [(2, "ART-JSON")]),
    "a line feed in a text": (
        "\n".join([record("A", "B", ["x\ny"]), record("C", "D", ["x"]), record("E", "F", ["x"])]),
        [(1, "ART-TEXT")]),
    "an official record of another context": (
        "\n".join([record("A", "B", ["x"]), record("C", "d", ["x"]), record("E", "F", ["x"])]),
        [(2, "ART-ID")]),
    "a context left out of official records": (
        "\n".join([record("A", "B", ["x"]), record("E", "F", ["x"])]), [(2, "ART-MISSING")]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_rejects_the_file_and_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    content, wanted = CASES[name]
    report, _ = checked(tmp_path, content)
    assert rules(report) == wanted
    assert_fit_for_a_log(str(report))


@pytest.mark.parametrize(("more", "sound"), [
    ("NaN", True), ("9" * 5000, True), ("[" * 99 + "]" * 99, True), ("[" * 100 + "]" * 100, False),
    ("[" * 5000 + "]" * 5000, False),
], ids=["no number", "a long number", "99 lists", "100 lists", "5,000 lists"])
def test_what_else_a_record_holds_is_ignored_down_to_a_hundredth_level(
    more: str, sound: bool, tmp_path: Path
) -> None:
    lines = [record(*context, ["x"]) for context in CONTEXTS]
    lines[1] = f'{lines[1][:-1]}, "more": {more}}}'
    report, _ = checked(tmp_path, "\n".join(lines))
    assert rules(report) == ([] if sound else [(2, "ART-JSON")])


def test_a_file_of_far_too_many_records_is_refused_in_one_sentence(tmp_path: Path) -> None:
    line = record("a", "b", ["x"]) + "\n"
    path = write(tmp_path, "p.jsonl", line * (2 * 5 * 40 + 1002))
    report, _ = check_file(BOARD, path, split="dev")
    assert rules(report) == [(5 * 40 + 1, "TSV-ROWS")]


def test_every_rule_of_this_family_has_a_case(tmp_path: Path) -> None:
    seen = {rule for _, found in CASES.values() for _, rule in found}
    report, _ = checked(tmp_path, "\n".join(
        [record("A", "B", ["x"]), record("A", "B", ["y"]), record("C", "D", [""]),
         record("E", "F", [" x"])]))
    report_of_quotes, _ = checked(tmp_path, '"a"\n"b"\n"c"')
    seen |= {note.rule for note in (*report.notes, *report_of_quotes.notes)}
    seen |= {*report.strict_counts()}
    assert {rule for rule in CATALOGUE if rule.startswith("ART-")} <= seen


PIECES = ["1", "2", "3", "4", "\t", "\n", "x", " ", "{", "}", '"obs1"', ":", "[", "]", "\ud7ff",
          "context_id\thypothesis\n", record("A", "B", ["x"]), record("C", "D", [1]),
          record("E", "F", ["\x00"]), '{"generations": ' + "[" * 2000]


@given(some.lists(some.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_judged_and_told_at_a_place_of_the_file(content: str) -> None:
    table = BOARD.task.read_table(File(content.encode()), rows=3, texts=CONTEXTS)
    for problem in table.problems.kept:
        assert_fit_for_a_log(str(problem))
        assert_inside(problem, content.encode())
    if not table.problems.total and table.lines is None:  # else their number is judged later
        assert [row.place for row in table.rows] == [1, 2, 3]


# ---- references ----------------------------------------------------------------------------------

LATE, WHOLE = "Tom was late for the bus.", "It rained the whole day."


def test_references_are_pooled_and_the_last_text_counts_as_in_the_released_code(
    tmp_path: Path
) -> None:
    predictions = "\n".join([record("A", "B", ["Tom was late today."]),
                             record("A", "B", ["Tom missed the bus."]),
                             record("C", "D", ["It rained all day."])])
    result = scored(tmp_path, predictions, "A\tB\nA\tB\nC\tD\n",
                    f"Tom missed the bus.\n{LATE}\n{WHOLE}\n")
    found = {name: value.value for name, value in result.metrics.items()}
    # V10 of the vectors: the unmodified eval.py on the same three lines.
    assert [found[f"BLEU-{order}"] for order in (1, 2, 3, 4)] == pytest.approx(
        [.772184789568475, .6740181425937835, .5852509433504194, .5453526028302365], abs=1e-9)
    assert found["ROUGE-L"] == pytest.approx(.8267857142857142, abs=1e-9)
    assert found["CIDEr"] == pytest.approx(4.238396670810826, abs=1e-9)
    assert result.counts["items"] == 2


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 contexts and 1 lines of references"):
        scored(tmp_path, "x\n", "A\tB\nC\tD\n", "one\n")
    with pytest.raises(UsageError, match="--gold-source and --gold-references"):
        gold_files(BOARD, {"source": write(tmp_path, "s", "A\tB\n")})
    with pytest.raises(SubmissionError, match="TSV-GOLD an empty column; expected a text"):
        scored(tmp_path, "x\n", "A\tB\n", "one\t\n")


def test_the_library_takes_plain_lists() -> None:
    golds = [("A", "B", "Tom ran."), ("C", "D", "Ann sat down.", "Ann sat.")]
    result = scorer.score([("Tom ran.",), ("Ann sat.",)], golds, board=BOARD,
                          metrics=["ROUGE-L", "BLEU-1"], null=True)
    assert result.metrics["ROUGE-L"].value == 1.0
    assert result.metrics["ROUGE-L"].null == 0.0  # "A" and "C" share no word
    assert "|golds:2|" in result.signature("BLEU-1")


def test_the_null_is_a_copy_of_the_observation_that_the_board_names() -> None:
    null = BOARD.task.null(Gold(("A", "B"), references=("x",)), Prediction("y"))
    assert null == Prediction("A")


def test_texts_are_compared_by_their_pairs_of_words() -> None:
    assert BOARD.task.content(Prediction("It rained  all Day")).units == (
        ("it", "rained"), ("rained", "all"), ("all", "day"))
    assert BOARD.task.content(Prediction("Rain")).units == ("rain",)
    assert BOARD.task.content(Prediction(" ")).units == ()
    found = BOARD.task.gold_contents(Gold(("A", "B"), references=("x y", "z")))
    assert [one.units for one in found] == [(("x", "y"),), ("z",)]


def test_settings_fit_data_with_more_references() -> None:
    rows = [("A", "B", *"1234567"), ("C", "D", "1")]
    assert BOARD.task.fitted(rows)[0].most_references == 7
    assert BOARD.task.fitted([("A", "B")]) == (BOARD.settings, ())


def test_the_practice_contexts_are_as_the_datasheet_says() -> None:
    path = BOARD.data_file("dev", Path("no-home"))
    assert path is not None
    golds = read_golds(BOARD, "dev", path).items
    assert len({gold.texts for gold in golds}) == 40
    counts = [sum(len(gold.references) == n for gold in golds) for n in range(1, 6)]
    row = " | ".join(map(str, [*counts, len(golds)]))
    assert f"| contexts | {row} |" in (BOARD.folder / "DATASHEET.md").read_text("utf-8")
    assert sum(len(gold.references) for gold in golds) == 144


# ---- the command ---------------------------------------------------------------------------------


def test_any_files_are_scored_by_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "p.tsv", "context_id\thypothesis\n2\tIt rained all day.\n"
          "1\tTom missed the bus.\n")
    write(tmp_path, "s.tsv", "A\tB\nC\tD\n")
    write(tmp_path, "r.tsv", f"Tom missed the bus.\t{LATE}\n{WHOLE}\n")
    arguments = ["score", "p.tsv", "--board", "anlg", "--split", "test", "--gold-source", "s.tsv",
                 "--gold-references", "r.tsv", "--models", "no", "--home", "home", "--json", "o"]
    assert main(arguments) == 0
    found = json.loads((tmp_path / "o").read_bytes())
    assert [*found["metrics"]] == sorted(
        ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr", "BERTScore"])
    assert found["metrics"]["BLEU-1"]["value"] == pytest.approx(.772184789568475)
    assert found["metrics"]["BERTScore"]["value"] is None
    assert found["metrics"]["METEOR"]["reason"].startswith("WordNet 3.0 is not at hand")
    assert (found["split"], found["gold"]["golds"], found["counts"]["items"]) == ("test", 2, 2)


# ---- baselines -----------------------------------------------------------------------------------


def test_a_held_out_reference_is_scored_against_the_others_alone() -> None:
    baseline = BASELINES["held-out-reference"]
    items = [Gold(("A", "B"), references=("one", "two", "three")),
             Gold(("C", "D"), references=("four",))]
    assert baseline.predict(BOARD.settings, [], items) == [Prediction("one"), Prediction("four")]
    assert baseline.against is not None
    assert [baseline.against.gold(item) for item in items] == [
        Gold(("A", "B"), references=("two", "three")), None]


def test_contexts_with_one_reference_are_left_out_of_that_row_and_of_no_other() -> None:
    root = Path(__file__).parent.parent / "submissions" / "anlg-practice" / "reference"
    run = Scorer(Models(allowed=False), Path("no-home"), metrics=("ROUGE-L",))
    [held], [copied] = (run.score(root / name)
                        for name in ("held-out-reference", "copy-first"))
    gold = run.gold(BOARD, "dev").items
    several = [row for row, item in enumerate(gold, start=1) if len(item.references) > 1]
    assert [item.row for item in held.items] == several
    assert (held.counts["items"], copied.counts["items"]) == (len(several), 40)
    assert held.gold.against == "others"
    assert "|golds:4|against:others|" in held.signature("ROUGE-L")
    assert copied.metrics["ROUGE-L"].lift == 0.0


def test_the_nearest_context_is_another_one() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    items = [Gold(given, references=(text,)) for given, text in (
        (("the dog barked", "it slept"), "a"), (("snow fell", "roads froze"), "b"),
        (("the dog barked loudly", "it slept"), "c"), (("snow fell", "cold"), "d"))]
    found = BASELINES["nearest-neighbour"].predict(BOARD.settings, [], items)
    assert [answer.text for answer in found] == ["c", "d", "a", "b"]

