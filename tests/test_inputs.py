"""How predictions come in: by standard input, and packed by gzip."""

import gzip
import io
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.core.errors import SubmissionError
from scorer.core.reading.tsv import LARGEST_FILE, PACKED, File, read_rows, unpacked
from tests.effort import A_SECOND, within

Capsys = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parent.parent
BOARD = ("--board", "explagraphs-practice", "--split", "dev")
LIMIT = f"at most {LARGEST_FILE} bytes; submit only the columns of predictions"
UNPACK = "expected UTF-8 text; unpack it; a spreadsheet must be saved as tab-separated text"

Stdin = Callable[[bytes], None]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Stdin:
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.fixture(scope="module")
def predictions() -> bytes:
    """Gold of the practice board's dev split, as predictions."""
    gold = (ROOT / "boards/explagraphs-practice/data/dev.tsv").read_text("utf-8")
    return "".join("\t".join(line.split("\t")[2:4]) + "\n" for line in gold.splitlines()).encode()


# ---- standard input ------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_check_score_and_compare_read_standard_input(
    stdin: Stdin, predictions: bytes, tmp_path: Path, capsys: Capsys, pack: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "p.tsv"
    file.write_bytes(predictions)
    stdin(pack(predictions))
    assert main(["score", "-", *BOARD, "--metrics", "SA", "--json", str(tmp_path / "in")]) == 0
    assert main(["score", str(file), *BOARD, "--metrics", "SA", "--json",
                 str(tmp_path / "out")]) == 0
    assert (tmp_path / "in").read_bytes() == (tmp_path / "out").read_bytes()
    stdin(pack(predictions))
    assert main(["check", "-", *BOARD]) == 0
    assert "<stdin>: can be scored on explagraphs-practice dev: 40 rows" in capsys.readouterr().out
    stdin(pack(predictions))
    assert main(["compare", "-", str(file), *BOARD, "--metric", "SA"]) == 0
    assert re.search(r"\n  SA +100\.0 +100\.0 +0\.0 ", capsys.readouterr().out)


