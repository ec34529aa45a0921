"""The benchmark of systems: what it takes from an earlier run, and what it says is unmeasured."""

from types import SimpleNamespace

import pytest

from benchmarks import bench_systems
from benchmarks.bench_systems import Way
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
