"""Scores that stay: what ``score`` saves, what the next site shows, what ``compare`` takes."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scorer import boards
from scorer.cli import main
from scorer.scoring.results import files as results

pytest.importorskip("jinja2")

from scorer.site.boards.leaderboard_page import LeaderboardTable
from scorer.site.reading.read import read_site
from scorer.site.records import Entry, SplitView

PRACTICE = boards.boards_folder() / "explagraphs-practice"
ROOT = PRACTICE.parents[1]
META = ("system: Mine\nteam: We\ndate: 2026-01\ndescription: D\ntraining_data: N\n"
        "saw_dev_gold: no\n")
QUICK = ("--models", "no")
SAVED = ".whyboard/results/explagraphs-practice/we/mine"
ON_DEV = ("--board", "explagraphs-practice", "--split", "dev")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the practice board, one reference row and nothing saved."""
    root = tmp_path / "checkout"
    shutil.copytree(PRACTICE, root / "boards" / PRACTICE.name)
    for name in ("submissions", "results"):
        shutil.copytree(ROOT / name / PRACTICE.name / "reference" / "nearest-neighbour",
                        root / name / PRACTICE.name / "reference" / "nearest-neighbour")
    monkeypatch.chdir(root)
    monkeypatch.delenv("WHYBOARD_HOME", raising=False)
    return root


