"""What a command imports before it works: how many modules, how long, and which of ``LARGE``.

Each command runs a few times in a new interpreter with ``-X importtime``; of every module the least
time of all runs counts, so that other work on the machine adds little.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RUNS = 7
LARGE = ("numpy", "scipy", "networkx", "pydantic", "pandas", "jinja2", "torch", "transformers")
PRACTICE = Path("submissions/explagraphs-practice/reference/edited-gold/predictions.dev.tsv")
GOLD = Path("boards/explagraphs-practice/data/dev.tsv")
BOARD = ("--board", "explagraphs-practice")

COMMANDS: dict[str, tuple[str, ...]] = {
    "import scorer": ("-c", "import scorer"),
    "scorer check FILE": ("-m", "scorer", "check", str(PRACTICE), *BOARD),
    "scorer score FILE --gold FILE --models no": (
        "-m", "scorer", "score", str(PRACTICE), *BOARD, "--gold", str(GOLD), "--models", "no"),
    "the same with --split, beside saved baselines": (
        "-m", "scorer", "score", str(PRACTICE), *BOARD, "--split", "dev", "--models", "no"),
}

_LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)")


def run() -> list[dict[str, Any]]:
    """Rows (name, ours, theirs, ratio, unit, note)."""
    rows: list[dict[str, Any]] = []
    for name, arguments in COMMANDS.items():
        modules = imported(arguments)
        there = [library for library in LARGE if library in modules]
        note = f"of the large libraries: {', '.join(there) or 'none'}"
        for what, value, unit in (("modules", len(modules), "modules"),
                                  ("their imports", sum(modules.values()), "ms")):
            rows.append({"name": f"{name}: {what}", "ours": value, "theirs": None, "ratio": None,
                         "unit": unit, "note": note})
    return rows


def imported(arguments: Sequence[str], runs: int = RUNS) -> dict[str, float]:
    """Milliseconds of each module that a Python with these arguments imports, without those that
    it imports itself."""
    least: dict[str, float] = {}
    for _ in range(runs):
        ran = subprocess.run([sys.executable, "-X", "importtime", *arguments], check=True,
                             capture_output=True, text=True, env=environment())
        for microseconds, module in _LINE.findall(ran.stderr):
            least[module] = min(float(microseconds) / 1000, least.get(module, float("inf")))
    return least


def environment() -> dict[str, str]:
    """This process's, in which Python keeps the code that it has compiled."""
    return {name: value for name, value in os.environ.items()
            if name != "PYTHONDONTWRITEBYTECODE"}
