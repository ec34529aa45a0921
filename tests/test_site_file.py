"""``boards/site.yaml``: which boards a site is about, and their order."""

from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.boards import boards_folder, known_boards, load
from scorer.boards.reading import main_boards
from scorer.core.errors import SubmissionError
from scorer.site.reading.read import in_order
from scorer.site.records import BoardView

KNOWN = ("anlg", "anli", "explagraphs")


@pytest.mark.parametrize(("text", "place", "found"), [
    ("schema: 1\nboards: [anli, gone]\n", "2:16", "gone"),
    ("schema: 1\nboards: [anli, anli]\n", "2:16", "a second time"),
    ("schema: 1\nboards: []\n", "2:9", "0 entries"),
    ("schema: 1\nboard: [anli]\n", "2:1", "unknown field"),
])
def test_a_fault_has_its_position(text: str, place: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text(text)
    with pytest.raises(SubmissionError) as fault:
        main_boards(tmp_path, KNOWN)
    assert f"site.yaml:{place} META-" in str(fault.value)
    assert found in str(fault.value)


def test_main_boards_come_first_in_their_order_then_guests_and_practice_boards_by_title() -> None:
    folder = boards_folder()
    views = [BoardView(load(name, folder), ()) for name in known_boards(folder)]
    main = main_boards(folder, known_boards(folder))
    assert main == ("explagraphs", "anli", "anlg")
    found = in_order(views, main)
    assert [view.board.id for view in found[:4]] == [*main, "copa-sse"]
    groups = [view.group for view in found]
    assert groups == sorted(groups, key=["main", "guest", "practice"].index)
    assert groups.count("main") == 3


def test_without_the_file_every_board_that_is_not_for_practice_is_a_main_one(
    tmp_path: Path
) -> None:
    assert main_boards(tmp_path, KNOWN) is None
    folder = boards_folder()
    found = in_order([BoardView(load(name, folder), ()) for name in ("r4c", "copa-sse",
                                                                     "anli-practice")], None)
    assert [(view.board.title, view.group) for view in found] == [
        ("COPA-SSE", "main"), ("R4C", "main"), ("aNLI practice", "practice")]
