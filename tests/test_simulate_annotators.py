"""The script that answers batches for a rehearsal: sound and marked answers by a stated model."""

import contextlib
import shutil
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import simulate_annotators
from benchmarks.simulate_annotators import ACCURACY
from scorer.cli import main
from scorer.people.validate import Workplace
from tests.conftest import ROOT

GRAPH = "(zoos; used for; lock)(lock; has context; wild animals)(wild animals; not desires; kept)"
Told = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(ROOT)
    (tmp_path / "annotations").mkdir()
    return tmp_path / "annotations"


def run(folder: Path, *words: str) -> int:
    return main(["annotations", *words, "--annotations", str(folder)])


def simulate(folder: Path, *words: str) -> int:
    return simulate_annotators.main([*words, "--exported", "2026-11-23T08:00:00Z",
                                     "--annotations", str(folder)])


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def answers(folder: Path, name: str) -> dict[str, dict[str, object]]:
    """Each annotator's answers to the first question."""
    place = Workplace(folder)
    batch, _ = place.batch(name)
    assert batch is not None
    first = place.forms[batch.kind].questions[0].id
    return {one.annotator: {item: given[first] for item, given in one.answers.items()}
            for one in place.annotations(batch)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs that simulated annotators voted on, wrote graphs for and judged."""
    folder = tmp_path_factory.mktemp("made") / "annotations"
    folder.mkdir()
    with contextlib.chdir(ROOT):
        _make(folder)
    return folder


@pytest.fixture
def judged(made: Path, folder: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(made, folder, dirs_exist_ok=True))


def _make(folder: Path) -> None:
    assert run(folder, "make-batch", "s1", "--form", "stance", "--board", "explagraphs-practice",
               "--split", "train", "--gold") == 0
    for name, form, before in (("s1", "", ""), ("c1", "collect", "s1"), ("v1", "verify", "c1")):
        if form:
            assert run(folder, "close", before) == 0
            assert run(folder, "make-batch", name, "--form", form, "--from-batch", before) == 0
        assert simulate(folder, name, "--annotators", "5") == 0


def test_answers_are_sound_marked_and_as_right_as_the_model_says(judged: Path) -> None:
    assert run(judged, "validate") == 0
    place = Workplace(judged)
    assert {*place.people} == {f"simulated-{number}" for number in range(1, 6)}
    assert all(person.simulated for person in place.people.values())
    gold = {item: one.label for item, one in place.origins("s1").items()}
    every = [given[item] == gold[item] for given in answers(judged, "s1").values() for item in gold]
    assert ACCURACY[0] - 0.05 < sum(every) / len(every) < ACCURACY[1] + 0.05
    given = answers(judged, "v1")
    for item, origin in place.origins("v1").items():
        voters = {who for who, items in given.items() if item in items}
        assert len(voters) == 3
        assert not voters & {*origin.authors}


def test_the_same_call_writes_the_same_bytes_and_another_seed_others(
    judged: Path, tmp_path: Path
) -> None:
    made = {}
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        other = shutil.copytree(judged, tmp_path / name / "annotations")
        shutil.rmtree(other / "verify")
        assert simulate(other, "v1", "--annotators", "5", "--seed", seed) == 0
        made[name] = tree(other)
    assert made["a"] == made["b"] == tree(judged) != made["c"]


def test_rulings_settle_what_has_no_majority(judged: Path) -> None:
    assert run(judged, "close", "v1") == 0
    assert simulate(judged, "v1", "--rulings") == 0
    place = Workplace(judged)
    batch, _ = place.batch("v1")
    assert batch is not None
    votes: dict[str, set[object]] = {}
    for given in answers(judged, "v1").values():
        for item, label in given.items():
            votes.setdefault(item, set()).add(label)
    assert {one.item for one in place.rulings(batch)} == {
        item for item, labels in votes.items() if len(labels) == 3}
    assert run(judged, "validate") == 0


def test_batches_that_take_no_answers_are_refused(judged: Path, capsys: Told) -> None:
    before = tree(judged)
    for words, said in ((["s1"], "s1 is closed; name one that is open"),
                        (["v1", "--rulings"], "v1 is open; name one that is closed"),
                        (["none"], "no such batch"), (["v1"], "is there already")):
        assert simulate(judged, *words) == 2
        assert said in capsys.readouterr().err
        assert tree(judged) == before


def test_texts_that_are_written_come_from_a_file_with_the_label_that_is_asked_for(
    folder: Path, capsys: Told
) -> None:
    labels = ("support", "counter")
    prompts, lines = folder / "../prompts.tsv", folder / "../written.tsv"
    prompts.write_text("".join(f"Statement {number}.\t{labels[number % 2]}\n"
                               for number in range(40)), "utf-8")
    lines.write_text("".join(
        f"Statement {number}.\tBelief {number}.\tNumber {one} will {label} {number}.\t{label}\n"
        for number in range(40) for label in labels for one in (1, 2)), "utf-8")
    assert run(folder, "make-batch", "w", "--form", "write-target", "--texts", str(prompts),
               "--needed", "3") == 0
    assert simulate(folder, "w") == 2
    assert "say with --written FILE what there is" in capsys.readouterr().err
    assert simulate(folder, "w", "--written", str(lines)) == 0
    batch, _ = (place := Workplace(folder)).batch("w")
    assert batch is not None
    made = [(batch.by_id[item].texts["target"], str(given["argument"]))
            for one in place.annotations(batch) for item, given in one.answers.items()]
    # 120 texts: two standard errors of .03 around the accuracies.
    right = sum(f" {target} " in argument for target, argument in made)
    assert len(made) == 120
    assert ACCURACY[0] - 0.06 < right / 120 < ACCURACY[1] + 0.06


def test_a_file_says_what_is_true_of_texts_of_no_board(folder: Path, capsys: Told) -> None:
    pairs, truth = folder / "../pairs.tsv", folder / "../truth.tsv"
    texts = [(f"Zoos should be kept, says {number}.", "Zoos lock wild animals in.")
             for number in range(40)]
    pairs.write_text("".join(f"{one}\t{other}\n" for one, other in texts), "utf-8")
    truth.write_text("".join(f"{one}\t{other}\tcounter\t{GRAPH}\n" for one, other in texts),
                     "utf-8")
    assert run(folder, "make-batch", "s", "--form", "stance", "--texts", str(pairs)) == 0
    assert simulate(folder, "s", "--annotators", "5", "--truth", str(truth)) == 0
    counts = Counter(label for given in answers(folder, "s").values() for label in given.values())
    assert ACCURACY[0] - 0.1 < counts["counter"] / counts.total() < ACCURACY[1] + 0.1
    assert run(folder, "make-batch", "c", "--form", "collect", "--from-batch", "s") == 0
    assert simulate(folder, "c") == 2
    assert "say with --truth FILE what is true" in capsys.readouterr().err
    assert simulate(folder, "c", "--truth", str(truth)) == 0
    written = [graph for given in answers(folder, "c").values() for graph in given.values()]
    assert 10 <= written.count(GRAPH) < len(written)
