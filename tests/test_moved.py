"""Committed results move only with a version that says why; judged in real repositories."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scorer.cli import main
from scorer.scoring.results import changes
from tests import case_files
from tests.ci_world import git
from tests.fuzz_helpers import thorough
from tests.test_ci_artifact import put

ROOT = Path(__file__).resolve().parent.parent
CASES: dict[str, Any] = case_files.read("moved.yaml")
PLACE = "results/explagraphs-practice/reference/edited-gold"
RESULT, ITEMS = f"{PLACE}/dev.json", f"{PLACE}/dev.items.tsv"
DOCUMENT = json.loads((ROOT / RESULT).read_bytes())
ROWS = (ROOT / ITEMS).read_bytes()
BLEU = DOCUMENT["metrics"]["G-BLEU"]["value"]


def changed(**how: Any) -> Any:
    """The committed document after a change, described as in the file of cases."""
    after = deepcopy(DOCUMENT)
    after["metrics"]["G-BLEU"]["value"] += how.get("by", 0.0)
    for metric, (old, new) in how.get("sign", {}).items():
        signature = after["metrics"][metric]["signature"]
        assert old in signature
        after["metrics"][metric]["signature"] = signature.replace(old, new)
    put(after, how.get("set", {}))
    return after


def files(side: dict[str, Any]) -> changes.ResultFiles:
    """A side of a comparison; its document is the committed one if it says nothing else."""
    document = side.get(RESULT, DOCUMENT)
    return changes.ResultFiles(json.dumps(document).encode(), side.get(ITEMS))


def found(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What is found, without place, expectation and advice."""
    return [f"{one.rule} {one.found}" for one in
            changes.findings(RESULT, files(before), files(after))]


def with_cells(content: bytes, column: str, **cells: str) -> bytes:
    """A table with other cells of one column; ``row_3="0.9"``."""
    lines = [line.split("\t") for line in content.decode().splitlines()]
    place = lines[0].index(column)
    for name, cell in cells.items():
        lines[int(name.removeprefix("row_"))][place] = cell
    return "".join("\t".join(line) + "\n" for line in lines).encode()


# ---- what moves ----------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_a_change_is_found_unless_a_version_says_why(case: str) -> None:
    lines, wanted = found({RESULT: DOCUMENT}, {RESULT: changed(**CASES[case])}), CASES[case].get(
        "finds", [])
    assert len(lines) == len(wanted), lines
    assert all(line.startswith(words) for line, words in zip(lines, wanted, strict=True)), lines


@pytest.mark.parametrize("name", ["zz\x0bq", "zz\x1cq", "zz\tq"])
def test_a_metric_s_name_may_hold_what_ends_a_line_or_a_cell(name: str) -> None:
    after = changed()
    after["metrics"][name] = after["metrics"]["G-BLEU"]
    header, *rows = ROWS.decode().split("\n")
    place = header.split("\t").index("G-BLEU")
    lines = [line.split("\t") for line in rows if line]
    content = "\n".join([f"{header}\t{name}", *(
        "\t".join([*cells, cells[place]]) for cells in lines), ""]).encode()
    assert found({RESULT: DOCUMENT, ITEMS: ROWS}, {RESULT: after, ITEMS: content}) in (
        [], ["RESULT-BROKEN no items can be read"])


@pytest.mark.parametrize(("by", "count"), [
    (0.9e-6, 0), (-0.9e-6, 0), (1.1e-6, 1), (-1.1e-6, 1), (float("nan"), 1), (float("inf"), 1)])
def test_a_millionth_is_the_most_that_a_value_may_move(by: float, count: int) -> None:
    assert len(found({RESULT: DOCUMENT}, {RESULT: changed(by=by)})) == count


@pytest.mark.parametrize(("old", "new"), [(0.123456, 0.123457), (0.3, 0.300001)])
def test_a_bound_that_was_rounded_the_other_way_has_not_moved(old: float, new: float) -> None:
    def bound(low: float) -> Any:
        return {RESULT: changed(set={"metrics/SA/interval": {
            "low": low, "high": 1.0, "method": "wilson", "note": "", "level": 0.95}})}

    assert found(bound(old), bound(new)) == []
    assert found(bound(old), bound(new + 1e-6))


def test_what_is_new_moves_nothing() -> None:
    before = changed(set={"metrics/G-BLEU": {"value": None, "reason": "later", "n": 40},
                          "metrics/SA": None})
    assert found({RESULT: before}, {RESULT: DOCUMENT, ITEMS: ROWS}) == []


def test_a_result_disappears_only_with_its_submission() -> None:
    gone = changes.findings(RESULT, files({ITEMS: ROWS}), changes.ResultFiles(None))
    assert [(one.path, one.rule) for one in gone] == [
        (RESULT, "RESULT-GONE"), (ITEMS, "RESULT-GONE")]


@pytest.mark.parametrize(("after", "lines"), [
    (with_cells(with_cells(ROWS, "GED", row_3="0.9", row_8="0.9"), "gate",
                row_5="stance_incorrect"),
     ["RESULT-MOVED gate: 1 row from row 5 on", "RESULT-MOVED GED: 2 rows from row 3 on"]),
    (ROWS[:ROWS.rindex(b"\n40\t") + 1], ["RESULT-GONE 40 rows became 39"]),
], ids=["cells", "a row less"])
def test_moved_rows_are_counted_by_metric_and_annotation(after: bytes, lines: list[str]) -> None:
    assert found({ITEMS: ROWS}, {ITEMS: after}) == lines


