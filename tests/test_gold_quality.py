"""What gold is like, in cases that are counted by hand; and that a board whose gold breaks its own
rules is never called fine, unless board.yaml says why."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards import Board
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.models.registry import Models
from scorer.pipeline.adopting import repository
from scorer.scoring.reference import write_baseline
from scorer.scoring.submissions import Scorer
from scorer.tasks.anli.anli_items import Settings
from scorer.tasks.anli.task import AbductiveInference
from scorer.tasks.gold_quality import GOLD, ITEM, SplitItems, measure
from scorer.tasks.graphs.graph_items import Gold
from scorer.tasks.text_items import Gold as Choice
from tests.ci_world import git

ROOT = Path(__file__).resolve().parent.parent
PRACTICE = boards.load("explagraphs-practice", ROOT / "boards")
CATS = "(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)"
TEXTS = ("cats are good pets", "cats purr at home")

ITEMS = [(f"belief {name} stays", f"argument {name} holds",
          f"(belief {name}; is a; argument {name})(argument {name}; causes; holds)"
          f"(holds; desires; {name} stays)")
         for name in ("ash", "bay", "cor", "dor", "elm", "fir", "gum", "hop")]
"""Eight items whose graphs keep every rule."""
BROKEN = (
    ("EG-CYCLE", "belief ivy stays", "argument ivy holds",
     "(belief ivy; is a; argument ivy)(argument ivy; causes; holds)(holds; desires; belief ivy)"
     "(belief ivy; desires; ivy stays)"),
    ("EG-DISCONNECTED", "belief oak stays", "argument oak holds",
     "(belief oak; is a; oak stays)(belief oak; desires; oak stays)"
     "(argument oak; causes; holds)"),
    ("EG-BELIEF-CONCEPTS", "belief yew stays", "argument yew holds",
     "(belief yew; is a; argument yew)(argument yew; causes; holds)(holds; desires; nothing)"),
    ("EG-ARGUMENT-CONCEPTS", "belief box stays", "argument box holds",
     "(belief box; is a; box stays)(belief box; causes; holds)(box stays; desires; nothing)"),
)
"""Four more, each with the one rule that its graph breaks."""


def item(texts: Sequence[str] = TEXTS, label: str = "support", *graphs: str) -> Gold:
    return Gold(tuple(texts), label, tuple(map(Graph, graphs or (CATS,))))


def split(name: str, *golds: Any) -> SplitItems:
    return SplitItems(name, [gold.texts for gold in golds], golds)


def measured(*splits: SplitItems, board: Board = PRACTICE) -> Any:
    return measure(board.task, splits)


def newcomer(folder: Path) -> Path:
    """A folder of data with twelve items, of which the gold of four breaks a rule."""
    rows = [*((*texts, graph) for *texts, graph in ITEMS), *(one[1:] for one in BROKEN)]
    data = folder / "data"
    data.mkdir(parents=True)
    (data / "dev.tsv").write_text("".join(
        f"{belief}\t{argument}\t{'support' if number % 2 else 'counter'}\t{graph}\n"
        for number, (belief, argument, graph) in enumerate(rows)), "utf-8")
    return data


def run(*words: object) -> int:
    return main([str(word) for word in words])


def changed(path: Path, *lines: str) -> None:
    path.write_text(path.read_text("utf-8") + "".join(f"{line}\n" for line in lines), "utf-8")


# ---- counted by hand -------------------------------------------------------------------------


def test_labels_and_lengths_are_counted() -> None:
    [found] = measured(split("dev", item(), item(("a b", "c"), "counter"), item())).splits
    assert found.labels == {"counter": 1, "support": 2}
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
    found = {one.what: (one.rows, one.pairs) for one in measured(train, dev).shared}
    assert found == {ITEM: (1, ((1, 2),)), "belief": (2, ((1, 2), (2, 1))),
                     "argument": (1, ((1, 2),)), GOLD: (1, ((1, 2),))}


def test_edges_in_another_order_are_the_same_gold() -> None:
    turned = "(purr; at location; home)(cats; capable of; purr)(cats; is a; pets)"
    [found] = measured(split("dev", item(TEXTS, "support", CATS, turned))).splits
    assert (found.agreement.same, found.agreement.units, found.agreement.concepts) == (1, 1, 1)


def test_two_golds_agree_as_far_as_their_edges_and_concepts_do() -> None:
    other = "(cats; is a; pets)(cats; desires; milk)"
    [found] = measured(split("dev", item(TEXTS, "support", CATS, other), item())).splits
    one = found.agreement
    assert (one.items, one.same) == (1, 0)
    assert one.units == pytest.approx(2 * 1 / (3 + 2))
    assert one.concepts == pytest.approx(2 * 2 / (4 + 3))


def test_a_split_without_gold_is_measured_by_its_texts_alone() -> None:
    hidden = SplitItems("test", [TEXTS, ("x", "y")])
    found = measured(split("dev", item()), hidden)
    assert {one.what: one.rows for one in found.shared} == {ITEM: 1, "belief": 1, "argument": 1}
    told = found.splits[1]
    assert not told.has_gold
    assert (told.labels, told.broken, told.strict, told.agreement) == ({}, (), (), None)
    assert set(told.lengths) == {"words of belief", "words of argument"}


def test_an_item_s_id_is_no_text_and_a_label_alone_is_no_gold_to_share() -> None:
    golds = [Choice(("It rained.", "Ann was wet."), ("She ran.", "She swam."), label, ids=(name,))
             for name, label in (("a-1", "1"), ("b-2", "2"))]
    [found] = measure(AbductiveInference(Settings()), [split("dev", *golds)]).splits
    assert [(one.what, one.rows) for one in found.repeated] == [(ITEM, 2)]
    assert found.contradicting == ((1, 2),)
    assert "words of story_id" not in found.lengths


def test_references_are_compared_by_their_words() -> None:
    board = boards.load("anlg-practice", ROOT / "boards")
    from scorer.core.reading.tsv import File, read_rows

    table = read_rows(File(b"It rained.\tAnn was wet.\tshe ran home\tshe ran away\n", "x"),
                      ("obs1", "obs2", "reference", "reference 2"))
    one = board.task.read_gold(table.rows[0], table.problems)
    [found] = measured(split("dev", one), board=board).splits
    assert found.agreement.units == pytest.approx(2 * 1 / (2 + 2)), "of two word pairs one"
    assert found.lengths["words of a reference"].mean == 3


# ---- rules that gold breaks ------------------------------------------------------------------


def test_rows_are_named_by_rule_and_which_gold_of_several_breaks_it() -> None:
    circle = "(cats; is a; pets)(pets; is a; home)(home; is a; cats)(purr; is a; cats)"
    [found] = measured(split("dev", item(), item(TEXTS, "support", CATS, circle))).splits
    [rule] = found.broken
    assert (rule.rule, rule.rows) == ("EG-CYCLE", (2,))
    assert rule.named[0][1].startswith("gold answer 2: ")


@pytest.fixture
def made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, str]:
    """The newcomer's board, made in a repository, and what `board new` said."""
    data = newcomer(tmp_path)
    assert run("board", "new", "mine", "--like", "explagraphs", "--data", data,
               "--boards", tmp_path / "boards") == 3
    return tmp_path, capsys.readouterr().err


