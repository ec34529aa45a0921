"""``scorer meta``: which metric agrees with people."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands.annotations import FOLDER, opened
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.annotations.aggregation import SystemVotes
    from scorer.annotations.documents import EstimateDocument, MetaDocument
    from scorer.records import Result


def _run(given: argparse.Namespace) -> int:
    """0; 3 for a result or a key that cannot be read."""
    from scorer.annotations import people
    from scorer.annotations.aggregation import votes_on_systems
    from scorer.annotations.documents import MetaDocument, MetaResults
    from scorer.annotations.judged import in_folder, metrics_beside_people
    from scorer.commands.options import write_json
    from scorer.errors import UsageError, excerpt
    from scorer.metrics.catalogue import METRICS

    workplace = opened(given)
    found = votes_on_systems(workplace, in_folder(given.results))
    if given.split and given.split not in found:
        raise UsageError(f"no closed batch has graphs of {excerpt(given.split)}; there are some "
                         f"of: {', '.join(found) or 'none'}")
    splits, simulated, left_out = {}, [], []
    for split, votes in found.items():
        if given.split in (None, split):
            results = _results(given.results, split, votes)
            left_out += [f"{split}: {system}" for system in votes if system not in results]
            splits[split] = MetaDocument.of(metrics_beside_people(votes, results, METRICS))
            voters = (login for one in votes.values() for login in one.voters)
            if people.simulated(workplace.people, voters):
                simulated.append(split)
    if given.json is not None:
        write_json(given.json, MetaResults(format="metric-agreement/1", splits=splits,
                                           simulated=simulated).to_json())
        return 0
    for split, document in splits.items():
        _show(split, document, split in simulated)
    if left_out:
        print(f"No scores of single items in {given.results}, so left out: {', '.join(left_out)}")
    if not splits:
        print("No closed batch has graphs of a system.")
    return 0


def _results(folder: Path, split: str, votes: dict[str, SystemVotes]) -> dict[str, Result]:
    from scorer.results import files

    board, _, name = split.rpartition("-")
    found = {}
    for system, one in votes.items():
        if one.judged is not None:
            team, _, own = system.partition("/")
            found[system] = files.read(files.result_path(folder, board, team, own, name))
    return found


def _show(split: str, found: MetaDocument, simulated: bool) -> None:
    note = "; SIMULATED votes, which say nothing of people" if simulated else ""
    print(f"{split}: {found.rated} graphs of {len(found.systems)} systems, {found.ratings} votes"
          f"{note}")
    print(f"  people among themselves, halves of each graph's votes: r {_told(found.half)}")
    rows = [("metric", "accuracy", "tau-b", "pairs as people", "systems tau-b")]
    for name, one in found.metrics.items():
        rows.append((name, "-" if one.accuracy is None else _told(one.accuracy),
                     _told(one.tau_b), _told(one.pairwise), _told(one.system_tau_b)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in
                               zip(row, widths, strict=True)).rstrip())


def _told(one: EstimateDocument) -> str:
    if one.value is None:
        return f"- ({one.note})" if one.note else "-"
    low, high = one.ci or (None, None)
    return f"{_figure(one.value)}" + ("" if low is None else f" [{_figure(low)}, {_figure(high)}]")


def _figure(value: Any) -> str:
    return f"{float(value):.3f}".replace("0.", ".", 1)


VERB = Action(
    "meta", "say how far each metric agrees with people's verdicts", _run,
    "scorer meta --results results\n"
    "scorer meta --split explagraphs-dev --json -", (
        option("--split", metavar="NAME", help="this board and split alone, such as "
               "explagraphs-dev"),
        option("--results", type=Path, default=Path("results"), metavar="DIR",
               help="scored systems with the scores of single items (default: results)"),
        option("--json", metavar="FILE", help="write it as JSON; -: to standard output"), FOLDER))