def test_rows_may_move_with_the_version_of_their_result_and_not_become_unreadable() -> None:
    before = {RESULT: DOCUMENT, ITEMS: ROWS}
    after = changed(sign=dict.fromkeys(DOCUMENT["metrics"], ("scorer:0.2.0", "scorer:0.3.0")))
    moved = with_cells(ROWS, "GED", row_1="0.9")
    assert found(before, {RESULT: after, ITEMS: moved}) == []
    assert len(found(before, {RESULT: DOCUMENT, ITEMS: moved})) == 1
    for rows in (ROWS.replace(b"\t", b" "), ROWS.replace(b"\n1\t", b"\nx\t"),
                 ROWS.replace(b"\tGED\t", b"\tGXD\t"), b""):
        assert found(before, {RESULT: after, ITEMS: rows}) == ["RESULT-BROKEN no items can be read"]


def test_a_value_moves_also_where_the_items_could_not_be_read_before() -> None:
    unreadable = {RESULT: DOCUMENT, ITEMS: ROWS.replace(b"\tGED\t", b"\tGXD\t")}
    assert found(unreadable, {RESULT: DOCUMENT, ITEMS: ROWS}) == []
    [line] = found(unreadable, {RESULT: changed(by=0.01), ITEMS: ROWS})
    assert line.startswith("RESULT-MOVED G-BLEU: value ")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["metrics", "counts", "G-BLEU", "value", "signature", "scorer", "gold",
                         "version", "id", "board_version", "scores"]), inner, max_size=4))


@thorough(50)
@given(JSON)
@example({"metrics": {"metrics": None}, "scorer": {"version": ""}})
def test_whatever_stands_there_instead_is_found_and_never_passed_over(after: Any) -> None:
    assert found({RESULT: DOCUMENT}, {RESULT: after})
    assert found({ITEMS: ROWS}, {ITEMS: json.dumps(after).encode()})


# ---- in a repository -----------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one committed result."""
    for name in (RESULT, ITEMS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / PLACE / "error.json").write_text("{}")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path)
    return tmp_path


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=Change")
    return git(folder, "rev-parse", "HEAD")


def move(folder: Path, by: float = 0.01) -> None:
    """Commit the result with another value, and in another layout."""
    (folder / RESULT).write_text(json.dumps(changed(by=by)))
    commit(folder)


def moves(folder: Path, *words: str) -> int:
    return main(["ci", "moved", "--root", str(folder), *words])


@pytest.mark.claim("A change that moves a committed result by more than a millionth fails unless "
                   "a version in its signature says why.")
def test_a_change_that_moves_a_result_fails_with_its_name_and_numbers(
    repository: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    base = git(repository, "rev-parse", "HEAD")
    move(repository)
    assert moves(repository, "--base", base) == 2
    out, err = capsys.readouterr()
    assert err.startswith(f"{RESULT}:1:1 RESULT-MOVED G-BLEU: value {BLEU} becomes {BLEU + 0.01}; "
                          "expected the same within 1e-06, or another scorer, board, ")
    assert out.startswith(f"::error file={RESULT},line=1,col=1,title=RESULT-MOVED::G-BLEU")


def test_other_layouts_records_of_errors_and_what_people_answered_are_no_result(
    repository: Path,
) -> None:
    documents = [repository / "results" / name for name in (
        "human/hamlet.json", "human/human-results.json", "a-board/metric-agreement.json")]
    for path in documents:
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"metrics": {}}')
    base = commit(repository)
    documents[0].unlink()
    (repository / PLACE / "error.json").unlink()
    for path in documents[1:]:
        path.write_text('{"metrics": {"SA": {"value": 0.5}}}')
    move(repository, 0)
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


@pytest.mark.parametrize(("now", "line"), [
    ("a\nb\nc\n", 0), ("a\n", 2), ("a\nb2\n", 2), ("b\na\n", 1), ("", 1), (None, 1)])
def test_old_lines_of_past_values_stay_as_they_are(
    now: str | None, line: int, repository: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    path = repository / PLACE / "dev.past.jsonl"
    path.write_text("a\nb\n")
    base = commit(repository)
    if now is None:  # a link to the same lines
        path.rename(repository / "elsewhere")
        path.symlink_to(repository / "elsewhere")
    else:
        path.write_text(now)
    commit(repository)
    assert moves(repository, "--base", base) == (2 if line else 0)
    found = f"{PLACE}/dev.past.jsonl:{line}:1 PAST-REWRITTEN"
    assert (found in capsys.readouterr().err) == bool(line)
    oid = git(repository, "rev-parse", f"{base}:{PLACE}/dev.past.jsonl")
    (repository / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    assert moves(repository, "--base", base) == 3, "nothing passes for not being here"


def test_an_old_result_that_cannot_be_read_is_named(
    repository: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (repository / RESULT).write_text('{"schema": 0}')
    base = commit(repository)
    move(repository)
    assert moves(repository, "--base", base) == 0
    assert f"| {RESULT}: not compared, for what it was cannot be read: " in capsys.readouterr().out


def test_on_github_a_pull_request_names_what_to_compare_with_and_a_push_is_the_publisher_s(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
) -> None:
    event, base = tmp_path_factory.mktemp("event") / "event.json", git(repository, "rev-parse",
                                                                       "HEAD")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    pull = json.dumps({"pull_request": {"base": {"sha": base}}, "before": "0" * 40})
    event.write_text(pull)
    assert moves(repository) == 0
    move(repository)
    assert moves(repository) == 2
    event.write_text(json.dumps({"before": base}))
    assert moves(repository) == 0


@pytest.mark.parametrize(("words", "code", "message"), [
    ((), 2, "with --base"), (("--base", "f" * 40), 3, "no commit")])
def test_a_commit_that_is_not_named_or_not_here_is_asked_for(
    words: tuple[str, ...], code: int, message: str, repository: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("GITHUB_EVENT_PATH", raising=False)
    assert moves(repository, *words) == code
    assert message in capsys.readouterr().err
