"""Tasks of inspect_ai, run by inspect_ai itself with a model that says what it is told."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.cli import main
from scorer.lab.harnesses.asking import asking
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.submissions import Scorer
from tests.harness_logs import answer, installed
from tests.inspect_runs import evaluated
from tests.test_architecture import loaded

pytest.importorskip("inspect_ai")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore"),
              pytest.mark.usefixtures("streams_of_a_harness")]

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "submissions"
WORDS: dict[str, Callable[[Sequence[str]], str]] = {
    "explagraphs-practice": answer, "anli-practice": lambda row: row[0],
    "anlg-practice": lambda row: f"Hypothesis: {row[0]}",
    "graph-stance-practice": lambda row: row[0],
    "explained-practice": lambda row: f"Label: {row[0]}\nExplanation: {row[1]}"}
"""How a model writes a row when it is asked by the prompt below."""
PROMPTS = {"explagraphs-practice": "reasoning", "anli-practice": "choice",
           "anlg-practice": "hypothesis", "graph-stance-practice": "label",
           "explained-practice": "label-first"}
SYSTEMS = {"explagraphs-practice": "edited-gold", "anli-practice": "hypothesis-only",
           "anlg-practice": "copy-first", "graph-stance-practice": "text-only",
           "explained-practice": "word-overlap"}


def said(text: str) -> Any:
    """What a model says, with its tokens."""
    from inspect_ai.model import ModelOutput, ModelUsage

    found = ModelOutput.from_content("mockllm/model", text)
    found.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    return found


def run(board: str, texts: Sequence[str | Exception], folder: Path, **given: Any) -> Any:
    """The log of a run in which the model says these texts to the items in their order."""
    from inspect_ai.model import get_model

    from scorer.lab.harnesses.inspect_tasks import TASKS

    most = given.pop("max_samples", None)
    given = {"prompt": PROMPTS[board], **given}
    split = given.get("split", "dev")
    asked = asking(board, split, prompt=given["prompt"], examples=given.get("examples"), home=ROOT)
    order = {message[-1].content: number for number in range(1, len(texts) + 1)
             for message in [asked.messages(number)]}

    def model(messages: Any, *_: Any) -> Any:
        text = texts[order[messages[-1].text] - 1]
        if isinstance(text, Exception):
            raise text
        return said(text)

    return evaluated(
        TASKS[board.replace("-", "_")](**given), log_dir=str(folder), display="none",
        max_samples=most, model=get_model("mockllm/model", custom_outputs=model, memoize=False))


def parrot(text: str) -> Any:
    """A model that always says the same."""
    from inspect_ai.model import get_model

    return get_model("mockllm/model", custom_outputs=lambda *_: said(text), memoize=False)


def rows_of(board: str, system: str) -> list[list[str]]:
    path = REFERENCE / board / "reference" / system / "predictions.dev.tsv"
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def score(board: str, path: Path) -> Any:
    """What ``scorer score`` says of a predictions file."""
    scorer = Scorer(Models(allowed=False), ROOT)
    described = asking(board, "dev", examples=0, home=ROOT).items
    assert described.gold is not None
    return scorer.file(described.board, path, "dev", described.gold)


@pytest.mark.claim("Tasks of inspect_ai give scorer score's numbers, by item and over the split.")
@pytest.mark.parametrize("board", [*WORDS])
def test_inspect_eval_gives_the_numbers_of_scorer_score(board: str, tmp_path: Path) -> None:
    rows = rows_of(board, SYSTEMS[board])
    log = run(board, [WORDS[board](row) for row in rows], tmp_path / "logs",
              examples=0 if board == "anlg-practice" else 2)
    assert log.status == "success"
    out = tmp_path / board / "us" / "mock"
    assert main(["import", "inspect", str(tmp_path / "logs"), "--board", board, "--split", "dev",
                 "--out", str(out)]) == 0
    assert main(["check", str(out)]) == 0
    given = REFERENCE / board / "reference" / SYSTEMS[board] / "predictions.dev.tsv"
    asked = len(boards.load(board).task.prediction_columns)
    assert (out / "predictions.dev.tsv").read_text("utf-8") == "".join(
        "\t".join(line.split("\t")[:asked]) + "\n"
        for line in given.read_text("utf-8").splitlines())
    result = score(board, out / "predictions.dev.tsv")
    values = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    wanted = {name: one.value for name, one in result.metrics.items() if one.value is not None}
    assert values == pytest.approx(wanted, abs=1e-12)
    compared = 0
    for sample, item in zip(log.samples, result.items, strict=True):
        found = sample.scores["whyboard"]
        numbers = {**found.metadata["not_averaged"], **found.value}
        for name, one in item.scores.items():
            if not METRICS[name].whole:
                compared += 1
                assert numbers[name] == pytest.approx(one.value, abs=1e-12)
                assert found.metadata["parts"].get(name, {}) == pytest.approx(one.parts, abs=1e-12)
        assert found.metadata["annotation"] == item.verdict.annotation
    assert compared >= len(rows)


def test_an_item_without_an_answer_counts_and_says_why_and_the_others_are_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = "explagraphs-practice"
    rows = rows_of(board, "nearest-neighbour")
    texts: list[str | Exception] = [answer(row) for row in rows]
    texts[4], texts[5] = "I'm sorry, but no.", ValueError("the wires are cut")
    log = run(board, texts, tmp_path / "logs", examples=0)
    assert log.status == "error"  # inspect eval-retry asks again for what failed
    assert len(log.samples) == 40
    scores = [sample.scores["whyboard"] for sample in log.samples]
    assert [(scores[n].reason, scores[n].metadata["answer"]) for n in (3, 4, 5)] == [
        (None, "answered"), ("refusal", "refusal"), ("no_response", "empty")]
    out = tmp_path / board / "us" / "mock"
    assert main(["import", "inspect", str(tmp_path / "logs"), "--board", board, "--split", "dev",
                 "--out", str(out)]) == 0
    assert "1 ValueError: 6" in capsys.readouterr().out
    values = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    result = score(board, out / "predictions.dev.tsv")
    assert values == pytest.approx({name: result.metrics[name].value for name in values}, abs=1e-12)


def test_a_silent_model_is_asked_no_further_after_some_items_in_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    board = "explagraphs-practice"
    monkeypatch.setattr("scorer.lab.harnesses.inspect_tasks.SILENT_AFTER", 3)
    log = run(board, [ValueError("nobody there")] * 40, tmp_path / "logs", examples=0,
              max_samples=2)
    errors = [sample.error.message for sample in log.samples]
    assert 3 <= len(errors) < 8
    assert log.status == "error"
    out = tmp_path / board / "us" / "mock"
    assert main(["import", "inspect", str(tmp_path / "logs"), "--board", board, "--split", "dev",
                 "--out", str(out)]) == 2
    assert "no answer to any of 40 items (" in (said := capsys.readouterr().err)
    assert f"{len(errors)} ValueError" in said


def test_several_epochs_have_the_mean_of_their_values_and_one_is_imported(tmp_path: Path) -> None:
    from inspect_ai.model import get_model

    from scorer.lab.harnesses.inspect_tasks import TASKS

    board, count = "anlg-practice", iter(range(10**6))
    texts = ["Hypothesis: Tom missed the bus.", "Hypothesis: It rained all day long."]
    log = evaluated(
        TASKS["anlg_practice"](), epochs=2, display="none", log_dir=str(tmp_path / "logs"),
        max_samples=1, max_connections=1,
        model=get_model("mockllm/model", memoize=False,
                        custom_outputs=lambda *_: said(texts[next(count) // 40])))
    assert log.status == "success"
    values = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    means = []
    for epoch in (1, 2):
        out = tmp_path / str(epoch) / board / "us" / "mock"
        assert main(["import", "inspect", str(tmp_path / "logs"), "--board", board, "--split",
                     "dev", "--out", str(out), "--epoch", str(epoch)]) == 0
        means.append(score(board, out / "predictions.dev.tsv").metrics)
    assert values == pytest.approx(
        {name: (means[0][name].value + means[1][name].value) / 2 for name in values}, abs=1e-12)
    assert "CIDEr" in values


def test_a_split_without_gold_is_asked_without_scores(tmp_path: Path) -> None:
    from scorer.lab.harnesses.inspect_tasks import TASKS

    name = "explagraphs-practice"
    folder = shutil.copytree(ROOT / "boards" / name, tmp_path / "boards" / name)
    text = (folder / "board.yaml").read_text("utf-8")
    hidden = re.sub(r"(?m)^(  test: \{.*gold: )public", r"\1hidden", text)
    (folder / "board.yaml").write_text(hidden)
    log = evaluated(
        TASKS["board"](name, "test", examples=0, boards=str(tmp_path / "boards"), metrics="SA"),
        log_dir=str(tmp_path / "logs"), display="none", model=parrot("Stance: support"))
    assert (log.status, log.samples[0].scores, len(log.samples)) == ("success", {}, 24)


def test_a_log_says_what_was_asked_and_holds_no_gold(tmp_path: Path) -> None:
    board = "explagraphs-practice"
    log = run(board, ["Stance: support"] * 40, tmp_path, examples=0)
    told = log.eval.metadata["whyboard"]
    assert (told["board"], told["split"], told["items"]) == (board, "dev", 40)
    assert told["examples"] == {"count": 0, "choice": "fixed"}
    assert len(told["prompt"]["digest"]) == len(told["inputs_sha256"]) == 64
    better = log.eval.metadata["higher_is_better"]
    assert [name for name in better if not better[name]] == ["whyboard/GED"]
    gold = (ROOT / "boards" / board / "data" / "dev.tsv").read_text("utf-8").splitlines()
    held = "\n".join(sample.model_dump_json() for sample in log.samples)
    assert not [line for line in gold if line.split("\t")[3] in held]


@pytest.mark.parametrize(("given", "fault"), [
    ({"prompt": "none-such"}, "has no prompt 'none-such'"),
    ({"split": "other"}, "other"),
    ({"metrics": "SA,Nonsense"}, "has no metric 'Nonsense'"),
    ({"examples": 1000}, "expected 0 to 64"),
    ({"choice": "best"}, "choice='best'"),
    ({"split": 5}, "-T split='5': expected text"),
    ({"prompt": ["a", "b"]}, "expected text"),
    ({"examples": "two"}, "-T examples='two': expected a number"),
    ({"metrics": 5}, "-T metrics='5': expected text"),
    ({"models": True}, "-T models='True': expected auto, no or fetch"),
])
def test_what_cannot_be_asked_is_said_without_a_traceback(
    given: dict[str, Any], fault: str
) -> None:
    from inspect_ai._util.error import PrerequisiteError

    from scorer.lab.harnesses.inspect_tasks import TASKS

    with pytest.raises(PrerequisiteError) as found:
        TASKS["explagraphs_practice"](**given)
    assert fault in str(found.value.message)


def test_models_are_not_loaded_where_yaml_reads_no_as_false(monkeypatch: Any) -> None:
    from scorer.lab.harnesses import inspect_tasks

    made: list[bool] = []

    def models(**given: Any) -> Models:
        made.append(given["allowed"])
        return Models(**given)

    monkeypatch.setattr(inspect_tasks, "Models", models)
    inspect_tasks._item_scorer.cache_clear()
    inspect_tasks.TASKS["explagraphs_practice"](models=False)
    assert made == [False]


@pytest.mark.parametrize("way", ["installed", "checkout"])
def test_inspect_itself_finds_every_board_by_its_name(way: str, tmp_path: Path) -> None:
    env = installed(tmp_path) if way == "installed" else {**os.environ, "PYTHONPATH": str(ROOT)}
    load = ("from inspect_ai._util.registry import registry_lookup\n"
            + ("" if way == "installed" else "import scorer.lab.harnesses.inspect_tasks\n"))
    code = load + "\n".join(
        f"assert registry_lookup('task', 'scorer/{name}'), {name!r}"
        for name in ("board", "explagraphs", "explagraphs_practice", "anli", "anlg_practice",
                     "graph_stance_practice"))
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True,
                           cwd=tmp_path)
    assert found.returncode == 0, found.stderr


def test_neither_import_scorer_nor_scorer_check_imports_what_the_extras_bring(
    tmp_path: Path
) -> None:
    folder = REFERENCE / "explagraphs-practice" / "reference" / "nearest-neighbour"
    found = loaded("import scorer; from scorer.cli import main, parser; parser(); "
                   f"assert main(['check', {str(folder)!r}, '--reserved']) == 0", tmp_path)
    assert "scorer.scoring.checking" in found
    assert not {*found} & {"inspect_ai", "openai", "lm_eval", "datasets", "pyarrow", "torch",
                           "transformers", "pandas"}


def test_metrics_of_an_item_are_measured_once(tmp_path: Path, monkeypatch: Any) -> None:
    from scorer.scoring.evaluate import Session

    measured: list[str] = []
    before = Session._scores

    def counted(self: Any, info: Any, use: Any, asked: Any, **more: Any) -> Any:
        measured.extend([info.id] * len(asked))
        return before(self, info, use, asked, **more)

    monkeypatch.setattr(Session, "_scores", counted)
    run("explagraphs-practice", [answer(row) for row in rows_of("explagraphs-practice", "gold")],
        tmp_path, examples=0)
    assert {name: measured.count(name) for name in measured} == dict.fromkeys(
        ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "GED"), 40)


def test_names_in_json_are_the_options_of_a_run(tmp_path: Path) -> None:
    log = run("explagraphs-practice", ["Stance: support"] * 40, tmp_path, examples=0,
              metrics=["SA", "StCA"])
    assert [*log.results.scores[0].metrics] == ["SA", "StCA"]
    assert json.loads(log.results.scores[0].params["given"])["metrics"] == "SA,StCA"
