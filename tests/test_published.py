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
        notes = list(published.contradictions(board, published.load(board)))
    except SubmissionError as fault:
        notes = str(fault).split("\n")[:-1]
    return "".join(f"{line}\n" for line in notes).replace(
        f"{board.folder / published.FILE_NAME}:", "")


def test_a_number_keeps_its_digits_and_is_read_once(tmp_path: Path) -> None:
    case = ROOT / "tests/cases/published/good/published.yaml"
    [source] = published.load(board_with(case.read_text("utf-8"), tmp_path)).sources
    one, people = source.values
    printed = one.printed["G-BLEU precision"]
    assert (printed.text, printed.number, printed.deviation, printed.half) == (
        "3.80 +- .32", Decimal("3.80"), Decimal("0.32"), Decimal("0.005"))
    assert [source.value(one, name) for name in one.printed] == [0.872, 0.57, 0.038]
    assert people.human
    assert people.printed["SA"].half == Decimal("0.5")


def test_the_example_of_the_documentation_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs/board.md").read_text("utf-8").partition("## Numbers published")[2]
    [example] = re.findall(r"```yaml\n(.*?)```", text.partition("## Fields")[0], re.DOTALL)
    found = published.load(board_with(example, tmp_path))
    assert (len(found.sources), len(found.listed)) == (1, 1)


def test_a_board_without_the_file_has_no_numbers(tmp_path: Path) -> None:
    board = board_with("", tmp_path)
    (board.folder / published.FILE_NAME).unlink()
    assert published.load(board) == published.NOTHING


def test_board_check_refuses_a_wrong_file_and_names_contradictions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = ROOT / "tests/cases/published"
    for name, code in (("contradicting", 0), ("out-of-range", 2)):
        (tmp_path / name).mkdir()
        board = board_with((cases / name / published.FILE_NAME).read_text("utf-8"),
                           tmp_path / name)
        assert main(["board", "check", str(board.folder), "--home", str(tmp_path)]) == code
        said = "".join(capsys.readouterr())
        for line in (cases / name / "expected.txt").read_text("utf-8").splitlines():
            assert f"{board.folder / published.FILE_NAME}:{line}" in said


@pytest.mark.parametrize("name", ALL)
def test_the_files_that_ship_fit_the_schema_and_say_where_each_number_stands(name: str) -> None:
    text = (ROOT / "boards" / name / published.FILE_NAME).read_text("utf-8")
    jsonschema.validate(yaml.safe_load(text), SCHEMA, cls=jsonschema.Draft202012Validator)
    for source in ALL[name].sources:
        assert source.place
        if "github.com" in source.url and "/blob/" in source.url:
            assert re.search(r"/blob/[0-9a-f]{40}/", source.url), "a commit, not a branch"


def test_a_schema_refuses_what_the_reader_refuses() -> None:
    for name in ("without-a-source", "no-numbers", "unknown-names"):
        text = (ROOT / "tests/cases/published" / name / published.FILE_NAME).read_text("utf-8")
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(yaml.safe_load(text), SCHEMA)


