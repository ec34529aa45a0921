"""A made board of 120 items whose rows are apart by known numbers of items, so that places differ.

Right in so many of the first items: strong 108, close 104, near 102, third 100, hidden 20. So
strong against close is 4 to 0 (p = 2 / 2^4 = .125), against near 6 to 0 (2 / 2^6 = .031), against
third 8 to 0 (2 / 2^8 = .008). An erratum gives every row item 120 besides.
"""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.browser.tiny_site import (
    HEBREW,
    IMAGE,
    PLAIN,
    ROOT,
    copy_pages,
    score_all,
    write_lines,
    write_yaml,
)

ITEMS = 120
RIGHT = {
    ("alpha-team", "strong"): 108, ("alpha-team", "weaker"): 106, ("beta-team", "close"): 104,
    ("gamma-team", "near"): 102, ("delta-team", "third"): 100, ("secret-folder", "hidden"): 20,
    ("omega-team", "gone"): 50, ("reference", "null"): 60,
}
"""How many of the first items a row has right."""
REASON = f"We found a bug. {IMAGE} {HEBREW} canary-withdrawn"
NAMELESS = "The Secret Team"
MORE = {
    "omega-team": {"withdrawn": REASON},
    "secret-folder": {"anonymous_until": "2999-01-01", "team": NAMELESS,
                      "links": [{"title": "secret link", "url": "https://example.org/secret"}]},
}
ERRATA = {
    "0001-dev-120": {"split": "dev", "row": ITEMS, "found": "The label is the wrong way round.",
                     "decision": "accepted", "reason": "Two adjudicators agree.", "since": "1.1"},
    "0002-dev-1": {"split": "dev", "row": 1, "found": "The shade is not needed.",
                   "decision": "declined", "reason": "Taste is no error."},
}
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
    board = folder / "boards" / "wide"
    (board / "data").mkdir(parents=True)
    (board / "errata").mkdir()
    write_yaml(board / "board.yaml", _board())
    write_yaml(board / "published.yaml", PUBLISHED)
    write_lines(board / "data" / "dev.tsv", [
        f"Garden {item} brings joy {item}.\tGarden {item} has shade and birds.\t{label(item)}\t"
        f"{graph(item)}" for item in range(1, ITEMS + 1)])
    for name, erratum in ERRATA.items():
        change = {"change": {"stance": label(ITEMS + 1)}} if "since" in erratum else {}
        write_yaml(board / "errata" / f"{name}.yaml", {"schema": 1, **erratum, **change})
    for (team, system), right in RIGHT.items():
        place = folder / "submissions" / "wide" / team / system
        place.mkdir(parents=True)
        write_yaml(place / "submission.yaml",
                   PLAIN | {"system": system.capitalize(), "team": team} | MORE.get(team, {}))
        write_lines(place / "predictions.dev.tsv", [
            f"{label(item if item <= right else item + 1)}\t{graph(item)}"
            for item in range(1, ITEMS + 1)])
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


def _board() -> dict[str, object]:
    practice = yaml.safe_load((ROOT / "boards/explagraphs-practice/board.yaml").read_text("utf-8"))
    practice |= {
        "id": "wide", "version": "1.1", "title": "Wide", "practice": False,
        "summary": "Made for tests.", "metrics": ["SA", "StCA", "G-ROUGE-L", "GED"],
        "ranking": ["StCA"],
        "splits": {"dev": {"file": "dev.tsv", "rows": ITEMS, "gold": "public"}},
    }
    return practice


PUBLISHED = {"schema": 1, "sources": [{
    "id": "a-paper", "title": "A paper", "url": "https://example.org/", "place": "Table 1",
    "split": "dev", "by": "Others", "what": "fine-tuned", "scale": 100, "note": "As printed.",
    "values": [{"system": "Printed", "printed": {"StCA": "43.3", "G-ROUGE-L": "20.0"}}],
}]}
