"""Systems that are trained here: end to end on the practice board, with a tiny random encoder."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import load
from scorer.boards import submission as submissions
from scorer.boards.golds import read_golds
from scorer.boards.submission import CONSTRAINED, OWN, TRAINED_HERE
from scorer.cli import main
from scorer.core.files import holding, sha256
from scorer.core.package_data import handbook
from scorer.lab.systems import records
from scorer.lab.systems.records import Question, TrainingRequest
from scorer.lab.systems.runs import data_of
from scorer.lab.systems.structured.alignment import AlignedText, outside
from scorer.scoring.checking import check_file
from scorer.tasks.graphs.constraints import findings
from tests import tiny_systems
from tests.tiny_systems import BOARDS, ByHeart, Fails, board_encoder, in_small_world, predict

pytest.importorskip("transformers")
from scorer.lab.systems.structured.model import GraphCourse, GraphLearner

pytestmark = [pytest.mark.models, pytest.mark.slow]

BOARD, ROWS = "explagraphs-practice", 8
REFERENCE = Path("submissions") / BOARD / "reference"
GOLD = str(REFERENCE / "gold" / "predictions.dev.tsv")


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from in_small_world(tmp_path_factory.mktemp("world"), BOARD, ROWS)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return board_encoder(tmp_path_factory, BOARD)


@pytest.fixture(scope="module")
def trained(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sklearn")
    out = tmp_path_factory.mktemp("systems") / "structured"
    assert main(train(encoder, out)) == 0
    return out


def train(encoder: Path, out: Path, system: str = "structured") -> list[str]:
    return tiny_systems.train(system, BOARD, out, "--encoder", str(encoder), "--epochs", "2")


def submission(folder: Path, system: str = "structured") -> Path:
    return tiny_systems.submission(folder, BOARD, system)


def answers(folder: Path, split: str = "dev") -> list[Any]:
    board = load(BOARD, BOARDS)
    _, found = check_file(board, folder / f"predictions.{split}.tsv", split=split)
    return list(found)


def test_a_system_is_trained_and_its_submission_passes_the_check_untouched(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = submission(tmp_path)
    assert main([*predict(trained, out), "--split", "test"]) == 0
    assert main(["check", str(out)]) == 0
    said = capsys.readouterr().out
    assert said.count("8 graphs keep every constraint") == 2
    assert sorted(path.name for path in trained.iterdir()) == [
        "label", "system.json", "weights.safetensors"]


@pytest.mark.claim("No graph of the structured model breaks a constraint of its board.")
def test_every_graph_keeps_every_constraint_and_only_those_of_its_decoding(
    trained: Path, tmp_path: Path
) -> None:
    board = load(BOARD, BOARDS)
    golds = read_golds(board, "dev", BOARDS / BOARD / "data" / "dev.tsv").items
    for external in ("none", "retrieved"):
        out = submission(tmp_path, external)
        assert main(predict(trained, out, "--external", external)) == 0
        for gold, answer in zip(golds, answers(out), strict=True):
            found = findings(board.settings, gold.texts, answer.graph)
            assert not found.broken
            assert not {one.rule for one in found.strict} & {"EG-MANY-FACTS", "EG-SYNTAX"}


def test_without_constraints_graphs_are_as_large_as_gold_and_some_break_a_rule(
    trained: Path, tmp_path: Path
) -> None:
    board = load(BOARD, BOARDS)
    golds = read_golds(board, "dev", BOARDS / BOARD / "data" / "dev.tsv").items
    out = submission(tmp_path)
    assert main(predict(trained, out, "--no-constraints")) == 0
    found = answers(out)
    assert any(findings(board.settings, gold.texts, answer.graph).broken
               for gold, answer in zip(golds, found, strict=True))
    edges = [sum(len(graph.edges) for graph in graphs) for graphs in (
        [answer.graph for answer in found], [gold.graphs[0] for gold in golds])]
    assert 0.5 < edges[0] / edges[1] < 2
    about = (out / "submission.yaml").read_text()
    assert "no constraint" in about
    assert "enforced" not in about


@pytest.mark.claim("A system that is trained twice with one seed has the same weights and "
                   "the same submission.")
def test_the_same_seed_twice_gives_the_same_bytes(
    trained: Path, encoder: Path, tmp_path: Path
) -> None:
    again = tmp_path / "structured"
    assert main(train(encoder, again)) == 0
    for name in ("weights.safetensors", "label/weights.safetensors"):
        assert (again / name).read_bytes() == (trained / name).read_bytes()
    contents = []
    for system, place in ((trained, "one"), (again, "two")):
        out = submission(tmp_path / place)
        assert main(predict(system, out)) == 0
        contents.append([(path.name, path.read_bytes()) for path in sorted(out.iterdir())])
    assert contents[0] == contents[1]


@pytest.fixture
def killed(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a run leaves that is killed in its last epoch, while it writes a checkpoint."""
    out, measured = tmp_path / "killed", list[int]()
    measure = GraphLearner.score

    def stopped(learner: Any) -> Any:
        measured.append(1)
        if measured[1:]:
            raise KeyboardInterrupt
        return measure(learner)

    with monkeypatch.context() as patch:
        patch.setattr(GraphLearner, "score", stopped)
        main([*train(encoder, out), "--graphs-only"])
    [kept] = (out / "state").glob("checkpoint-*")
    partial = kept.with_name("checkpoint-999")
    partial.mkdir()
    shutil.copy(kept / "model.safetensors", partial)
    return out