FACTS = {
    ("graphqa-explagraphs-random", "test"): """
        he-2024-early: Question only 57.04 | Question and graph as text 58.12
        he-2024-early: Prompt tuning 58.76 +- .32 | LoRA 87.41 +- 1.86
        he-2024-early: G-Retriever 86.96 +- 1.29 | G-Retriever with LoRA 87.68 +- 2.74
        he-2024-in-readgraph: GraphToken 85.08 +- 5.51 | G-Retriever 85.16 +- 0.92
        he-2024-in-readgraph: G-Retriever with LoRA 87.05 +- 3.29
        chaudhary-2026-in-readgraph: GRAFF 92.5 | LoRA 88.9 | GRAG 88.9 | G-Retriever 83.7
        chaudhary-2026-in-readgraph: KAPING 62.2
        readgraph: ReGraph 8B 92.42 | ReGraph 3B 90.43
        readgraph: ReGraph 8B with the serialised graph 86.82""",
    ("graphqa-explagraphs", "dev"): """
        hands-on-gnn-chapter-19: G-Retriever 86.7 | G-Retriever, soft prompt off 87.7
        hands-on-gnn-chapter-19: LoRA with graph text 87.2 | LoRA without a graph 81.2
        hands-on-gnn-chapter-19: G-Retriever, soft prompt only 80.4""",
    ("anli", "dev"): """
        cao-2026: Qwen3-8B 81.26 | Qwen3-8B, best induced 85.76 | Qwen3-30B 75.77
        cao-2026: Llama-3.1-8B, induced 79.73
        nie-2020: RoBERTa-large 85.31 | ALBERT-xxlarge 84.4 | BART-large 81.85 | XLNet-large 81.4
        nie-2020: RoBERTa-base 71.54 | BERT-large 68.02 | XLNet-base 67.43 | BERT-base 65.27
        nie-2020: DistilBERT 59.2""",
    ("anli", "test"): """
        bhagavatula-2020-table-1: Random 50.4 | Majority 50.8 | InferSent 50.8 | ESIM+ELMo 58.8
        bhagavatula-2020-table-1: GPT 63.1 +- 0.5 | BERT, hypothesis only 59.5 +- 0.2
        bhagavatula-2020-table-1: BERT, first observation only 63.5 +- 0.7 | Human 91.4
        bhagavatula-2020-table-1: BERT, second observation only 66.6 +- 0.2 | SVM 50.6
        bhagavatula-2020-table-1: BERT, linear chain 68.9 +- 0.5 | BOW-GloVe 50.5
        bhagavatula-2020-table-1: BERT, fully connected 68.6 +- 0.5
        lourie-2021: UNICORN (T5-11B) 87.3""",
    ("e-care", "dev"): """
        e-care-dev: XLNet-base-cased 75.61 | BERT-base-cased 75.47 | ALBERT 73.97 | GPT-2 70.36
        e-care-dev: BART-base 73.03 | RoBERTa-base 70.64 | GPT 67.59""",
    ("e-care", "test"): """
        e-care-test: BERT-base-cased 75.38 | ALBERT 74.60 | XLNet-base-cased 74.58 | GPT 68.15
        e-care-test: BART-base 71.65 | RoBERTa-base 70.73 | GPT-2 69.51""",
}
"""Accuracies by board and split, each as its source prints it, with the source's id."""

OF_PAPER = ("SA, StCA, SeCA, G-BLEU precision, G-BLEU recall, G-BLEU, G-ROUGE-2 precision, "
            "G-ROUGE-2 recall, G-ROUGE-2, G-ROUGE-L precision, G-ROUGE-L recall, G-ROUGE-L, EA")
TABLES = {
    ("explagraphs", "leaderboard-2022", "SeCA, SA, StCA, G-BERTScore, GED, EA"): """
        Human: 83.5 91.0 91.0 71.1 0.38 46.8
        Max-Margin GraphGen: 43.5 87.2 56.7 48.6 0.57 30.5
        Contrastive GraphGen: 42.5 87.2 60.5 52.1 0.52 33.1
        T5-Large: 34.7 87.2 51.0 43.9 0.61 29.5
        Anonymous: 31.2 87.7 50.7 43.8 0.62 27.7
        RE-SP (structured): 20.0 72.5 62.5 50.0 0.60 26.2
        RA-T5: 19.0 87.2 38.7 33.6 0.71 20.8
        RE-T5: 13.5 69.0 32.5 28.3 0.75 17.3""",
    ("explagraphs", "saha-2021-v1-table-4", OF_PAPER): """
        Rationalizing-BART: 82.0 16.0 7.7 3.8 2.8 3.1 4.8 3.5 3.8 7.6 5.7 6.3 5.8
        Reasoning-BART: 72.2 20.7 13.2 4.7 3.4 3.8 5.9 4.3 4.9 9.6 6.9 7.9 8.2
        Rationalizing-T5: 82.0 32.7 13.7 7.0 5.8 6.2 9.2 7.6 8.1 15.4 12.7 13.7 13.8
        Reasoning-T5: 69.2 32.5 17.5 7.1 5.6 6.2 9.1 7.4 8.0 15.1 12.2 13.3 13.0""",
    ("explagraphs", "saha-2021-v1-table-5", OF_PAPER): """
        Rationalizing-BART: 84.7 17.8 10.0 4.1 3.0 3.4 5.2 3.7 4.2 8.3 6.0 6.8 6.8
        Reasoning-BART: 70.4 18.8 12.5 4.3 3.3 3.7 5.5 4.2 4.7 8.9 6.6 7.4 7.7
        Rationalizing-T5: 84.7 30.3 15.0 6.6 5.3 5.8 8.2 6.6 7.2 13.7 10.9 11.9 11.8
        Reasoning-T5: 70.4 27.8 17.2 6.1 5.0 5.4 7.8 6.3 6.8 12.7 10.4 11.2 11.5""",
    ("anlg", "bhagavatula-2020-table-2", "BLEU-4, METEOR, ROUGE-L, CIDEr, BERTScore"): """
        Human: 8.25 26.71 30.40 53.56 53.30
        COMeT-Emb+GPT2: 3.03 17.66 22.93 32.00 48.52
        COMeT-Txt+GPT2: 2.29 16.73 22.51 31.99 48.46
        O1-O2-Only: 2.23 16.71 22.83 33.54 48.74
        GPT2-Fixed: 0.0 9.29 9.99 3.34 36.69""",
}