def test_a_newcomer_s_four_broken_graphs_are_named_when_the_board_is_made(
    made: tuple[Path, str],
) -> None:
    folder, said = made
    path = folder / "boards" / "mine" / "data" / "dev.tsv"
    for line, (rule, *_) in enumerate(BROKEN, start=len(ITEMS) + 1):
        assert f"{path}:{line}:1 {rule} " in said
        assert f"1 gold row of dev breaks {rule} ({line})" in said
    assert "NOT fine" in said
    assert "  - {split: dev, rule: EG-CYCLE, rows: 1, reason:" in said


def test_the_check_and_the_doctor_refuse_it_too(
    made: tuple[Path, str], capsys: pytest.CaptureFixture[str],
) -> None:
    folder, _ = made
    assert run("board", "check", "mine", "--boards", folder / "boards") == 3
    said = capsys.readouterr()
    assert "mine: NOT fine, 4 faults of gold" in said.err
    assert "mine: fine" not in said.out
    git(folder, "init", "--quiet")
    found = [one for one in repository.lacking(folder) if one.startswith("board mine: 1 gold row")]
    assert len(found) == len(BROKEN)
    assert "run: scorer board check mine" in found[0]


def test_what_board_yaml_acknowledges_is_fine_with_the_very_number_alone(
    made: tuple[Path, str], capsys: pytest.CaptureFixture[str],
) -> None:
    folder, _ = made
    path = folder / "boards" / "mine" / "board.yaml"
    text = path.read_text("utf-8")
    head, _, rest = text.partition("acknowledged: []\n")
    entries = [f"  - {{split: dev, rule: {rule}, rows: 1, reason: Kept as published.}}\n"
               for rule, *_ in BROKEN]
    path.write_text(f"{head}acknowledged:\n{''.join(entries)}{rest}", "utf-8")
    assert run("board", "check", "mine", "--boards", folder / "boards") == 0
    assert "mine: fine" in capsys.readouterr().out
    more = entries[0].replace("rows: 1", "rows: 2")
    path.write_text(f"{head}acknowledged:\n{more}{''.join(entries[1:])}{rest}", "utf-8")
    assert run("board", "check", "mine", "--boards", folder / "boards") == 3
    assert "1 gold row of dev breaks EG-CYCLE (9), but acknowledged says 2" in (
        capsys.readouterr().err)
    gone = entries[0].replace("EG-CYCLE", "EG-SELF")
    path.write_text(f"{head}acknowledged:\n{gone}{''.join(entries)}{rest}", "utf-8")
    assert run("board", "check", "mine", "--boards", folder / "boards") == 3
    assert "says that 1 row of dev breaks EG-SELF, but none does" in capsys.readouterr().err


