"""Systems that are trained here: end to end on the practice board, with a tiny random encoder."""

import json
import re
import shlex
import shutil
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from scorer.boards import load
from scorer.boards import submission as submissions
from scorer.boards.golds import read_golds
from scorer.boards.submission import CONSTRAINED, OWN, TRAINED_HERE
from scorer.cli import main
from scorer.core.files import holding, sha256
from scorer.core.package_data import handbook
from scorer.lab.systems import predicting, records
from scorer.lab.systems.records import Question, TrainingRequest, data_of
from scorer.lab.systems.structured.alignment import AlignedText, outside
from scorer.scoring.checking import check_file
from scorer.tasks.graphs.constraints import findings
from tests import tiny_systems
from tests.tiny_systems import BOARDS, ByHeart, board_encoder, in_small_world, predict

pytest.importorskip("transformers")
from scorer.lab.systems.cckg import system as cckg
from scorer.lab.systems.structured.model import GraphCourse, GraphLearner

pytestmark = [pytest.mark.models, pytest.mark.slow]

BOARD, ROWS = "explagraphs-practice", 8
REFERENCE = Path("submissions") / BOARD / "reference"
GOLD = REFERENCE / "gold" / "predictions.dev.tsv"


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory):
    yield from in_small_world(tmp_path_factory.mktemp("world"), BOARD, ROWS)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return board_encoder(tmp_path_factory, BOARD)


@pytest.fixture(scope="module")
def trained(encoder, tmp_path_factory):
    pytest.importorskip("sklearn")
    out = tmp_path_factory.mktemp("systems") / "structured"
    assert main(train(encoder, out)) == 0
    return out


def train(encoder: Path, out: Path) -> list[str]:
    return tiny_systems.train("structured", BOARD, out, "--encoder", str(encoder), "--epochs", "2")


def submission(folder: Path, system: str = "structured") -> Path:
    return tiny_systems.submission(folder, BOARD, system)


def predicted(system: Path | str, folder: Path, name: str = "structured", *more: str) -> Path:
    """The submission of a system."""
    out = submission(folder, name)
    assert main(predict(system, out, *more)) == 0
    return out


def answers(folder: Path) -> list[Any]:
    return [*check_file(load(BOARD, BOARDS), folder / "predictions.dev.tsv").accepted()]


@pytest.mark.claim("No graph of the structured model breaks a constraint of its board.")
def test_every_graph_keeps_every_constraint_and_only_those_of_its_decoding(
    trained, tmp_path, capsys
):
    settings = load(BOARD, BOARDS).settings
    golds = read_golds(load(BOARD, BOARDS), "dev", BOARDS / BOARD / "data" / "dev.tsv").items
    for external in ("none", "retrieved"):
        out = predicted(trained, tmp_path, external, "--external", external, "--split", "test")
        assert main(["check", str(out)]) == 0
        assert capsys.readouterr().out.count("8 graphs keep every constraint") == 2
        for gold, answer in zip(golds, answers(out), strict=True):
            strict = {one.rule for one in findings(settings, gold.texts, answer.graph).strict}
            assert not strict & {"EG-MANY-FACTS", "EG-SYNTAX"}


def test_without_constraints_graphs_are_as_large_as_gold_and_break_rules(trained, tmp_path, capsys):
    out = predicted(trained, tmp_path, "structured", "--no-constraints")
    assert main(["check", str(out)]) == 0
    assert "8 graphs keep every constraint" not in capsys.readouterr().out
    ours, theirs = (sum(len(answer.graph.edges) for answer in answers(folder))
                    for folder in (out, GOLD.parent))
    assert 0.5 < ours / theirs < 2
    about = (out / "submission.yaml").read_text()
    assert "no constraint" in about
    assert "enforced" not in about


@pytest.mark.claim("A system that is trained twice with one seed has the same weights and "
                   "the same submission.")