def written(top: Path, system: str = "mine", splits: tuple[str, ...] = ("dev",)) -> Path:
    """A submission that answers with the gold of every second item, else with something else."""
    folder = top / "submissions" / PRACTICE.name / "we" / system
    folder.mkdir(parents=True)
    (folder / "submission.yaml").write_text(META)
    for split in splits:
        lines = (PRACTICE / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
        rows = ["\t".join(line.split("\t")[2:4]) if number % 2 else "support\t(a; is a; b)"
                for number, line in enumerate(lines)]
        (folder / f"predictions.{split}.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


def dev(root: Path) -> SplitView:
    [board] = read_site(root, root / ".whyboard").boards
    return next(view for view in board.splits if view.name == "dev")


def row(root: Path, system: str = "mine") -> Entry:
    return next(entry for entry in dev(root).entries if entry.system == system)


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                  if path.is_file())


Run = Callable[..., str]


@pytest.fixture
def scored(capsys: pytest.CaptureFixture[str]) -> Run:
    """What ``score`` prints of a folder."""
    def run(folder: Path, *more: str) -> str:
        assert main(["score", str(folder), *QUICK, *more]) == 0
        return capsys.readouterr().out

    return run


def test_a_scored_folder_stands_in_the_next_site_as_a_local_preview_without_a_rank(
    checkout: Path, scored: Run
) -> None:
    folder = written(checkout)
    output = scored(folder).splitlines()
    assert f"saved: {SAVED}/dev.json" in output
    assert output[-2:] == [
        "next:  scorer site build    # shows the row as a local preview",
        "next:  scorer compare we/mine reference/nearest-neighbour --board explagraphs-practice "
        "--split dev"]
    entry = row(checkout)
    assert (entry.kind, entry.title, entry.by) == ("preview", "Mine", "We")
    assert len(entry.predictions) == len(entry.result.items) == 40
    [shown] = [line for group in LeaderboardTable(dev(checkout)).groups
               for line in group.lines if line.entry is not None and line.entry.system == "mine"]
    assert shown.row
    assert (shown.tags, shown.row.rank, shown.row.unranked) == (
        ("local preview",), None, "scored on this machine only")
    assert row(checkout, "nearest-neighbour").kind == "reference"
    scored(folder, "--results", "results")
    assert row(checkout).kind == "scored", "what is in the checkout's own results is no preview"


def test_a_folder_outside_the_checkout_is_shown_too_and_again_after_a_change(
    checkout: Path, scored: Run, tmp_path: Path
) -> None:
    folder = written(tmp_path / "elsewhere", splits=("dev", "test"))
    scored(folder)
    assert (row(checkout).title, len(row(checkout).predictions)) == ("Mine", 40)
    (folder / "predictions.test.tsv").unlink()
    (folder / "submission.yaml").write_text(META.replace("Mine", "Mine too"))
    scored(folder)
    assert row(checkout).title == "Mine too"
    assert files(checkout / ".whyboard/submissions/explagraphs-practice/we/mine") == [
        "predictions.dev.tsv", "submission.yaml"]


def test_nothing_is_saved_over_what_the_checkout_calls_by_that_name_unless_it_is_the_same(
    checkout: Path, scored: Run, tmp_path: Path
) -> None:
    own, other = written(checkout), written(tmp_path / "elsewhere")
    assert "not saved" not in scored(other)
    (other / "submission.yaml").write_text(META.replace("Mine", "Another"))
    assert ("not saved: submissions/explagraphs-practice/we/mine is another submission of the same "
            "name; rename one of them") in scored(other)
    (own / "submission.yaml").write_text(META.replace("Mine", "Mine, sent"))
    assert "not saved" not in scored(own)
    assert row(checkout).title == "Mine, sent"


def test_a_strangers_folder_with_a_reserved_team_is_scored_and_not_saved(
    checkout: Path, scored: Run, tmp_path: Path
) -> None:
    folder = written(tmp_path / "elsewhere")
    for team in ("reference", "third-party", "human"):
        forged = shutil.copytree(folder, folder.parents[1] / team / "gold")
        assert f"not saved: {team} is a team that only the maintainers write" in scored(forged)
        assert files(checkout / ".whyboard") == []
    scored(forged, "--results", "kept")
    assert files(checkout / "kept")


def test_what_a_row_of_ours_says_of_itself_stays_beside_its_result_if_nothing_else_has_it(
    checkout: Path, scored: Run, tmp_path: Path
) -> None:
    folder = written(tmp_path / "elsewhere")
    ours = shutil.copytree(folder, folder.parents[1] / "whyboard" / "mine")
    for one in (folder, ours):
        scored(one, "--results", "kept")
    kept = checkout / "kept" / PRACTICE.name
    assert (kept / "whyboard/mine/submission.yaml").read_text() == META
    assert files(kept / "we") == ["mine/dev.items.tsv", "mine/dev.json"]


def test_a_result_with_values_of_models_is_not_replaced_by_one_without(
    checkout: Path, scored: Run
) -> None:
    folder, path = written(checkout), checkout / SAVED / "dev.json"
    scored(folder)
    known = results.read(path)
    unmeasured = next(name for name, one in known.metrics.items() if one.value is None)
    metrics = {**known.metrics, unmeasured: known.metrics["GED"]}
    items = tuple(replace(item, scores={**item.scores, unmeasured: item.scores["GED"]})
                  for item in known.items)
    results.write(known.replace(metrics=metrics, items=items), checkout / ".whyboard/results")
    document = path.read_bytes()
    assert (f"kept:  {SAVED}/dev.json: of the same predictions, and it has {unmeasured} too; "
            "--results .whyboard/results replaces it") in scored(folder)
    assert path.read_bytes() == document
    predictions = folder / "predictions.dev.tsv"
    predictions.write_text(predictions.read_text("utf-8").replace("support", "counter", 1), "utf-8")
    scored(folder)
    assert results.read(path).metrics[unmeasured].value is None


def test_a_home_folder_that_cannot_be_written_leaves_the_scores_on_the_screen(
    checkout: Path, scored: Run
) -> None:
    (checkout / "home").write_text("a file")
    output = scored(written(checkout), "--home", "home")
    for words in ("  metric ", "not saved: home/", "cannot be written"):
        assert words in output
    assert "next: " not in output


@pytest.mark.parametrize("option", ["--json", "--items"])
def test_one_document_of_two_results_is_refused_before_anything_is_saved(
    option: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(written(checkout, splits=("dev", "test"))), *QUICK, option, "-"]) == 2
    assert capsys.readouterr() == (
        "", "--json and --items take one result, not 2; use --results\n")
    assert files(checkout / ".whyboard") == []


