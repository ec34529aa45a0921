"""What gold is like, in cases that are counted by hand; and that a board whose gold breaks its own
rules is never called fine, unless board.yaml says why."""

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer import boards
from scorer.boards import Board
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.pipeline.adopting import repository
from scorer.scoring.gold_report import SplitAtHand
from scorer.site.boards.board_pages import data_pages
from scorer.site.page import BoardHeader
from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, SplitView
from scorer.site.render import environment
from scorer.tasks.gold_quality import GOLD, ITEM, leaks, measure
from scorer.tasks.graphs.graph_items import Gold
from scorer.tasks.texts.items import ChoiceSettings
from scorer.tasks.texts.items import Gold as Choice
from scorer.tasks.texts.task import AbductiveInference
from tests import case_files
from tests.ci_world import git

ROOT = Path(__file__).resolve().parent.parent
PRACTICE = boards.load("explagraphs-practice", ROOT / "boards")
CATS = "(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)"
TEXTS = ("cats are good pets", "cats purr at home")
STANCES = "graph-stance-practice"
LEAKS: dict[str, dict[str, Any]] = case_files.read("leaks.yaml")

BROKEN = ("EG-CYCLE", "EG-DISCONNECTED", "EG-BELIEF-CONCEPTS", "EG-ARGUMENT-CONCEPTS")
"""The rules that the last four of the twelve items of cases/broken_gold.tsv break, one each."""


def item(texts: Sequence[str] = TEXTS, label: str = "support", *graphs: str) -> Gold:
    return Gold(tuple(texts), label, tuple(map(Graph, graphs or (CATS,))))


def split(name: str, *golds: Any) -> SplitAtHand:
    return SplitAtHand(name, Path(), [gold.texts for gold in golds], golds)


def measured(*splits: SplitAtHand, board: Board = PRACTICE) -> Any:
    return measure(board.task, splits)


def run(*words: object) -> int:
    return main([str(word) for word in words])


# ---- counted by hand -------------------------------------------------------------------------


def test_labels_and_lengths_are_counted() -> None:
    [found] = measured(split("dev", item(), item(("a b", "c"), "counter"), item())).splits
    assert found.labels == {"counter": 1, "support": 2}
    assert found.contradicting == (), "the same texts with the same label"
    words = found.lengths["words of belief"]
    assert (words.least, words.most, words.mean) == (2, 4, (4 + 2 + 4) / 3)
    assert found.lengths["edges of a gold graph"].mean == 3
    assert found.lengths["concepts of a gold graph"].most == len({"cats", "pets", "purr", "home"})


def test_duplicates_ignore_case_and_spaces_and_name_their_rows() -> None:
    same = item(("Cats are  good pets", "cats purr at home "), "counter", CATS.replace("a", "e"))
    [found] = measured(split("dev", item(), item(("x", "y")), same)).splits
    texts, gold = found.repeated
    assert (texts.what, texts.rows, texts.groups) == (ITEM, 2, ((1, 3),))
    assert (gold.what, gold.rows, gold.groups) == (GOLD, 2, ((1, 2),))
    assert found.contradicting == ((1, 3),), "the same texts, but another label"
    assert found.different == {"belief": 2, "argument": 2}


def test_what_a_later_split_shares_with_an_earlier_one_is_named_by_rows() -> None:
    train = split("train", item(("x", "y"), "support", "(x; is a; y)"), item())
    dev = split("dev", item(), item(("x", "another"), "support", "(q; is a; z)"))
    [leak] = measured(train, dev).leaks
    assert leak.pairs == {ITEM: [(1, 2)], "belief": [(1, 2), (2, 1)], "argument": [(1, 2)],
                          GOLD: [(1, 2)]}


def test_two_golds_agree_as_far_as_their_edges_in_any_order_and_concepts_do() -> None:
    turned = "(purr; at location; home)(cats; capable of; purr)(cats; is a; pets)"
    other = "(cats; is a; pets)(cats; desires; milk)"
    for graph, same, units, concepts in ((turned, 1, 1, 1),
                                         (other, 0, 2 * 1 / (3 + 2), 2 * 2 / (4 + 3))):
        [found] = measured(split("dev", item(TEXTS, "support", CATS, graph), item())).splits
        assert found.agreement == (1, same, pytest.approx(units), pytest.approx(concepts))


def test_a_split_without_gold_is_measured_by_its_texts_alone() -> None:
    hidden = SplitAtHand("test", Path(), [TEXTS, ("x", "y")])
    found = measured(split("dev", item()), hidden)
    assert found.leaks[0].pairs.keys() == {ITEM, "belief", "argument"}
    test = found.splits[1]
    assert not test.has_gold
    assert (test.labels, test.broken, test.strict, test.agreement) == ({}, (), (), None)
    assert set(test.lengths) == {"words of belief", "words of argument"}


def test_an_item_s_id_is_no_text_and_a_label_alone_is_no_gold_to_share() -> None:
    golds = [Choice(("It rained.", "Ann was wet."), ("She ran.", "She swam."), label, ids=(name,))
             for name, label in (("a-1", "1"), ("b-2", "2"))]
    [found] = measure(AbductiveInference(ChoiceSettings()), [split("dev", *golds)]).splits
    assert [(one.what, one.rows) for one in found.repeated] == [(ITEM, 2)]
    assert found.contradicting == ((1, 2),)
    assert "words of story_id" not in found.lengths


