"""The recipe that repeats the released code at its own libraries: its inputs, its worker and what
it compares. The released code itself is not here: the recorded vectors, and a stand-in, are."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.replication.comparing import TOLERANCE, Difference, difference, ours, summed
from benchmarks.replication.inputs import GoldRow, edges_of, predictions, second_golds, text_of
from scorer import boards
from tests.test_vectors import expected, files

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks" / "replication"
ROWS = [GoldRow("Cats make good pets", "Cats purr and bring joy to homes", "support",
                "(cats; capable of; purr)(purr; causes; joy)(joy; part of; homes)(cats; is a; pets)"
                )] * 400
RELATIONS = ("capable of", "causes", "part of", "is a")


def recorded(vectors: Path) -> dict[str, Any]:
    """The recorded numbers of a case as the recipe's worker writes them; only F1 was recorded."""
    known = expected("light-edits", vectors)
    return {"annotation": known["annotation"], "GED": known["per_item"]["GED"],
            **{name: {"f1": known["per_item"][f"{name} f1"]} for name in ("G-BLEU", "G-ROUGE-2")}}


def test_nothing_differs_from_what_was_recorded_and_a_difference_of_one_item_is_found(
    vectors: Path, data: Path
) -> None:
    predicted, gold = files("light-edits", vectors, data)
    result, theirs = ours(boards.load("explagraphs"), predicted, gold), recorded(vectors)
    none = difference(result, theirs)
    assert none.within(TOLERANCE)
    assert none.items == 398
    assert none.passed > 100
    theirs["G-BLEU"]["f1"][7] += 2e-6
    found = difference(result, theirs)
    assert found.greatest["G-BLEU"] == pytest.approx(2e-6, rel=1e-6)
    assert not found.within(TOLERANCE)
    theirs["annotation"] = [*theirs["annotation"][:-1], "stance_incorrect"]
    assert difference(result, theirs).annotations == 1


def test_sets_are_added_up_and_nothing_compared_is_no_agreement() -> None:
    one, two = Difference(3, 0, 2, {"GED": 0.0}), Difference(4, 1, 1, {"GED": 0.5})
    assert summed([one, two]) == Difference(7, 1, 3, {"GED": 0.5})
    assert (one.within(0), two.within(1), one._replace(passed=0).within(0)) == (True, False, False)


def test_predictions_reach_every_gate_and_every_slip_and_follow_their_seed(tmp_path: Path) -> None:
    predicted, gold = tmp_path / "predictions.tsv", tmp_path / "gold.tsv"
    predicted.write_text(predictions(ROWS, RELATIONS, 1))
    assert predicted.read_text() == predictions(ROWS, RELATIONS, 1)
    assert predicted.read_text() != predictions(ROWS, RELATIONS, 2)
    gold.write_text("".join("\t".join(row) + "\n" for row in ROWS))
    counts = ours(boards.load("explagraphs-practice"), predicted, gold).counts
    assert all(counts[name] > 20
               for name in ("stance_incorrect", "struct_incorrect", "struct_correct"))
    assert {"EG-EMPTY", "EG-LONG", "EG-REL", "EG-SELF", "EG-PARTS"} <= set(counts["broken"])
    assert {"EG-DUP", "EG-SYNTAX"} <= set(counts["strict"])


def test_second_golds_are_golds() -> None:
    text = second_golds(ROWS, RELATIONS, 3)
    first, *_ = [line.split("\t") for line in text.splitlines()]
    assert tuple(first[:4]) == ROWS[0]
    assert {edge[::2] for edge in edges_of(first[4])} == {e[::2] for e in edges_of(first[3])}
    assert text_of(edges_of(first[4])) == first[4]


@pytest.mark.parametrize("golds", [1, 2])
def test_the_worker_reads_what_an_unmodified_script_leaves(tmp_path: Path, golds: int) -> None:
    metrics = tmp_path / "checkout" / "metrics"
    metrics.mkdir(parents=True)
    shutil.copyfile(ROOT / "tests/cases/replication_eval.txt", metrics / "eval.py")
    (metrics / "graph_matching.py").write_text(
        "def get_ged(gold, pred=None):\n    return 1 if pred is None else 0.25\n")
    predicted = tmp_path / "predictions.tsv"
    predicted.write_text("support\t()\n" * 3)
    out = tmp_path / "out.json"
    code = ("import sys, types; sys.path.insert(0, sys.argv[1]); import released; "
            "released._version = lambda name: 'x'; sys.argv.pop(1); released.main()")
    subprocess.run(
        [sys.executable, "-c", code, str(FOLDER), str(tmp_path / "checkout"), str(predicted),
         str(predicted), str(predicted), str(out), *(["--two-golds"] if golds == 2 else [])],
        check=True)
    text = out.read_text()
    assert text.count("struct_incorrect") == 3
    assert f'"GED": [{", ".join(["1.0" if golds == 1 else "0.25"] * 3)}]' in text


def test_the_worker_is_written_for_the_python_that_the_libraries_install_on() -> None:
    ast.parse((FOLDER / "released.py").read_text(), feature_version=(3, 7))


def test_the_readme_names_the_versions_that_the_recipe_installs() -> None:
    pins = dict(re.findall(r"^([a-z_]+)==(.*)$", (FOLDER / "requirements.txt").read_text(), re.M))
    text = (FOLDER / "README.md").read_text().replace("spaCy", "spacy")
    said = " ".join(text.split())
    assert all(f"{name} {version}" in said for name, version in pins.items() if name != "numpy")
