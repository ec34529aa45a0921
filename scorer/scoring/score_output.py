"""What ``score`` does with results: it prints them, with what broke, their nulls and their ranks,
and saves them below the home folder, where the next site and ``compare`` find the rows.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from scorer.boards import Board, for_task, load
from scorer.boards.submission import (
    FILE_NAME,
    OWN,
    REFERENCE,
    RESERVED,
    SUBMISSIONS,
    place_of,
    predictions_path,
    splits_in,
)
from scorer.core.errors import DataError, counted, printable
from scorer.core.files import home_folder, write_atomically
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.comparing import number
from scorer.scoring.leaderboard.numbers import plain_p
from scorer.scoring.results import files, past
from scorer.scoring.results.leaderboard import path_of
from scorer.scoring.results.ranks import compared, rank_among, same_items, why_not
from scorer.scoring.submissions import Done
from scorer.scoring.summary import lift_verdict
from scorer.statistics import FEWEST
from scorer.statistics.comparison import verdict
from scorer.tasks.registry import TASKS

MOST_RULES = 5
"""Broken rules that are named."""


def show(done: Sequence[Done], board: str, boards: Path | None, folders: Sequence[Path], *,
         named: bool) -> str:
    """Print results in the order of their names; returns the row they were held against, if any.

    ``board``: the one that was named, if one was. ``folders``: where results of other rows may
    lie. ``named``: whether a user named each; then there is more to read than tables.
    """
    words, lines, baseline = dict[str, None](), list[str](), ""
    for result in (entry.result for entry in by_name(done)):
        if result is None:
            continue
        lines.append(table(result))
        words.update(dict.fromkeys(legend(result)))
        if named:
            described = load(for_task(board or result.board, boards), boards)
            against, other = against_baseline(described, result, folders)
            baseline = baseline or other
            lines += [broken_rules(result), against_null(described, result), against,
                      placed(described, result, folders)]
    if lines:
        print(*filter(None, lines), *(f"  {word}" for word in words), sep="\n")
    return baseline


def by_name(done: Sequence[Done]) -> list[Done]:
    """In the order of targets and splits."""
    return sorted(done, key=lambda entry: (entry.target, entry.split))


def counts(done: Sequence[Done], reuse: Path | None, *, resumed: bool) -> str:
    """How many results there are, in a line."""
    scored, reused = sum(one.result is not None for one in done), sum(one.reused for one in done)
    left = f"; {len(done) - scored} were there and are left" if resumed else ""
    taken = (f"; {reused} values that need a model are those of {reuse}, whose digests still fit"
             if reuse else "")
    return f"{counted(scored, 'result')}{left}{taken}"


# ---- one result ------------------------------------------------------------------------------


def table(result: Result) -> str:
    """A result as text: one line a metric."""
    title = "/".join(filter(None, (result.board, result.team, result.system)))
    gates = {name: n for name, n in result.counts.items() if isinstance(n, int) and name != "items"}
    tables = {name: rows for name, rows in result.counts.items()
              if name not in ("items", "broken", "strict", *gates)}
    lines = [
        f"{title} {result.split}: {counted(result.counts['items'], 'item')}, "
        + ", ".join(f"{n} {name}" for name, n in gates.items()),
        *(f"  {name}: " + "; ".join(
            f"{row} " + " ".join(f"{column} {n}" for column, n in cells.items())
            for row, cells in rows.items()) for name, rows in tables.items()),
        f"  {'metric':24}{'value':>9}{'P':>9}{'R':>9}{'passed':>9}{'null':>9}{'lift':>9}",
    ]
    for name, value in result.metrics.items():
        if value.value is None:
            lines.append(f"  {name:24}{'-':>9}  not measured: {value.reason}")
            continue
        cells = (value.value, value.parts.get("precision"), value.parts.get("recall"),
                 value.passed.value, value.null)
        shown = "".join(f"{'' if cell is None else number(cell, name):>9}" for cell in cells)
        if (lift := METRICS[name].lift(value)) is not None:
            shown += f"{number(lift, name, signed=True):>9}"
        flagged = f"  {value.flagged} {METRICS[name].flagged}" if value.flagged else ""
        lines.append(f"  {name:24}{shown}{flagged}")
    return "\n".join(lines)


def broken_rules(result: Result) -> str:
    """The rules that most items break, in a line; empty if none is broken."""
    broken = result.counts.get("broken", {})
    if not isinstance(broken, Mapping) or not any(broken.values()):
        return ""
    rules = sorted((-n, rule) for rule, n in broken.items() if n)
    more = f" and {counted(len(rules) - MOST_RULES, 'rule')} more" if rules[MOST_RULES:] else ""
    named = ", ".join(f"{rule} in {counted(-n, 'item')}" for n, rule in rules[:MOST_RULES])
    return f"  broken most: {named}{more}; scorer check shows the rows"


def legend(result: Result) -> Iterator[str]:
    """What the words of its table mean, those that stand there."""
    values = result.metrics.values()
    flagged = {METRICS[name].flagged for name, value in result.metrics.items() if value.flagged}
    yield ("value: over all items; one that fails a gate gets the worst score; in percent, "
           "distances from 0 to 1")
    for there, words in (
        (any(value.parts for value in values), "P, R: precision and recall"),
        (any(value.passed.value is not None for value in values),
         "passed: over the items that passed every gate; never ranked"),
        (any(value.null is not None for value in values),
         "null: the same submission with answers that say nothing; lift: how much better it is"),
        ("bounds" in flagged, "bounds: items whose score is a bound"),
        (flagged - {"bounds"}, "refused, not judged: items without a judge's answer; they count 0"),
    ):
        if there:
            yield words
    yield from (f"{name}: {words}" for name, words in TASKS[result.task].meanings.items())


# ---- beside others ---------------------------------------------------------------------------


def _ranking(board: Board, result: Result) -> str:
    """The first metric of those that rank, else of all, that a result measured; empty if none."""
    names = dict.fromkeys([*board.ranking, *board.metrics])
    return next((name for name in names if not why_not(name, result, result)), "")


def against_null(board: Board, result: Result) -> str:
    """The difference to the submission's own null; empty if there is no test of it."""
    if not (name := _ranking(board, result)):
        return ""
    value, metric = result.metrics[name], METRICS[name]
    lift = metric.lift(value)
    if lift is None or value.versus_null is None:
        return ""
    word = lift_verdict(value, metric)
    words = {"same": "no significant difference",
             "untested": f"no verdict: {counted(value.n, 'item')}, fewer than {FEWEST}"}
    return (f"  {name} against its null: {number(lift, name, signed=True)}, "
            f"{plain_p(value.versus_null.p)}: {words.get(word, word)}")