def test_rows_that_break_a_rule_are_those_that_the_row_of_gold_loses(
    made: tuple[Path, str],
) -> None:
    folder, _ = made
    board = boards.load("mine", folder / "boards")
    home, out = folder / "home", folder / "submissions"
    place = write_baseline(board, board.task.baselines["gold"], ["dev"], home, out, lambda _: None)
    assert place is not None
    scorer = Scorer(Models(allowed=False), home, folder / "boards", ("SA", "StCA"))
    golds = scorer.gold(board, "dev")
    assert golds is not None
    result = scorer.file(board, place / "predictions.dev.tsv", "dev", golds)
    assert result.counts["struct_incorrect"] == len(BROKEN)
    assert result.counts["broken"] == {rule: 1 for rule, *_ in BROKEN}
    assert result.metrics["StCA"].value == pytest.approx(len(ITEMS) / 12)


def test_five_rows_of_a_rule_are_named_and_the_others_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.tsv").write_text("".join(
        f"belief t{n} stays\targument t{n} holds\tsupport\t(belief t{n}; is a; t{n} stays)"
        f"(x; causes; argument t{n})(argument t{n}; causes; holds)\n" for n in range(7)))
    assert run("board", "new", "mine", "--data", tmp_path / "data",
               "--boards", tmp_path / "boards") == 3
    said = capsys.readouterr().err
    assert len(re.findall(r"^\S+:\d+:1 EG-DISCONNECTED ", said, re.M)) == 5
    assert "7 gold rows of dev break EG-DISCONNECTED (1, 2, 3, 4, 5, ...)" in said


