"""Disputed gold: an erratum changes one row from a version on, and scores stand under both."""

import shutil
from pathlib import Path

import pytest

from scorer import boards
from scorer.boards import Board, errata
from scorer.boards.golds import Golds, read_golds
from scorer.core.errors import DataError
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.scoring.checking import plain_bytes
from scorer.scoring.submissions import Scorer

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = """\
schema: 1
split: dev
row: {row}
found: The graph says the opposite of the stance.
decision: accepted
reason: Two adjudicators agree.
since: "{since}"
change: {{stance: {stance}}}
"""
DECLINED = """\
schema: 1
split: dev
row: 2
found: A concept could be shorter.
decision: declined
reason: Taste is no error.
"""


def disputed(tmp_path: Path, version: str, **files: str) -> Board:
    """The practice board at a version, with errata by the names of their files."""
    folder = tmp_path / "explagraphs-practice"
    shutil.copytree(ROOT / "boards" / "explagraphs-practice", folder, dirs_exist_ok=True)
    text = (folder / "board.yaml").read_text("utf-8")
    (folder / "board.yaml").write_text(text.replace('version: "1.0"', f'version: "{version}"'))
    (folder / "errata").mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / "errata" / f"{name.replace('_', '-')}.yaml").write_text(content)
    return boards.load(folder)


def dev_of(board: Board) -> Golds:
    path = board.data_file("dev", Path())
    assert path is not None
    return read_golds(board, "dev", path)


def other(board: Board, row: int) -> str:
    """The stance that the gold file does not give to a row."""
    stances = set(board.settings.labels.values)
    return str((stances - {dev_of(board).items[row - 1].label}).pop())


def scored(board: Board, tmp_path: Path) -> Result:
    """A predictions file that says what the gold file says, scored."""
    gold = dev_of(board).before
    assert gold is not None
    rows = [(item.label, item.graphs[0].text) for item in gold.items]
    path = tmp_path / "predictions.dev.tsv"
    path.write_bytes(plain_bytes(rows, "<test>"))
    scorer = Scorer(Models(allowed="no"), tmp_path, metrics=("SA", "StCA"))
    return scorer.file(board, path, "dev", scorer.gold(board, "dev")).result


def test_an_accepted_erratum_changes_its_row_and_the_golds_digest(tmp_path: Path) -> None:
    plain = disputed(tmp_path / "a", "1.0")
    accepted = ACCEPTED.format(row=3, since="1.1", stance=other(plain, 3))
    before, changed = dev_of(plain), dev_of(disputed(tmp_path / "b", "1.1", first=accepted))
    assert [a == b for a, b in zip(before.items, changed.items, strict=True)].count(False) == 1
    assert changed.items[2].label == other(plain, 3)
    assert changed.sha256 != before.sha256
    assert [one.id for one in changed.errata] == ["first"]


def test_it_holds_from_its_version_on_and_not_before(tmp_path: Path) -> None:
    accepted = ACCEPTED.format(row=3, since="1.10", stance="support")
    for version, holds in (("1.9", False), ("1.10", True), ("2.0", True)):
        golds = dev_of(disputed(tmp_path / version, version, first=accepted, second=DECLINED))
        assert bool(golds.errata) == holds


@pytest.mark.claim("After an erratum a score stands under both golds.")
def test_a_score_stands_under_both_golds(tmp_path: Path) -> None:
    """Forty right answers; the erratum makes one of them wrong: 40/40 and 39/40."""
    plain = disputed(tmp_path / "a", "1.0")
    board = disputed(tmp_path / "b", "1.1",
                     first=ACCEPTED.format(row=3, since="1.1", stance=other(plain, 3)))
    result = scored(board, tmp_path)
    assert result.metrics["SA"].value == 39 / 40
    assert result.errata.applied == ["first"]
    assert result.errata.without == {"SA": 40 / 40, "StCA": 40 / 40}
    assert result.errata.gold != result.gold.id


@pytest.mark.parametrize(("change", "complaint"), [
    (("row: 3", "row: 41"), "row 41; expected at most 40"),
    (("split: dev", "split: val"), "split: 'val'; expected one of: train, dev, test"),
    (("change: {stance: support}", "change: {belief: x}"), "a change of 'belief'; expected one of"),
    (("decision: accepted", "decision: declined"), "both if accepted, neither if declined"),
    (('since: "1.1"\n', ""), "both if accepted, neither if declined"),
    (("change: {stance: support}", "change: {stance: maybe}"), "'maybe'"),
])
def test_a_wrong_erratum_stops_the_gold_with_its_file_and_what_to_do(
    tmp_path: Path, change: tuple[str, str], complaint: str
) -> None:
    text = ACCEPTED.format(row=3, since="1.1", stance="support").replace(*change)
    with pytest.raises(DataError) as raised:
        dev_of(disputed(tmp_path, "1.1", first=text))
    assert complaint in str(raised.value)


def test_hidden_gold_takes_no_errata(tmp_path: Path) -> None:
    board = disputed(tmp_path, "1.1", first=ACCEPTED.format(row=3, since="1.1", stance="support"))
    text = (board.folder / "board.yaml").read_text("utf-8")
    (board.folder / "board.yaml").write_text(
        text.replace("dev: {file: dev.tsv, rows: 40, gold: public",
                     "dev: {file: dev.tsv, rows: 40, gold: hidden"))
    _, problems = errata.read(boards.load(board.folder))
    assert [problem.expected for problem in problems] == ["a split with public gold"]