@pytest.mark.parametrize(("board", "split"), FACTS)
def test_the_published_accuracies_are_those_of_the_sources(board: str, split: str) -> None:
    lines = [line.strip().split(": ", 1) for line in FACTS[board, split].strip().split("\n")]
    expected = {(source, one) for source, values in lines for one in values.split(" | ")}
    assert {(source.id, f"{row.system} {row.printed['accuracy'].text}")
            for source in ALL[board].sources if source.split == split
            for row in source.values} == expected


@pytest.mark.parametrize(("board", "name", "columns"), TABLES)
def test_the_published_tables_are_those_of_the_sources(
    board: str, name: str, columns: str
) -> None:
    text = TABLES[board, name, columns]
    lines = [line.strip().rsplit(": ", 1) for line in text.strip().split("\n")]
    [source] = [one for one in ALL[board].sources if one.id == name]
    assert [(row.system, " ".join(row.printed[column].text for column in columns.split(", ")))
            for row in source.values] == [(system, values) for system, values in lines]


def test_what_was_read_second_hand_says_so_and_nothing_else_does() -> None:
    assert {source.id for one in ALL.values() for source in one.sources if source.second_hand} == {
        "he-2024-in-readgraph", "chaudhary-2026-in-readgraph"}


def test_sources_that_disagree_about_one_system_are_named() -> None:
    board = boards.load("graphqa-explagraphs-random")
    notes = [line.partition(" note: ")[2] for line in published.contradictions(
        board, ALL["graphqa-explagraphs-random"])]
    assert ("accuracy of 'G-Retriever' on test differs between sources: 86.96 +- 1.29 "
            "(he-2024-early), 85.16 +- 0.92 (he-2024-in-readgraph), "
            "83.7 (chaudhary-2026-in-readgraph)") in notes
    assert len(notes) == 3, "LoRA, with and without G-Retriever, too"


def test_works_that_nobody_read_are_listed_without_a_number() -> None:
    assert [one.by for one in ALL["explagraphs"].listed] == [
        "Cui, Li, Zhang and Shi 2023", "Han, Buntine and Shareghi 2024",
        "Lee, Yang, Oh and Seo 2022"]


@pytest.mark.parametrize(("board", "split"), [("graphqa-explagraphs", "dev"),
                                              ("graphqa-explagraphs-random", "test")])
def test_the_finding_of_graphqa_is_what_results_and_sources_say(board: str, split: str) -> None:
    result = json.loads((ROOT / "results" / board / "reference/relations-only" / f"{split}.json")
                        .read_bytes())
    relations = f"{100 * result['metrics']['accuracy']['value']:.1f}"
    printed = {row.system: row.printed["accuracy"].text
               for name in ("graphqa-explagraphs", "graphqa-explagraphs-random")
               for source in ALL[name].sources for row in source.values}
    told = set(re.findall(r"[0-9]+(?:\.[0-9]+)?(?= %)", ALL[board].finding or ""))
    assert told == {relations, printed["LoRA without a graph"], printed["LoRA with graph text"],
                    printed["ReGraph 8B"]}
