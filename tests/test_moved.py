"""Committed results move only with a version that says why; judged in real repositories."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scorer.cli import main
from scorer.scoring.results import changes
from tests.ci_world import git

ROOT = Path(__file__).resolve().parent.parent
PLACE = "results/explagraphs-practice/reference/edited-gold"
RESULT, ITEMS = f"{PLACE}/dev.json", f"{PLACE}/dev.items.tsv"
DOCUMENT = json.loads((ROOT / RESULT).read_bytes())
ROWS = (ROOT / ITEMS).read_bytes()
BLEU = DOCUMENT["metrics"]["G-BLEU"]["value"]
BERT = "G-BERTScore[minilm-l6]"
Change = Callable[[Any], object]


def with_cells(content: bytes, column: str, **cells: str) -> bytes:
    """A table with other cells of one column; ``row_3="0.9"``."""
    lines = [line.split("\t") for line in content.decode().splitlines()]
    place = lines[0].index(column)
    for name, cell in cells.items():
        lines[int(name.removeprefix("row_"))][place] = cell
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def told_of_rows(after: bytes) -> list[str]:
    """What is said of other items of the same result."""
    return [f"{one.rule} {one.found}" for one in changes.findings({ITEMS: ROWS}, {ITEMS: after})]


def signed(document: Any, metric: str, old: str, new: str) -> None:
    """Put another part into a metric's signature."""
    value = document["metrics"][metric]
    assert old in value["signature"]
    value["signature"] = value["signature"].replace(old, new)


def moved_bleu(document: Any, by: float = 0.01) -> None:
    document["metrics"]["G-BLEU"]["value"] += by


def told(change: Change, of: Any = DOCUMENT, path: str = RESULT) -> list[str]:
    """What is said of a document after a change, without place, expectation and advice."""
    after = deepcopy(of)
    change(after)
    found = changes.findings({path: of}, {path: after})
    return [f"{one.rule} {one.found}" for one in found]


# ---- what moves ----------------------------------------------------------------------------


def test_a_moved_value_is_told_with_both_numbers() -> None:
    assert told(moved_bleu) == [
        f"RESULT-MOVED G-BLEU: value {BLEU} becomes {BLEU + 0.01}"]


@pytest.mark.parametrize(("by", "count"), [(0.9e-6, 0), (-0.9e-6, 0), (1.1e-6, 1), (-1.1e-6, 1),
                                           (float("nan"), 1), (float("inf"), 1)])
def test_a_millionth_is_the_most_that_a_value_may_move(by: float, count: int) -> None:
    assert len(told(lambda document: moved_bleu(document, by))) == count


@pytest.mark.parametrize(("old", "new"), [(0.123456, 0.123457), (0.3, 0.300001)])
def test_a_bound_that_was_rounded_the_other_way_has_not_moved(old: float, new: float) -> None:
    def bound(low: float) -> Any:
        document = deepcopy(DOCUMENT)
        document["metrics"]["SA"]["interval"] = {
            "low": low, "high": 1.0, "method": "wilson", "note": "", "level": 0.95}
        return document

    assert list(changes.findings({RESULT: bound(old)}, {RESULT: bound(new)})) == []
    assert list(changes.findings({RESULT: bound(old)}, {RESULT: bound(new + 1e-6)}))


MOVES: dict[str, tuple[Change, str]] = {
    "a part": (lambda d: d["metrics"]["G-BLEU"].update(precision=0.5),
               "RESULT-MOVED G-BLEU: precision"),
    "the mean of what passed": (lambda d: d["metrics"]["G-BLEU"]["passed"].update(value=0.1),
                                "RESULT-MOVED G-BLEU: passed value"),
    "the null": (lambda d: d["metrics"]["G-BLEU"].update(null=0.5), "RESULT-MOVED G-BLEU: null"),
    "a count": (lambda d: d["counts"].update(struct_correct=27),
                "RESULT-MOVED counts: struct_correct 26 becomes 27"),
    "a rule's count": (lambda d: d["counts"]["broken"].update({"EG-CYCLE": 3}),
                       "RESULT-MOVED counts: broken EG-CYCLE 2 becomes 3"),
    "a metric that goes": (lambda d: d["metrics"].pop("SA"),
                           "RESULT-MOVED SA: the metric is gone"),
    "a value that goes": (lambda d: d["metrics"].update(
        SA={"value": None, "reason": "lost", "n": 40}),
                          "RESULT-MOVED SA: clustered_se 0.0 becomes nothing"),
    "everything": (lambda d: d.clear(), "RESULT-BROKEN no result can be read"),
    "another smoothing": (
        lambda d: (moved_bleu(d), signed(d, "G-BLEU", "smooth:none", "smooth:exp")),
        "RESULT-MOVED G-BLEU: value"),
    "a signature that cannot be read": (
        lambda d: (moved_bleu(d), d["metrics"]["G-BLEU"].update(signature="scorer:9")),
        "RESULT-MOVED G-BLEU: value"),
    "the version of the document alone": (
        lambda d: (moved_bleu(d), d["scorer"].update(version="9")), "RESULT-MOVED G-BLEU: value"),
    "another metric's encoder": (
        lambda d: (moved_bleu(d), signed(d, BERT, "53aa51172d14", "0123456789ab")),
        "RESULT-MOVED G-BLEU: value"),
    "other predictions": (
        lambda d: (moved_bleu(d), d["predictions"].update(sha256="0" * 64)),
        "RESULT-MOVED G-BLEU: value"),
}


