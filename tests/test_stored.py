"""Records that a build keeps come back as they were, and an output folder is what it should be."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from scorer.metrics.catalogue import METRICS
from scorer.records import ItemScore, MetricValue
from scorer.scoring.summary import summarise
from scorer.statistics import pairwise as tested
from scorer.statistics.pairwise import pairwise
from scorer.website.keeping.incremental import Kept
from scorer.website.keeping.stored import plain, reader
from scorer.website.keeping.swapping import Aside
from scorer.website.keeping.writing import Output
from scorer.website.page import Later
from scorer.website.reading.revision import last_changes
from tests.ci_world import git

pytestmark = pytest.mark.site


class Inner(NamedTuple):
    name: str
    rows: tuple[int, ...]
    by: Mapping[str, float | None]


@dataclass(frozen=True)
class Outer:
    inner: Inner
    pairs: tuple[tuple[Inner, str], ...]
    either: Inner | None
    flag: bool
    said: Mapping[str, Any] = field(default_factory=dict)


INNER = st.builds(
    Inner, st.text(), st.lists(st.integers()).map(tuple),
    st.dictionaries(st.text(), st.none() | st.floats(allow_nan=False, allow_infinity=False)))
OUTER = st.builds(
    Outer, INNER, st.lists(st.tuples(INNER, st.text())).map(tuple), st.none() | INNER,
    st.booleans(), st.dictionaries(st.text(), st.integers()))


@given(OUTER)
def test_a_record_kept_as_json_comes_back_equal(tmp_path_factory: Any, value: Outer) -> None:
    folder = tmp_path_factory.getbasetemp() / "kept"
    kept = Kept(folder)
    key = kept.key(value)
    assert kept.value(Outer, key, lambda: value) == value
    again = Kept(folder).value(Outer, key, lambda: pytest.fail("made a second time"))
    assert again == value
    assert list(again.said) == list(value.said), "in their order"


def test_a_metric_value_with_its_interval_comes_back_equal() -> None:
    items = [ItemScore(value) for value in (0.0, 1.0, 1.0, 0.0)]
    value = summarise(METRICS["StCA"], items, [True] * 4, "abca")
    assert value.interval is not None
    assert reader(MetricValue)(plain(value)) == value


@pytest.mark.parametrize("kind", [int | str, list, object])
def test_a_type_that_no_record_of_ours_has_is_refused(kind: Any) -> None:
    with pytest.raises(TypeError):
        reader(kind)


def test_what_a_template_may_use_is_found_out_once_and_late() -> None:
    asked: list[int] = []
    later = Later(lambda: asked.append(1) or {"a": 2})  # type: ignore[func-returns-value]
    assert asked == []
    assert dict(later) == {"a": 2}
    assert (later["a"], len(later), asked) == (2, 1, [1])


# ---- pairs of rows -------------------------------------------------------------------------------


def rows(count: int) -> dict[str, list[float]]:
    """Scores of 40 items, no two rows alike."""
    return {str(row): [(7 * item + 3 * row * item) % 11 / 10 for item in range(40)]
            for row in range(1, count + 1)}


def test_only_pairs_with_a_new_row_are_tested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, float] = {}
    pairwise(rows(4), binary=False, better="higher", known=known)
    assert len(known) == 4 * 3 / 2
    asked: list[int] = []
    real = tested._as_far

    def counted(scores: Any, first: Any, second: Any, n: int) -> Any:
        asked.append(len(first))
        return real(scores, first, second, n)

    monkeypatch.setattr(tested, "_as_far", counted)
    found = pairwise(rows(5), binary=False, better="higher", known=known)
    assert asked == [4]
    alone = pairwise(rows(5), binary=False, better="higher")
    assert (found.p == alone.p).all()
    assert len(known) == 5 * 4 / 2


def test_a_row_is_not_taken_for_one_with_other_signs() -> None:
    one, other = rows(2).values()
    turned = [-value if place % 2 else value for place, value in enumerate(other)]
    known: dict[str, float] = {}
    pairwise({"a": one, "b": other}, binary=False, better="higher", known=known)
    pairwise({"a": one, "b": turned}, binary=False, better="higher", known=known)
    assert len(known) == 2


def test_pairs_of_the_last_build_alone_are_kept(tmp_path: Path) -> None:
    for count in (5, 3):
        kept = Kept(tmp_path)
        assert isinstance(kept.pairs, ChainMap)
        pairwise(rows(count), binary=False, better="higher", known=kept.pairs)
        kept.finish()
    assert len(Kept(tmp_path).pairs.maps[1]) == 3 * 2 / 2


# ---- the folder ----------------------------------------------------------------------------------


def finished(output: Output) -> None:
    """Finish, and remove what lay aside."""
    output.finish()
    output._aside.mend()


def test_a_cold_build_empties_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "old").mkdir(parents=True)
    output = Output(Aside(out))
    output.put("a/b", b"1", "source")
    finished(output)
    assert [path.name for path in out.rglob("*")] == ["a", "b"]
    assert not output.has("a/b", "source"), "nothing is noted"


def test_a_file_changed_behind_the_builds_back_is_not_taken_for_its_own(tmp_path: Path) -> None:
    aside, notes = Aside(tmp_path / "out"), tmp_path / "notes.json"
    first = Output(aside, notes)
    first.put("a", b"1", "one")
    first.put("b", b"2")
    finished(first)
    second = Output(aside, notes)
    assert second.has("a", "one")
    assert not second.has("a", "two")
    assert not second.has("b", ""), "nothing says what it was made from"
    (aside.out / "a").write_bytes(b"9")
    third = Output(aside, notes)
    assert not third.has("a", "one")
    third.put("a", b"1", "one")
    third.put("b", b"2")
    finished(third)
    assert (aside.out / "a").read_bytes() == b"1"
    assert third.written == 1


def test_a_link_in_the_folder_becomes_a_file(tmp_path: Path) -> None:
    aside, notes = Aside(tmp_path / "out"), tmp_path / "notes.json"
    aside.out.mkdir()
    (tmp_path / "elsewhere").write_bytes(b"1")
    (aside.out / "a").symlink_to(tmp_path / "elsewhere")
    output = Output(aside, notes)
    output.put("a", b"1", "one")
    finished(output)
    assert not (aside.out / "a").is_symlink()
    assert (aside.out / "a").read_bytes() == (tmp_path / "elsewhere").read_bytes() == b"1"


def test_what_is_said_twice_in_a_build_is_as_it_was_said_last(tmp_path: Path) -> None:
    aside, notes = Aside(tmp_path / "out"), tmp_path / "notes.json"
    aside.out.mkdir()
    (aside.out / "a").write_bytes(b"1")
    output = Output(aside, notes)
    output.put("a", b"2")
    output.put("a", b"1")
    finished(output)
    assert (aside.out / "a").read_bytes() == b"1"


@pytest.mark.parametrize("told", [b"", b"[]", b'{"a": 1}', b'{"a": ["x"]}', b"\xff"])
def test_broken_notes_are_no_notes(tmp_path: Path, told: bytes) -> None:
    out, notes = tmp_path / "out", tmp_path / "notes.json"
    out.mkdir()
    (out / "a").write_bytes(b"1")
    notes.write_bytes(told)
    assert not Output(Aside(out), notes).has("a", "x")


# ---- commits -------------------------------------------------------------------------------------


def test_each_result_has_the_commit_that_last_changed_it(tmp_path: Path) -> None:
    assert last_changes(tmp_path, "results") == {}
    git(tmp_path, "init", "--quiet")
    commits = []
    for name, text in (("one", "1"), ("two", "1"), ("one", "2"), ("../other", "1")):
        path = tmp_path / "results" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", f"--message={name}")
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    assert last_changes(tmp_path, "results") == {"results/one": commits[2],
                                                 "results/two": commits[1]}