def test_references_are_compared_by_their_words() -> None:
    one = Choice(("It rained.", "Ann was wet."), references=("she ran home", "she ran away"))
    board = boards.load("anlg-practice", ROOT / "boards")
    [found] = measured(split("dev", one), board=board).splits
    assert found.agreement.units == pytest.approx(2 * 1 / (2 + 2)), "of two word pairs one"
    assert found.lengths["words of a reference"].mean == 3


# ---- leaks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", LEAKS.values(), ids=LEAKS)
def test_a_split_shares_with_those_before_it_what_its_case_says(case: dict[str, Any]) -> None:
    task = boards.load(case["board"]).task
    n = len(task.input_columns)
    splits = [SplitAtHand(name, Path(), [tuple(row[:n]) for row in rows],
                         [Gold(tuple(row[:n]), "support", (Graph(row[n]),)) for row in rows
                          if len(row) > n]) for name, rows in case["splits"].items()]
    assert {f"{one.earlier} to {one.later}": [one.items, one.shared, one.any]
            for one in leaks(task, splits)} == case["leaks"]


def test_the_command_prints_every_pair_of_splits_and_any_two_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "leaks", STANCES]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        f"{STANCES}: 40 rows of dev, also in train: belief 0 (0.0 %), argument 0 (0.0 %), "
        "graph 0 (0.0 %), any of these 0 (0.0 %)")
    dev = (boards.boards_folder() / STANCES / "data" / "dev.tsv").read_text("utf-8").splitlines()
    files = tmp_path / "train.tsv", tmp_path / "test.tsv"
    files[0].write_text("".join(f"{line}\n" for line in dev[:10]), "utf-8")
    files[1].write_text("".join(f"{line}\n" for line in dev[8:12]), "utf-8")
    given = ["data", "leaks", STANCES, "--train", str(files[0]), "--test", str(files[1])]
    assert main(given) == 0
    line = capsys.readouterr().out
    assert line.startswith(f"{STANCES}: 4 rows of test.tsv, also in train.tsv: ")
    assert "graph 2 (50.0 %)" in line


@pytest.mark.parametrize(("given", "code", "message"), [
    (["anlg-practice"], 3, "1 split at hand, but a leak is between two"),
    ([STANCES, "--train", "a.tsv"], 2, "name both files, with --train and --test, or none"),
    ([STANCES, "--train", "a.tsv", "--test", "b.tsv"], 3, "a.tsv: cannot be read"),
])
def test_what_cannot_be_compared_is_refused(
    given: list[str], code: int, message: str, fails: Callable[..., None]
) -> None:
    fails(code, message, "data", "leaks", *given)


# ---- rules that gold breaks ------------------------------------------------------------------


def test_rows_are_named_by_rule_and_which_gold_of_several_breaks_it() -> None:
    circle = "(cats; is a; pets)(pets; is a; home)(home; is a; cats)(purr; is a; cats)"
    [found] = measured(split("dev", item(), item(TEXTS, "support", CATS, circle))).splits
    [rule] = found.broken
    assert (rule.rule, rule.rows) == ("EG-CYCLE", (2,))
    assert rule.named[0][1].startswith("gold answer 2: ")


@pytest.fixture
def made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, str]:
    """The board of a newcomer, made in a repository, and what `board new` said."""
    (tmp_path / "data").mkdir()
    shutil.copy(ROOT / "tests/cases/broken_gold.tsv", tmp_path / "data/dev.tsv")
    assert run("board", "new", "mine", "--like", "explagraphs", "--data", tmp_path / "data",
               "--boards", tmp_path / "boards") == 3
    return tmp_path, capsys.readouterr().err


def test_a_newcomer_s_four_broken_graphs_are_named_when_the_board_is_made(
    made: tuple[Path, str],
) -> None:
    folder, output = made
    for line, rule in enumerate(BROKEN, start=9):
        assert f"{folder / 'boards/mine/data/dev.tsv'}:{line}:1 {rule} " in output
        assert f"1 gold row of dev breaks {rule} ({line})" in output
    assert "NOT fine" in output
    assert "  - {split: dev, rule: EG-CYCLE, rows: 1, reason:" in output


def test_the_check_and_the_doctor_refuse_it_too(
    made: tuple[Path, str], fails: Callable[..., None],
) -> None:
    folder, _ = made
    fails(3, "mine: NOT fine, 4 faults of gold", "board", "check", "mine", "--boards",
          str(folder / "boards"))
    git(folder, "init", "--quiet")
    found = [one for one in repository.lacking(folder) if one.startswith("board mine: 1 gold row")]
    assert len(found) == len(BROKEN)
    assert "run: scorer board check mine" in found[0]


