"""The comment on a merged pull request: numbers, ids and slugs, nothing anybody wrote."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from scorer.ci.artifact import Outcome
from scorer.ci.errors import CODES
from scorer.ci.runner import code
from scorer.ci.state import Job
from scorer.hidden.release.decisions import NEAR, Decision
from scorer.metrics.catalogue import METRICS
from scorer.records import Interval, Result
from scorer.rules import lookup

LARGEST = 60_000
"""GitHub takes 65,536 characters."""


def text(rows: Sequence[tuple[Job, Outcome]], site: str) -> str:
    """What became of the splits of a pull request."""
    parts = [_part(job, outcome, site) for job, outcome in rows]
    return "\n\n".join(parts)[:LARGEST]


def _part(job: Job, outcome: Outcome, site: str) -> str:
    head = f"### {code('/'.join((job.board, job.team, job.system)))} {code(job.split)}\n\n"
    if outcome.result is not None:
        return head + _numbers(job, outcome.result, site)
    if outcome.kind == "rejected":
        rule = lookup(outcome.reason)
        return (f"{head}Rejected by {code(outcome.reason)}: {rule.text} "
                f"What to do: {rule.advice}.")
    if outcome.kind == "error":
        return f"{head}Not scored, {code(outcome.reason)}: {CODES[outcome.reason]}"
    return f"{head}The scoring machine failed; the next run tries again."


def _numbers(job: Job, result: Result, site: str) -> str:
    lines = ["| metric | value | 95 % interval | its null | lift |", "|---|---:|---:|---:|---:|"]
    for name, value in result.metrics.items():
        arrow = "higher" if METRICS[name].better == "higher" else "lower"
        cells = [_shown(value.value), _interval(value.interval), _shown(value.null),
                 _shown(value.lift)]
        lines.append(f"| {name} ({arrow} is better) | {' | '.join(cells)} |")
    if "release" in result.provenance:
        lines.append(f"\nHidden gold: {_release(result)}")
    lines.append(f"\nMeans over {result.counts['items']} items. Key {code(job.key)}.")
    if re.fullmatch(r"https://[A-Za-z0-9./_-]{1,200}", site):
        lines.append(f"\nThe row: {site.rstrip('/')}/boards/{job.board}/ (shown after the site is "
                     "built)")
    signatures = "\n".join(value.signature for value in result.metrics.values() if value.signature)
    lines += ["\n<details><summary>Signatures</summary>\n", "```", signatures.replace("`", "'"),
              "```", "\n</details>"]
    return "\n".join(lines)


def _release(result: Result) -> str:
    """What was released of a hidden split, or why nothing was."""
    release = result.provenance["release"]
    reason = Decision(release["answer"], datetime.date.fromisoformat(release["day"])).reason
    if release["answer"] == NEAR:
        reason = "no significant change: too few rows differ from an earlier submission"
    return f"{reason or 'values are rounded to a grid'}."


def _interval(found: Interval | None) -> str:
    if found is None or found.low is None or found.high is None:
        return "none"
    return f"{found.low:.4f} to {found.high:.4f}"


def _shown(number: float | None) -> str:
    return "not measured" if number is None else f"{number:.4f}"
