"""What the site costs on boards that nobody has yet: made boards, from small to large.

    python -m benchmarks.bench_site_scale [EXAMPLES:SYSTEMS[:brief] ...]

Costs are told per unit, so that a cost that grows faster than its board is seen: a unit is one
example with its gold, or one system's answer to one example. The official board's budget (2.5 s and
60 MB for 2,854 examples and eight systems on 398 of them, 6,038 units) comes to 1.18 ms and 9.9 kB
a unit. Builds run in a process of their own; CPU seconds are of that, of mkdocs and of the
processes that draw, whose memory counts as often as there are of them.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import made_board
from benchmarks.bench_site import build

SIZES = ("1000:3", "10000:3", "10000:50", "10000:3:brief", "100000:3:brief")
BUDGET = {"CPU ms a unit": 2.5 * 2_854 / 6_038, "kB a unit": 60_000 / 6_038}


def measured(examples: int, systems: int, brief: bool) -> dict[str, Any]:
    """CPU milliseconds, kilobytes of output and memory above imports of one cold build."""
    with tempfile.TemporaryDirectory() as folder:
        root, out = Path(folder) / "root", Path(folder) / "_site"
        made_board.make(root, examples, systems, brief=brief)
        found = build(root, out, Path(folder) / "home")
        files = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
    units = examples * (1 + systems)
    if found["examples"] != examples:
        raise SystemExit(f"{found['examples']} examples were built, {examples} were made")
    return {"examples": examples, "systems": systems, "units": units,
            "graphs": "brief" if brief else "as usual", "CPU s": found["cpu"],
            "CPU ms a unit": found["cpu"] * 1_000 / units,
            "wall s": found["wall"], "processes": found["processes"],
            "MB above imports": found["memory"] - found["imported"]
            + (found["processes"] - 1) * max(0.0, found["child"] - found["imported"]),
            "MB written": sum(files) / 1e6, "kB a unit": sum(files) / 1e3 / units,
            "files": len(files)}


def main() -> None:
    """Print one line a size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_site_scale")
    parser.add_argument("sizes", nargs="*", metavar="EXAMPLES:SYSTEMS[:brief]",
                        help="boards to make")
    given = parser.parse_args()
    names: list[str] = []
    for size in given.sizes or SIZES:
        examples, systems, *brief = size.split(":")
        row = measured(int(examples), int(systems), bool(brief))
        if not names:
            names = list(row)
            print("| " + " | ".join(names) + " |\n|" + "---|" * len(names))
        print("| " + " | ".join(map(_cell, row.values())) + " |", flush=True)
    print("| " + " | ".join(_cell(BUDGET.get(name, "")) for name in names) + " |")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if value < 1_000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