def against_baseline(board: Board, result: Result, folders: Sequence[Path]) -> tuple[str, str]:
    """The difference to the best reference row at hand that saw no gold, and that row's key; both
    empty if there is none."""
    name, rows = _ranking(board, result), dict[str, Result]()
    for system, made in board.task.baselines.items():
        path = files.find(folders, board.id, REFERENCE, system, result.split)
        if name and path and system != result.system and not (made.saw_gold or made.against):
            with suppress(DataError):
                row = files.read(path)
                if not why_not(name, result, row) and same_items(result, row):
                    rows[f"{REFERENCE}/{system}"] = row
    if not rows:
        return "", ""
    metric = METRICS[name]
    sign = 1 if metric.better == "higher" else -1
    key = max(rows, key=lambda key: sign * (rows[key].metrics[name].value or 0.0))
    test = compared(name, result, rows[key])
    words = verdict(test, a="this row", b=key, number=lambda value: number(value, name))
    return (f"  {name} against {key}, the best baseline here: "
            f"{number(sign * test.difference, name, signed=True)}, {plain_p(test.p)}: {words}"), key


def placed(board: Board, result: Result, folders: Sequence[Path]) -> str:
    """The ranks that a result would have among the ranked rows; empty where nobody has one."""
    paths = (path_of(folder, board.id, result.split) for folder in folders)
    # As plain JSON: reading the whole document would make every score slower.
    known: Any = next((json.loads(path.read_bytes()) for path in paths if path.is_file()), {})
    if known.get("board_version") != board.version or known["order"]["by"] not in result.metrics:
        return ""
    metric, own = known["order"]["by"], f"{result.team}/{result.system}".strip("/") or "this file"
    titles = {row["key"]: row.get("title", row["key"]) for row in known["rows"] if "rank" in row}
    rows: dict[str, Result] = {}
    for key in titles:
        team, _, system = key.partition("/")
        path = files.find(folders, board.id, team, system, result.split)
        if key != own and path and files.items_path(path).is_file():
            row = files.read(path)
            rows.update({key: row} if metric in row.metrics else {})
    ranked = rank_among(metric, result, own, rows)
    if ranked is None:
        return ""
    near = [f"{word} {titles[key]} ({number(value, metric)})"
            for word, key in (("below", ranked.above), ("above", ranked.below))
            if key and (value := rows[key].metrics[metric].value) is not None]
    ranks = " to ".join(map(str, dict.fromkeys(ranked.rank[:2])))
    return (f"  beside the {counted(len(rows), 'ranked system')} here it would rank {ranks} by "
            f"{metric}, {' and '.join(near)}; it has no rank until it is published")