def test_the_same_seed_twice_gives_the_same_bytes(trained, encoder, tmp_path):
    again = tmp_path / "structured"
    assert main(train(encoder, again)) == 0
    contents = []
    for system, name in ((trained, "one"), (again, "two")):
        files = [system / "weights.safetensors", system / "label/weights.safetensors",
                 *sorted(predicted(system, tmp_path / name).iterdir())]
        contents.append([path.read_bytes() for path in files])
    assert contents[0] == contents[1]


@pytest.fixture
def killed(encoder, tmp_path, monkeypatch):
    """What a run leaves that is killed in its last epoch, while it writes a checkpoint."""
    out, epochs, score = tmp_path / "killed", iter(range(9)), GraphLearner.score

    def stopped(learner: Any) -> Any:
        if next(epochs):
            raise KeyboardInterrupt
        return score(learner)

    with monkeypatch.context() as patch:
        patch.setattr(GraphLearner, "score", stopped)
        main([*train(encoder, out), "--graphs-only"])
    [kept] = (out / "state").glob("checkpoint-*")
    partial = kept.with_name("checkpoint-999")
    partial.mkdir()
    shutil.copy(kept / "model.safetensors", partial)
    return out


@pytest.mark.claim("A training run that was killed goes on and ends with the same bytes.")
def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_bytes(
    trained, killed, encoder, capsys, fails
):
    words = [*train(encoder, killed), "--graphs-only"]
    assert not (killed / "system.json").exists()
    seed = "a run that was stopped lies there, of another seed (5, now 6);"
    fails(2, seed, *words, "--seed", "6")
    capsys.readouterr()
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
    fails(2, f"{killed}: a trained structured lies there, of another epochs (2, now 3);",
          *words, "--epochs", "3")
    assert (killed / "system.json").stat().st_mtime_ns == before


def test_concepts_from_a_file_are_used_if_they_are_in_neither_text(trained, tmp_path, fails):
    file = tmp_path / "external.tsv"
    texts = []
    # Between tabs, and as in the file of the paper's authors.
    for name, line in (("tabs", "wholly foreign\todd (one)\n"),
                       ("commas", "Wholly Foreign, odd (one)\n")):
        file.write_text(line * ROWS)
        out = predicted(trained, tmp_path, name, "--external", str(file))
        texts.append((out / "predictions.dev.tsv").read_text())
    assert texts[0] == texts[1]
    assert "odd" not in texts[0]
    file.write_text("one line\n")
    fails(2, "1 lines; expected 8", *predict(trained, submission(tmp_path, "short"), "--external",
                                             str(file)))


def test_four_items_are_learned_by_heart(encoder, tmp_path, monkeypatch):
    from scorer.lab.systems.structured import system

    tiny_systems.fixed(monkeypatch, GraphCourse, rank=None, learning_rate=2e-3, head_rate=2e-3,
                       epochs=60, dropout=0.0, batch_size=3, patience=60)
    data = data_of(load(BOARD, BOARDS), tmp_path)
    data = ByHeart(*data._replace(golds=data.golds[:4]))
    done = system.fit("structured", data, TrainingRequest(
        str(encoder), tmp_path / "out", 5, options={"graphs_only": True}))
    found = system.predict(tmp_path / "out", done, Question(
        data.settings, [gold.texts for gold in data.golds],
        labels=[gold.label for gold in data.golds],
        options={"external": [outside(gold.texts, gold.graphs[0].concepts)
                              for gold in data.golds]})).predictions
    for part, least in (("concepts", 0.9), ("edges", 0.85)):
        pairs = [({*getattr(gold.graphs[0], part)}, {*getattr(answer.graph, part)})
                 for gold, answer in zip(data.golds, found, strict=True)]
        assert fmean(2 * len(a & b) / (len(a) + len(b)) for a, b in pairs) >= least  # mean F1


