"""Run every benchmark: ``make bench`` writes ``RESULTS.md``, and long tables as CSV beside it.

    python -m benchmarks [--data DIR] [--reference CHECKOUT] [--art DIR] [--systems DIR]
                         [--boards DIR] [--home DIR] [--only NAME ...]
"""

from __future__ import annotations

import argparse
import csv
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
    bench_engines,
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
LONGEST = 20
"""Rows of a table on the page."""
COLUMNS = ("what", "ours", "theirs", "ratio", "unit", "note")
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
        "engines": bench_engines.run,
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
    OUT.write_text(replaced(OUT.read_text("utf-8"), sections), encoding="utf-8")
    print(f"{OUT} written")


def replaced(text: str, sections: dict[str, list[dict[str, Any]]]) -> str:
    """The page with some sections measured again, and the others as they were; a long table is a
    CSV file that its section links."""
    head, *rest = text.rstrip("\n").split("\n\n## ")
    known = {part.partition("\n")[0]: part for part in rest}
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES if _version(name))
    for name, rows in sections.items():
        said = (f"`python -m benchmarks {' '.join(_public(sys.argv[1:]))}`; {platform.machine()}, "
                f"{os.cpu_count()} cores, Python {platform.python_version()}; {versions}.")
        if len(rows) > LONGEST:
            _write(OUT.with_name(f"{name}.csv"), rows)
            body = [f"[{len(rows)} figures]({name}.csv)."]
        else:
            body = table(rows)
        known[name] = "\n".join([name, "", said, "", *body])
    return "\n\n## ".join([head, *(known[name] for name in sorted(known))]) + "\n"


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([row["name"], *(_figure(row[name]) for name in COLUMNS[1:4]),
                          row["unit"], row["note"]] for row in rows)


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