def test_a_folder_in_which_another_process_trains_is_refused(
    encoder: Path, tmp_path: Path, fails: Fails
) -> None:
    with holding(tmp_path, wait=False):
        fails(2, f"{tmp_path}: another process is training there; wait until",
              *train(encoder, tmp_path))


@pytest.mark.claim("A training run that was killed goes on and ends with the same bytes.")
def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_bytes(
    trained: Path, killed: Path, encoder: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert not (killed / "system.json").exists()
    assert main([*train(encoder, killed), "--graphs-only", "--seed", "6"]) == 2
    assert "a run that was stopped lies there, with seed 5, now 6; choose" in (
        capsys.readouterr().err)
    words = [*train(encoder, killed), "--graphs-only"]
    assert main(words) == 0
    assert capsys.readouterr().out.endswith(
        f"run: scorer predict {killed} --board {BOARD} --split SPLIT "
        f"--out submissions/{BOARD}/TEAM/SYSTEM\n")
    assert (killed / "weights.safetensors").read_bytes() == (
        trained / "weights.safetensors").read_bytes()
    done = records.read(killed)
    assert [epoch["number"] for epoch in done.epochs] == [1, 2]
    assert done.seconds == round(sum(epoch["seconds"] for epoch in done.epochs))
    assert sorted(path.name for path in killed.iterdir()) == ["system.json", "weights.safetensors"]
    # A run that is finished is neither made again nor replaced.
    before = (killed / "system.json").stat().st_mtime_ns
    assert main(words) == 0
    assert main([*words, "--epochs", "3"]) == 2
    assert f"{killed}: a trained structured lies there, with epochs 2, now 3; choose another" in (
        capsys.readouterr().err)
    assert (killed / "system.json").stat().st_mtime_ns == before


def test_labels_come_from_a_file_where_one_is_named(trained: Path, tmp_path: Path) -> None:
    out = submission(tmp_path)
    assert main(predict(trained, out, "--labels", GOLD)) == 0
    assert [one.label for one in answers(out)] == [
        line.split("\t")[0] for line in Path(GOLD).read_text().splitlines()]
    assert "predictions.dev.tsv (SHA-256 " in (out / "submission.yaml").read_text()


def test_concepts_from_a_file_are_used_if_they_are_in_neither_text(
    trained: Path, tmp_path: Path
) -> None:
    file = tmp_path / "external.tsv"
    file.write_text("wholly foreign\todd (one)\n" * ROWS)
    out = submission(tmp_path)
    assert main(predict(trained, out, "--external", str(file))) == 0
    text = (out / "predictions.dev.tsv").read_text()
    assert "odd" not in text
    file.write_text("Wholly Foreign, odd (one)\n" * ROWS)  # as the file of the paper's authors
    commas = submission(tmp_path, "commas")
    assert main(predict(trained, commas, "--external", str(file))) == 0
    assert (commas / "predictions.dev.tsv").read_text() == text
    file.write_text("one line\n")
    assert main(predict(trained, submission(tmp_path, "short"), "--external", str(file))) == 2


def test_eight_items_are_learned_by_heart(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scorer.lab.systems.structured import system

    monkeypatch.setattr(system, "_course", lambda request: GraphCourse(
        rank=None, learning_rate=2e-3, head_rate=2e-3, epochs=60, dropout=0.0, batch_size=3,
        patience=60))
    data = data_of(load(BOARD, BOARDS), tmp_path)
    data = ByHeart(*data._replace(golds=data.golds[:8]))
    done = system.fit("structured", data, TrainingRequest(
        str(encoder), tmp_path / "out", 5, options={"graphs_only": True}))
    found = system.predict(tmp_path / "out", done, Question(
        data.settings, [gold.texts for gold in data.golds],
        labels=[gold.label for gold in data.golds],
        external=[outside(gold.texts, gold.graphs[0].concepts) for gold in data.golds],
    )).predictions
    concepts = edges = 0.0
    for gold, answer in zip(data.golds, found, strict=True):
        concepts += overlap(gold.graphs[0].concepts, answer.graph.concepts) / len(data.golds)
        edges += overlap(gold.graphs[0].edges, answer.graph.edges) / len(data.golds)
    assert concepts >= 0.9
    assert edges >= 0.85


def overlap(wanted: Any, given: Any) -> float:
    """F1 of two sets."""
    return 2 * len({*wanted} & {*given}) / (len({*wanted}) + len({*given}))


def test_a_system_that_ships_is_found_by_its_name_and_any_other_by_its_folder(
        trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(records, "SHIPPED", trained.parent)
    for name in ("structured", "label"):
        assert main(predict(Path(name), submission(tmp_path, f"our-{name}"))) == 0
    written = (submission(tmp_path, "our-structured") / "submission.yaml").read_text()
    assert written.endswith(f"tags:\n- {CONSTRAINED}\n")
    ours = tmp_path / "submissions" / BOARD / OWN / "structured"
    assert main(predict(trained, ours)) == 0
    assert (ours / "submission.yaml").read_text().endswith(f"- {TRAINED_HERE}\n")
    assert main(predict(trained, submission(tmp_path, "a-folder"))) == 0
    texts = [(submission(tmp_path, name) / "predictions.dev.tsv").read_bytes()
             for name in ("our-structured", "a-folder")]
    assert texts[0] == texts[1]
    capsys.readouterr()
    assert main(predict(Path("strutcured"), submission(tmp_path, "none"))) == 2
    assert ("'strutcured': no trained system (no such folder); name structured, label, or a folder "
            "that scorer train wrote") in capsys.readouterr().err


def test_the_commands_of_the_systems_page_work_as_they_stand_there(
        trained: Path, encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = handbook("systems").partition("## The systems")[0]
    lines = [line for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
             for line in block.replace("\\\n", " ").splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines]
    assert [words[:2] for words in commands] == [
        ["pip", "install"], ["scorer", "data"], ["scorer", "predict"], ["scorer", "check"],
        ["scorer", "score"], ["scorer", "train"], ["scorer", "predict"]]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(records, "SHIPPED", trained.parent)
    shutil.copytree(trained, tmp_path / "systems" / "structured")  # so training is done already
    quick = {"train": ["--encoder", str(encoder), "--epochs", "2"], "score": ["--models", "no"]}
    for _, verb, *rest in commands[2:]:
        words = [word.replace("explagraphs", BOARD) for word in rest]
        assert main([verb, *words, *quick.get(verb, [])]) == 0, words
    found = submissions.find(tmp_path / "submissions")
    assert [folder.name for folder in found] == ["structured", "trained"]


def test_faults_of_the_user_are_told_in_words(
    trained: Path, encoder: Path, tmp_path: Path, fails: Fails
) -> None:
    fails(2, "no trained system", *predict(tmp_path, submission(tmp_path)))
    elsewhere = ["predict", str(trained), "--board", BOARD, "--split", "dev", "--out"]
    fails(2, f"name submissions/{BOARD}/<team>/<system>", *elsewhere, str(tmp_path))
    nothing = tmp_path / "nothing"
    fails(3, f"nothing was trained: no model.safetensors in {nothing}; name another source with "
          "--encoder\n", *train(nothing, tmp_path / "out"))
    fails(3, f"hf download a/b --revision {'0' * 40}), or name another source with --encoder\n",
          *train(Path(f"hub:a/b@{'0' * 40}"), tmp_path / "out"))
    fails(2, "is for boards of the task explanation_graphs, but anli-practice is one of anli",
          "train", "label", "--board", "anli-practice", "--out", str(tmp_path))
    fails(2, "--graphs-only is no option of label",
          *train(encoder, tmp_path / "out", "label"), "--graphs-only")
    out = submission(tmp_path)
    assert main(predict(trained, out)) == 0
    (out / "submission.yaml").write_text("system: mine\n")
    fails(2, "exists already and says something else", *predict(trained, out))


def test_what_is_wrong_with_a_systems_folder_is_told_in_words(
    trained: Path, tmp_path: Path, fails: Fails
) -> None:
    document = json.loads((trained / "system.json").read_text())
    other, out = tmp_path / "other", submission(tmp_path, "other")
    shutil.copytree(trained, other, ignore=shutil.ignore_patterns("label"))
    (other / "weights.safetensors").write_bytes(b"odd")

    def changed(**changes: Any) -> None:
        (other / "system.json").write_text(json.dumps(document | changes))

    fails(3, "train the system again", *predict(other, out, "--labels", GOLD))
    fails(2, "give labels with --labels", *predict(other, out))
    for setting, value in (("rank", 0), ("hidden", 10**9), ("odd", 1), ("dropout", "much")):
        changed(settings=document["settings"] | {setting: value}, weights=sha256(b"odd"))
        fails(3, setting, *predict(other, out, "--labels", GOLD))
    changed(seed="five")
    fails(3, "found 'five'; expected a number", *predict(other, out))
    nothing = tmp_path / "nothing"
    changed(base=document["base"] | {"source": str(nothing)})
    fails(3, f"no model.safetensors in {nothing}; put the model back that the system was trained "
          "on, or train it again\n", *predict(other, out, "--labels", GOLD))
    changed()
    shutil.copytree(trained / "label", other / "label")
    nested = json.loads((other / "label" / "system.json").read_text())
    (other / "label" / "system.json").write_text(json.dumps(nested | {"labels": ["odd"]}))
    fails(2, "whose labels are not those of", *predict(other, out))


def saw_dev_gold(folder: Path) -> bool:
    found, _ = submissions.read_meta(folder / "submission.yaml", "")
    assert found is not None
    return found.saw_dev_gold


def test_a_submission_saw_no_dev_gold_only_where_that_is_known(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def saw(name: str, *more: str, system: Path = trained / "label") -> bool:
        assert main(predict(system, submission(tmp_path, name), *more)) == 0
        return saw_dev_gold(submission(tmp_path, name))

    assert not saw("plain")
    assert saw("plain-yes", "--saw-dev-gold", "yes")
    golds = {name: sha256((BOARDS / BOARD / "data" / f"{name}.tsv").read_bytes())
             for name in ("train", "dev")}
    document = json.loads((trained / "label" / "system.json").read_text())
    assert document["data"] == {"train": golds["train"]}
    for name, digest in (("of-dev", golds["dev"]), ("of-a-file", "0" * 64)):
        other = tmp_path / name
        shutil.copytree(trained / "label", other)
        (other / "system.json").write_text(json.dumps(document | {"data": {"train": digest}}))
        assert saw(name, system=other)
        about = (submission(tmp_path, name) / "submission.yaml").read_text()
        assert "The train split of" not in about
    assert "nobody here knows what went into what label learned from" in capsys.readouterr().out
    assert not saw("a-file-no", "--saw-dev-gold", "no", system=tmp_path / "of-a-file")
    assert main(predict(tmp_path / "of-dev", submission(tmp_path, "lie"),
                        "--saw-dev-gold", "no")) == 2
    assert "--saw-dev-gold no, but dev gold is in what label learned from" in (
        capsys.readouterr().err)


def test_labels_bring_with_them_whether_their_system_saw_dev_gold(
    trained: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "predictions.dev.tsv"
    bare.write_bytes(Path(GOLD).read_bytes())
    theirs = submission(tmp_path, "theirs")
    assert main(predict(trained / "label", theirs)) == 0
    for name, labels, saw in (("gold", GOLD, True),
                              ("theirs", theirs / "predictions.dev.tsv", False),
                              ("bare", bare, True)):
        out = submission(tmp_path, f"with-{name}")
        assert main(predict(trained, out, "--labels", str(labels))) == 0
        assert saw_dev_gold(out) == saw
    assert main(predict(trained, submission(tmp_path, "lie"), "--saw-dev-gold", "no", "--labels",
                        GOLD)) == 2


def test_what_predict_could_not_write_is_refused_before_any_work(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch
) -> None:
    out = submission(tmp_path)
    words = predict(trained / "label", out)
    assert main(words) == 0
    content = (out / "submission.yaml").read_bytes()
    assert main(words[:-2]) == 0  # on another day
    assert (out / "submission.yaml").read_bytes() == content
    called = "scorer.lab.systems.predicting.answers"
    monkeypatch.setattr(called, lambda *_: pytest.fail("it worked"))
    for said, more in (
        ("--title: ", ("--title", "x" * 81)),
        ("--team: ", ("--team", "a\u202eb")),
        ("--date: ", ("--date", "tomorrow")),
        ("exists already and says something else", ("--title", "Another")),
        ("exists already and says something else", ("--date", "2026-11-23")),
    ):
        assert main([*words, *more]) == 2
        assert said in capsys.readouterr().err
    for place in (tmp_path, out / "triplets.tsv"):
        assert main(["predict", "cckg", *words[2:], "--triplets", str(place)]) == 2
        assert f"--triplets {place}: " in capsys.readouterr().err


def test_no_first_text_is_in_both_parts_however_it_is_written(tmp_path: Path) -> None:
    data = data_of(load(BOARD, BOARDS), tmp_path)
    learned, held_out = data.parts(5)
    assert held_out
    assert not {gold.texts[0] for gold in learned} & {gold.texts[0] for gold in held_out}
    assert len(learned) + len(held_out) == len(data.golds)


@pytest.mark.parametrize(("text", "concept", "phrase"), [
    ("Factory farming harms.", "factory farming", "factory farming"),
    ("The \"Olympic Games\" cost.", "olympic games", "olympic games"),
    ("Cats purr.", "cat", "cats"),
    ("A concat of cat.", "cat", "cat"),
    ("Nothing here.", "cat", None),
])
def test_a_concept_is_found_as_whole_words_or_else_in_the_words_that_hold_it(
    text: str, concept: str, phrase: str | None
) -> None:
    read = AlignedText(text)
    run = read.covering(concept)
    assert (read.phrase(run) if run else None) == phrase