def test_a_system_is_found_by_its_name_or_its_folder(
    trained, encoder, tmp_path, monkeypatch, fails
):
    monkeypatch.setattr(records, "SHIPPED", trained.parent)
    named, other = predicted("structured", tmp_path, "named"), predicted(trained, tmp_path, "other")
    predicted("label", tmp_path, "label")
    monkeypatch.setattr(cckg, "ENCODER", str(encoder))
    assert "The labels come from the label model that ships." in " ".join((
        predicted("cckg", tmp_path, "cckg", "--home", str(tmp_path)) / "submission.yaml"
    ).read_text().split())
    assert (named / "submission.yaml").read_text().endswith(f"tags:\n- {CONSTRAINED}\n")
    assert (named / "predictions.dev.tsv").read_bytes() == (
        other / "predictions.dev.tsv").read_bytes()
    ours = tmp_path / "submissions" / BOARD / OWN / "structured"
    assert main(predict(trained, ours)) == 0
    assert (ours / "submission.yaml").read_text().endswith(f"- {TRAINED_HERE}\n")
    fails(2, "'strutcured': no trained system; name structured, label, cckg, or a folder that "
          "scorer train wrote", *predict("strutcured", submission(tmp_path, "none")))


def test_the_commands_of_the_systems_page_work(trained, encoder, tmp_path, monkeypatch):
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
    assert [folder.name for folder in submissions.find(tmp_path / "submissions")] == [
        "structured", "trained"]


def test_faults_of_the_user_are_reported(trained, encoder, tmp_path, fails):
    fails(2, "no trained system", *predict(tmp_path, submission(tmp_path)))
    fails(2, f"name submissions/{BOARD}/<team>/<system>", "predict", str(trained), "--board", BOARD,
          "--split", "dev", "--out", str(tmp_path))
    nothing = tmp_path / "nothing"
    fails(3, f"nothing was trained: no model.safetensors in {nothing}; name another source with "
          "--encoder\n", *train(nothing, tmp_path / "out"))
    fails(3, f"hf download a/b --revision {'0' * 40}), or name another source with --encoder\n",
          *train(Path(f"hub:a/b@{'0' * 40}"), tmp_path / "out"))
    with holding(tmp_path, wait=False):
        fails(2, f"{tmp_path}: another process is training there; wait until",
              *train(encoder, tmp_path))


def test_what_is_wrong_with_a_systems_folder_is_reported(trained, tmp_path, fails):
    document = json.loads((trained / "system.json").read_text())
    other = shutil.copytree(trained, tmp_path / "other", ignore=shutil.ignore_patterns("label"))
    bare = predict(other, submission(tmp_path, "other"))
    labelled = [*bare, "--labels", str(GOLD)]
    (other / "weights.safetensors").write_bytes(b"odd")

    def changed(**changes: Any) -> None:
        (other / "system.json").write_text(json.dumps(document | changes))

    fails(3, "the weights have digest", *labelled)
    fails(2, "give labels with --labels", *bare)
    for setting, value in (("rank", 0), ("hidden", 10**9), ("odd", 1), ("dropout", "much")):
        changed(settings=document["settings"] | {setting: value}, weights=sha256(b"odd"))
        fails(3, setting, *labelled)
    changed(weights=sha256(b"odd"))
    fails(3, "the weights are no safetensors file; train the system again", *labelled)
    changed(seed="five")
    fails(3, "found 'five'; expected a number", *bare)
    nothing = tmp_path / "nothing"
    changed(base=document["base"] | {"source": str(nothing)})
    fails(3, f"no model.safetensors in {nothing}; put the model back that the system was trained "
          "on, or train it again\n", *labelled)
    changed()
    (other / "weights.safetensors").unlink()
    fails(2, "train the system again", *labelled)
    shutil.copytree(trained / "label", other / "label")
    nested = json.loads((other / "label" / "system.json").read_text())
    (other / "label" / "system.json").write_text(json.dumps(nested | {"labels": ["odd"]}))
    fails(2, "whose labels are not those of", *bare)


def saw(folder: Path) -> bool:
    """Whether submission.yaml says that dev gold was seen."""
    meta, _ = submissions.read_meta(folder / "submission.yaml", "")
    assert meta is not None
    return meta.saw_dev_gold


