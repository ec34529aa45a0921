"""A made board of 120 items whose rows are apart by known numbers of items, so that places differ.

Right in so many of the first items: strong 108, close 104, near 102, third 100, hidden 20. So
strong against close is 4 to 0 (p = 2 / 2^4 = .125), against near 6 to 0 (2 / 2^6 = .031), against
third 8 to 0 (2 / 2^8 = .008). An erratum gives every row item 120 besides.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests import case_files
from tests.browser.tiny_site import (
    PLAIN,
    add_board,
    add_submission,
    copy_pages,
    filled,
    score_all,
    write_lines,
    write_yaml,
)

_WRITTEN = filled(case_files.read("wide.yaml"))
ITEMS = 120
RIGHT: dict[tuple[str, str], int] = {
    (team, system): right for row, right in _WRITTEN["right"].items()
    for team, _, system in [row.partition("/")]}
"""How many of the first items a row has right."""
REASON: str = _WRITTEN["more"]["omega-team"]["withdrawn"]
NAMELESS = "The Secret Team"
LABELS = ("support", "counter")


def label(item: int) -> str:
    """What the gold file says of an item, counted from 1."""
    return LABELS[item % 2]


def graph(item: int) -> str:
    """The gold graph of an item, which every row repeats."""
    return (f"(garden {item}; has property; shade)(shade; causes; birds)"
            f"(birds; causes; joy {item})")


def make_wide_root(folder: Path) -> Path:
    """A checkout with the board, its rows scored, errata, and past values of the first row."""
    copy_pages(folder)
    items = range(1, ITEMS + 1)
    board = add_board(
        folder, "wide", [
            (f"Garden {item} brings joy {item}.", f"Garden {item} has shade and birds.",
             label(item), graph(item)) for item in items],
        version="1.1", metrics=["SA", "StCA", "G-ROUGE-L", "GED"], ranking=["StCA"])
    write_yaml(board / "published.yaml", _WRITTEN["published"])
    (board / "errata").mkdir()
    for name, erratum in _WRITTEN["errata"].items():
        write_yaml(board / "errata" / f"{name}.yaml", erratum)
    for (team, system), right in RIGHT.items():
        known = PLAIN | {"system": system.capitalize(), "team": team}
        add_submission(folder, "wide", team, system, known | _WRITTEN["more"].get(team, {}), [
            f"{label(item if item <= right else item + 1)}\t{graph(item)}" for item in items])
    score_all(folder)
    before = {"schema": 1, "key": "old", "made_by": {
        "scorer": "0.0.9", "board": "1.1", "gold": _gold(folder)},
        "values": {"StCA": 0.75, "G-OLD": 0.5}, "signatures": {}, "ranks": {"StCA": [1, 4]}}
    write_lines(folder / "results" / "wide" / "alpha-team" / "strong" / "dev.past.jsonl",
                [json.dumps(before)])
    return folder


def _gold(folder: Path) -> str:
    path = folder / "results" / "wide" / "alpha-team" / "strong" / "dev.json"
    found: str = json.loads(path.read_bytes())["gold"]["id"]
    return found
