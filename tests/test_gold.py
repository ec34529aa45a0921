"""Sealing gold: envelopes, age files, sources, and a program that shows neither key nor label."""

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import boards
from scorer.cli import main
from scorer.core.errors import SubmissionError
from scorer.pipeline.hidden import sealed
from scorer.pipeline.hidden.sealed import CODES, GoldError, Identity, read_items
from tests import canary
from tests.canary import Canary
from tests.fuzz_helpers import thorough

pytest.importorskip("pyrage")

KEY = sealed.new_identity()
OTHER = sealed.new_identity()
SECRET = KEY.splitlines()[-1]
TO = Identity(KEY).recipient


@pytest.fixture
def made(tmp_path: Path) -> Canary:
    return canary.make(tmp_path, submissions=0)


def code_of(action: Any) -> str:
    """The code of the GoldError that an action raises; its chain shows nothing either."""
    with pytest.raises(GoldError) as raised:
        action()
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    assert str(raised.value).endswith(CODES[raised.value.code])
    return raised.value.code


# ---- the envelope --------------------------------------------------------------------------


@thorough(50)
@given(st.binary(max_size=200))
def test_an_envelope_gives_back_its_rows_board_and_split(rows: bytes) -> None:
    one = sealed.new("a-board", "test", rows)
    assert sealed.parse(one.to_bytes()) == one


@thorough(50)
@given(st.binary(max_size=200))
def test_other_bytes_are_no_envelope_and_are_not_quoted(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"^no envelope$"):
        sealed.parse(content)


@pytest.mark.claim("The published digest of hidden gold cannot be checked against guesses without "
                   "its key.")
def test_the_published_digest_needs_the_key_and_binds_board_split_and_rows() -> None:
    one = sealed.new("b", "test", b"rows")
    others = [replace(one, key=bytes(32)), replace(one, split="dev"), replace(one, board="c"),
              replace(one, rows=b"row")]
    assert len({one.hmac, *(other.hmac for other in others)}) == 5
    assert one.hmac == sealed.parse(one.to_bytes()).hmac
    assert one.hmac != hashlib.sha256(b"rows").hexdigest()
    assert sealed.new("b", "test", b"rows").hmac != one.hmac


# ---- age -----------------------------------------------------------------------------------


def test_what_is_sealed_opens_for_each_recipient_and_nobody_else() -> None:
    content = sealed.encrypted(b"gold", [TO, Identity(OTHER).recipient])
    assert b"gold" not in content
    assert Identity(KEY).open(content, "") == Identity(OTHER).open(content, "") == b"gold"
    assert code_of(lambda: Identity(sealed.new_identity()).open(content, "x")) == "GOLD-OPEN"
    assert code_of(lambda: Identity(KEY).open(content[:-1], "x")) == "GOLD-OPEN"
    assert code_of(lambda: Identity(KEY).open(b"", "x")) == "GOLD-OPEN"


def test_an_identity_leaves_the_environment_when_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(sealed.VARIABLE, KEY)
    identity = sealed.own_identity()
    assert identity is not None
    assert identity.recipient == TO
    assert sealed.VARIABLE not in os.environ
    assert sealed.own_identity() is None


def test_an_identity_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    sealed.write_private(path, KEY.encode())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sealed.own_identity(path) is not None
    path.chmod(0o640)
    for refused in (path, tmp_path / "none"):
        assert code_of(partial(sealed.own_identity, refused)) == "GOLD-IDENTITY"


