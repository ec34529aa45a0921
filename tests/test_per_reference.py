"""Predictions with a line for each reference, made into a line for each item."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scorer.cli import main

ROOT = Path(__file__).resolve().parent.parent
BOARD = ("--board", "anlg-practice", "--split", "dev")
GOLD = [line.split("\t") for line in
        (ROOT / "boards/anlg-practice/data/dev.tsv").read_text("utf-8").splitlines()]
ITEMS = len(GOLD)
LINES = sum(len(row) - 2 for row in GOLD)
ONE_EACH = [f"text {number}" for number in range(ITEMS)]

Prints = Callable[..., str]
Fails = Callable[..., None]


def repeated(texts: Sequence[str] = ONE_EACH) -> list[str]:
    """Each text on as many lines as its item has references."""
    return [text for text, row in zip(texts, GOLD, strict=True) for _ in row[2:]]


def written(folder: Path, lines: Sequence[str], name: str = "p.tsv") -> str:
    """A file of these lines."""
    (folder / name).write_text("\n".join([*lines, ""]), "utf-8")
    return str(folder / name)


def test_the_copy_has_one_line_an_item_and_the_command_says_what_it_took(
    tmp_path: Path, prints: Prints
) -> None:
    file = written(tmp_path, repeated())
    [read, copy, verdict] = prints("check", file, *BOARD, "--per-reference", "--fix",
                                   str(tmp_path / "new")).splitlines()
    assert (tmp_path / "new" / "p.tsv").read_text("utf-8").splitlines() == ONE_EACH
    assert read == (f"{file}: read as one line for each of the {LINES} references of the gold; one "
                    f"is kept for each of {ITEMS} items")
    assert copy.endswith(f"a copy of {file} without the repeated lines")
    assert verdict.endswith(f"can be scored on anlg-practice dev: {ITEMS} rows, all readable")


@pytest.mark.parametrize("options", [
    BOARD, ("--task", "anlg-practice", "--gold", str(ROOT / "boards/anlg-practice/data/dev.tsv"))],
    ids=["gold of the split", "a gold file"])
def test_its_scores_are_those_of_one_line_an_item(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    values = []
    for lines, more in ((ONE_EACH, []), (repeated(), ["--per-reference"])):
        file, out = written(tmp_path, lines), tmp_path / "out.json"
        assert main(["score", file, *options, *more, "--metrics", "BLEU-1,ROUGE-L", "--quiet",
                     "--json", str(out)]) == 0
        values.append(out.read_text("utf-8"))
    assert values[0] == values[1]


def test_the_first_five_items_whose_lines_differ_are_named_and_none_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = repeated()
    ends = [sum(len(row) - 2 for row in GOLD[: number + 1]) - 1 for number in range(ITEMS)]
    several = [number for number in range(ITEMS) if len(GOLD[number]) > 3][:7]
    for number in several:
        lines[ends[number]] += " changed"
    file = written(tmp_path, lines)
    assert main(["check", file, *BOARD, "--per-reference", "--fix", str(tmp_path / "new")]) == 2
    faults = capsys.readouterr().err.splitlines()[1:]
    assert [line.partition(";")[0] for line in faults[:5]] == [
        f"{file}:{ends[number] + 1}:1 ART-TWICE another text for item {number + 1} than line "
        f"{ends[number] - len(GOLD[number]) + 4} has" for number in several[:5]]
    assert faults[5:] == ["2 more ART-TWICE", "NOT accepted: 7 errors"]
    assert not (tmp_path / "new").exists()


def test_an_official_file_says_whose_each_line_is_in_any_order(
    tmp_path: Path, prints: Prints
) -> None:
    rows = [row for row in GOLD for _ in row[2:]][::-1]
    texts = dict(zip(map(tuple, GOLD), ONE_EACH, strict=True))
    order = written(tmp_path, [
        json.dumps({"obs1": row[0], "obs2": row[1], "hyp1": "x", "label": "1"})
        for row in (*rows, ["not", "of the split"])], "o.jsonl")
    file = written(tmp_path, [*(texts[tuple(row)] for row in rows), "left out"])
    assert "; 1 line of items outside the split left out\n" in prints(
        "check", file, *BOARD, "--per-reference", "--order", order, "--fix", str(tmp_path / "new"))
    assert (tmp_path / "new" / "p.tsv").read_text("utf-8").splitlines() == ONE_EACH


@pytest.mark.parametrize(("instead", "fault"), [
    (["a\0"], "p.tsv:8:2 TSV-CONTROL"), (["x" * 1001], "p.tsv:8:1 ART-LONG 1001 char"),
    (["x", "more"], f"TSV-ROWS {LINES + 1} lines; expected {LINES}, one for each of the references "
     "of the gold; name the file whose rows the lines follow: --order FILE")],
    ids=["a fault of a line", "a text that is too long", "another number of lines"])
def test_what_does_not_fit_is_told_at_its_line(
    instead: list[str], fault: str, tmp_path: Path, fails: Fails
) -> None:
    lines = repeated()
    fails(2, fault, "check", written(tmp_path, [*lines[:7], *instead, *lines[8:]]), *BOARD,
          "--per-reference")
