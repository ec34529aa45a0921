"""``scorer compare`` of two logs of another harness: of any task, without a board."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.commands import options
from scorer.commands.options import p_equals, p_text

if TYPE_CHECKING:
    from scorer.comparing.gathering import Log
    from scorer.comparing.pairing import Paired
    from scorer.comparing.testing import Tested
    from scorer.records import Interval

_WIDTH = 80
MOST_LISTED = 20
"""Logs of a task that are written out."""


def are_logs(given: argparse.Namespace) -> bool:
    """Whether A and B are logs: no board is named, and one of them looks like a log."""
    return not given.board and not given.split and any(
        _looks_like_a_log(Path(name)) for name in (given.a, given.b))


def _looks_like_a_log(path: Path) -> bool:
    return path.suffix in (".eval", ".json", ".jsonl") or (
        path.is_dir() and any((*path.glob("samples_*.jsonl"), *path.glob("*/samples_*.jsonl"),
                               *path.glob("*.eval"), *path.glob("*.json"))))


def run(given: argparse.Namespace) -> int:
    """Compare every metric that both logs have, sample by sample."""
    from scorer.comparing.pairing import check, notes, paired
    from scorer.comparing.reading import clean
    from scorer.comparing.testing import tested
    from scorer.errors import UsageError

    if given.a == given.b:
        raise UsageError(f"{given.a} twice; name two logs")
    logs, alone = _logs(given)
    pairs: list[Paired] = []
    said, why = list(alone), dict[str, str]()
    wanted, lower = given.metric or [], given.lower or []
    for a, b in logs:
        check(a, b)
        task = f"{a.task}: " if len(logs) > 1 else ""
        said += [f"{task}{note}" for note in notes(a, b)]
        found, not_compared = paired(a, b, wanted, lower=lower, clustered=bool(given.cluster))
        pairs += [_renamed(one, task) for one in found]
        why |= {f"{task}{metric}": reason for metric, reason in not_compared.items()}
    if not pairs or (wanted and why):
        raise UsageError("\n".join([f"{metric} cannot be compared: {reason}"
                                    for metric, reason in why.items()]
                                   or ["no metric in both logs; score both in the same way",
                                       *map(clean, said)]))
    results = tested(pairs)
    if given.json:
        options.write_json(given.json, document(logs, results, said, why))
    if given.json != "-":
        print(text(logs, results, said, why))
    return 0


def _renamed(pair: Paired, task: str) -> Paired:
    from dataclasses import replace

    return replace(pair, metric=task + pair.metric)


class _Tasks(NamedTuple):
    """What a folder has: task -> its logs, how each is described, and notes."""

    logs: Mapping[str, Sequence[Path]]
    described: Mapping[Path, str]
    notes: Sequence[str]


def _logs(given: argparse.Namespace) -> tuple[list[tuple[Log, Log]], list[str]]:
    """Pairs of logs, task by task, and what a reader should know of the choice."""
    from scorer.errors import UsageError

    a, b = Path(given.a), Path(given.b)
    if not (a.is_dir() or b.is_dir()):
        return [(_read(a, given.cluster), _read(b, given.cluster))], []
    if not (a.is_dir() and b.is_dir()):
        return _folder_and_log(a, b, given.cluster)
    one, two = _found_in(a), _found_in(b)
    both = [task for task in one.logs if task in two.logs]
    if not both:
        raise UsageError(f"no task has logs in both folders: A has {_tasks(one.logs)}, B has "
                         f"{_tasks(two.logs)}; name two logs, or run lm_eval with --log_samples")
    _refuse_several([(place, found, task) for task in both
                     for place, found in ((a, one), (b, two))])
    alone = [f"only {side} has logs of {_tasks(names)}"
             for side, names in (("A", [task for task in one.logs if task not in two.logs]),
                                 ("B", [task for task in two.logs if task not in one.logs]))
             if names]
    return [(_read(one.logs[task][0], given.cluster), _read(two.logs[task][0], given.cluster))
            for task in both], [*one.notes, *two.notes, *alone]


def _folder_and_log(a: Path, b: Path, cluster: str | None) -> tuple[list[tuple[Log, Log]],
                                                                    list[str]]:
    """The log that is named, and that of its task in the folder."""
    from scorer.comparing.reading import LogFault

    place, file = (a, b) if a.is_dir() else (b, a)
    log, found = _read(file, cluster), _found_in(place)
    task = log.task if log.task or len(found.logs) != 1 else next(iter(found.logs))
    if task not in found.logs:
        raise LogFault(str(place), f"no log of {_named(task)}; it has {_tasks(found.logs)}",
                       "name two logs of one task")
    _refuse_several([(place, found, task)])
    other = _read(found.logs[task][0], cluster)
    return [(other, log) if place == a else (log, other)], [*found.notes]


def _found_in(folder: Path) -> _Tasks:
    """The logs of a folder: samples of lm-evaluation-harness, else logs of inspect_ai."""
    from scorer.comparing import inspect_logs, lm_eval_logs
    from scorer.comparing.reading import LogFault

    samples = lm_eval_logs.found_in(folder)
    if samples:
        return _Tasks({task: [path] for task, path in samples.items()}, {}, [])
    logs, notes = inspect_logs.found_in(folder)
    if not logs:
        raise LogFault(str(folder), "no logs", "\n".join([
            "name two logs, or add --board and --split to compare submissions", *notes]))
    return _Tasks({task: [one.path for one in listed] for task, listed in logs.items()},
                  {one.path: str(one) for listed in logs.values() for one in listed}, notes)


def _refuse_several(chosen: Sequence[tuple[Path, _Tasks, str]]) -> None:
    """Raise UsageError, with the list, where a folder has several logs of a task."""
    from scorer.errors import UsageError

    faults = []
    for place, found, task in chosen:
        logs = found.logs[task]
        if len(logs) > 1:
            faults.append(f"{place} has {len(logs)} logs of {_named(task)}; name one:")
            faults += [f"  {found.described[path]}" for path in logs[:MOST_LISTED]]
            faults += [f"  and {len(logs) - MOST_LISTED} more"] if logs[MOST_LISTED:] else []
    if faults:
        raise UsageError("\n".join(faults))


def _named(task: str) -> str:
    """A task in messages."""
    from scorer.errors import excerpt

    return f"the task {excerpt(task)}" if task else "a task that is not named"


def _tasks(names: Any) -> str:
    return ", ".join(sorted(map(str, names))[:5]) + (
        f" and {len(names) - 5} more" if len(names) > 5 else "") or "none"


def _read(path: Path, cluster: str | None) -> Log:
    """The log at a path. Raises LogFault."""
    from scorer.comparing import inspect_logs, lm_eval_logs
    from scorer.comparing.reading import LogFault

    if path.suffix == ".jsonl":
        return lm_eval_logs.read(path, cluster)
    if path.suffix in (".eval", ".json"):
        return inspect_logs.read(path, cluster)
    raise LogFault(str(path), "neither .eval, .json nor .jsonl",
                   "name two logs, or add --board and --split to compare submissions")


def text(logs: Sequence[tuple[Log, Log]], results: Sequence[Tested], notes: Sequence[str],
         why: dict[str, str]) -> str:
    """The comparison, in 80 columns."""
    from scorer.errors import counted, printable

    a, b = logs[0]
    many = f"{counted(len(logs), 'task')}" if len(logs) > 1 else a.task or "task not named"
    lines = [f"{many} ({a.harness})", f"  A  {_side(a, logs)}", f"  B  {_side(b, logs)}", ""]
    if len(results) > 1:
        lines += [*_overview(results), ""]
    for one in results:
        lines += [*_block(one), ""]
    notes = [*notes, *_no_answers(logs)]
    if notes or why:
        lines += ["notes", *(_wrapped(note) for note in notes),
                  *(_wrapped(f"{metric} not compared: {reason}") for metric, reason in why.items()),
                  ""]
    taken = [one.paired.metric for one in results if not one.paired.said]
    lines.append(_foot(taken, len(results)))
    return printable("\n".join(lines))


def _side(log: Log, logs: Sequence[object]) -> str:
    path = log.path if len(logs) == 1 else str(Path(log.path).parent)
    return f"{path}{f'{chr(10)}     {log.model}' if log.model else ''}"


def _overview(results: Sequence[Tested]) -> list[str]:
    wide = min(36, max(len(one.paired.metric) for one in results))
    lines = [f"  {'metric':{wide}}{'A':>9}{'B':>9}{'A - B':>10}{'p':>8}{'Holm':>8}"]
    lines += [f"  {_cut(one.paired.metric, wide):{wide}}{_n(one.found.a):>9}{_n(one.found.b):>9}"
              f"{_n(one.found.difference, '+'):>10}{p_text(one.found.p):>8}"
              f"{p_text(one.p_holm):>8}" for one in results]
    return lines


def _cut(name: str, wide: int) -> str:
    return name if len(name) <= wide else f"...{name[3 - wide:]}"


def _n(value: float, sign: str = "") -> str:
    return f"{value:{sign}.4f}" if abs(value) < 1000 else f"{value:{sign}.4g}"


def _block(one: Tested) -> list[str]:
    from scorer.comparing.pairing import listed
    from scorer.errors import counted

    found, pair = one.found, one.paired
    clusters = f", {one.clusters} clusters" if one.clusters else ""
    lines = [f"{pair.metric}: {counted(found.n, 'sample')}{clusters}"
             f"{'' if pair.higher else ', lower is better'}"]
    lines += [f"  {name:6}{_n(value, sign):>10}  {_bounds(interval, sign)}"
              for name, value, interval, sign in (
                  ("A", found.a, one.a, ""), ("B", found.b, one.b, ""),
                  ("A - B", found.difference, found.interval, "+"))]
    mid = "" if found.p_mid is None else f" (mid-p {p_text(found.p_mid)})"
    test = "exact McNemar" if found.test == "mcnemar" else "paired permutation"
    lines += [f"  {test}: {p_equals(found.p)}{mid}; "
              f"A better on {len(found.wins)}, B on {len(found.losses)}, "
              f"equal on {found.ties}",
              f"  {one.verdict()}"]
    lines += [_wrapped(f"{side} better: {listed([pair.ids[row - 1] for row in rows])}")
              for side, rows in (("A", found.wins), ("B", found.losses)) if rows]
    lines += [_wrapped(f"left out, {why}: {listed(ids)}") for why, ids in pair.left_out.items()]
    return lines


def _bounds(found: Interval, sign: str) -> str:
    if found.low is None or found.high is None:
        return f"no interval: {found.note}"
    return f"95 % {_n(found.low, sign)} to {_n(found.high, sign)}"


def _no_answers(logs: Sequence[tuple[Log, Log]]) -> list[str]:
    from scorer.errors import counted

    found = []
    for pair in logs:
        for side, log in zip("AB", pair, strict=True):
            metrics: dict[int, list[str]] = {}
            for metric in log.metrics:
                metrics.setdefault(log.no_answers.get(metric, 0), []).append(metric)
            found += [f"{side}: {counted(count, 'answer')} missing or refused, scored as logged: "
                      f"{', '.join(names)}" for count, names in metrics.items() if count]
    return found


def _wrapped(line: str) -> str:
    import textwrap

    return textwrap.fill(line, _WIDTH, initial_indent="  ", subsequent_indent="    ",
                         break_on_hyphens=False)


def _foot(taken: Sequence[str], metrics: int) -> str:
    import textwrap

    from scorer.comparing.pairing import listed

    said = "Tests are two-sided; intervals are for new samples of the same kind. "
    if metrics > 1:
        said += "Verdicts use p corrected by Holm for all metrics shown. "
    if taken:
        which = f" for {listed(taken)}" if len(taken) < metrics else ""
        said += (f"The logs do not say whether higher is better{which}; we assume so (else "
                 "--lower METRIC). ")
    return textwrap.fill(f"{said}See: scorer handbook statistics", _WIDTH)


def document(logs: Sequence[tuple[Log, Log]], results: Sequence[Tested], notes: Sequence[str],
             why: dict[str, str]) -> dict[str, Any]:
    """Every number and every sample, for programs."""
    from dataclasses import asdict

    return {
        "schema": 1,
        "harness": logs[0][0].harness,
        "tasks": [{"task": a.task, **{side: {
            "path": log.path, "model": log.model, "version": log.version,
            "samples": len(log.samples), "epochs": log.epochs, "no_answers": dict(log.no_answers),
            "alone": [name for name in log.samples if name not in other.samples],
        } for side, log, other in (("a", a, b), ("b", b, a))}} for a, b in logs],
        "metrics": {
            one.paired.metric: {
                **asdict(one.found), "difference": one.found.difference, "ties": one.found.ties,
                "wins": [one.paired.ids[row - 1] for row in one.found.wins],
                "losses": [one.paired.ids[row - 1] for row in one.found.losses],
                "a_interval": asdict(one.a), "b_interval": asdict(one.b), "p_holm": one.p_holm,
                "clusters": one.clusters, "verdict": one.verdict(),
                "better": "higher" if one.paired.higher else "lower",
                "better_said": one.paired.said,
                "left_out": {reason: list(ids) for reason, ids in one.paired.left_out.items()},
            } for one in results
        },
        "not_compared": why,
        "notes": list(notes),
    }