def test_gold_is_never_written_over_a_file_or_through_a_link(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for path in (there, tmp_path / "link", tmp_path / "no" / "folder"):
        assert code_of(lambda path=path: sealed.write_private(path, b"gold")) == "GOLD-WRITE"
    assert there.read_text() == "mine"
    assert not (tmp_path / "target").exists()


# ---- whatever is wrong is a code ------------------------------------------------------------


Wrong = Callable[[Canary], object]


def read(source: str, identity: str = KEY) -> Wrong:
    """Read a source; ``{}`` is the folder of the board."""
    key = Identity(identity) if identity else None
    return lambda made: sealed.opened(source.replace("{}", str(made.root)), key, made.board, "dev",
                                      made.home)


def opened(rows: int = 40, **change: str) -> Wrong:
    """Open gold that calls itself so, of a board that has as many rows."""
    def action(made: Canary) -> object:
        gold = replace(made.gold, **change).to_bytes()
        (made.root / "canary.dev.age").write_bytes(sealed.encrypted(gold, [TO]))
        board = replace(made.board, splits={"dev": replace(made.board.splits["dev"], rows=rows)})
        return sealed.opened(f"age:{made.root}", Identity(KEY), board, "dev", made.home)
    return action


def rows(change: Callable[[bytes], bytes]) -> Wrong:
    """Read gold whose rows are others."""
    return lambda made: read_items(made.board, replace(made.gold, rows=change(made.gold.rows)))


def of_other_texts(made: Canary) -> object:
    gold = replace(made.gold, rows=b"x" + made.gold.rows)
    board = replace(made.board, splits={
        "dev": replace(made.board.splits["dev"], gold_hmac=gold.hmac)})
    assert len(read_items(board, gold)) == 40, "known by the inputs alone"
    return read_items(board, gold, made.home)


WRONG: dict[str, list[Wrong]] = {
    "GOLD-IDENTITY": [read("age:{}", ""), *(
        lambda _, text=text: Identity(text)
        for text in ("", "# only a comment", SECRET[:-1], "AGE-SECRET-KEY-1", TO))],
    "GOLD-RECIPIENT": [
        lambda _, each=each: sealed.encrypted(b"gold", each)
        for each in ([], [""], [TO[:-1]], [SECRET], [TO, "age1x"])],
    "GOLD-SOURCE": [*map(read, ("", "age", "age:", "https://x"))],
    "GOLD-MISSING": [read("age:{}")],
    "GOLD-ENVELOPE": [opened(board="other"), opened(split="test")],
    "GOLD-GRID": [opened(rows=39)],
    "GOLD-ROWS": [*map(rows, (
        lambda rows: rows.replace(b"\tsupport\t", b"\tkanarilabel\t", 1),
        lambda rows: rows.partition(b"\n")[2], lambda rows: rows + rows,
        lambda rows: b"\xff" + rows, lambda _: b"",
        lambda rows: rows.replace(b"; causes; ", b"; ", 1),
        lambda rows: rows.replace(b"\n", b"\t(a; causes; b)\n", 1)))],
    "GOLD-DIGEST": [rows(lambda rows: rows.replace(b"causes", b"created by", 1))],
    "GOLD-INPUTS": [of_other_texts],
}


@pytest.mark.parametrize("code", WRONG)
def test_whatever_is_wrong_with_gold_is_a_code(
    code: str, made: Canary, capfd: pytest.CaptureFixture[str],
) -> None:
    assert [code_of(partial(action, made)) for action in WRONG[code]] == [code] * len(WRONG[code])
    assert capfd.readouterr() == ("", "")


# ---- the program ---------------------------------------------------------------------------


@pytest.fixture
def scorer(
    capsys: pytest.CaptureFixture[str], made: Canary, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Run ``scorer gold`` at the root of the canary board; nothing it prints is secret."""
    monkeypatch.chdir(made.root)
    sealed.write_private(made.root / "key", KEY.encode())

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["gold", *arguments])
        printed = capsys.readouterr()
        assert made.shows(printed.out + printed.err, SECRET, OTHER.splitlines()[-1]) == []
        return code, printed.out, printed.err

    return run


def seal(made: Canary, scorer: Any) -> Any:
    (made.root / "gold.tsv").write_bytes(made.gold.rows)
    return scorer("seal", "gold.tsv", "--board", "boards/canary", "--split", "dev", "--to", TO,
                  "--out", "sealed")


def test_sealing_opening_and_rotating_keep_the_rows_and_the_digest(
    made: Canary, scorer: Any,
) -> None:
    code, digest, _ = seal(made, scorer)
    assert code == 0
    words = ("open", "sealed", "--identity", "key", "--out", "opened.tsv")
    assert scorer(*words) == (0, f"canary dev\n{digest}", "")
    code, _, report = scorer(*words)
    assert (code, "GOLD-WRITE" in report) == (3, True)
    assert (made.root / "opened.tsv").read_bytes() == made.gold.rows
    assert stat.S_IMODE((made.root / "opened.tsv").stat().st_mode) == 0o600
    new = Identity(OTHER).recipient
    code, said, warned = scorer("rotate", "sealed", "--identity", "key", "--to", new)
    assert (code, said) == (0, f"canary dev\n{digest}")
    assert warned.startswith("The old file stays readable")
    code, _, said = scorer("open", "sealed", "--identity", "key", "--out", "again.tsv")
    assert (code, "GOLD-OPEN" in said) == (3, True)
    assert not (made.root / "again.tsv").exists()
    rotated = (made.root / "sealed").read_bytes()
    opened = sealed.parse(Identity(OTHER).open(rotated, ""))
    assert digest == f"gold_hmac: {opened.hmac}\n"


def test_wrong_gold_is_not_sealed_and_not_quoted(made: Canary, scorer: Any) -> None:
    (made.root / "bad.tsv").write_bytes(made.gold.rows.partition(b"\n")[2])
    code, _, said = scorer("seal", "bad.tsv", "--board", "boards/canary", "--split", "dev",
                           "--to", TO, "--out", "sealed")
    assert (code, said.startswith("canary dev: GOLD-ROWS")) == (3, True)
    assert not (made.root / "sealed").exists()


@pytest.mark.parametrize(("words", "report"), [
    (("seal", "key", "--to", TO, "--out", "sealed"), "gold is public; only hidden gold is sealed"),
    (("score", "submissions/canary/team/system-0", "--source", "age:."),
     "gold is not hidden; use scorer score")], ids=["sealed", "scored"])
def test_public_gold_is_not_sealed_and_not_scored_as_hidden(
    words: tuple[str, ...], report: str, scorer: Any,
) -> None:
    assert scorer(*words, "--board", "boards/canary", "--split", "train") == (
        2, "", f"canary train: {report}\n")


# ---- board.yaml ----------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new", "message"), [
    ("rows: 40, gold: hidden", "rows: 39, gold: hidden",
     "a grid of auto points for 39 rows in split dev; expected hidden gold of 40 rows or more, "),
    ("practice: yes", "release: {grid: 2.5}",
     "a grid of 2.5 points for 40 rows in split dev; expected hidden gold of 40 rows or more, "),
    ("gold: hidden", "gold: reported", "gold_hmac of split dev; expected gold: hidden; "),
    ("practice: yes", "release: {grid: 0.2}",
     "release: grid: '0.2'; expected one of: auto, 0.1, 0.5, 1, 2.5, 5; "),
])
def test_a_board_whose_release_would_tell_too_much_is_refused(
    old: str, new: str, message: str, made: Canary,
) -> None:
    path = made.board.folder / "board.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(SubmissionError) as raised:
        boards.load(made.board.folder)
    assert message in str(raised.value)
