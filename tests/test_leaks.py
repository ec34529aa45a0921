"""Leaks: rows of a split of which a text or a gold answer is in an earlier one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scorer import boards
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.tasks.gold_quality import SplitItems, leaks
from scorer.tasks.graphs.graph_items import Gold

PRACTICE = boards.load("explagraphs-practice")
BOARD = "graph-stance-practice"
GRAPH = "(a; causes; b)"


def split(name: str, *rows: tuple[str, str, str]) -> SplitItems:
    golds = [Gold(row[:2], "support", (Graph(row[2]),)) for row in rows]
    return SplitItems(name, [gold.texts for gold in golds], golds)


def test_rows_are_counted_by_what_they_share_and_once_in_any() -> None:
    train = split("train", ("Cats purr.", "They do.", "(a; is a; b)(b; is a; c)"))
    dev = split("dev", (" cats  PURR.", "they do.", GRAPH), ("Dogs bark.", "They do.", GRAPH),
                ("Fish swim.", "So what?", "(b; is a; c)(a; is a; b)"), ("x", "y", GRAPH))
    [found] = leaks(PRACTICE.task, [train, dev])
    assert (found.earlier, found.later, found.items) == ("train", "dev", 4)
    assert found.shared == {"belief": 1, "argument": 2, "gold answer": 1}
    assert found.any == 3


def test_a_graph_that_is_given_is_the_same_in_any_order_of_its_edges() -> None:
    stances = boards.load(BOARD)
    train, dev = (SplitItems(name, [(name, f"why {name}?", graph)]) for name, graph in (
        ("train", "(a; is a; b)(b; is a; c)"), ("dev", "(B; is a;  c)(a; is a; b)")))
    [found] = leaks(stances.task, [train, dev])
    assert found.shared == {"belief": 0, "argument": 0, "graph": 1}


def test_three_splits_make_three_pairs_and_gold_that_is_not_public_is_not_counted() -> None:
    hidden = SplitItems("test", [("Cats purr.", "No.")])
    train, dev = split("train", ("Cats purr.", "a", GRAPH)), split("dev", ("b", "c", GRAPH))
    found = leaks(PRACTICE.task, [train, dev, hidden])
    assert [(one.later, one.earlier, one.any) for one in found] == [
        ("dev", "train", 1), ("test", "train", 1), ("test", "dev", 0)]
    assert [*found[1].shared] == ["belief", "argument"]


def test_an_id_and_the_kind_of_an_item_are_no_texts() -> None:
    rows = SplitItems("train", [("s1", *"abcd")]), SplitItems("dev", [("s1", *"efgh")])
    [found] = leaks(boards.load("anli-practice").task, rows)
    assert (found.any, "story_id" in found.shared) == (0, False)
    train, dev = (SplitItems(name, [(f"{name} {n}", ("cause", "effect")[n % 2], f"x {name} {n}",
                                     f"y {name} {n}") for n in range(10)])
                  for name in ("train", "dev"))
    [found] = leaks(boards.load("explained-practice").task, [train, dev])
    assert (found.any, [*found.shared]) == (0, ["premise", "hypothesis1", "hypothesis2"])


def test_the_command_prints_every_pair_of_splits_and_any_two_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "leaks", BOARD]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        f"{BOARD}: 40 rows of dev, also in train: belief 0 (0.0 %), argument 0 (0.0 %), "
        "graph 0 (0.0 %), any of these 0 (0.0 %)")
    dev = (boards.boards_folder() / BOARD / "data" / "dev.tsv").read_text("utf-8").splitlines()
    files = tmp_path / "train.tsv", tmp_path / "test.tsv"
    files[0].write_text("".join(f"{line}\n" for line in dev[:10]), "utf-8")
    files[1].write_text("".join(f"{line}\n" for line in dev[8:12]), "utf-8")
    given = ["data", "leaks", BOARD, "--train", str(files[0]), "--test", str(files[1])]
    assert main(given) == 0
    line = capsys.readouterr().out
    assert line.startswith(f"{BOARD}: 4 rows of test.tsv, also in train.tsv: ")
    assert "graph 2 (50.0 %)" in line


@pytest.mark.parametrize(("given", "code", "message"), [
    (["anlg-practice"], 3, "1 split at hand, but a leak is between two"),
    ([BOARD, "--train", "a.tsv"], 2, "name both files, with --train and --test, or none"),
    ([BOARD, "--train", "a.tsv", "--test", "b.tsv"], 3, "a.tsv: cannot be read"),
])
def test_what_cannot_be_compared_is_refused(
    given: list[str], code: int, message: str, fails: Callable[..., None]
) -> None:
    fails(code, message, "data", "leaks", *given)
