"""``scorer ledger``: what happened to every row, whether that is untouched, any day's board."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from scorer.commands import options
from scorer.commands.options import Action, VerbGroup, option

if TYPE_CHECKING:
    pass


def _verify(given: argparse.Namespace) -> int:
    from scorer.ci import ledger_checks
    from scorer.errors import counted

    main = options.main_branch(given, given.at)
    found = list(ledger_checks.findings(main))
    _told(given, found, "\n".join(found) or
          f"{counted(len(main.ledger.lines()), 'line')}, and all of it holds")
    return 3 if found else 0


def _show(given: argparse.Namespace) -> int:
    lines = [line for line in options.main_branch(given, given.at).ledger.lines()
             if given.board in (None, line["board"]) and given.team in (None, line.get("team"))]
    _told(given, lines, "\n".join(_sentence(line) for line in lines) or "nothing yet")
    return 0


def _sentence(line: Any) -> str:
    """A line of the ledger as people read it; nothing that a stranger wrote stands there raw."""
    names = ("board", "team", "system", "split")
    place = "/".join(str(line[name]) for name in names if line.get(name))
    reasons = [line[name] for name in ("rule", "code", "reason", "decision") if line.get(name)]
    more = f": {ascii(reasons[0])[1:-1]}" if reasons else ""
    return f"{str(line.get('commit', ''))[:12]:12} {line['event']:10} {place}{more}"


def _board(given: argparse.Namespace) -> int:
    from scorer.ci import ledger_checks
    from scorer.errors import UsageError
    from scorer.metrics.catalogue import METRICS

    rows = ledger_checks.as_of(options.main_branch(given, given.at), given.board, given.split)
    if not rows:
        raise UsageError(f"no rows of {given.board} {given.split} at {given.at}")
    told = {name for row in rows for name in row["values"]}
    metrics = [*(name for name in METRICS if name in told), *sorted(told - METRICS.keys())]
    lines = [["system", *metrics], *([_name(row), *(_number(row["values"].get(name))
                                                   for name in metrics)] for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    _told(given, rows, "\n".join(
        "  ".join(cell.ljust(width) if at == 0 else cell.rjust(width)
                  for at, (cell, width) in enumerate(zip(line, widths, strict=True)))
        for line in lines))
    return 0


def _name(row: Any) -> str:
    return f"{row['team']}/{row['system']}{' (withdrawn)' if row['withdrawn'] else ''}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _told(given: argparse.Namespace, document: Any, text: str) -> None:
    if given.json:
        options.write_json(given.json, document)
    else:
        print(text)


_COMMON = (
    options.root,
    option("--at", default="HEAD", metavar="COMMIT",
           help="a tag, branch or commit (default: HEAD)"),
    option("--json", metavar="OUT", help="write JSON there instead; - for standard output"),
)
VERB = VerbGroup("ledger", "verify the ledger, read it, or see a board as it was", (
    Action("verify", "fail unless all of it holds", _verify, "scorer ledger verify", _COMMON),
    Action("show", "print its lines as sentences", _show,
           "scorer ledger show --board explagraphs --team my-team", (
               *_COMMON, option("--board", help="of this board"),
               option("--team", help="of this team"))),
    Action("board", "print a board as of any commit", _board,
           "scorer ledger board --board explagraphs --split dev --at v1.0\n"
           "scorer ledger board --board explagraphs --split dev --at 'main@{2027-01-31}' --json -",
           (
               *_COMMON, option("--board", required=True, help="the board"),
               option("--split", required=True, help="the split"))),
))