# ---- saved ------------------------------------------------------------------------------------


def describe(done: Sequence[Done], out: Path, submissions: Path) -> None:
    """Keep beside its results what a row of ours says of itself, if the repository has it not."""
    for folder in dict.fromkeys(entry.target for entry in done if entry.target.is_dir()):
        name = place_of(folder)
        if name.team == OWN and not submissions.joinpath(*name).is_dir():
            write_atomically(out.joinpath(*name) / FILE_NAME, (folder / FILE_NAME).read_bytes())


def save(done: Sequence[Done], home: Path, submissions: Path) -> tuple[list[Path], list[str]]:
    """Save results of folders below the home folder, and a submission that no site would find where
    it lies; ``submissions``: the checkout's own.

    Nothing is saved of reserved teams, and nothing that the checkout's submission of the same name
    would hide from the site. Returns where results were written, and why others were not.
    """
    paths, reasons = list[Path](), dict[str, None]()
    for entry in done:
        if entry.result is not None and entry.target.is_dir():
            try:
                saved = _save(entry.target, entry.result, home, submissions)
            except (DataError, OSError) as fault:
                saved = f"not saved: {fault}"
            if isinstance(saved, Path):
                paths.append(saved)
            else:
                reasons[saved] = None
    return paths, [*reasons]


def _save(folder: Path, result: Result, home: Path, submissions: Path) -> Path | str:
    name = place_of(folder)
    if name.team in RESERVED:
        return (f"not saved: {name.team} is a team that only the maintainers write; add "
                "--results DIR to keep its scores")
    theirs, ours = (top.joinpath(*name) for top in (submissions, home / SUBMISSIONS))
    if folder.resolve() != theirs.resolve():
        sent, others = _files(folder), _files(theirs)
        if others and others != sent:
            return (f"not saved: {theirs} is another submission of the same name; rename one of "
                    "them, or add --results DIR")
        if not others and folder.resolve() != ours.resolve():
            _copy(sent, ours)
    path = files.result_path(home / "results", *name, result.split)
    if more := _measured_more(path, result):
        return (f"kept:  {path}: of the same predictions, and it has {', '.join(more)} too; "
                f"--results {home / 'results'} replaces it")
    return past.write(result, home / "results")


def _measured_more(path: Path, new: Result) -> list[str]:
    """The metrics that a saved result of the same predictions has and ``new`` has not, if all that
    both have is of one signature."""
    try:
        old = files.read(path)
    except DataError:
        return []
    was, now = ({name: value.signature for name, value in result.metrics.items()
                 if value.value is not None} for result in (old, new))
    same = old.predictions.sha256 == new.predictions.sha256 and all(
        was[name] == now[name] for name in was.keys() & now.keys())
    return [name for name in was if name not in now] if same else []


def _files(folder: Path) -> dict[str, bytes]:
    paths = [folder / FILE_NAME, *(predictions_path(folder, split) for split in splits_in(folder))]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _copy(sent: Mapping[str, bytes], to: Path) -> None:
    """Copy a submission; what it no longer has goes from an older copy."""
    there = _files(to)
    for name in there.keys() - sent.keys():
        (to / name).unlink()
    for name, content in sent.items():
        if there.get(name) != content:
            write_atomically(to / name, content)


def saved_text(paths: Sequence[Path], reasons: Sequence[str], home: Path, boards: Path | None,
               baseline: str) -> list[str]:
    """Where results were saved, why others were not, and what to do next; ``baseline``: a row to
    compare with."""
    lines = [*reasons]
    if paths:
        lines.insert(0, f"saved: {paths[0]}" if len(paths) == 1 else
                     f"saved: {counted(len(paths), 'result')} below {home / 'results'}")
        [*_, board, team, system, _] = paths[0].parts
        at = "" if home == home_folder() else f" --home {shlex.quote(str(home))}"
        if Path("boards", board, "board.yaml").is_file():
            lines.append(f"next:  scorer site build{at}    # shows the row as a local preview")
        if baseline:
            folder = ("" if boards in (None, Path("boards"))
                      else f" --boards {shlex.quote(str(boards))}")
            lines.append(f"next:  scorer compare {team}/{system} {baseline} --board {board} "
                         f"--split {paths[0].stem}{folder}{at}")
    return [printable(line) for line in lines]
