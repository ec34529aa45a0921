"""The benchmark of systems: what it takes from an earlier run, and what it says is unmeasured."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import bench_systems
from benchmarks.bench_systems import BARS, SEEDS, Way, condition, figure_rows, unmeasured_rows
from scorer.core.errors import DataError

SCORED = {"SA": 0.5, "GED of passed": None}


def test_figures_are_taken_again_only_of_the_same_system_labels_files_and_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(given: Any, *_: Any) -> list[str]:
        asked.append(given.digest)
        return ["an answer"]

    monkeypatch.setattr(bench_systems, "WAYS", (Way("given", "", ask),))
    monkeypatch.setattr(bench_systems, "train", lambda *_: None)
    monkeypatch.setattr(bench_systems, "scores", lambda *_: SCORED)
    monkeypatch.setattr(bench_systems, "stances_alone", lambda *_: {"SA": 0.5})
    system, label = tmp_path / "seed1/system.json", tmp_path / "seed1/label/system.json"
    label.parent.mkdir(parents=True)
    system.write_text("{}")

    def measured(digest: str) -> int:
        """How often the system was asked."""
        del asked[:]
        found = bench_systems.measure(SimpleNamespace(released=None, digest=digest), tmp_path, 1)
        assert found["given"]["GED of passed"] is None
        return len(asked)

    assert [measured("a"), measured("a"), measured("b")] == [1, 0, 1]
    label.write_text("{}")
    assert [measured("b"), measured("b")] == [1, 0]
    system.write_text('{"other": 1}')
    assert [measured("b"), measured("b")] == [1, 0]


def test_a_system_of_another_seed_or_other_data_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seed1").mkdir()
    (tmp_path / "seed1/system.json").write_text("{}")
    given = SimpleNamespace(train=SimpleNamespace(sha256="a"))
    for seed, data, fits in ((1, "a", True), (2, "a", False), (1, "b", False)):
        kept = SimpleNamespace(seed=seed, data={"train": data})
        monkeypatch.setattr(bench_systems.records, "read", lambda *_, kept=kept: kept)
        if fits:
            assert bench_systems.train(given, tmp_path, 1) is kept
        else:
            with pytest.raises(DataError, match="another seed or on other data"):
                bench_systems.train(given, tmp_path, 1)


def test_a_missing_value_and_a_bar_that_too_few_seeds_were_held_to_are_said_to_be_unmeasured(
) -> None:
    way = Way("own", "", lambda *_: [])
    two = {1: {"own": SCORED}, 2: {"own": {**SCORED, "GED of passed": 0.25}}}
    found = condition(way, two)
    assert found is not None
    assert dict(found.figures) == {"SA": (0.5, 0.5)}
    [row] = figure_rows([found], {"SA": None})
    assert row["note"] == "0.5 to 0.5, 2 seeds"
    notes = {row["name"]: row["note"] for row in unmeasured_rows([found], two)}
    assert notes["structured, own: GED of passed"].startswith("not measured: ")
    assert notes["structured, own: bar of SA"] == "not measured: 2 of 5 seeds; bar: at least .60"
    assert len(notes) == 1 + len(BARS)
    every = {seed: {"own": {"SA": 0.5}} for seed in SEEDS}
    found = condition(way, every)
    assert found is not None
    [row] = figure_rows([found], {})
    assert row["note"] == "0.5 to 0.5, 5 seeds; bar: at least .60"
    assert all("own" not in row["name"] for row in unmeasured_rows([found], every))