def test_standard_input_is_read_once_and_needs_a_board(stdin: Stdin, capsys: Capsys) -> None:
    stdin(b"")
    assert main(["check", "-", "-", *BOARD]) == 2
    assert main(["score", "-", "-", *BOARD]) == 2
    assert main(["check", "-"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told == ["- is named twice, but standard input can be read once; name a file"] * 2 + [
        "<stdin> is a file: name its board with --board, and its split with --split if it has one"]


def test_closed_standard_input_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as after <&- in a shell
    for verb in ("check", "score"):
        assert main([verb, "-", *BOARD]) == 2
        assert capsys.readouterr().err == (
            "- means standard input, which is closed; pipe a file in, or name one\n")


class _Endless(io.RawIOBase):
    """Gives lines as long as somebody asks, and counts their bytes."""

    def __init__(self) -> None:
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        buffer[:] = (b"y\n" * (len(buffer) // 2 + 1))[: len(buffer)]
        self.given += len(buffer)
        return len(buffer)


def test_endless_standard_input_is_read_to_the_limit(
    monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    endless = _Endless()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    assert main(["check", "-", *BOARD]) == 2
    assert capsys.readouterr().err.startswith(
        f"<stdin>:1:1 TSV-SIZE more than {LARGEST_FILE} bytes; expected {LIMIT}\n")
    assert endless.given < 2 * LARGEST_FILE


def test_a_copy_of_standard_input_is_named_after_its_split(
    stdin: Stdin, predictions: bytes, tmp_path: Path, capsys: Capsys
) -> None:
    stdin(predictions.replace(b"\n", b"\t\n"))
    assert main(["check", "-", *BOARD, "--fix", str(tmp_path)]) == 0
    assert (tmp_path / "predictions.dev.tsv").read_bytes() == predictions
    assert "a copy of <stdin> without tabs at the end of 40 lines" in capsys.readouterr().out


# ---- gzip ----------------------------------------------------------------------------------------


def test_the_first_bytes_tell_gzip_and_not_the_name(
    predictions: bytes, tmp_path: Path, capsys: Capsys
) -> None:
    (tmp_path / "packed.tsv").write_bytes(gzip.compress(predictions))
    (tmp_path / "plain.tsv.gz").write_bytes(predictions)
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    assert main(["check", *files, *BOARD]) == 0
    assert capsys.readouterr().out.count("40 rows, all readable") == 2


def test_files_of_several_members_are_read_whole() -> None:
    assert unpacked(File(gzip.compress(b"a\n") + gzip.compress(b"b\n"))).content == b"a\nb\n"


WHOLE = gzip.compress(b"support\t(a; is a; b)\n" * 40)
DAMAGED = {
    "short": (WHOLE[:-3], 840), "a header alone": (WHOLE[:10], 0),
    "another sum": (WHOLE[:-8] + b"12345678", 840), "rubbish behind": (WHOLE + b"x", 840),
    "another method": (b"\x1f\x8b\x01" + WHOLE[3:], 0),
    "another byte inside": (WHOLE[:10] + b"\xff" + WHOLE[11:], 0),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_gzip_file_is_one_error_in_words(name: str) -> None:
    content, count = DAMAGED[name]
    with pytest.raises(SubmissionError) as refusal:
        unpacked(File(content, "p.tsv.gz"))
    assert str(refusal.value).startswith("p.tsv.gz:1:1 TSV-ENCODING a gzip file that breaks off or "
                                         f"is damaged after {count} unpacked bytes; ")
    assert str(refusal.value).endswith("\nNOT accepted: 1 error")


def test_a_gzip_bomb_is_unpacked_no_further_than_the_limit() -> None:
    bomb = gzip.compress(bytes(32 * 2**20))
    found = within(A_SECOND, lambda: unpacked(File(bomb, "bomb.gz")))
    assert len(found.content) == LARGEST_FILE + 1
    [problem] = read_rows(found, ("a",)).problems.kept
    assert f"TSV-SIZE more than {LARGEST_FILE} bytes; expected {LIMIT}" in str(problem)


def test_a_gzip_file_that_is_itself_too_large_is_not_unpacked() -> None:
    with pytest.raises(SubmissionError, match="TSV-SIZE more than 8388608 bytes"):
        unpacked(File(b"\x1f\x8b" + bytes(LARGEST_FILE - 1), "p.gz"))


def test_in_a_submissions_folder_gzip_is_refused(
    predictions: bytes, tmp_path: Path, capsys: Capsys
) -> None:
    folder = tmp_path / "explagraphs-practice" / "team" / "system"
    source = ROOT / "submissions/explagraphs-practice/reference/majority-template/submission.yaml"
    folder.mkdir(parents=True)
    shutil.copyfile(source, folder / "submission.yaml")
    (folder / "predictions.dev.tsv").write_bytes(gzip.compress(predictions))
    assert main(["check", str(folder)]) == 2
    [line, _] = capsys.readouterr().err.splitlines()
    assert line.endswith(f"predictions.dev.tsv:1:1 TSV-ENCODING a gzip file; {UNPACK}")
    (folder / "predictions.dev.tsv").rename(folder / "predictions.dev.tsv.gz")
    assert main(["check", str(folder)]) == 2
    [line, *_] = capsys.readouterr().err.splitlines()
    assert line.endswith("expected submission.yaml and predictions.<split>.tsv; unpack it: gunzip "
                         "FILE.gz")


@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_file_is_named_once(kind: str) -> None:
    [problem] = read_rows(File(PACKED[kind] + b"\n\n\0\n" * 9), ("a",)).problems.kept
    assert str(problem).startswith(f"<bytes>:1:1 TSV-ENCODING a {kind} file; expected UTF-8 text; ")