@pytest.mark.parametrize("case", MOVES)
def test_what_moves_without_a_version_is_told(case: str) -> None:
    change, words = MOVES[case]
    assert words in "\n".join(told(change))


@pytest.mark.parametrize(("old", "new"), [
    ("scorer:0.2.0", "scorer:0.3.0"), ("board:explagraphs-practice-1.0", "board:explagraphs-1.1"),
    ("gold:ffbfef41b72f", "gold:0123456789ab")])
def test_a_value_may_move_with_its_scorer_board_or_gold(old: str, new: str) -> None:
    def change(document: Any) -> None:
        moved_bleu(document)
        signed(document, "G-BLEU", old, new)

    assert told(change) == []


def test_a_value_may_move_with_its_model_and_the_others_may_not() -> None:
    def change(document: Any) -> None:
        signed(document, BERT, "53aa51172d14", "0123456789ab")
        document["metrics"][BERT]["value"] = 0.1
        document["metrics"]["GED"]["value"] = 0.1

    assert [line.partition(": value")[0] for line in told(change)] == ["RESULT-MOVED GED"]


@pytest.mark.parametrize("bump", [
    lambda d: d["scorer"].update(version="0.3.0"), lambda d: d.update(board_version="1.1"),
    lambda d: d["gold"].update(id="explagraphs-practice/dev@0123456789ab")])
def test_a_metric_and_counts_may_go_with_another_version_of_the_whole(bump: Change) -> None:
    def change(document: Any) -> None:
        bump(document)
        document["counts"]["struct_correct"] = 1
        document["metrics"]["SA"] = {"value": None, "reason": "no longer a column", "n": 40}

    assert told(change) == []


def test_what_is_new_moves_nothing() -> None:
    before = deepcopy(DOCUMENT)
    before["metrics"]["G-BLEU"] = {"value": None, "reason": "later", "n": 40}
    del before["metrics"]["SA"]
    assert list(changes.findings({RESULT: before}, {RESULT: DOCUMENT, "results/a.json": {}})) == []


def test_a_result_disappears_only_with_its_submission() -> None:
    before = {RESULT: DOCUMENT, ITEMS: ROWS}
    assert [(one.path, one.rule) for one in changes.findings(before, {})] == [
        (ITEMS, "RESULT-GONE"), (RESULT, "RESULT-GONE")]


def test_moved_rows_are_counted_by_metric_and_annotation() -> None:
    after = with_cells(with_cells(ROWS, "GED", row_3="0.9", row_8="0.9"), "gate",
                       row_5="stance_incorrect")
    assert told_of_rows(after) == ["RESULT-MOVED gate: 1 row from row 5 on",
                                   "RESULT-MOVED GED: 2 rows from row 3 on"]
    assert told_of_rows(ROWS[:ROWS.rindex(b"\n40\t") + 1]) == ["RESULT-GONE 40 rows became 39"]
    assert told_of_rows(ROWS.replace(b"\tGED\t", b"\tGXD\t")) == [
        "RESULT-MOVED GED: 40 rows from row 1 on"]


def test_rows_may_move_with_the_version_of_their_result() -> None:
    rows, after = with_cells(ROWS, "GED", row_1="0.9"), deepcopy(DOCUMENT)
    signed(after, "GED", "scorer:0.2.0", "scorer:0.3.0")
    before = {RESULT: DOCUMENT, ITEMS: ROWS}
    assert list(changes.findings(before, {RESULT: after, ITEMS: rows})) == []
    assert len(list(changes.findings(before, {RESULT: DOCUMENT, ITEMS: rows}))) == 1


def test_a_version_explains_other_numbers_and_not_that_there_are_none() -> None:
    after, before = deepcopy(DOCUMENT), {RESULT: DOCUMENT, ITEMS: ROWS}
    for name, value in after["metrics"].items():
        value["signature"] = value["signature"].replace("scorer:0.2.0", "scorer:0.3.0")
        assert "scorer:0.3.0" in value["signature"], name
    assert list(changes.findings(before, {RESULT: after, ITEMS: ROWS})) == []
    for rows in (ROWS.replace(b"\t", b" "), ROWS.replace(b"\n1\t", b"\nx\t"), b"", None):
        [found] = changes.findings(before, {RESULT: after, ITEMS: rows})
        assert (found.path, found.rule) == (ITEMS, "RESULT-BROKEN")
    for wrong in ({"schema": 0}, {"metrics": {}}, {"metrics": {"GED": {}}}, {"metrics": []}):
        [found] = changes.findings({RESULT: DOCUMENT}, {RESULT: {**after, **wrong}})
        assert (found.path, found.rule) == (RESULT, "RESULT-BROKEN")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["metrics", "counts", "G-BLEU", "value", "signature", "scorer", "gold",
                         "version", "id", "board_version", "scores"]), inner, max_size=4))


