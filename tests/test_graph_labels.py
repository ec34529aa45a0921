"""Labels for texts and a graph: files of one column or two, the lift, the rows that ship."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import scorer
from scorer import boards
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.core.reading.tsv import Problems, Row
from scorer.scoring.checking import check_file
from scorer.scoring.results.files import read
from scorer.tasks.graph_labels import baselines
from scorer.tasks.graph_labels.graph_label_items import Gold, Opposites, Prediction, Settings
from scorer.tasks.graph_labels.task import GraphLabels
from scorer.tasks.graphs.graph_items import Labels

ROOT = Path(__file__).resolve().parent.parent
BOARD = "graph-stance-practice"
PRACTICE = boards.load(BOARD, ROOT / "boards")
SETTINGS = Settings(texts=("claim",), labels=Labels("label", ("yes", "no")),
                    opposites=(Opposites("is a", "is not a"),))
TASK = GraphLabels(SETTINGS)


def items(split: str = "dev") -> tuple[Gold, ...]:
    path = PRACTICE.data_file(split, Path("nowhere"))
    assert path is not None
    return read_golds(PRACTICE, split, path).items


def scored(rows: list[list[str]], labels: list[str]) -> Any:
    """The result of rows against items with these labels."""
    golds = [["a belief", "an argument", "(a; causes; b)", label] for label in labels]
    return scorer.score(rows, golds, board=PRACTICE, null=True)


# ---- the lift ------------------------------------------------------------------------------------


def test_lift_is_accuracy_less_the_same_system_s_accuracy_without_the_graph() -> None:
    labels = ["support"] * 6 + ["counter"] * 4
    rows = [["support", "counter"]] * 5 + [["counter", "support"]] + [["counter", "counter"]] * 4
    found = scored(rows, labels).metrics
    assert found["accuracy"].value == pytest.approx(9 / 10)
    assert found["accuracy"].null == pytest.approx(5 / 10)
    assert found["graph-lift"].value == pytest.approx(9 / 10 - 5 / 10)
    # Five items are gained and one is lost: 2 * (C(6, 0) + C(6, 1)) / 2^6.
    assert found["graph-lift"].versus_null.p == found["accuracy"].versus_null.p == 2 * 7 / 64


def test_the_interval_of_the_lift_is_bonett_and_price_s() -> None:
    found = scored([["support", "counter"]] * 5 + [["counter", "support"]] * 1
                   + [["support", "support"]] * 4, ["support"] * 10).metrics["graph-lift"]
    # d = (5 - 1) / 12, s = (5 + 1 + 2) / 12, reach = z sqrt((s - d^2) / 12)
    reach = 1.959963984540054 * ((8 / 12 - (4 / 12) ** 2) / 12) ** 0.5
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (4 / 12 - reach, 4 / 12 + reach), abs=1e-6)
    assert found.interval.method == "bonett-price"


def test_a_file_with_one_column_has_no_lift_and_no_null() -> None:
    found = scored([["support"], ["counter"]], ["support", "support"]).metrics
    assert found["graph-lift"].value is None
    assert found["graph-lift"].reason == (
        "the predictions do not tell the label without the graph")
    assert (found["accuracy"].value, found["accuracy"].null) == (0.5, None)


def test_no_answer_is_wrong_with_the_graph_and_without_it() -> None:
    found = scored([["-", "support"], ["support", "-"]], ["support", "support"])
    assert found.metrics["graph-lift"].value == 0.0
    assert found.metrics["accuracy"].value == found.metrics["accuracy"].null == 0.5


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "told"), [
    ("support\ncounter\tsupport\n", ":2:1 TSV-COLUMNS 2 columns"),
    ("support\tcounter\nsupport\n", ":2:1 TSV-COLUMNS 1 column"),
    ("support\tno\nsupport\tcounter\n", ":1:9 TSV-LABEL "),
    ("Support\nsupport\n", ":1:1 TSV-LABEL "),
])
def test_every_row_has_as_many_labels_as_the_first(
    content: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.tsv"
    file.write_text(content, "utf-8")
    assert main(["check", str(file), "--board", BOARD]) == 2
    assert told in "".join(capsys.readouterr())


def test_rows_without_an_answer_are_counted_in_each_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.tsv"
    file.write_text("-\tsupport\nsupport\t-\n-\t-\n" + "support\tcounter\n" * 37, "utf-8")
    assert main(["check", str(file), "--board", BOARD, "--split", "dev"]) == 0
    said = "".join(capsys.readouterr())
    assert ":1:1 TSV-NO-ANSWER no stance in 2 of 40 rows (lines 1, 3);" in said
    assert ":2:9 TSV-NO-ANSWER no stance_without_graph in 2 of 40 rows (lines 2, 3);" in said
    report, _ = check_file(PRACTICE, file)
    assert report.strict_counts() == {"TSV-NO-ANSWER": 3}


@pytest.mark.parametrize(("fields", "rule"), [
    (("t", "(a; causes)", "yes"), "TSV-GOLD"), (("t", "", "yes"), "TSV-GOLD"),
    (("t", "(a; causes; b)", "maybe"), "TSV-LABEL"),
])
def test_gold_that_is_no_graph_or_has_no_label_is_refused(fields: Any, rule: str) -> None:
    problems = Problems("gold.tsv")
    assert TASK.read_gold(Row(1, fields), problems) is None
    assert [one.rule for one in problems.kept] == [rule]


@pytest.mark.parametrize(("change", "found"), [
    ({"texts": ("claim", "graph")}, "two columns graph"),
    ({"texts": ("label_without_graph",)}, "two columns label_without_graph"),
    ({"labels": Labels("label", ("yes", "-"))}, "the label -"),
    ({"opposites": (Opposites("is a", "is not a"), Opposites("is a", "not"))},
     "relation 'is a' twice in opposites"),
    ({"opposites": (Opposites("Is a", "is not a"),)}, "relation 'Is a'"),
])
def test_settings_that_do_not_fit_together_are_named(change: dict[str, Any], found: str) -> None:
    assert TASK.misfits([]) == []
    assert [one.found for one in GraphLabels(replace(SETTINGS, **change)).misfits([])] == [found]


# ---- reference rows ------------------------------------------------------------------------------


def test_shuffled_relations_keep_concepts_and_the_relations_of_the_split() -> None:
    golds = items()
    made = baselines.shuffled_relations(PRACTICE.settings, golds)

    def parts(some: Any, *names: str) -> list[Any]:
        return [tuple(getattr(edge, name) for name in names) for one in some
                for edge in one.graph.edges]

    assert parts(made, "source", "target") == parts(golds, "source", "target")
    assert sorted(parts(made, "relation")) == sorted(parts(golds, "relation"))
    assert parts(made, "relation") != parts(golds, "relation")


def test_every_item_gets_the_graph_of_another_and_none_is_lost() -> None:
    golds = items()
    made = baselines.other_graphs(PRACTICE.settings, golds)
    assert all(one.graph != other.graph for one, other in zip(made, golds, strict=True))
    assert sorted(one.graph.text for one in made) == sorted(one.graph.text for one in golds)
    assert [one.statements for one in made] == [one.statements for one in golds]


def test_negations_flipped_twice_are_as_they_were() -> None:
    golds, settings = items(), PRACTICE.settings
    once = baselines.flipped_negations(settings, golds)
    assert [one.graph for one in once] != [one.graph for one in golds]
    assert [one.graph.edges for one in baselines.flipped_negations(settings, once)] == [
        one.graph.edges for one in golds]


def cued(label: str, number: int) -> Gold:
    """An item whose stance only the relation tells, and whose text tells nothing."""
    relation = "is a" if label == "yes" else "is not a"
    return Gold((f"thing {number}",), Graph(f"(a{number}; {relation}; b)"), label)


def test_a_cue_in_the_relations_is_found_lifted_and_turned_round() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    train = [cued(("yes", "no")[n % 2], n // 2) for n in range(40)]
    asked = [cued(("yes", "no")[n % 2], 100 + n // 2) for n in range(20)]

    def right(name: str) -> tuple[float, float]:
        answers = baselines.BASELINES[name].predict(SETTINGS, train, asked)
        pairs = [*zip(answers, asked, strict=True)]
        return (sum(one.label == item.label for one, item in pairs) / len(asked),
                sum(one.without == item.label for one, item in pairs) / len(asked))

    assert right("texts-and-graph") == right("relations-only") == (1.0, 0.5)
    assert right("flipped-negations") == (0.0, 0.5)
    assert right("majority") == (0.5, 0.5)
    assert right("text-only") == (0.5, 0.5)


def test_without_train_no_row_sees_the_items_that_it_answers() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    golds = [cued("yes", n) for n in range(4)] + [cued("no", n) for n in range(4)]
    for name, row in baselines.BASELINES.items():
        answers = row.predict(SETTINGS, [], golds)
        assert len(answers) == len(golds), name
        turned = [replace(gold, label="no" if place == 3 else gold.label)
                  for place, gold in enumerate(golds)]
        assert row.predict(SETTINGS, [], turned)[3].label == answers[3].label, name


def test_a_null_is_what_is_said_without_the_graph() -> None:
    gold = cued("yes", 1)
    assert TASK.null(gold, Prediction("yes", "no")) == Prediction("no", "no")
    assert TASK.null(gold, Prediction("yes")) is None


def test_the_committed_rows_have_a_lift_each() -> None:
    for name in baselines.BASELINES:
        found = read(ROOT / "results" / BOARD / "reference" / name / "dev.json").metrics
        lift, accuracy = found["graph-lift"], found["accuracy"]
        assert lift.value == pytest.approx(accuracy.value - accuracy.null), name


def test_the_board_on_official_splits_is_made_of_the_official_files_and_scores_as_committed(
    tmp_path: Path, data: Path
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    source = data / "explagraphs"
    board = "graphqa-explagraphs"
    for split in ("train", "dev"):
        (tmp_path / "source" / "official").mkdir(parents=True, exist_ok=True)
        shutil.copy(source / f"{split}.tsv", tmp_path / "source" / "official")
    where = ["--home", str(tmp_path)]
    assert main(["data", "fetch", board, "--from", str(tmp_path / "source"), *where]) == 0
    assert main(["baseline", "text-only", "relations-only", "--board", board, *where]) == 0
    for name in ("text-only", "relations-only"):
        folder = tmp_path / "submissions" / board / "reference" / name
        assert main(["score", str(folder), "--results", str(tmp_path / "results"), *where]) == 0
        made, known = (read(root / "results" / board / "reference" / name / "dev.json")
                       for root in (tmp_path, ROOT))
        assert made.metrics == known.metrics
