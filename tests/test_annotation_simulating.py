"""Simulated annotators: answers by a stated error model, that every rule accepts, and marked."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from scorer.annotations import graphs
from scorer.annotations.references import References
from scorer.annotations.simulating import ACCURACY, drawn
from scorer.annotations.validate import Workplace
from scorer.cli import main
from scorer.commands import annotation_hamlet
from tests.conftest import ROOT

TIME = "2026-11-23T08:00:00Z"
PAIRS = ["--board", "explagraphs-practice", "--split", "train", "--gold"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(ROOT)
    (tmp_path / "annotations").mkdir()
    return tmp_path / "annotations"


def run(folder: Path, *words: str) -> int:
    return main(["annotations", *words, "--annotations", str(folder)])


def simulate(folder: Path, *words: str) -> int:
    return run(folder, "simulate", *words, "--exported", TIME)


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


@pytest.fixture
def judged(folder: Path) -> Path:
    """Pairs that simulated annotators voted on, wrote graphs for and judged."""
    assert run(folder, "make-batch", "s1", "--form", "stance", *PAIRS) == 0
    assert simulate(folder, "s1", "--annotators", "5") == 0
    assert run(folder, "close", "s1") == 0
    assert run(folder, "make-batch", "c1", "--form", "collect", "--from-batch", "s1") == 0
    assert simulate(folder, "c1") == 0
    assert run(folder, "close", "c1") == 0
    assert run(folder, "make-batch", "v1", "--form", "verify", "--from-batch", "c1") == 0
    assert simulate(folder, "v1", "--annotators", "5") == 0
    return folder


def test_the_same_call_writes_the_same_bytes_and_another_seed_others(
    folder: Path, tmp_path: Path
) -> None:
    run(folder, "make-batch", "s1", "--form", "stance", *PAIRS)
    others = [tmp_path / name / "annotations" for name in "ab"]
    for other in others:
        shutil.copytree(folder, other)
    simulate(folder, "s1")
    simulate(others[0], "s1")
    simulate(others[1], "s1", "--seed", "2")
    assert tree(folder) == tree(others[0])
    assert tree(folder) != tree(others[1])


def test_annotators_are_right_as_often_as_their_accuracy_says(judged: Path) -> None:
    place = Workplace(judged)
    gold = {item: one.label for item, one in place.origins("s1").items()}
    for given in answers(judged, "s1").values():
        right = sum(given[item] == label for item, label in gold.items())
        # 24 votes: three standard errors of .09 below the least accuracy.
        assert ACCURACY[0] - 3 * 0.09 < right / 24 <= 1
    every = [given[item] == gold[item] for given in answers(judged, "s1").values() for item in gold]
    assert ACCURACY[0] - 0.05 < sum(every) / len(every) < ACCURACY[1] + 0.05


def test_written_graphs_are_gold_s_or_one_change_away(judged: Path) -> None:
    place = Workplace(judged)
    references = References(place, lambda name, split: _golds(name, split))
    changes: Counter[tuple[int, int]] = Counter()
    for given in answers(judged, "c1").values():
        for item, graph in given.items():
            reference = references.of("c1", item)
            assert reference is not None
            gold = graphs.read(reference.answers[0]["graph"])[0]
            found = graphs.diff(gold, graphs.read(str(graph))[0])
            changes[len(found.added), len(found.removed)] += 1
    assert set(changes) == {(0, 0), (1, 1), (0, 1)}


def _golds(name: str, split: str) -> tuple[object, object]:
    from scorer import board as boards
    from scorer.annotations import making

    board = boards.load(name, ROOT / "boards")
    return board, making.golds_of(board, split, ROOT / ".whyboard")  # type: ignore[return-value]


def test_nobody_judges_a_graph_of_their_own_and_each_item_gets_what_it_needs(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Workplace(judged)
    given = answers(judged, "v1")
    for item, origin in place.origins("v1").items():
        voters = [who for who, items in given.items() if item in items]
        assert len(voters) == 3
        assert not set(voters) & set(origin.authors)
    assert run(judged, "validate") == 0
    assert "refused" not in capsys.readouterr().err


@pytest.fixture
def prompts(folder: Path, tmp_path: Path) -> Path:
    """Forty statements for one argument each, and two to take for each label."""
    labels = ("support", "counter")
    (tmp_path / "prompts.tsv").write_text("".join(
        f"Statement {number}.\t{labels[number % 2]}\n" for number in range(40)), "utf-8")
    (tmp_path / "written.tsv").write_text("".join(
        f"Statement {number}.\tBelief {number}.\tNumber {one} will {label} {number}.\t{label}\n"
        for number in range(40) for label in labels for one in (1, 2)), "utf-8")
    return tmp_path


def written(folder: Path, name: str) -> dict[tuple[str, str], tuple[str, str, str]]:
    """By annotator and item: the label that was asked for, belief and argument."""
    place = Workplace(folder)
    batch, _ = place.batch(name)
    assert batch is not None
    return {(one.annotator, item): (batch.by_id[item].texts.get("target", ""),
                                    str(given["belief"]), str(given.get("argument", "")))
            for one in place.annotations(batch) for item, given in one.answers.items()}


def test_authors_write_the_opposite_of_what_was_asked_as_often_as_they_err(
    folder: Path, prompts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "make-batch", "w", "--form", "write-target", "--texts",
               str(prompts / "prompts.tsv"), "--needed", "3") == 0
    assert simulate(folder, "w") == 2
    assert "say with --written FILE what there is" in capsys.readouterr().err
    (prompts / "typo.tsv").write_text(
        (prompts / "written.tsv").read_text("utf-8").replace("\tsupport\n", "\tsuport\n"), "utf-8")
    assert simulate(folder, "w", "--written", str(prompts / "typo.tsv")) == 2
    assert "that has the label 'support'; say with --written" in capsys.readouterr().err
    assert simulate(folder, "w", "--written", str(prompts / "written.tsv")) == 0
    made = written(folder, "w").values()
    right = sum(f" {target} " in argument for target, _, argument in made)
    # 120 texts: two standard errors of .03 around the accuracies.
    assert ACCURACY[0] - 0.06 < right / len(made) < ACCURACY[1] + 0.06
    assert len(made) == 120
    assert all(belief.split()[-1] == argument.split()[-1] for _, belief, argument in made)


def test_what_people_are_asked_for_again_they_write_anew_and_voters_know_its_label(
    folder: Path, prompts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotation_hamlet, "_judge", lambda given: (  # it sees through everything
        lambda items: ["support" if " support " in text else "counter" for _, text in items], "m"))
    told = ["--written", str(prompts / "written.tsv")]
    assert run(folder, "make-batch", "w", "--form", "write-target", "--texts",
               str(prompts / "prompts.tsv")) == 0
    assert simulate(folder, "w", *told) == 0
    assert run(folder, "hamlet", "w", "--again", "w-2") == 0
    assert simulate(folder, "w-2", *told) == 0
    place, again = Workplace(folder), written(folder, "w-2")
    origins = place.origins("w-2")
    assert {(item, who) for who, item in again} == {
        (item, origin.authors[0]) for item, origin in origins.items()}
    assert len(again) >= 40 * ACCURACY[0] - 8  # who wrote the opposite, fooled it
    batch, _ = place.batch("w-2")
    assert batch is not None
    assert not [item for (_, item), (_, _, argument) in again.items()
                if argument in batch.by_id[item].texts["before"]]
    assert run(folder, "make-batch", "s", "--form", "stance", "--from-batch", "w") == 0
    assert simulate(folder, "s", "--annotators", "6", *told) == 0
    voted, _ = place.batch("s")
    assert voted is not None
    votes = [f" {label} " in voted.by_id[item].texts["argument"]
             for given in answers(folder, "s").values() for item, label in given.items()]
    assert len(votes) == 40 * 5
    assert ACCURACY[0] - 0.06 < sum(votes) / len(votes) < ACCURACY[1] + 0.06


def test_two_arguments_that_are_written_at_once_are_about_one_belief(
    folder: Path, prompts: Path
) -> None:
    (prompts / "statements.tsv").write_text("One.\n", "utf-8")
    (prompts / "both.tsv").write_text("".join(
        f"One.\tBelief {number}.\t{label} {number}\t{label}\n"
        for number in range(3) for label in ("support", "counter")), "utf-8")
    assert run(folder, "make-batch", "p", "--form", "write-pairs", "--texts",
               str(prompts / "statements.tsv"), "--needed", "3") == 0
    assert simulate(folder, "p", "--written", str(prompts / "both.tsv")) == 0
    batch, _ = (place := Workplace(folder)).batch("p")
    assert batch is not None
    found = [given for one in place.annotations(batch) for given in one.answers.values()]
    assert len(found) == 3
    for given in found:
        assert len({str(given[name]).rstrip(".")[-1] for name in given if given[name]}) == 1


def test_answers_are_marked_and_their_logins_say_so(judged: Path) -> None:
    place = Workplace(judged)
    assert {*place.people} == {f"simulated-{number}" for number in range(1, 6)}
    assert all(person.simulated for person in place.people.values())
    batch, _ = place.batch("v1")
    assert batch is not None
    assert place.simulated(batch) == tuple(sorted(place.people))


def test_an_annotator_who_wrote_every_graph_is_asked_for_others(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(judged / "verify")
    assert simulate(judged, "v1", "--annotators", "1") == 2
    assert "take more --annotators" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "told"), [
    (["s1"], "s1 is closed; name one that is open"),
    (["v1", "--rulings"], "v1 is open; name one that is closed"),
    (["none"], "no such batch"),
    (["v1"], "is there already"),
])
def test_batches_that_take_no_answers_are_told(
    judged: Path, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(judged)
    assert simulate(judged, *words) == 2
    assert told in capsys.readouterr().err
    assert tree(judged) == before


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


def test_a_host_s_file_of_people_is_kept_and_extended(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(folder, "make-batch", "s1", "--form", "stance", *PAIRS)
    people = folder / "annotators.yml"
    people.write_text("octo-cat: {active: no}", "utf-8")
    assert simulate(folder, "s1", "--annotators", "2") == 0
    assert people.read_text("utf-8") == (
        "octo-cat: {active: no}\nsimulated-1: {simulated: yes}\nsimulated-2: {simulated: yes}\n")
    shutil.rmtree(folder / "stance")
    people.write_text("{octo-cat: {active: no}}\n", "utf-8")
    assert simulate(folder, "s1") == 2
    assert "add these lines yourself: simulated-1: {simulated: yes}" in capsys.readouterr().err
    assert people.read_text("utf-8") == "{octo-cat: {active: no}}\n"
    people.write_text("octo-cat: {roles: [stance]}\n", "utf-8")
    assert simulate(folder, "s1") == 2
    assert "simulated-1 may not answer batches of stance" in capsys.readouterr().err


def test_a_time_that_is_none_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(folder, "make-batch", "s1", "--form", "stance", *PAIRS)
    assert run(folder, "simulate", "s1", "--exported", "today") == 2
    assert run(folder, "simulate", "s1", "--exported", "9999-12-31T23:59:00Z") == 2
    assert "no time in UTC" in capsys.readouterr().err


def test_a_crowd_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(folder, "make-batch", "s1", "--form", "stance", *PAIRS)
    assert run(folder, "simulate", "s1", "--annotators", "101") == 2
    assert "at most 100; name fewer" in capsys.readouterr().err


def test_closing_leaves_answers_valid_and_says_what_is_missing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(folder, "make-batch", "s1", "--form", "stance", *PAIRS)
    simulate(folder, "s1", "--annotators", "5", "--items", "3")
    assert run(folder, "close", "s1") == 0
    assert "closed; 3 of 24 items have the 5 answers that they need" in capsys.readouterr().out
    assert run(folder, "validate") == 0
    assert run(folder, "close", "s1") == 2


def test_draws_are_even() -> None:
    found = [drawn("a", number) for number in range(2000)]
    # The mean of 2000 draws has a standard error of .0065.
    assert abs(sum(found) / 2000 - 0.5) < 0.02
    assert min(found) >= 0
    assert max(found) < 1


# ---- texts of one's own --------------------------------------------------------------------------

GRAPH = "(zoos; used for; lock)(lock; has context; wild animals)(wild animals; not desires; kept)"


def test_annotators_err_around_what_a_file_says_is_true(folder: Path) -> None:
    pairs, truth = folder / "../pairs.tsv", folder / "../truth.tsv"
    texts = [(f"Zoos should be kept, says {number}.", "Zoos lock wild animals in.")
             for number in range(40)]
    pairs.write_text("".join(f"{one}\t{other}\n" for one, other in texts), "utf-8")
    truth.write_text("".join(f"{one}\t{other}\tcounter\t{GRAPH}\n" for one, other in texts),
                     "utf-8")
    assert run(folder, "make-batch", "s", "--form", "stance", "--texts", str(pairs)) == 0
    assert simulate(folder, "s", "--annotators", "5", "--truth", str(truth)) == 0
    for given in answers(folder, "s").values():
        right = sum(label == "counter" for label in given.values()) / len(given)
        assert ACCURACY[0] - 0.2 < right < ACCURACY[1] + 0.1
    assert run(folder, "make-batch", "c", "--form", "collect", "--from-batch", "s") == 0
    assert simulate(folder, "c", "--truth", str(truth)) == 0
    written = [graph for given in answers(folder, "c").values() for graph in given.values()]
    assert 10 <= written.count(GRAPH) < len(written)


def test_without_what_is_true_no_graph_is_written_and_a_faulty_file_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, truth = folder / "../collect.tsv", folder / "../truth.tsv"
    file.write_text("Zoos should be kept.\tZoos lock wild animals in.\tcounter\n", "utf-8")
    assert run(folder, "make-batch", "c", "--form", "collect", "--texts", str(file)) == 0
    assert simulate(folder, "c") == 2
    assert "say with --truth FILE what is true" in capsys.readouterr().err
    truth.write_text("a\tb\tcounter\tno graph\nx\n", "utf-8")
    assert simulate(folder, "c", "--truth", str(truth)) == 2
    said = capsys.readouterr().err
    assert "1:13 META-VALUE 'no graph'; expected a graph such as" in said
    assert "2:1 TSV-COLUMNS" in said