@given(JSON)
@example({"metrics": {"metrics": None}, "scorer": {"version": ""}})
def test_whatever_stands_there_instead_is_told_and_never_passed_over(after: Any) -> None:
    assert list(changes.findings({RESULT: DOCUMENT}, {RESULT: after}))
    assert list(changes.findings({ITEMS: ROWS}, {ITEMS: json.dumps(after).encode()}))


# ---- in a repository -----------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one committed result."""
    for name in (RESULT, ITEMS):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / name).read_bytes())
    (tmp_path / PLACE / "error.json").write_text("{}")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path)
    return tmp_path


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=Change")
    return git(folder, "rev-parse", "HEAD")


def edit(folder: Path, change: Change) -> None:
    document = json.loads((folder / RESULT).read_bytes())
    change(document)
    (folder / RESULT).write_text(json.dumps(document))


def moves(folder: Path, *words: str) -> int:
    return main(["ci", "moved", "--root", str(folder), *words])


@pytest.mark.claim("A change that moves a committed result by more than a millionth fails unless "
                   "a version in its signature says why.")
def test_a_change_that_moves_a_result_fails_with_its_name_and_numbers(
    repository: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    base = git(repository, "rev-parse", "HEAD")
    edit(repository, moved_bleu)
    commit(repository)
    assert moves(repository, "--base", base) == 2
    told = capsys.readouterr()
    assert told.err == (
        f"{RESULT}:1:1 RESULT-MOVED G-BLEU: value {BLEU} becomes {BLEU + 0.01}; expected the same "
        "within 1e-06, or another scorer, board, gold, judge or encoder; raise the version of what "
        "changed and score again, or restore the file\n1 error\n")
    assert told.out.startswith(f"::error file={RESULT},line=1,col=1,title=RESULT-MOVED::G-BLEU")
    assert moves(repository, "--base", base, "--head", base) == 0


def test_another_layout_of_the_same_numbers_and_records_of_errors_are_nothing(
    repository: Path,
) -> None:
    base = git(repository, "rev-parse", "HEAD")
    edit(repository, lambda document: None)
    (repository / PLACE / "error.json").unlink()
    commit(repository)
    assert moves(repository, "--base", base) == 0


def test_what_people_said_may_be_written_anew_for_it_is_no_result(repository: Path) -> None:
    said = [repository / "results" / name for name in (
        "human/hamlet.json", "human/human-results.json", "a-board/metric-agreement.json")]
    for path in said:
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"metrics": {}}')
    commit(repository)
    base = git(repository, "rev-parse", "HEAD")
    said[0].unlink()
    for path in said[1:]:
        path.write_text('{"metrics": {"SA": {"value": 0.5}}}')
    commit(repository)
    assert moves(repository, "--base", base) == 0


@pytest.mark.parametrize("harm", ["removed", "a link", "no JSON", "deep"])
def test_a_result_that_is_gone_or_unreadable_fails(
    harm: str, repository: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    base, path = git(repository, "rev-parse", "HEAD"), repository / RESULT
    path.unlink()
    if harm == "a link":
        path.symlink_to("dev.items.tsv")
    elif harm != "removed":
        path.write_text("{" if harm == "no JSON" else "[" * 100_000)
    commit(repository)
    assert moves(repository, "--base", base) == 2
    rule = "RESULT-GONE" if harm == "removed" else "RESULT-BROKEN"
    assert f"{RESULT}:1:1 {rule}" in capsys.readouterr().err


def test_on_github_the_event_names_what_to_compare_with(
    repository: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = {"pull_request": {"base": {"sha": "BASE"}}, "before": "0" * 40}
    base = git(repository, "rev-parse", "HEAD")
    place = repository.with_name(f"{repository.name}.json")
    place.write_text(json.dumps(event).replace("BASE", base))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(place))
    assert moves(repository) == 0
    edit(repository, moved_bleu)
    commit(repository)
    assert moves(repository) == 2


def test_a_push_is_the_publishers_and_is_not_judged(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    place = repository.with_name(f"{repository.name}.json")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(place))
    place.write_text(json.dumps({"before": git(repository, "rev-parse", "HEAD")}))
    edit(repository, moved_bleu)
    commit(repository)
    assert moves(repository) == 0
    assert capsys.readouterr().out == "| no pull request: nothing to compare with\n"


def test_without_an_event_the_commit_must_be_named(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("GITHUB_EVENT_PATH", raising=False)
    assert moves(repository) == 2
    assert "with --base" in capsys.readouterr().err


def test_a_commit_that_is_not_here_is_told(
    repository: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert moves(repository, "--base", "f" * 40) == 3
    assert "no commit" in capsys.readouterr().err
