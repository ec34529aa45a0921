"""lm-evaluation-harness itself runs our boards, and its numbers are those of ``scorer score``.

A model of our own gives answers that are known beforehand, so the numbers are not trivial; a tiny
GPT-2 with random weights stands for a real one.
"""

import csv
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lm_eval")
from scorer import boards
from scorer.api import score
from scorer.cli import main
from scorer.core.errors import DataError
from scorer.lab.harnesses.asking import asking
from scorer.lab.harnesses.lm_eval_tasks import BoardTask
from scorer.metrics.catalogue import METRICS
from tests.harness_logs import BOARDS, rows_of
from tests.tiny_systems import tiny_gpt2

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


PRACTICE = ("explagraphs-practice", "anli-practice", "anlg-practice")
UNREADABLE = {1: "I'm sorry, but I can't help with that.", 4: "It depends, I would say."}


def answered(board: str, system: str | None = None) -> tuple[list[list[str]], list[str]]:
    """A committed system, two of whose answers are no answers: its rows, and what a model writes.
    """
    rows = rows_of(board, system or BOARDS[board].system)
    answers = [BOARDS[board].write(row) for row in rows]
    for number, text in UNREADABLE.items():
        rows[number], answers[number] = list(boards.load(board).task.unanswered), text
    return rows, answers


def golds_of(board: str, most: int | None = None) -> list[list[str]]:
    """The first lines of its dev gold."""
    text = (boards.boards_folder() / board / "data" / "dev.tsv").read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()[:most]]


def tag_of(board: str) -> str:
    return f"whyboard_{board.replace('-', '_')}"


def task_of(board: str) -> str:
    return f"{tag_of(board)}_dev_{BOARDS[board].prompt}"


def likes(row: int) -> int:
    return int(row % 3 == 0)


def lm(**systems: str | None) -> Any:
    """A model of the harness that answers as systems of some boards do, and likes the second
    ending in every third item."""
    from lm_eval.api.model import LM

    answers = {tag_of(board): answered(board, system)[1] for board, system in systems.items()}

    class Canned(LM):
        def generate_until(self, requests, **_):
            return [texts[one.doc["row"] - 1] for one in requests
                    for tag, texts in answers.items() if one.task_name.startswith(tag)]

        def loglikelihood(self, requests, **_):
            return [(-5.0 - (one.idx != likes(one.doc["row"])), False) for one in requests]

        def loglikelihood_rolling(self, requests, **_):
            raise NotImplementedError

    return Canned()


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    """One folder with the tasks of all practice boards."""
    out = tmp_path_factory.mktemp("lm-eval") / "tasks"
    for board in PRACTICE:
        assert main(["export", "lm-eval", "--board", board, "--split", "dev", "--prompt",
                     BOARDS[board].prompt, "--out", str(out)]) == 0
    return out


def evaluated(tasks: Path, model: Any, names: Sequence[str], **how: Any) -> dict[str, Any]:
    import lm_eval
    from lm_eval.tasks import TaskManager

    found = lm_eval.simple_evaluate(
        model=model, tasks=[*map(tag_of, names)], bootstrap_iters=0,
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False), **how)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def run(tasks):
    return evaluated(tasks, lm(**dict.fromkeys(PRACTICE)), PRACTICE)


def scored(board: str, rows: Sequence[Sequence[str]], tmp_path: Path
           ) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """What ``scorer score`` says of these rows: its metrics, and its table of items."""
    file, out, items = (tmp_path / name for name in ("predictions.tsv", "result.json", "items.tsv"))
    file.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    assert main(["score", str(file), "--board", board, "--split", "dev", "--no-null", "--quiet",
                 "--metrics", ",".join(by_itself(board)), "--json", str(out),
                 "--items", str(items)]) == 0
    with items.open(encoding="utf-8", newline="") as table:
        return (json.loads(out.read_text("utf-8"))["metrics"],
                [*csv.DictReader(table, delimiter="\t")])


def by_itself(board: str) -> list[str]:
    """Metrics that need neither an encoder nor a judge."""
    return [name for name in boards.load(board).metrics
            if METRICS[name].encoder is None and METRICS[name].judge is None]


@pytest.mark.claim("The program lm_eval runs our boards and gives the numbers of scorer score.")
@pytest.mark.parametrize("board", PRACTICE)
def test_the_harness_gives_our_numbers(board, run, tmp_path):
    ours, items = scored(board, answered(board)[0], tmp_path)
    theirs, samples = (run[part][task_of(board)] for part in ("results", "samples"))
    measured = [name for name in by_itself(board) if f"{name},none" in theirs]
    assert {*measured} >= {*by_itself(board)} - {"METEOR"}, "METEOR needs WordNet"
    for name in measured:
        assert theirs[f"{name},none"] == pytest.approx(ours[name]["value"], abs=1e-12)
        assert 0 < ours[name]["value"] < METRICS[name].highest
    assert theirs["answered,none"] == pytest.approx(1 - 2 / len(items), abs=1e-12)
    assert [sample["doc"]["row"] for sample in samples] == [int(item["row"]) for item in items]
    single = [name for name in by_itself(board)
              if METRICS[name].total is None and not METRICS[name].whole and name in samples[0]]
    assert single
    for sample, item in zip(samples, items, strict=True):
        for name in single:
            assert sample[name] == pytest.approx(float(item[name]), abs=1e-12)


