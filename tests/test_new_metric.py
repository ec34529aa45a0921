"""What somebody who adds a metric can rely on, without having read the rest of the program."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import scorer
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.records import FIRST, MEAN, ItemScore
from scorer.metrics import catalogue
from scorer.metrics.base import MetricInfo
from scorer.site.exports import eval_results
from scorer.site.reading.read import read_site
from scorer.tasks.base import MetricUse
from scorer.tasks.graphs.task import STRUCT_CORRECT, ExplanationGraphs
from tests.test_gold_answers import ANSWERS, ROWS, board

ROOT = Path(__file__).resolve().parent.parent


def edges_in_common(pairs: Sequence[Any]) -> list[ItemScore]:
    """The best share of an item's gold edges that were predicted."""
    return [ItemScore(max(len({*predicted} & {*gold}) / len(gold) for gold in golds))
            for predicted, golds in pairs]


NEW = MetricInfo("new", "New", "higher", "Edges in common.", "Edges in common / gold edges.",
                 "this test", "Whyboard", edges_in_common)


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> MetricUse[Any, Any]:
    """A metric in the catalogue and in its task, with no word more than it takes."""
    found = MetricUse("new", lambda gold, prediction: (
        prediction.graph.edges, tuple(graph.edges for graph in gold.graphs)), gate=STRUCT_CORRECT)
    monkeypatch.setitem(catalogue.METRICS, "new", NEW)
    monkeypatch.setattr(ExplanationGraphs, "metrics", (*ExplanationGraphs.metrics, found))
    return found


@pytest.mark.parametrize(("over", "value"), [
    (None, (1 + 0 + 1) / 3), (FIRST, (0 + 0 + 1) / 3), (MEAN, (1 / 4 + 0 + 1) / 3),
])
def test_a_new_metric_follows_over_without_saying_so(
    use: MetricUse[Any, Any], tmp_path: Path, over: str | None, value: float,
) -> None:
    described = replace(board(tmp_path, **({"over": over} if over else {})), metrics=("new",))
    answers = [(ROWS[0][3],), *((answer,) for answer in ANSWERS[1:])]
    found = scorer.score(answers, ROWS, board=described).metrics["new"]
    assert found.value == pytest.approx(value)
    assert (f"|over:{over}|" in found.signature) == (over is not None)


def test_what_ignores_over_looks_at_no_gold_answer(tmp_path: Path) -> None:
    described = board(tmp_path)
    task = described.task
    [gold, *_] = read_golds(described, "dev", described.folder / "data" / "dev.tsv").items
    answer = task.gold_predictions(gold)[0]
    first, second = (task.keep_golds(gold, [place]) for place in (0, 1))
    ignoring = [use for use in task.metrics if not use.over]
    assert ignoring
    assert all(use.select(first, answer) == use.select(second, answer)
               for use in ignoring)


def test_columns_stand_in_the_order_of_board_yaml(tmp_path: Path) -> None:
    for part in ("boards", "submissions"):
        source = ROOT / part / "anlg-practice"
        shutil.copytree(source, tmp_path / part / "anlg-practice")
    path = tmp_path / "boards" / "anlg-practice" / "board.yaml"
    fields = yaml.safe_load(path.read_text())
    order = fields["metrics"] = ["ROUGE-L", "BLEU-2", "CIDEr", "BLEU-1"]
    fields["ranking"] = ["ROUGE-L"]
    path.write_text(yaml.safe_dump(fields))
    row = tmp_path / "submissions" / "anlg-practice" / "reference" / "copy-first"
    assert main(["score", str(row), "--results", str(tmp_path / "results"),
                 "--boards", str(tmp_path / "boards"), "--quiet"]) == 0
    [board_view] = read_site(tmp_path, tmp_path / "home").boards
    view = next(one for one in board_view.splits if one.entries)
    [entry] = view.entries
    assert list(entry.result.metrics) == order
    listed = yaml.safe_load(eval_results("https://example.org/", view, entry).decode())
    assert [one["dataset"]["task_id"].removeprefix(f"{view.name}-") for one in listed] == [
        metric.lower() for metric in order]
