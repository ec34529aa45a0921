"""lm-evaluation-harness itself runs our boards, and its numbers are those of ``scorer score``.

A model of our own gives answers that are known beforehand, so the numbers are not trivial; a tiny
GPT-2 with random weights stands for a real one.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
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
from tests.tiny_systems import tiny_gpt2

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]
ROOT = Path(__file__).resolve().parent.parent
PROMPTS = {"explagraphs-practice": "rationalizing", "anli-practice": "choice",
           "anlg-practice": "hypothesis"}
REFUSED, GARBAGE = "I'm sorry, but I can't help with that.", "It depends, I would say."
NAMES = {"explagraphs-practice": ("Stance", "Graph"), "anlg-practice": ("Hypothesis",)}


def rows_of(board: str, system: str) -> list[list[str]]:
    """The predictions of a committed row, as they lie there."""
    file = ROOT / "submissions" / board / "reference" / system / "predictions.dev.tsv"
    return [line.split("\t") for line in file.read_text("utf-8").splitlines()]


def said(board: str, row: Sequence[str]) -> str:
    """A row of predictions as a model writes it."""
    if board == "anli-practice":
        return row[-1]
    return "\n".join(f"{name}: {value}" for name, value in zip(NAMES[board], row, strict=True))


MISSING = {"explagraphs-practice": ["-", "-"], "anli-practice": ["-"], "anlg-practice": [""]}
"""What a row reads to which there is no answer."""


CHOSEN = {"explagraphs-practice": "edited-gold", "anli-practice": "linear-chain",
          "anlg-practice": "nearest-neighbour"}


class Systems:
    """For each board a committed system, two of whose answers are no answers."""

    def __init__(self, chosen: Mapping[str, str] = CHOSEN) -> None:
        self.rows: dict[str, list[list[str]]] = {}
        self.answers: dict[str, list[str]] = {}
        for board, system in chosen.items():
            rows = rows_of(board, system)
            answers = [said(board, row) for row in rows]
            for place, text in ((1, REFUSED), (4, GARBAGE)):
                rows[place], answers[place] = MISSING[board], text
            self.rows[board], self.answers[board] = rows, answers


def golds_of(board: str, most: int) -> list[list[str]]:
    """The first lines of its dev gold."""
    text = (boards.boards_folder() / board / "data" / "dev.tsv").read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()[:most]]


def board_of(task: str) -> str:
    return next(board for board in PROMPTS if task.startswith(tag_of(board)))


def tag_of(board: str) -> str:
    return f"whyboard_{board.replace('-', '_')}"


def likes(row: int) -> int:
    return int(row % 3 == 0)


def lm(systems: Systems) -> Any:
    """A model of the harness that answers as the systems do, and likes the second ending in every
    third item."""
    from lm_eval.api.model import LM

    class Canned(LM):  # type: ignore[misc]
        def generate_until(self, requests: Sequence[Any], **_: Any) -> list[str]:
            return [systems.answers[board_of(one.task_name)][one.doc["row"] - 1]
                    for one in requests]

        def loglikelihood(self, requests: Sequence[Any], **_: Any) -> list[tuple[float, bool]]:
            return [(-5.0 - (one.idx != likes(one.doc["row"])), False) for one in requests]

        def loglikelihood_rolling(self, requests: Sequence[Any], **_: Any) -> list[float]:
            raise NotImplementedError

    return Canned()


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder with the tasks of all practice boards."""
    out = tmp_path_factory.mktemp("lm-eval") / "tasks"
    for board, prompt in PROMPTS.items():
        assert main(["export", "lm-eval", "--board", board, "--split", "dev", "--prompt", prompt,
                     "--out", str(out)]) == 0
    return out


def evaluated(tasks: Path, systems: Systems, **how: Any) -> dict[str, Any]:
    import lm_eval
    from lm_eval.tasks import TaskManager

    found = lm_eval.simple_evaluate(
        model=lm(systems), tasks=[tag_of(board) for board in systems.answers], bootstrap_iters=0,
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False), **how)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def run(tasks: Path) -> dict[str, Any]:
    return evaluated(tasks, Systems())


def scored(board: str, rows: Sequence[Sequence[str]], tmp_path: Path) -> dict[str, Any]:
    """What ``scorer score`` says of these rows: its result and its items."""
    file, out = tmp_path / "predictions.tsv", tmp_path / "result.json"
    file.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    assert main(["score", str(file), "--board", board, "--split", "dev", "--no-null", "--quiet",
                 "--metrics", ",".join(by_itself(board)), "--json", str(out),
                 "--items", str(tmp_path / "items.tsv")]) == 0
    return dict(json.loads(out.read_text("utf-8")))


