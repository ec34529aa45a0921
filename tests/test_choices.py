"""Systems that choose between hypotheses: end to end on the practice board, with a tiny encoder."""

import json
from types import SimpleNamespace

import pytest

from scorer.boards import load
from scorer.cli import main
from scorer.core.errors import DataError, NotMeasured, UsageError
from scorer.core.files import sha256_file
from scorer.lab.systems import curve, records
from scorer.lab.systems.records import Question, TrainingRequest, data_of
from tests import tiny_systems
from tests.tiny_systems import BOARDS, predict, submission, train

pytest.importorskip("transformers")
import torch
from safetensors.torch import save_file

from scorer.lab.systems import choices, networks

pytestmark = [pytest.mark.models, pytest.mark.slow]

BOARD, ROWS = "anli-practice", 20


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory):
    yield from tiny_systems.in_small_world(tmp_path_factory.mktemp("world"), BOARD, ROWS)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_systems.board_encoder(tmp_path_factory, BOARD)


@pytest.mark.parametrize(("board", "system", "option"), [
    (BOARD, "svm", ("--epochs", "2")), (BOARD, "bag-of-words", ("--every-weight",)),
    (BOARD, "svm", ("--form", "linear-chain")),
    ("explagraphs-practice", "label", ("--base", "tiny-t5")),
    ("explagraphs-practice", "label", ("--graphs-only",))])
def test_an_option_that_a_system_would_ignore_is_refused(board, system, option, tmp_path, fails):
    for verb in ("train", "curve") if board == BOARD else ("train",):
        fails(2, f"{option[0]} is no option of {system}",
              verb, system, "--board", board, "--out", str(tmp_path), *option)


def test_another_form_or_board_is_refused_with_the_choices(encoder, tmp_path, fails):
    fails(2, "choose one of: hypothesis-only", *train(
        "encoder", BOARD, tmp_path, "--encoder", str(encoder), "--form", "o"))
    fails(2, "encoder is for boards of the task anli, but explagraphs-practice is one of "
          "explanation_graphs; systems for it: structured, label",
          *train("encoder", "explagraphs-practice", tmp_path))


@pytest.mark.parametrize(("option", "words"), [
    (("--epochs", "0"), "'0' is not between 1 and 4096"),
    (("--seed", "-1"), "'-1' is not between 0 and 4294967295")])
def test_a_number_that_makes_no_run_is_refused(option, words, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["train", "encoder", "--board", BOARD, "--out", str(tmp_path), *option])
    assert end.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("form", "inputs"), [
    ("hypothesis-only", (("H",),)),
    ("first-observation", (("O1", "H"),)),
    ("second-observation", (("H", "O2"),)),
    ("linear-chain", (("O1", "H"), ("H", "O2"))),
    ("fully-connected", (("O1 O2", "H"),)),
    ("narrative-order", (("O1 H", "O2"),))])
def test_a_form_reads_what_table_6_of_the_paper_says(form, inputs):
    assert choices.FORMS[form]("O1", "O2", "H") == inputs


@pytest.mark.parametrize("system", ["encoder", "bag-of-words", "svm"])
def test_a_system_is_trained_twice_to_the_same_sound_submission(system, encoder, tmp_path):
    pytest.importorskip("sklearn")
    tuned = [] if system == "svm" else ["--encoder", str(encoder), "--epochs", "2"]
    contents = []
    for name in ("one", "two"):
        trained, out = tmp_path / name / "system", submission(tmp_path / name, BOARD)
        assert main(train(system, BOARD, trained, *tuned)) == 0
        assert main(predict(trained, out)) == 0
        files = [*sorted(out.iterdir()), *sorted(trained.glob("weights.*"))]
        contents.append([path.read_bytes() for path in files])
    assert main(["check", str(out)]) == 0
    assert len(contents[0]) == 3
    assert contents[0] == contents[1]