def test_a_submission_saw_no_dev_gold_only_where_that_is_known(trained, tmp_path, capsys):
    label, other = trained / "label", tmp_path / "of-a-file"
    assert not saw(predicted(label, tmp_path, "plain"))
    assert saw(predicted(label, tmp_path, "plain-yes", "--saw-dev-gold", "yes"))
    shutil.copytree(label, other)
    document = json.loads((label / "system.json").read_text())
    (other / "system.json").write_text(json.dumps(document | {"data": {"train": "0" * 64}}))
    out = predicted(other, tmp_path, "other")
    assert saw(out)
    assert "The train split of" not in (out / "submission.yaml").read_text()
    assert "nobody here knows what went into what label learned from" in capsys.readouterr().out
    assert not saw(predicted(other, tmp_path, "no", "--saw-dev-gold", "no"))
    out = predicted(trained, tmp_path, "with-labels", "--labels", str(GOLD))
    assert saw(out)
    assert [answer.label for answer in answers(out)] == [
        line.split("\t")[0] for line in GOLD.read_text().splitlines()]
    assert "predictions.dev.tsv (SHA-256 " in (out / "submission.yaml").read_text()


def test_a_submission_that_says_otherwise_stays_and_what_none_may_say_is_refused(
    trained, tmp_path, fails, monkeypatch
):
    out = submission(tmp_path)
    words = predict(trained / "label", out)
    assert main(words) == 0
    content = (out / "submission.yaml").read_bytes()
    assert main([*words[:-2], "--split", "test"]) == 0  # on another day
    assert (out / "submission.yaml").read_bytes() == content
    monkeypatch.setattr(predicting, "answers", None)  # all of it before the work
    other = predict(trained / "label", submission(tmp_path, "other"))
    for message, more in (("system", ("--title", "x" * 81)), ("team", ("--team", "a\u202eb")),
                          ("date", ("--date", "tomorrow"))):
        fails(2, message, *other, *more)
    for more in (("--title", "Another"), ("--date", "2026-11-23"), ("--saw-dev-gold", "yes")):
        fails(2, "exists already and says something else", *words, *more)
    (out / "submission.yaml").write_text("system: Mine\n")
    fails(2, "exists already and says something else", *words)
    for path in (tmp_path, out / "triplets.tsv"):
        fails(2, f"--triplets {path}: ", "predict", "cckg", *words[2:], "--triplets", str(path))


def test_the_label_model_alone_answers_with_null_graphs(trained, tmp_path):
    out = predicted(trained / "label", tmp_path)
    assert main(["check", str(out)]) == 0
    null = answers(REFERENCE / "null")
    assert [answer.graph for answer in answers(out)] == [answer.graph for answer in null]


def test_a_label_model_submits_the_graphs_it_was_given_with_its_labels(encoder, tmp_path, fails):
    system = tmp_path / "system"
    assert main(tiny_systems.train("label-with-graph", BOARD, system, "--encoder", str(encoder),
                                   "--epochs", "1", "--every-weight")) == 0
    assert records.read(system).settings["together"]
    out = predicted(system, tmp_path, "with-graph", "--graphs", str(GOLD))
    assert main(["check", str(out)]) == 0
    gold = answers(GOLD.parent)
    assert [answer.graph for answer in answers(out)] == [answer.graph for answer in gold]
    assert "The graphs come from predictions.dev.tsv (SHA-256 " in (
        out / "submission.yaml").read_text()
    fails(2, "name them with --graphs", *predict(system, submission(tmp_path, "none")))


def test_no_first_text_is_in_both_parts_however_it_is_written(tmp_path):
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
    ("Nothing here.", "cat", None)])
def test_a_concept_is_found_as_whole_words_or_else_in_the_words_that_hold_it(text, concept, phrase):
    read = AlignedText(text)
    run = read.covering(concept)
    assert (read.phrase(run) if run else None) == phrase