def table(path: Path) -> list[dict[str, str]]:
    """The lines of a file of items, by the names of its columns."""
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t")]


def by_itself(board: str) -> list[str]:
    """Metrics that need neither an encoder nor a judge."""
    return [name for name in boards.load(board).metrics
            if METRICS[name].encoder is None and METRICS[name].judge is None]


@pytest.mark.claim("The program lm_eval runs our boards and gives the numbers of scorer score.")
@pytest.mark.parametrize("board", PROMPTS)
def test_the_harness_gives_our_numbers(board: str, run: dict[str, Any], tmp_path: Path) -> None:
    ours = scored(board, Systems().rows[board], tmp_path)["metrics"]
    task = f"{tag_of(board)}_dev_{PROMPTS[board]}"
    theirs = run["results"][task]
    measured = [name for name in by_itself(board) if f"{name},none" in theirs]
    assert {*measured} >= {*by_itself(board)} - {"METEOR"}, "METEOR needs WordNet"
    for name in measured:
        assert theirs[f"{name},none"] == pytest.approx(ours[name]["value"], abs=1e-12)
        assert 0 < ours[name]["value"] < METRICS[name].highest
    answered = 1 - 2 / len(Systems().rows[board])
    assert theirs["answered,none"] == pytest.approx(answered, abs=1e-12)


@pytest.mark.parametrize("board", PROMPTS)
def test_every_sample_has_the_scores_of_its_item(
    board: str, run: dict[str, Any], tmp_path: Path
) -> None:
    scored(board, Systems().rows[board], tmp_path)
    items = table(tmp_path / "items.tsv")
    samples = run["samples"][f"{tag_of(board)}_dev_{PROMPTS[board]}"]
    assert [sample["doc"]["row"] for sample in samples] == [int(item["row"]) for item in items]
    single = [name for name in by_itself(board)
              if METRICS[name].total is None and not METRICS[name].whole and name in samples[0]]
    assert single
    for sample, item in zip(samples, items, strict=True):
        for name in single:
            assert sample[name] == pytest.approx(float(item[name]), abs=1e-12)


def test_the_likelier_ending_is_the_answer(run: dict[str, Any], tmp_path: Path) -> None:
    board = "anli-practice"
    ours = scored(board, [[str(likes(row) + 1)] for row in range(1, 49)], tmp_path)["metrics"]
    theirs = run["results"][f"{tag_of(board)}_dev_likelihood"]
    assert theirs["accuracy,none"] == pytest.approx(ours["accuracy"]["value"], abs=1e-12)
    [first, *_] = run["samples"][f"{tag_of(board)}_dev_likelihood"]
    doc = first["doc"]
    assert [one[1] for one in first["arguments"]] == [
        f" {doc['hyp1']} {doc['obs2']}", f" {doc['hyp2']} {doc['obs2']}"]
    assert {one[0] for one in first["arguments"]} == {doc["obs1"]}


def test_the_model_reads_the_messages_of_the_prompt(run: dict[str, Any]) -> None:
    board = "explagraphs-practice"
    asked = asking(board, "dev", prompt=PROMPTS[board], home=Path("nowhere"))
    for sample in run["samples"][f"{tag_of(board)}_dev_{PROMPTS[board]}"]:
        text, how = sample["arguments"][0]
        assert text == "\n\n".join(one.content for one in asked.messages(sample["doc"]["row"]))
        assert how["max_gen_toks"] == asked.prompt.decoding.max_tokens
        assert how["until"] == []


def test_a_part_of_the_items_is_scored_as_that_part(tasks: Path, tmp_path: Path) -> None:
    systems = Systems({"anlg-practice": "copy-second"})
    found = evaluated(tasks, systems, limit=7)["results"]["whyboard_anlg_practice_dev_hypothesis"]
    ours = score(systems.rows["anlg-practice"][:7], golds_of("anlg-practice", 7),
                 board="anlg-practice", metrics=["BLEU-1", "BLEU-2", "CIDEr", "ROUGE-L"]).metrics
    for name, value in ours.items():
        assert found[f"{name},none"] == pytest.approx(value.value, abs=1e-12)


def logged(tasks: Path, systems: Systems, out: Path) -> Path:
    """The folder that ``lm_eval --log_samples --output_path`` leaves."""
    from lm_eval.loggers import EvaluationTracker

    tracker = EvaluationTracker(output_path=str(out))
    found = evaluated(tasks, systems, evaluation_tracker=tracker, log_samples=True)
    samples = found.pop("samples")
    tracker.save_results_aggregated(results=found, samples=samples)
    for task in found["configs"]:
        tracker.save_results_samples(task_name=task, samples=samples[task])
    return out