def test_the_form_of_a_strangers_system_is_one_of_ours():
    odd = SimpleNamespace(settings={"form": "linear-chain-2"})
    with pytest.raises(DataError, match=r"form .*; train the system again"):
        records.course_of(choices.ChoiceCourse, odd)


def test_eight_items_are_learned_by_heart(encoder, tmp_path, monkeypatch):
    tiny_systems.fixed(
        monkeypatch, choices.ChoiceCourse, form="linear-chain", rank=None, learning_rate=1e-3,
        head_rate=1e-3, epochs=25, dropout=0.0, batch_size=8, patience=25)
    data = data_of(load(BOARD, BOARDS), tmp_path)
    data = tiny_systems.ByHeart(*data._replace(golds=data.golds[:8]))
    done = choices.fit("encoder", data, TrainingRequest(str(encoder), tmp_path, 5))
    found = choices.predict(tmp_path, done, Question(
        data.settings, [gold.texts for gold in data.golds])).predictions
    assert [one.label for one in found] == [gold.label for gold in data.golds]


def test_folds_ask_every_item_once_and_never_one_of_a_story_that_was_learned_from(tmp_path):
    data = data_of(load(BOARD, BOARDS), tmp_path, "dev")
    runs, fewer = ([*curve.lessons(None, data, items, 5, 5)] for items in (None, 10))
    assert sorted(index for run in runs for index in run.asked) == [*range(len(data.golds))]
    for run, small in zip(runs, fewer, strict=True):
        asked = {data.golds[index].given[0] for index in run.asked}
        assert not asked & {gold.given[0] for gold in run.data.golds}
        assert list(small.data.golds) == list(run.data.golds)[:10]
        assert small.data.sha256 != run.data.sha256


def test_a_curve_compares_forms_and_goes_on_where_it_was_stopped(encoder, tmp_path, capsys, fails):
    forms = ("hypothesis-only", "linear-chain")
    call = ["curve", "encoder", "--board", BOARD, "--out", str(tmp_path), "--encoder",
            str(encoder), "--epochs", "1", "--runs", "2",
            *(word for form in forms for word in ("--form", form))]
    assert main(call) == 0
    first, second = json.loads((tmp_path / "curve.json").read_bytes())["points"]
    assert second["against_first"] == pytest.approx(second["right"] - first["right"], abs=2e-6)
    low, high = second["against_first_interval"]
    assert low <= second["against_first"] <= high
    # Where train is at hand it is learned from: 24 items less those held out.
    assert first["asked"] == ROWS
    assert first["learned"] < 24
    made = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("weights.safetensors")}
    assert sorted(records.read(path.parent).settings["form"] for path in made) == [
        *forms[:1] * 2, *forms[1:] * 2]
    assert main(call) == 0
    assert {path: path.stat().st_mtime_ns for path in made} == made
    assert "learned from train, measured on dev" in capsys.readouterr().out
    fails(2, "scorer curve made it from some items of train",
          *predict(next(iter(made)).parent, submission(tmp_path, BOARD)))
    fails(2, "a trained encoder lies there, of another epochs (1, now 2);", *call, "--epochs", "2")


def test_a_folder_of_another_system_is_refused_by_its_system_alone(tmp_path):
    with pytest.raises(UsageError, match=r"svm lies there, of another system \(svm, now x\)"):
        records.check_same(tmp_path, "a trained svm", {"system": "svm", "rank": 8}, {"system": "x"})


@pytest.mark.parametrize("weights", [
    {"weight": torch.zeros(1, 2)}, {"weight": torch.zeros(1, 3), "bias": torch.zeros(1)}])
def test_weights_of_another_network_are_refused(weights, tmp_path):
    save_file(weights, tmp_path / records.WEIGHTS)
    named = SimpleNamespace(weights=sha256_file(tmp_path / records.WEIGHTS))
    with pytest.raises(NotMeasured, match="do not fit the board and the base"):
        networks.loaded(tmp_path, named, torch.nn.Linear(2, 1))
