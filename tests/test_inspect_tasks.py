"""Tasks of inspect_ai, run by inspect_ai itself with a model that says what it is told."""

import json
import re
import shutil
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
from tests.harness_logs import BOARD, BOARDS, answer, evaluated, rows_of

pytest.importorskip("inspect_ai")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore"),
              pytest.mark.usefixtures("streams_of_a_harness")]

ROOT = Path(__file__).resolve().parent.parent


def said(text: str) -> Any:
    """What a model says, with its tokens."""
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    return output


def model(answer: Callable[..., Any]) -> Any:
    """A model that answers messages by a function."""
    from inspect_ai.model import get_model

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def run(board: str, texts: Sequence[str | Exception], folder: Path, *, samples: int | None = None,
        **options: Any) -> Any:
    """The log of a run in which the model says these texts to the items in their order."""
    from scorer.lab.harnesses.inspect_tasks import TASKS

    options = {"prompt": BOARDS[board].prompt, **options}
    asked = asking(board, "dev", prompt=options["prompt"], examples=options["examples"], home=ROOT)
    order = {asked.messages(number)[-1].content: number for number in range(1, len(texts) + 1)}

    def answer(messages: Any, *_: Any) -> Any:
        text = texts[order[messages[-1].text] - 1]
        if isinstance(text, Exception):
            raise text
        return said(text)

    return evaluated(TASKS[board.replace("-", "_")](**options), log_dir=str(folder),
                     display="none", max_samples=samples, model=model(answer))


def imported(board: str, folder: Path, *more: str) -> tuple[int, Path]:
    """How the import of a run's log ends, and its predictions."""
    out = folder / "".join(more) / board / "us" / "mock"
    code = main(["import", "inspect", str(folder / "logs"), "--board", board, "--split", "dev",
                 "--out", str(out), *more])
    return code, out / "predictions.dev.tsv"


def scores(board: str, path: Path) -> Any:
    """What ``scorer score`` says of a predictions file."""
    items = asking(board, "dev", examples=0, home=ROOT).items
    assert items.gold is not None
    return Scorer(Models(allowed=False), ROOT).file(items.board, path, "dev", items.gold).result


def values(log: Any) -> dict[str, float]:
    """The metrics of a log, over the split."""
    return {name: one.value for name, one in log.results.scores[0].metrics.items()}


@pytest.mark.claim("Tasks of inspect_ai give scorer score's numbers, by item and over the split.")
@pytest.mark.parametrize("board", BOARDS)
def test_inspect_eval_gives_the_numbers_of_scorer_score(board, tmp_path):
    _, system, write = BOARDS[board]
    rows = rows_of(board, system)
    log = run(board, [write(row) for row in rows], tmp_path / "logs",
              examples=0 if board == "anlg-practice" else 2)
    assert log.status == "success"
    code, path = imported(board, tmp_path)
    assert code == 0
    assert main(["check", str(path.parent)]) == 0
    columns = len(boards.load(board).task.prediction_columns)
    assert [line.split("\t") for line in path.read_text("utf-8").splitlines()] == [
        row[:columns] for row in rows]
    result = scores(board, path)
    wanted = {name: one.value for name, one in result.metrics.items() if one.value is not None}
    assert values(log) == pytest.approx(wanted, abs=1e-12)
    compared = 0
    for sample, item in zip(log.samples, result.items, strict=True):
        score = sample.scores["whyboard"]
        numbers = {**score.metadata["not_averaged"], **score.value}
        for name, one in item.scores.items():
            if not METRICS[name].whole:
                compared += 1
                assert numbers[name] == pytest.approx(one.value, abs=1e-12)
        assert score.metadata["annotation"] == item.verdict.annotation
    assert compared >= len(rows)


def test_an_item_without_an_answer_counts_and_says_why_and_the_others_are_asked(tmp_path, capsys):
    texts: list[str | Exception] = [answer(row) for row in rows_of(BOARD, "nearest-neighbour")]
    texts[4], texts[5] = "I'm sorry, but no.", ValueError("the wires are cut")
    log = run(BOARD, texts, tmp_path / "logs", examples=0)
    assert log.status == "error"  # inspect eval-retry asks again for what failed
    marks = [sample.scores["whyboard"] for sample in log.samples]
    assert len(marks) == 40
    assert [(mark.reason, mark.metadata["answer"]) for mark in marks[3:6]] == [
        (None, "answered"), ("refusal", "refusal"), ("no_response", "empty")]
    code, path = imported(BOARD, tmp_path)
    assert code == 0
    assert "1 ValueError: 6" in capsys.readouterr().out
    result = scores(BOARD, path)
    assert values(log) == pytest.approx(
        {name: result.metrics[name].value for name in values(log)}, abs=1e-12)