def test_compare_reads_the_samples_of_two_runs(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board, names = "explagraphs-practice", ("edited-gold", "shuffled-gold")
    both = [Systems({board: name}) for name in names]
    logs = [logged(tasks, systems, tmp_path / name)
            for systems, name in zip(both, names, strict=True)]
    out = tmp_path / "compared.json"
    assert main(["compare", *map(str, logs), "--json", str(out), "--cluster", "belief"]) == 0
    assert "GED" in capsys.readouterr().out
    found = json.loads(out.read_text("utf-8"))["metrics"]
    scores = []
    for systems in both:
        scored(board, systems.rows[board], tmp_path)
        scores.append(table(tmp_path / "items.tsv"))
    assert {*found} == {*by_itself(board), "answered"}
    for name in by_itself(board):
        pairs = [(float(a[name]), float(b[name])) for a, b in zip(*scores, strict=True)]
        sign = 1 if METRICS[name].better == "higher" else -1
        wins = {str(row) for row, (a, b) in enumerate(pairs) if sign * (a - b) > 0}
        losses = {str(row) for row, (a, b) in enumerate(pairs) if sign * (a - b) < 0}
        assert ({*found[name]["wins"]}, {*found[name]["losses"]}) == (wins, losses), name


def test_a_task_that_is_not_what_it_was_is_refused(tmp_path: Path) -> None:
    old = BoardTask("anli-practice", "dev", "choice", ["accuracy"], home=str(tmp_path),
                    expected={"version": "0.9"})
    with pytest.raises(DataError, match=r"version of board anli-practice is 1\.0, and was 0\.9"):
        old.dataset()


def test_the_folder_holds_no_item(tasks: Path) -> None:
    text = "".join(path.read_text("utf-8") for path in tasks.glob("*.*"))
    for board in PROMPTS:
        for line in (boards.boards_folder() / board / "data" / "dev.tsv").read_text(
                "utf-8").splitlines():
            assert not any(field in text for field in line.split("\t") if len(field) > 12)


def test_splits_without_public_gold_are_not_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "anli-practice"
    shutil.copytree(boards.boards_folder() / "anli-practice", there)
    yaml = (there / "board.yaml").read_text("utf-8").replace(
        "rows: 48, gold: public, sha256: "
        "16216420973d53b47ec705eb54f09086ade3ebf07662865d3d5ca844bcec9a39",
        "rows: 48, gold: hidden")
    (there / "board.yaml").write_text(yaml, "utf-8")
    assert main(["export", "lm-eval", "--board", str(there), "--split", "dev",
                 "--out", str(tmp_path / "out")]) == 2
    assert "is not public, so nothing can be scored" in capsys.readouterr().err


# ---- the program itself, with a model ----------------------------------------------------------


CLI = """
from lm_eval.__main__ import cli_evaluate
from lm_eval.tasks import TaskManager
verbosity, include_path, _, metadata = TaskManager.__init__.__defaults__
TaskManager.__init__.__defaults__ = verbosity, include_path, False, metadata
cli_evaluate()
"""
"""The command lm_eval, but for a list of its own tasks, which takes most of its time."""


@pytest.mark.models
def test_the_program_runs_a_local_model_and_its_answers_score_the_same(
    tasks: Path, tmp_path: Path
) -> None:
    model = tiny_gpt2(tmp_path / "model", n_positions=2048, initializer_range=0.5)
    out = tmp_path / "logs"
    ran = subprocess.run(
        [sys.executable, "-c", CLI, "--model", "hf", "--model_args", f"pretrained={model}",
         "--include_path", str(tasks), "--tasks", "whyboard_anli_practice", "--device", "cpu",
         "--batch_size", "6", "--limit", "6", "--log_samples", "--output_path", str(out)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1",
             "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"})
    assert ran.returncode == 0, ran.stderr[-3000:]
    [results] = out.rglob("results_*.json")
    theirs = json.loads(results.read_text("utf-8"))["results"]
    [samples] = out.rglob("samples_*_likelihood_*.jsonl")
    found = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    chosen = [1 + max((0, 1), key=lambda place, one=one: float(one["filtered_resps"][place][0]))
              for one in found]
    ours = score([[str(label)] for label in chosen], golds_of("anli-practice", 6),
                 board="anli-practice").metrics["accuracy"].value
    assert theirs["whyboard_anli_practice_dev_likelihood"]["accuracy,none"] == pytest.approx(
        ours, abs=1e-12)
    assert theirs["whyboard_anli_practice_dev_choice"]["answered,none"] < 1
