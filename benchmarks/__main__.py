"""Run every benchmark and write ``benchmarks/RESULTS.md``: ``make bench``.

    python -m benchmarks [--data DIR] [--reference CHECKOUT] [--art DIR] [--systems DIR]
                         [--boards DIR] [--home DIR] [--only NAME ...]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import Any

from benchmarks import (
    attacks_on_hidden_gold,
    bench_agreement,
    bench_anlg,
    bench_annotating,
    bench_annotations,
    bench_ged,
    bench_imports,
    bench_judges,
    bench_matching,
    bench_queue,
    bench_rows,
    bench_score,
    bench_site,
    bench_statistics,
    bench_systems,
)

OUT = Path(__file__).parent / "RESULTS.md"
PACKAGES = ("numpy", "scipy", "networkx", "nltk", "pycocoevalcap", "rouge-score", "bert-score",
            "spacy", "torch", "transformers", "mkdocs-material")


def main() -> None:
    """Run them and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with the official ExplaGraphs files")
    parser.add_argument("--reference", type=Path, help="checkout of github swarnaHub/ExplaGraphs")
    parser.add_argument("--art", type=Path, help="folder with aNLG's validation contexts")
    parser.add_argument("--systems", type=Path, help="folder where trained systems are kept")
    parser.add_argument("--boards", type=Path, help="folder with the files of all boards")
    parser.add_argument("--home", type=Path, help="home folder that `make rows` left")
    parser.add_argument("--only", nargs="*", default=[], help="these alone; the other sections "
                        "stay as they are")
    given = parser.parse_args()
    suites = {
        "agreement": lambda: bench_agreement.run(given.data),
        "anlg": lambda: bench_anlg.run(given.art),
        "annotating": bench_annotating.run,
        "annotations": bench_annotations.run,
        "attacks": attacks_on_hidden_gold.run,
        "ged": lambda: bench_ged.run(given.data),
        "imports": bench_imports.run,
        "judges": lambda: bench_judges.run(given.data),
        "matching": lambda: bench_matching.run(given.data),
        "queue": bench_queue.run,
        "rows": lambda: bench_rows.run(given.boards, given.home),
        "score": lambda: bench_score.run(given.data, given.reference),
        "site": lambda: bench_site.run(given.data),
        "statistics": bench_statistics.run,
        "systems": lambda: bench_systems.run(given.data, given.systems, given.reference),
    }
    sections = {}
    for name in given.only or suites:
        print(f"{name} ...", file=sys.stderr, flush=True)
        sections[name] = suites[name]()
    text = (replaced(OUT.read_text("utf-8"), sections) if given.only
            else document(sections, given.data is not None))
    OUT.write_text(text, encoding="utf-8")
    print(f"{OUT} written")


def document(sections: dict[str, list[dict[str, Any]]], real: bool) -> str:
    """The tables with what they were measured on."""
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES if _version(name))
    lines = [
        "# Benchmarks", "",
        "Written by `make bench`. Ratios are of medians in one run: above 1, ours is faster or "
        "smaller.", "",
        f"- Machine: {platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}",
        f"- Versions: {versions}",
        f"- Command: `python -m benchmarks {' '.join(_public(sys.argv[1:]))}`",
        f"- Data: {'official ExplaGraphs dev' if real else 'practice board and made-up graphs'}",
    ]
    for name, rows in sections.items():
        lines += ["", f"## {name}", "", *table(rows)]
    return "\n".join(lines) + "\n"


def replaced(text: str, sections: dict[str, list[dict[str, Any]]]) -> str:
    """The tables with some sections measured again, in a run of its own, and the others as they
    were."""
    head, *rest = text.rstrip("\n").split("\n\n## ")
    known = {part.partition("\n")[0]: part for part in rest}
    command = f"A run of its own (`python -m benchmarks {' '.join(_public(sys.argv[1:]))}`)."
    for name, rows in sections.items():
        known[name] = "\n".join([name, "", command, "", *table(rows)])
    return "\n\n## ".join([head, *(known[name] for name in sorted(known))]) + "\n"


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The lines of one table."""
    return ["| what | ours | theirs | ratio | unit | note |", "|---|---|---|---|---|---|", *([
        f"| {row['name']} | {_figure(row['ours'])} | {_figure(row['theirs'])} | "
        f"{_figure(row['ratio'])} | {row['unit']} | {row['note']} |"
        for row in rows
    ] or ["| needs `--data` | | | | | |"])]


def _public(arguments: list[str]) -> list[str]:
    """Arguments without the folders of the machine."""
    return ["DIR" if "/" in argument else argument for argument in arguments]


def _figure(value: Any) -> str:
    return "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
