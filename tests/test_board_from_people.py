"""``scorer board new --from``: a board of what people wrote and found correct."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scorer import boards
from scorer.boards import Board
from scorer.cli import main
from scorer.core.errors import UsageError
from scorer.pipeline.adopting.board import VerifiedItem, divided
from tests.people_world import BAD, PAIRS, Rounds

pytestmark = pytest.mark.whole
Prints = Callable[..., str]
Fails = Callable[..., None]


@pytest.fixture
def rounds(tmp_path: Path) -> Rounds:
    return Rounds(tmp_path)


@pytest.fixture(scope="module")
def all_rounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Annotations with every round, all closed."""
    made = Rounds(tmp_path_factory.mktemp("rounds"))
    made.whole()
    return made.annotations


@pytest.fixture
def whole(all_rounds: Path, rounds: Rounds) -> Rounds:
    """The same, for a board in a folder of its own."""
    rounds.annotations = all_rounds
    return rounds


def new(rounds: Rounds, *more: str) -> list[str]:
    """The command that makes a board."""
    return ["board", "new", "mine", "--from", str(rounds.annotations),
            "--boards", str(rounds.folder / "boards"), *more]


def made(rounds: Rounds) -> Board:
    return boards.load(rounds.folder / "boards" / "mine")


def golds(board: Board, split: str) -> list[tuple[str, ...]]:
    """Rows of a split as the file has them."""
    return [tuple(line.split("\t")) for line in
            (board.folder / f"data/{split}.tsv").read_text("utf-8").splitlines()]


@pytest.mark.claim("What people wrote and found correct becomes a board by one command.")
def test_what_people_found_correct_is_the_gold_of_a_board(whole: Rounds, prints: Prints) -> None:
    assert "5 items found correct\n" in prints(*new(whole))
    board = made(whole)
    rows = [row for split in ("train", "dev") for row in golds(board, split)]
    assert sorted(rows) == sorted((*one[:3], one[4]) for one in PAIRS)
    assert board.settings.labels.name == "stance"
    assert board.settings.graph.most_edges == 8
    assert main(["board", "check", "mine", "--boards", str(whole.folder / "boards")]) == 0
    ragged = "".join((board.folder / "data" / f"refinement_graphs_{split}.tsv").read_text("utf-8")
                     for split in board.splits)
    assert f"{BAD}\t{PAIRS[0][4]}\n" in ragged
    assert all(f"{one[2]}\t{one[4]}\n" in ragged for one in PAIRS[1:])


def test_items_of_one_topic_are_in_one_split_and_board_yaml_says_so(whole: Rounds) -> None:
    assert main(new(whole, "--splits", "train=60", "dev=40", "--seed", "7")) == 0
    board = made(whole)
    topics = {one[:2]: one[3] for one in PAIRS}
    train, dev = ({topics[row[:2]] for row in golds(board, split)} for split in ("train", "dev"))
    assert train.isdisjoint(dev)
    text = (board.folder / boards.FILE_NAME).read_text("utf-8")
    assert " ".join(text.replace("#", " ").split()).count(
        "Items of one topic are in one split (--splits train=60 dev=40, --seed 7): train") == 1


def test_open_batches_and_graphs_that_were_not_found_correct_give_no_gold(
    rounds: Rounds, prints: Prints, fails: Fails
) -> None:
    rounds.begin()
    rounds.verify("v", "c", wrong=PAIRS[0][0])
    fails(2, "0 items found correct; left out: 5 in open batches; close", *new(rounds))
    rounds.close("s", "c", "v")
    assert "4 items found correct; left out: 1 not correct\n" in prints(*new(rounds))
    assert not [*(made(rounds).folder / "data").glob("refinement*")]


def test_a_board_of_simulated_answers_says_so_and_is_for_practice(rounds: Rounds) -> None:
    rounds.begin()
    rounds.verify("v", "c", who="simulated-")
    rounds.close("s", "c", "v")
    assert main(new(rounds)) == 0
    text = (made(rounds).folder / boards.FILE_NAME).read_text("utf-8")
    assert "# SIMULATED: simulated-0, simulated-1, simulated-2 answered" in text
    assert made(rounds).title == "Mine (simulated)"
    assert made(rounds).practice


@pytest.mark.parametrize(("fault", "more"), [
    ("write splits once each with a share", ("--splits", "dev=0")),
    ("write splits once each with a share", ("--splits", "dev=1", "dev=2")),
    ("splits are train, dev, test", ("--splits", "final=1")),
    ("no board of graphs", ("--splits", "train=1", "dev=1", "test=1", "--like", "anli-practice")),
    ("name what the board is made of", ("--data", ".")),
])
def test_words_that_make_no_board_are_refused(
    rounds: Rounds, fails: Fails, fault: str, more: tuple[str, ...]
) -> None:
    rounds.annotations.mkdir()
    fails(2, fault, *new(rounds, *more))
    assert not (rounds.folder / "boards").exists()


def items(*groups: str) -> list[VerifiedItem]:
    return [VerifiedItem((f"{group}{number}",), "a", ("",), group)
            for number, group in enumerate(groups)]


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_never_torn_and_sizes_come_near_their_shares(seed: int) -> None:
    them, shares = items(*(f"t{number % 20}" for number in range(200))), {
        "train": 75, "dev": 15, "test": 10}
    parts = divided(them, shares, seed)
    groups = [{one.group for one in part} for part in parts.values()]
    assert sum(map(len, groups)) == len(set.union(*groups)) == 20
    assert [len(part) for part in parts.values()] == [150, 30, 20]
    assert sorted(one for part in parts.values() for one in part) == sorted(them)
    assert parts == divided(them, shares, seed)


def test_too_few_topics_for_the_splits_are_named() -> None:
    with pytest.raises(UsageError, match="3 items in 1 group of one topic or first text leave "
                                         "nothing for dev"):
        divided(items("a", "a", "a"), {"train": 80, "dev": 20}, 1)