def test_the_likelier_ending_is_the_answer(run, tmp_path):
    board = "anli-practice"
    ours, _ = scored(board, [[str(likes(row) + 1)] for row in range(1, 49)], tmp_path)
    task = f"{tag_of(board)}_dev_likelihood"
    assert run["results"][task]["accuracy,none"] == pytest.approx(
        ours["accuracy"]["value"], abs=1e-12)
    [first, *_] = run["samples"][task]
    doc = first["doc"]
    assert [one[1] for one in first["arguments"]] == [
        f" {doc['hyp1']} {doc['obs2']}", f" {doc['hyp2']} {doc['obs2']}"]
    assert {one[0] for one in first["arguments"]} == {doc["obs1"]}


def test_the_model_reads_the_messages_of_the_prompt(run):
    board = "explagraphs-practice"
    asked = asking(board, "dev", prompt=BOARDS[board].prompt, home=Path("nowhere"))
    for sample in run["samples"][task_of(board)]:
        text, how = sample["arguments"][0]
        assert text == "\n\n".join(one.content for one in asked.messages(sample["doc"]["row"]))
        assert how["max_gen_toks"] == asked.prompt.decoding.max_tokens
        assert how["until"] == []


def logged(tasks: Path, board: str, system: str, out: Path) -> str:
    """The folder that ``lm_eval --log_samples --output_path`` leaves."""
    from lm_eval.loggers import EvaluationTracker

    tracker = EvaluationTracker(output_path=str(out))
    found = evaluated(tasks, lm(**{board: system}), [board], evaluation_tracker=tracker,
                      log_samples=True)
    samples = found.pop("samples")
    tracker.save_results_aggregated(results=found, samples=samples)
    for task in found["configs"]:
        tracker.save_results_samples(task_name=task, samples=samples[task])
    return str(out)


def test_compare_reads_the_samples_of_two_runs(tasks, tmp_path, capsys):
    board, out = "explagraphs-practice", tmp_path / "compared.json"
    systems = ("edited-gold", "shuffled-gold")
    logs = [logged(tasks, board, system, tmp_path / system) for system in systems]
    assert main(["compare", *logs, "--json", str(out), "--cluster", "belief"]) == 0
    assert "GED" in capsys.readouterr().out
    found = json.loads(out.read_text("utf-8"))["metrics"]
    assert {*found} == {*by_itself(board), "answered"}
    tables = [scored(board, answered(board, system)[0], tmp_path)[1] for system in systems]
    for name in by_itself(board):
        sign = 1 if METRICS[name].better == "higher" else -1
        leads = [sign * (float(a[name]) - float(b[name])) for a, b in zip(*tables, strict=True)]
        wins = {str(row) for row, lead in enumerate(leads) if lead > 0}
        losses = {str(row) for row, lead in enumerate(leads) if lead < 0}
        assert ({*found[name]["wins"]}, {*found[name]["losses"]}) == (wins, losses), name


def test_a_task_that_is_not_what_it_was_is_refused(tmp_path):
    old = BoardTask("anli-practice", "dev", "choice", ["accuracy"], home=str(tmp_path),
                    expected={"version": "0.9"})
    with pytest.raises(DataError, match=r"version of board anli-practice is 1\.0, and was 0\.9"):
        old.dataset()


def test_the_folder_holds_no_item(tasks):
    text = "".join(path.read_text("utf-8") for path in tasks.glob("*.*"))
    for board in PRACTICE:
        for line in golds_of(board):
            assert not any(field in text for field in line if len(field) > 12)


def test_splits_without_public_gold_are_not_exported(tmp_path, fails):
    folder = shutil.copytree(boards.boards_folder() / "anli-practice", tmp_path / "anli-practice")
    about = (folder / "board.yaml").read_text("utf-8")
    (folder / "board.yaml").write_text(
        re.sub(r"rows: 48, gold: public, sha256: \w+", "rows: 48, gold: hidden", about), "utf-8")
    fails(2, "is not public, so nothing can be scored", "export", "lm-eval", "--board",
          str(folder), "--split", "dev", "--out", str(tmp_path / "out"))


@pytest.mark.models
def test_a_local_model_is_run_and_its_answers_score_the_same(tasks, tmp_path, monkeypatch):
    hub = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)
    board = "anli-practice"
    model = tiny_gpt2(tmp_path / "model", n_positions=2048, initializer_range=0.5)
    found = evaluated(tasks, "hf", [board], model_args=f"pretrained={model}", device="cpu",
                      batch_size=6, limit=6)
    task = f"{tag_of(board)}_dev_likelihood"
    chosen = [1 + max((0, 1), key=lambda index, one=one: one["filtered_resps"][index][0])
              for one in found["samples"][task]]
    ours = score([[str(label)] for label in chosen], golds_of(board, 6), board=board).metrics
    assert found["results"][task]["accuracy,none"] == pytest.approx(
        ours["accuracy"].value, abs=1e-12)
    assert found["results"][task_of(board)]["answered,none"] < 1