@pytest.mark.parametrize(("change", "message"), [
    ("", "mine: fine"),
    ("EG-CYCLE, rows: 2", "1 gold row of dev breaks EG-CYCLE (9), but acknowledged says 2"),
    ("EG-SELF, rows: 1", "says that 1 row of dev breaks EG-SELF, but none does"),
])
def test_what_board_yaml_acknowledges_is_fine_with_the_very_number_alone(
    change: str, message: str, made: tuple[Path, str], capsys: pytest.CaptureFixture[str],
) -> None:
    folder, _ = made
    entries = [f"{rule}, rows: 1" for rule in BROKEN]
    acknowledge(folder, *(f"{{split: dev, rule: {entry}, reason: Kept as published.}}"
                          for entry in ([change, *entries[1:]] if change else entries)))
    assert run("board", "check", "mine", "--boards", folder / "boards") == (3 if change else 0)
    assert message in "".join(capsys.readouterr())


def acknowledge(folder: Path, *entries: str) -> None:
    """Name gold that stays as it is in the newcomer's board.yaml."""
    path = folder / "boards/mine/board.yaml"
    with path.open("a", encoding="utf-8") as board:
        board.writelines(["acknowledged:\n", *(f"  - {entry}\n" for entry in entries)])


@pytest.mark.parametrize("name", [
    name for name in boards.known_boards(ROOT / "boards")
    if (board := boards.load(name)).practice or board.acknowledged])
def test_our_own_boards_and_those_whose_gold_breaks_rules_are_fine(
    name: str, capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("board", "check", name, "--boards", ROOT / "boards") == 0
    assert f"{name}: fine" in capsys.readouterr().out


@pytest.mark.parametrize(("entry", "message"), [
    ("{split: dev, rule: cycle, rows: 1, reason: Old.}", "a rule's id"),
    ("{split: dev, rule: EG-CYCLE, rows: 0, reason: Old.}", "whole number from 1"),
    ("{split: dev, rule: EG-CYCLE, rows: 1}", "reason"),
])
def test_an_acknowledgement_names_a_rule_a_number_and_a_reason(
    entry: str, message: str, made: tuple[Path, str], fails: Callable[..., None],
) -> None:
    acknowledge(made[0], entry)
    fails(2, message, "board", "check", "mine", "--boards", str(made[0] / "boards"))


# ---- hidden gold -----------------------------------------------------------------------------


def practice_copy(folder: Path, split: str, more: str = "") -> Path:
    """A copy of the practice board, with the gold of a split hidden."""
    copy = shutil.copytree(PRACTICE.folder, folder / "boards" / "mine")
    text = (copy / "board.yaml").read_text("utf-8").replace("id: explagraphs-practice", "id: mine")
    text, count = re.subn(rf"({split}: {{file: {split}.tsv, rows: \d+, gold: )public[^}}]+",
                          r"\1hidden", text)
    assert count == 1
    (copy / "board.yaml").write_text(text + more, "utf-8")
    return folder


def test_a_hidden_split_whose_file_has_gold_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    practice_copy(tmp_path, "dev")
    assert run("board", "check", "mine", "--boards", tmp_path / "boards") == 3
    output = capsys.readouterr().err
    assert "dev.tsv:1: 40 rows with more columns than belief, argument, but the gold of dev is " \
        "hidden" in output
    assert "(" not in output.partition("dev.tsv:1:")[2], "not a word of the gold itself"


# ---- the page --------------------------------------------------------------------------------


def page_of(view: BoardView) -> str:
    _, page = data_pages(view)
    return environment(ROOT / "templates").get_template(page.template).render(
        page.names | {"header": BoardHeader((), ())})


@pytest.mark.site
def test_the_page_names_broken_rows_with_links_and_says_what_is_not_acknowledged(
    made: tuple[Path, str],
) -> None:
    [view] = read_site(made[0], made[0] / "home").boards
    html = page_of(view)
    assert '<a href="../../../../boards/mine/dev/9/">9</a>' in html
    assert html.count("not acknowledged") == len(BROKEN)
    assert "Label balance" in html
    assert html.count('class="wb-open"') == 1, "the attribution below the page"


@pytest.mark.site
def test_the_page_shows_nothing_of_hidden_gold_nor_of_a_private_board(tmp_path: Path) -> None:
    root = practice_copy(tmp_path / "hidden", "test")
    _, page = data_pages(read_site(root, root / "home").boards[0])
    shown = {one.name: one for one in page.names["quality"].splits}["test"]
    assert (shown.has_gold, shown.labels) == (False, {})
    assert not {name for name in shown.lengths if "gold" in name}
    root = practice_copy(tmp_path / "private", "test", "examples: private\n")
    assert len(list(data_pages(read_site(root, root / "home").boards[0]))) == 1


@pytest.mark.site
def test_a_page_of_one_split_and_of_a_board_without_labels_is_whole() -> None:
    board = replace(PRACTICE, settings=replace(PRACTICE.settings, labels=None))
    golds = [Gold(TEXTS, None, (Graph(CATS),))]
    html = page_of(BoardView(board, (SplitView(board, "dev", golds),)))
    assert "Label balance" not in html
    assert "Leaks between splits" not in html
    assert "keeps the board's rules" in html.replace("&#39;", "'")
