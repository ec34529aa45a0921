"""Every sentence about a fault of a predictions file, as a template.

There is one wording for this program and for the checker page (``site/browsing/checker.py``),
which fills the same templates of ``messages.json`` in the browser. ``{name}`` stands for a value
that the caller made into text; nothing else has a meaning. A name after a rule's id tells apart
what the rule may say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """What a rule found, and what it expected."""

    found: str
    expected: str


_TABLES = json.loads(Path(__file__).with_name("messages.json").read_bytes())

PROBLEM = "{path}:{line}:{column} {rule} {found}; expected {expected}; {advice}"
"""One fault on one line."""
FAULTS: Mapping[str, Fault] = {name: Fault(*words) for name, words in _TABLES["faults"].items()}
HINTS: Mapping[str, str] = _TABLES["hints"]
"""What to do where more can be said than the rule's own advice."""
DETAILS: Mapping[str, str] = _TABLES["details"]
"""One sentence for each finding in a graph or text; of some rules, several."""
FACT_DETAILS = {key: text.replace("Edge", "Fact").replace("edge", "fact")
                for key, text in DETAILS.items() if key.startswith("EG-") or key == "more"}
"""The same of graphs, for annotators: they call an edge a fact."""
SYNTAX: Mapping[str, str] = _TABLES["syntax"]
"""How a string departs from the exact form of a graph."""
GENERATION = '"obs1", "obs2" and "generations": {"model": ["one text"]}'
"""What a line of official JSON must hold; no template, for it has braces of its own."""
