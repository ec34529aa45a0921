"""aNLG: pooled references, the released evaluation's numbers, reference rows."""

import json
from pathlib import Path

import pytest

from scorer import boards
from scorer.boards.golds import gold_files, read_golds
from scorer.cli import main
from scorer.core.errors import SubmissionError, UsageError
from scorer.models.registry import Models
from scorer.scoring.submissions import Scorer
from scorer.tasks.anlg.anlg_items import Prediction
from scorer.tasks.text_items import Gold
from tests.test_task_files import record

BOARD = boards.load("anlg-practice")
LATE, WHOLE = "Tom was late for the bus.", "It rained the whole day."


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def test_the_command_pools_references_and_the_last_text_counts_as_in_the_released_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "p", "\n".join([record("A", "B", ["Tom was late today."]),
                                    record("A", "B", ["Tom missed the bus."]),
                                    record("C", "D", ["It rained all day."])]))
    write(tmp_path, "s", "A\tB\nA\tB\nC\tD\n")
    write(tmp_path, "r", f"Tom missed the bus.\n{LATE}\n{WHOLE}\n")
    assert main(["score", "p", "--board", "anlg", "--split", "test", "--gold-source", "s",
                 "--gold-references", "r", "--models", "no", "--home", "home", "--json", "o"]) == 0
    found = json.loads((tmp_path / "o").read_bytes())
    assert (found["split"], found["gold"]["golds"], found["counts"]["items"]) == ("test", 2, 2)
    metrics = found["metrics"]
    # V10 of the vectors: the unmodified eval.py on the same three lines.
    assert {name: metrics[name]["value"] for name in metrics} == {
        "BLEU-1": pytest.approx(.772184789568475, abs=1e-9),
        "BLEU-2": pytest.approx(.6740181425937835, abs=1e-9),
        "BLEU-3": pytest.approx(.5852509433504194, abs=1e-9),
        "BLEU-4": pytest.approx(.5453526028302365, abs=1e-9),
        "ROUGE-L": pytest.approx(.8267857142857142, abs=1e-9),
        "CIDEr": pytest.approx(4.238396670810826, abs=1e-9), "METEOR": None, "BERTScore": None}
    assert metrics["METEOR"]["reason"].startswith("WordNet 3.0 is not at hand")


def test_gold_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path, "s", "A\tB\nC\tD\n")
    with pytest.raises(UsageError, match="2 contexts and 1 lines of references"):
        gold_files(BOARD, {"source": source, "references": write(tmp_path, "r", "one\n")})
    with pytest.raises(UsageError, match="--gold-source and --gold-references"):
        gold_files(BOARD, {"source": source})
    with pytest.raises(SubmissionError, match="TSV-GOLD an empty column; expected a text"):
        gold_files(BOARD, {"source": source, "references": write(tmp_path, "r", "one\ntwo\t\n")})


def test_texts_are_compared_by_their_pairs_of_words_and_a_null_copies_an_observation() -> None:
    assert BOARD.task.content(Prediction("It rained  all Day")).units == (
        ("it", "rained"), ("rained", "all"), ("all", "day"))
    assert BOARD.task.content(Prediction(" ")).units == ()
    gold = Gold(("A", "B"), references=("x y", "z"))
    assert [one.units for one in BOARD.task.gold_contents(gold)] == [(("x", "y"),), ("z",)]
    assert BOARD.task.null(gold, Prediction("y")) == Prediction("A")


def test_the_practice_contexts_are_as_the_datasheet_says() -> None:
    golds = read_golds(BOARD, "dev", BOARD.folder / "data/dev.tsv").items
    assert len({gold.texts for gold in golds}) == 40
    counts = [sum(len(gold.references) == n for gold in golds) for n in range(1, 6)]
    row = " | ".join(map(str, [*counts, len(golds)]))
    assert f"| contexts | {row} |" in (BOARD.folder / "DATASHEET.md").read_text("utf-8")


def test_contexts_with_one_reference_are_left_out_of_the_held_out_row_and_of_no_other() -> None:
    root = Path(__file__).parent.parent / "submissions" / "anlg-practice" / "reference"
    run = Scorer(Models(allowed=False), Path("no-home"), metrics=("ROUGE-L",))
    [held], [copied] = (run.score(root / name) for name in ("held-out-reference", "copy-first"))
    several = [row for row, item in enumerate(run.gold(BOARD, "dev").items, start=1)
               if len(item.references) > 1]
    assert [item.row for item in held.items] == several
    assert (held.counts["items"], copied.counts["items"]) == (len(several), 40)
    assert held.gold.against == "others"
    assert "|golds:4|against:others|" in held.signature("ROUGE-L")
    assert copied.metrics["ROUGE-L"].lift == 0.0
