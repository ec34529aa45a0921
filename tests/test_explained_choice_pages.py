"""Pages of explained choices: a choice beside its reason, kinds of items, what the data hold."""


import pytest

from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, SplitView
from scorer.site.views.registry import view_of
from tests.browser.tiny_site import copy_boards

pytestmark = pytest.mark.site
BOARD = "explained-practice"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> BoardView:
    root = tmp_path_factory.mktemp("root")
    copy_boards(root, BOARD)
    [found] = read_site(root, root / "home").boards
    return found


@pytest.fixture(scope="module")
def dev(board: BoardView) -> SplitView:
    return next(view for view in board.splits if view.name == "dev")


def test_a_card_has_the_choice_and_the_reason_with_its_scores(dev: SplitView) -> None:
    entry = next(one for one in dev.entries if one.system == "other-explanation")
    gold = dev.golds[0]
    card = view_of(dev.board).example(dev.board.settings, gold, 1).card(entry)
    assert (card["answer"].label, card["right"]) == (gold.label, True)
    assert card["hypothesis"] == gold.hypotheses[0]
    assert card["answer"].text != gold.references[0]
    assert card["reference"] == 1
    assert [name for name, _ in card["scores"]][:2] == [*dev.board.metrics][:2]


def test_items_are_divided_by_cause_and_effect_where_these_are_given(dev: SplitView) -> None:
    parts = {one.id: one for one in dev.board.task.partitions(dev.golds)}
    assert parts["asks-for"].values == ("cause", "effect")
    assert [parts["asks-for"].of(gold) for gold in dev.golds[:2]] == [["cause"], ["effect"]]
    assert "premise" not in parts


def test_the_data_page_counts_kinds_and_words_apart(board: BoardView) -> None:
    train, dev, together = ({row.name: row.value for row in rows} for rows in
                            view_of(board.board).dataset(board)["described"].values())
    assert (train["items"], dev["items"], together["items"]) == (12, 24, 36)
    assert (dev["asks for cause"], dev["asks for effect"]) == (12, 12)
    assert "words of premise" in dev
    assert "words of asks for" not in dev
    assert (dev["explanations"], dev["different explanations"]) == (24, 24)
