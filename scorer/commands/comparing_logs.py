"""``scorer compare`` of two logs of another harness: of any task, without a board."""

from __future__ import annotations

import argparse
from pathlib import Path

from scorer.commands import options


def are_logs(args: argparse.Namespace) -> bool:
    """Whether A and B are logs: no board is named, and one of them looks like a log."""
    from scorer.lab.logs.pairing import looks_like_a_log

    return not args.board and not args.split and any(
        looks_like_a_log(Path(name)) for name in (args.a, args.b))


def run(args: argparse.Namespace) -> int:
    """Compare every metric that both logs have, sample by sample."""
    from scorer.lab.logs.report import compare

    report = compare(Path(args.a), Path(args.b), metrics=args.metric or (), lower=args.lower or (),
                     cluster=args.cluster)
    if args.json:
        options.write_json(args.json, report.document())
    if args.json != "-":
        print(report.text())
    return 0
