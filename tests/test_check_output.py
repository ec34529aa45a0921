"""What ``check`` prints: rows of broken rules, each fault once, a last line, corrected copies."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scorer import boards
from scorer.cli import main
from scorer.core.reading.tsv import LARGEST_FILE
from tests.effort import A_SECOND, within

Capsys = pytest.CaptureFixture[str]
DEV = boards.boards_folder() / "explagraphs-practice" / "data" / "dev.tsv"
ON_DEV = ("--board", "explagraphs-practice", "--split", "dev")


def answers() -> list[str]:
    """Gold as predictions, one line an item."""
    lines = DEV.read_text("utf-8").splitlines()
    return ["\t".join(line.split("\t")[2:4]) for line in lines]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("p.tsv")


def write(path: Path, lines: Sequence[str]) -> None:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def tight(line: str) -> str:
    """A line without the space behind every semicolon of its second edge."""
    label, graph = line.split("\t")
    edges = graph[1:-1].split(")(")
    edges[1] = edges[1].replace("; ", ";")
    return f"{label}\t({')('.join(edges)})"


def test_a_broken_rule_shows_five_rows_or_all_with_columns(path: Path, capsys: Capsys) -> None:
    lines = [tight(line) if number < 7 else line for number, line in enumerate(answers())]
    write(path, lines)
    assert main(["check", str(path), *ON_DEV]) == 0
    said = capsys.readouterr().out
    assert ("  breaks StCA: EG-PARTS in 7 rows; write each edge as (concept; relation; concept) "
            "with '; ' between the parts\n") in said
    shown = re.findall(r"^    p\.tsv:(\d+):(\d+) EG-PARTS (.*)$", said, re.M)
    assert [int(line) for line, _, _ in shown] == [1, 2, 3, 4, 5]
    for line, column, words in shown:
        assert lines[int(line) - 1][int(column) - 1 :].startswith("(")
        assert lines[int(line) - 1][: int(column) - 1].count("(") == 1
        assert words == "Edge 2: no space after a semicolon, so it separates nothing."
    assert "    and 2 rows more; --rows shows all\n" in said
    assert main(["check", str(path), *ON_DEV, "--rows"]) == 0
    assert len(re.findall(" EG-PARTS Edge 2: ", capsys.readouterr().out)) == 7


def test_a_slip_in_every_row_is_called_that(path: Path, capsys: Capsys) -> None:
    write(path, [line.replace("; ", ";") for line in answers()])
    assert main(["check", str(path), *ON_DEV]) == 0
    said = capsys.readouterr().out
    assert "  breaks StCA: EG-PARTS in all 40 rows; " in said
    assert said.index("EG-PARTS") < said.index("EG-BELIEF-CONCEPTS"), "the cause comes first"


def test_a_rare_fault_stands_beside_a_frequent_one(path: Path, capsys: Capsys) -> None:
    write(path, [line.replace("\t", " ") for line in answers()[:39]] + ["support\t\x00"] * 30)
    assert main(["check", str(path), *ON_DEV]) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.split(" ")[1] for line in said[:5]] == ["TSV-COLUMNS"] * 5
    assert said[5] == "34 more TSV-COLUMNS"
    assert [line.partition(" ")[0] for line in said[6:]] == [
        "p.tsv:40:9", "p.tsv:41:1", *(f"p.tsv:{row}:9" for row in range(41, 45)), "25", "NOT"]
    assert said[7] == "p.tsv:41:1 TSV-ROWS 69 rows; expected 40; remove 29 rows"
    assert said[-2:] == ["25 more TSV-CONTROL", "NOT accepted: 70 errors"]
    assert main(["check", str(path), *ON_DEV, "--rows"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 70 + 1


def test_a_rule_that_is_first_broken_behind_the_faults_that_are_kept_is_counted(
    path: Path, capsys: Capsys
) -> None:
    write(path, ["a\tb\tc"] * 20 + [answers()[0].replace("\t", " ")] * 60 + ["x\ty"] * 30)
    assert main(["check", str(path), *ON_DEV]) == 2
    *_, first, left, last = capsys.readouterr().err.splitlines()
    assert first.startswith("p.tsv:81:1 TSV-LABEL ")
    assert (left, last) == ("29 more TSV-LABEL", "NOT accepted: 111 errors")


def test_a_name_above_a_lone_column_is_a_header_where_one_row_is_too_many(
    path: Path, capsys: Capsys
) -> None:
    for name, rows, rules in (("prediction", 48, ["TSV-HEADER"]), ("Label", 47, ["TSV-HEADER",
                              "TSV-ROWS"]), ("prediction", 47, ["TSV-LABEL"])):
        write(path, [name, *"1" * rows])
        assert main(["check", str(path), "--board", "anli-practice", "--split", "dev"]) == 2
        *lines, _ = capsys.readouterr().err.splitlines()
        assert [line.split(" ")[1] for line in lines] == rules


def test_what_nearly_all_graphs_have_wrong_is_a_note_of_check_and_score(
    path: Path, capsys: Capsys
) -> None:
    column = 1 + answers()[0].index("(")
    for slips, noted in ((36, False), (37, True)):  # more than 90 % of 40 rows
        write(path, [line.replace("; ", ";\u00a0") for line in answers()[:slips]]
              + answers()[slips:])
        for verb in (["check"], ["score", "--metrics", "StCA", "--no-null"]):
            assert main([*verb, str(path), *ON_DEV]) == 0
            printed = capsys.readouterr().err
            assert printed.startswith(noted * (
                f"note: p.tsv:1:{column} EG-SLIP EG-PARTS in 37 of 40 graphs, here: Edge 1: "))
            assert len(printed.splitlines()) == noted


@pytest.mark.parametrize("change", [
    lambda lines: lines[1:], lambda lines: [*lines[:2], "", *lines[2:]],
    lambda lines: lines[:1] + lines, lambda lines: ["stance\tgraph", *lines]])
def test_graphs_are_not_held_against_texts_while_rows_are_missing_or_too_many(
    change: Callable[[list[str]], list[str]], path: Path, capsys: Capsys
) -> None:
    write(path, change(answers()))
    assert main(["check", str(path), *ON_DEV]) == 2
    said = capsys.readouterr().err
    assert re.search(" TSV-(ROWS|BLANK|HEADER) ", said)
    assert "EG-" not in said, "each graph stands beside another item's texts"


ROWS = "".join(f"{line}\n" for line in answers())
FIXED = {
    "line ends of Windows": (ROWS.replace("\n", "\r\n"), "CR LF at the end of 40"),
    "line ends of an old Mac": (ROWS.replace("\n", "\r"), "CR at the end of 40"),
    "a byte order mark": ("\ufeff" + ROWS, "the byte order mark"),
    "a header": ("stance\tgraph\n" + ROWS, "the header"),
    "tabs at the ends of lines": (ROWS.replace("\n", "\t\t\n"), "tabs at the end of 40 lines"),
    "empty lines at the end": (ROWS + "\n\n", "2 empty lines at the end"),
    "all of them": (
        "\ufeffstance\tgraph\t\r\n" + ROWS.replace("\n", "\t\r\n") + "\r\n",
        "the byte order mark, CR LF at the end of 42 lines, tabs at the end of 41 lines, the "
        "header, 1 empty line at the end"),
}


@pytest.mark.parametrize("name", FIXED)
def test_a_corrected_copy_has_the_answers_as_they_were(
    name: str, path: Path, capsys: Capsys
) -> None:
    text, words = FIXED[name]
    path.write_bytes(text.encode())
    assert main(["check", str(path), *ON_DEV, "--fix", "corrected"]) == 0
    assert Path("corrected/p.tsv").read_text("utf-8") == ROWS
    assert path.read_bytes() == text.encode()
    said = capsys.readouterr().out
    assert f"corrected/p.tsv: a copy of p.tsv without {words}" in said
    assert "corrected/p.tsv: can be scored on explagraphs-practice dev: 40 rows" in said


def test_an_empty_answer_stays_and_nothing_is_overwritten(path: Path, capsys: Capsys) -> None:
    lines = [*answers()[:39], "support\t\t"]
    write(path, lines)
    assert main(["check", str(path), *ON_DEV, "--fix", "corrected"]) == 0
    assert Path("corrected/p.tsv").read_text("utf-8").splitlines() == [*answers()[:39], "support\t"]
    assert main(["check", str(path), *ON_DEV, "--fix", "corrected"]) == 0, "the same copy again"
    write(path, [*answers()[:39], "counter\t\t"])
    assert main(["check", str(path), *ON_DEV, "--fix", "corrected"]) == 2
    assert "corrected/p.tsv exists already; name another folder with --fix" in (
        capsys.readouterr().err)
    assert main(["check", str(path), *ON_DEV, "--fix", "."]) == 2
    write(path, answers())
    assert main(["check", str(path), *ON_DEV, "--fix", "other"]) == 0
    assert "nothing that --fix corrects, so no copy was written" in capsys.readouterr().out
    assert not Path("other").exists()


@pytest.mark.parametrize(("lines", "fixed", "words"), [
    (["a"] * 38 + ["", ""], ["a"] * 38 + ["", ""], "the byte order mark"),
    (["a"] * 39 + ["", "", ""], ["a"] * 39 + [""],
     "the byte order mark, 2 empty lines at the end"),
    (["hypothesis"] + ["a"] * 39 + ["", ""], ["a"] * 39 + [""],
     "the byte order mark, the header, 1 empty line at the end"),
    (["1\ta", "2\t\t", ""], ["1\ta", "2\t"],
     "the byte order mark, tabs at the end of 1 line, 1 empty line at the end"),
])
def test_empty_lines_that_answer_an_item_of_one_column_stay(
    lines: list[str], fixed: list[str], words: str, path: Path, capsys: Capsys
) -> None:
    write(path, ["\ufeff" + lines[0], *lines[1:]])
    main(["check", str(path), "--board", "anlg-practice", "--split", "dev", "--fix", "corrected"])
    assert f"a copy of p.tsv without {words}\n" in "".join(capsys.readouterr())
    assert Path("corrected/p.tsv").read_text("utf-8") == "".join(f"{line}\n" for line in fixed)


def test_tabs_at_the_ends_of_long_lines_are_removed_in_a_second(path: Path) -> None:
    path.write_bytes((b"support" + b"\t" * 60_000 + b"\n") * 40)
    assert within(A_SECOND, lambda: main(["check", str(path), *ON_DEV, "--fix", "corrected"])) == 0
    assert Path("corrected/p.tsv").read_bytes() == b"support\t\n" * 40


def test_what_is_too_large_is_not_corrected(path: Path, capsys: Capsys) -> None:
    Path("endless.tsv").symlink_to("/dev/zero")
    path.write_bytes(b"\r" * (LARGEST_FILE + 1))
    assert main(["check", "endless.tsv", str(path), *ON_DEV, "--fix", "corrected"]) == 2
    said = capsys.readouterr().err
    for name in ("endless.tsv", "p.tsv"):
        assert f"{name}: more than {LARGEST_FILE} bytes, so --fix corrects nothing\n" in said
    assert not Path("corrected").exists()


def test_a_fault_of_every_row_is_written_out_once(path: Path, capsys: Capsys) -> None:
    write(path, [*map(str.upper, answers())])
    assert main(["check", str(path), *ON_DEV]) == 2
    first, more, last = capsys.readouterr().err.splitlines()
    assert first.startswith("p.tsv:1:1 TSV-LABEL ")
    assert (more, last) == ("39 more TSV-LABEL", "NOT accepted: 40 errors")