@pytest.mark.parametrize("name", boards.known_boards(ROOT / "boards"))
def test_the_boards_that_come_with_the_program_are_fine(
    name: str, capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("board", "check", name, "--boards", ROOT / "boards") == 0
    assert f"{name}: fine" in capsys.readouterr().out


def test_a_report_tells_everything_that_was_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("board", "check", PRACTICE.id, "--boards", ROOT / "boards", "--report") == 0
    said = capsys.readouterr().out
    for line in ("# Gold quality of explagraphs-practice", "## dev: 40 items", "- label support: ",
                 "- words of belief: ", "- duplicates, item texts: 0 (0.0 %)",
                 "- items with several gold answers: 24", "## Between splits",
                 "- every gold answer keeps the board's rules"):
        assert line in said


@pytest.mark.parametrize(("entry", "said"), [
    ("{split: test, rule: EG-CYCLE, rows: 1, reason: Old.}", "gold of test acknowledged"),
    ("{split: dev, rule: cycle, rows: 1, reason: Old.}", "a rule's id"),
    ("{split: dev, rule: EG-CYCLE, rows: 0, reason: Old.}", "whole number from 1"),
    ("{split: dev, rule: EG-CYCLE, rows: 1}", "reason"),
])
def test_an_acknowledgement_names_a_public_split_a_rule_a_number_and_a_reason(
    entry: str, said: str, made: tuple[Path, str], capsys: pytest.CaptureFixture[str],
) -> None:
    folder, _ = made
    path = folder / "boards" / "mine" / "board.yaml"
    path.write_text(path.read_text("utf-8").replace(
        "acknowledged: []\n", f"acknowledged:\n  - {entry}\n"), "utf-8")
    assert run("board", "check", "mine", "--boards", folder / "boards") == 2
    assert said in capsys.readouterr().err


# ---- hidden gold -----------------------------------------------------------------------------


def test_a_hidden_split_whose_file_has_gold_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "boards" / "mine"
    shutil.copytree(PRACTICE.folder, folder)
    path = folder / "board.yaml"
    text = path.read_text("utf-8").replace("id: explagraphs-practice", "id: mine")
    path.write_text(re.sub(r"dev: \{file: dev.tsv, rows: 40, gold: public, sha256: \w+\}",
                           "dev: {file: dev.tsv, rows: 40, gold: hidden}", text), "utf-8")
    assert run("board", "check", "mine", "--boards", tmp_path / "boards") == 3
    said = capsys.readouterr()
    assert "dev.tsv:1: 40 rows with more columns than belief, argument, but the gold of dev is " \
        "hidden" in said.err
    assert "(" not in said.err.partition("dev.tsv:1:")[2], "not a word of the gold itself"


# ---- the page --------------------------------------------------------------------------------


def page_of(folder: Path) -> str:
    from scorer.site.boards.board_pages import quality_pages
    from scorer.site.page import BoardHeader
    from scorer.site.reading.read import read_site
    from scorer.site.render import environment

    [view] = read_site(folder, folder / "home").boards
    [page] = quality_pages(view)
    return environment([ROOT / "templates"]).get_template(page.template).render(
        page.names | {"header": BoardHeader((), ())})


@pytest.mark.site
def test_the_page_names_broken_rows_with_links_and_says_what_is_not_acknowledged(
    made: tuple[Path, str],
) -> None:
    folder, _ = made
    html = page_of(folder)
    assert '<a href="../../../../boards/mine/dev/9/">9</a>' in html
    assert html.count("not acknowledged") == len(BROKEN)
    assert "Label balance" in html
    assert html.count('class="wb-open"') == 1, "the attribution below the page"


@pytest.mark.site
def test_the_page_shows_nothing_of_hidden_gold_nor_of_a_private_board(tmp_path: Path) -> None:
    from scorer.site.boards.board_pages import quality_pages
    from scorer.site.reading.read import read_site

    folder = tmp_path / "boards" / "mine"
    shutil.copytree(PRACTICE.folder, folder)
    path = folder / "board.yaml"
    text = path.read_text("utf-8").replace("id: explagraphs-practice", "id: mine")
    hidden = re.sub(r"test: \{file: test.tsv, rows: 24, gold: public, sha256: \w+, golds: 2\}",
                    "test: {file: test.tsv, rows: 24, gold: hidden}", text)
    path.write_text(hidden, "utf-8")
    [view] = read_site(tmp_path, tmp_path / "home").boards
    [page] = quality_pages(view)
    shown = {one.name: one for one in page.names["quality"].splits}
    assert shown["test"].has_gold is False
    assert shown["test"].labels == {}
    assert not {name for name in shown["test"].lengths if "gold" in name}
    path.write_text(hidden + "examples: private\n", "utf-8")
    [view] = read_site(tmp_path, tmp_path / "home").boards
    assert list(quality_pages(view)) == []


@pytest.mark.site
def test_a_page_of_one_split_and_of_a_board_without_labels_is_whole(tmp_path: Path) -> None:
    from scorer.site.boards.board_pages import quality_pages
    from scorer.site.page import BoardHeader
    from scorer.site.records import BoardView, SplitView
    from scorer.site.render import environment

    settings = replace(PRACTICE.settings, labels=None)
    board = replace(PRACTICE, settings=settings)
    view = BoardView(board, (SplitView(board, "dev", [Gold(TEXTS, None, (Graph(CATS),))]),))
    [page] = quality_pages(view)
    html = environment([ROOT / "templates"]).get_template(page.template).render(
        page.names | {"header": BoardHeader((), ())})
    assert "Label balance" not in html
    assert "Leaks between splits" not in html
    assert "keeps the board's rules" in html.replace("&#39;", "'")