def test_a_silent_model_is_asked_no_further_after_some_items(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("scorer.lab.harnesses.inspect_tasks.SILENT_AFTER", 3)
    log = run(BOARD, [ValueError("nobody there")] * 40, tmp_path / "logs", examples=0, samples=2)
    assert 3 <= len(log.samples) < 8
    assert log.status == "error"
    assert imported(BOARD, tmp_path)[0] == 2
    assert "no answer to any of 40 items (" in (text := capsys.readouterr().err)
    assert f"{len(log.samples)} ValueError" in text


def test_several_epochs_have_the_mean_of_their_values_and_one_is_imported(tmp_path):
    from scorer.lab.harnesses.inspect_tasks import TASKS

    board, count = "anlg-practice", iter(range(10**6))
    texts = ["Hypothesis: Tom missed the bus.", "Hypothesis: It rained all day long."]
    log = evaluated(
        TASKS["anlg_practice"](), epochs=2, display="none", log_dir=str(tmp_path / "logs"),
        max_samples=1, max_connections=1,
        model=model(lambda *_: said(texts[next(count) // 40])))
    assert log.status == "success"
    one, two = (scores(board, imported(board, tmp_path, "--epoch", epoch)[1]).metrics
                for epoch in "12")
    assert values(log) == pytest.approx(
        {name: (one[name].value + two[name].value) / 2 for name in values(log)}, abs=1e-12)
    assert "CIDEr" in values(log)


def test_a_split_without_gold_is_asked_without_scores(tmp_path):
    from scorer.lab.harnesses.inspect_tasks import TASKS

    folder = shutil.copytree(ROOT / "boards" / BOARD, tmp_path / "boards" / BOARD)
    text = (folder / "board.yaml").read_text("utf-8")
    (folder / "board.yaml").write_text(
        re.sub(r"(?m)^(  test: \{.*gold: )public", r"\1hidden", text))
    log = evaluated(
        TASKS["board"](BOARD, "test", examples=0, boards=str(folder.parent), metrics="SA"),
        log_dir=str(tmp_path / "logs"), display="none",
        model=model(lambda *_: said("Stance: support")))
    assert (log.status, log.samples[0].scores, len(log.samples)) == ("success", {}, 24)


def test_a_log_says_what_was_asked_and_holds_no_gold(tmp_path):
    log = run(BOARD, ["Stance: support"] * 40, tmp_path, examples=0, metrics=["SA", "StCA"])
    about = log.eval.metadata["whyboard"]
    assert (about["board"], about["split"], about["items"]) == (BOARD, "dev", 40)
    assert about["examples"] == {"count": 0, "choice": "fixed"}
    assert len(about["prompt"]["digest"]) == len(about["inputs_sha256"]) == 64
    better = log.eval.metadata["higher_is_better"]
    assert [name for name in better if not better[name]] == ["whyboard/GED"]
    assert [*values(log)] == ["SA", "StCA"]
    assert json.loads(log.results.scores[0].params["given"])["metrics"] == "SA,StCA"
    held = "\n".join(sample.model_dump_json() for sample in log.samples)
    for line in (ROOT / "boards" / BOARD / "data" / "dev.tsv").read_text("utf-8").splitlines():
        assert line.split("\t")[3] not in held


@pytest.mark.parametrize(("options", "fault"), [
    ({"prompt": "none-such"}, "has no prompt 'none-such'"),
    ({"metrics": "SA,Nonsense"}, "has no metric 'Nonsense'"),
    ({"examples": 1000}, "expected 0 to 64"),
    ({"choice": "best"}, "choice='best'"),
    ({"split": 5}, "-T split='5': expected text"),
    ({"examples": "two"}, "-T examples='two': expected a number"),
    ({"models": True}, "-T models='True': expected auto, no or fetch"),
])
def test_what_cannot_be_asked_is_reported_without_a_traceback(options, fault):
    from inspect_ai._util.error import PrerequisiteError

    from scorer.lab.harnesses.inspect_tasks import TASKS

    with pytest.raises(PrerequisiteError) as error:
        TASKS["explagraphs_practice"](**options)
    assert fault in str(error.value.message)


def test_inspect_finds_every_board_by_its_name():
    from inspect_ai._util.registry import registry_lookup

    from scorer.lab.harnesses.inspect_tasks import TASKS

    assert {*TASKS} == {"board", *(name.replace("-", "_") for name in boards.known_boards(
        ROOT / "boards"))}
    for name in TASKS:
        assert registry_lookup("task", f"scorer/{name}"), name