@pytest.mark.parametrize("options", ["--no-save", "--metrics SA", "--no-null", "--results other"])
def test_nothing_is_saved_below_the_home_folder_if_so_asked_or_of_a_part(
    options: str, checkout: Path, scored: Run
) -> None:
    assert "saved: " not in scored(written(checkout), *options.split())
    assert not (checkout / ".whyboard" / "results").exists()


def test_nothing_of_a_hidden_split_is_saved(checkout: Path, scored: Run) -> None:
    described = checkout / "boards" / PRACTICE.name / "board.yaml"
    head, _, tail = described.read_text("utf-8").rpartition("rows: 24, gold: public")
    described.write_text(f"{head}rows: 24, gold: hidden{tail}", "utf-8")
    scored(written(checkout, splits=("dev", "test")))
    assert files(checkout / SAVED) == ["dev.items.tsv", "dev.json"]


def test_json_and_items_take_standard_output(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(written(checkout))
    assert main(["score", folder, *QUICK, "--json", "-"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["counts"]["items"] == 40
    assert "saved: .whyboard/results/" in printed.err
    assert main(["score", folder, *QUICK, "--items", "-"]) == 0
    [_, *lines] = capsys.readouterr().out.splitlines()
    assert [int(line.split("\t")[0]) for line in lines] == list(range(1, 41))


def test_compare_takes_what_was_not_saved_and_finds_the_same(
    checkout: Path, scored: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder, a file of it, a name among the submissions here; then a saved result."""
    folder, found = written(checkout), []
    for name in (str(folder), str(folder / "predictions.dev.tsv"), "we/mine", "we/mine"):
        if len(found) == 3:
            assert not (checkout / ".whyboard" / "results").exists()
            scored(folder)
        assert main(["compare", name, "reference/nearest-neighbour", *ON_DEV, "--json", "-"]) == 0
        found.append(json.loads(capsys.readouterr().out)["metrics"])
    assert found == [found[0]] * 4


def test_compare_says_that_predictions_changed_since_they_were_scored(
    checkout: Path, scored: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(checkout)
    scored(folder)
    note = ("note: the saved result of we/mine is of other predictions than submissions/"
            "explagraphs-practice/we/mine/predictions.dev.tsv; score it again, or name that file\n")
    for more, output in (("", ""), ("counter", note)):
        with (folder / "predictions.dev.tsv").open("r+") as file:
            file.write(more)
        assert main(["compare", "we/mine", "reference/nearest-neighbour", *ON_DEV]) == 0
        assert capsys.readouterr().err == output


def test_compare_says_what_a_name_could_have_been(
    checkout: Path, fails: Callable[..., None]
) -> None:
    folder, boards = str(written(checkout)), ("--boards", str(PRACTICE.parent))
    fails(2, f"{folder} is a submission to explagraphs-practice, not to explagraphs",
          "compare", folder, "we/mine", "--board", "explagraphs", "--split", "dev", *boards)
    fails(2, f"{folder} has no predictions.test.tsv; it answers dev",
          "compare", folder, "we/mine", *ON_DEV[:3], "test", *boards)


def test_the_table_comes_with_its_words_what_broke_and_the_nearest_baseline(
    checkout: Path, scored: Run
) -> None:
    output = scored(written(checkout))
    gold = (PRACTICE / "data" / "dev.tsv").read_text("utf-8").splitlines()[::2]
    broken = sum(line.split("\t")[2] == "support" for line in gold)
    assert f"  broken most: EG-FEW-FACTS in {broken} items, " in output
    for other in ("its null", "reference/nearest-neighbour, the best baseline here"):
        assert re.search(rf"StCA against {other}: [+-]?\d+\.\d, p [=<] \S+: "
                         r"no verdict: 40 items, fewer than 100\n", output)
    for words in ("value: over all items", "passed: over the items that passed every gate",
                  "lift: how much better it is", "; scorer check shows the rows\n",
                  "struct_incorrect: the label is right, the graph breaks"):
        assert words in output
