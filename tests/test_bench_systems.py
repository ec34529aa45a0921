"""The benchmark of systems: what it takes from an earlier run, and what it says is unmeasured."""

from types import SimpleNamespace

import pytest

from benchmarks import bench_systems
from benchmarks.bench_systems import BARS, SEEDS, Way, condition, figure_rows, unmeasured_rows
from scorer.core.errors import DataError

SCORED = {"SA": 0.5, "GED of passed": None}


def test_figures_are_taken_again_of_the_same_system_labels_files_and_program(tmp_path, monkeypatch):
    answers: list[str] = []
    way = Way("given", "", lambda given, *_: answers.append(given.digest) or ["an answer"])
    monkeypatch.setattr(bench_systems, "WAYS", (way,))
    monkeypatch.setattr(bench_systems, "train", lambda *_: None)
    monkeypatch.setattr(bench_systems, "scores", lambda *_: SCORED)
    monkeypatch.setattr(bench_systems, "stances_alone", lambda *_: {"SA": 0.5})
    system, label = tmp_path / "seed1/system.json", tmp_path / "seed1/label/system.json"
    label.parent.mkdir(parents=True)
    system.write_text("{}")
    for digest, changed in (("a", None), ("b", None), ("b", label), ("b", system)):
        if changed:
            changed.write_text('{"other": 1}')
        del answers[:]
        for _ in range(2):
            figures = bench_systems.measure(SimpleNamespace(released=None, digest=digest),
                                            tmp_path, 1)
            assert figures["given"]["GED of passed"] is None
        assert answers == [digest]


def test_a_system_of_another_seed_or_other_data_is_refused(tmp_path, monkeypatch):
    (tmp_path / "seed1").mkdir()
    (tmp_path / "seed1/system.json").write_text("{}")
    given = SimpleNamespace(train=SimpleNamespace(sha256="a"))
    kept = SimpleNamespace(seed=1, data={"train": "a"})
    monkeypatch.setattr(bench_systems.records, "read", lambda *_: kept)
    assert bench_systems.train(given, tmp_path, 1) is kept
    for seed, data in ((2, "a"), (1, "b")):
        kept.seed, kept.data = seed, {"train": data}
        with pytest.raises(DataError, match="another seed or on other data"):
            bench_systems.train(given, tmp_path, 1)


def test_a_missing_value_and_a_bar_that_too_few_seeds_were_held_to_are_reported_as_unmeasured():
    way = Way("own", "", lambda *_: [])
    two = {1: {"own": SCORED}, 2: {"own": {**SCORED, "GED of passed": 0.25}}}
    every = {seed: {"own": {"SA": 0.5}} for seed in SEEDS}
    some, whole = (condition(way, measured) for measured in (two, every))
    assert some is not None
    assert whole is not None
    assert dict(some.figures) == {"SA": (0.5, 0.5)}
    assert [row["note"] for row in figure_rows([some, whole], {})] == [
        "0.5 to 0.5, 2 seeds", "0.5 to 0.5, 5 seeds; bar: at least .60"]
    notes = {row["name"]: row["note"] for row in unmeasured_rows([some], two)}
    assert notes["structured, own: GED of passed"].startswith("not measured: ")
    assert notes["structured, own: bar of SA"] == "not measured: 2 of 5 seeds; bar: at least .60"
    assert len(notes) == 1 + len(BARS)
    assert all("own" not in row["name"] for row in unmeasured_rows([whole], every))
