"""``scorer score``: score submissions or a predictions file."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import named, options, placing, running, saving, score_text
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.board import Board
    from scorer.reading.tsv import File
    from scorer.records import Result
    from scorer.runs.planning import JobOutcome, SplitJob
    from scorer.scoring.submissions import Scorer, ScorerRecipe, SplitGold

GOLDS = ("source", "references")
"""Roles of gold that comes in several files, as options say them."""


def run(given: argparse.Namespace) -> int:
    """Score every target; a faulty submission is reported and the others go on."""
    from scorer.errors import UsageError
    from scorer.scoring.submissions import ScorerRecipe

    if not given.target and not given.all:
        raise UsageError("nothing to score: name a submission or a file, or say --all")
    if given.resume and not (given.all and given.results):
        raise UsageError("--resume goes with --all and --results DIR")
    if given.json == given.items == "-":
        raise UsageError("--json - and --items - cannot share standard output; name a file for "
                         "one of them")
    options.check_order(given)
    if given.no_save and given.results:
        raise UsageError("--no-save and --results DIR contradict each other; leave out one of them")
    sources, models = running.models_of(given)
    recipe = ScorerRecipe(given.home, given.boards, running.metrics_of(given), not given.no_null,
                          given.reuse, sources, models)
    report = _Report(given, _saver(given))
    worst = _score_files(recipe.scorer(), given, report)
    worst = max(worst, _score_folders(recipe, given, report))
    report.finish()
    if given.all and given.results and not given.shard:
        _leaderboards(given)
    return worst


def _leaderboards(given: argparse.Namespace) -> None:
    """Write the leaderboard documents of a folder of results; a fault in one is only said."""
    from scorer.commands.rescore import write_leaderboards
    from scorer.errors import WhyboardError, printable

    try:
        write_leaderboards(given.results, given)
    except WhyboardError as fault:
        print(printable(f"warning: leaderboards are not all written: {fault}"), file=sys.stderr)


def _saver(given: argparse.Namespace) -> saving.Saver | None:
    """Who saves results of folders if nothing names a place: below the home folder.

    Not with ``--all``, whose results have always needed a place, nor for a part of a result, which
    would replace a whole one.
    """
    part = given.metrics or given.no_null
    return None if given.results or given.all or given.no_save or part else saving.Saver(given)


class _Report:
    """What is printed or written of results beside ``--results``."""

    def __init__(self, given: argparse.Namespace, saver: saving.Saver | None) -> None:
        self._given = given
        self._saver = saver
        self._words: dict[str, None] = {}
        self._baseline = ""
        self._tables: dict[tuple[Path, str], str] = {}
        self._notes: dict[tuple[Path, str], list[str]] = {}
        self._one: Result | None = None
        self.count = 0
        self.unchanged = 0
        self.reused = 0

    def add(self, folder: Path, split: str, answer: JobOutcome) -> None:
        """Take note of a result; only the first is kept whole."""
        self.reused += answer.reused
        if answer.result is None:
            self.unchanged += 1
            return
        self.count += 1
        self._one = self._one or answer.result
        if not self._given.all and not self._given.quiet:
            self._notes[folder, split] = [f"note: {note}" for note in answer.notes]
        if not self._given.quiet and not self._to_stdout:
            self._tables[folder, split] = self._text(answer.result)
        if self._saver is not None and folder.is_dir():
            self._saver.save(folder, answer.result)

    def _text(self, result: Result) -> str:
        """A result's table; of one that was named, also what broke and how far baselines are."""
        self._words.update(dict.fromkeys(score_text.legend(result)))
        lines = [score_text.table(result)]
        if not self._given.all:
            board = _board(self._given, result.board)
            metric = score_text.ranking_metric(board, result)
            lines.append(score_text.broken_rules(result))
            if metric is not None:
                lines.append(score_text.against_null(result, metric))
                other = score_text.against_baseline(board, result, metric, self._folders())
                lines.append(other.text if other else "")
                lines.append(placing.placed(board, result, self._folders()))
                self._baseline = self._baseline or (other.name if other else "")
        return "\n".join(filter(None, lines))

    def expect(self, count: int) -> None:
        """Raise UsageError if so many results are more than the options have room for."""
        from scorer.errors import UsageError

        if (self._given.json or self._given.items) and count > 1:
            raise UsageError(f"--json and --items take one result, not {count}; use --results")

    def _folders(self) -> list[Path]:
        """Where results of reference rows may lie."""
        named = [self._given.results] if self._given.results else []
        return [*named, Path("results"), saving.place(self._given)]

    @property
    def _to_stdout(self) -> bool:
        """Whether standard output is for a program to read."""
        return "-" in (self._given.json, self._given.items)

    def finish(self) -> None:
        """Print tables in the order of the names, whatever order they came in; write the rest."""
        from scorer.errors import UsageError

        given = self._given
        if (given.json or given.items) and self.count != 1:
            raise UsageError(f"--json and --items take one result, not {self.count}; "
                             "use --results")
        for _, notes in sorted(self._notes.items()):
            print(*notes, sep="\n", end="\n" if notes else "", file=sys.stderr)
        for _, text in sorted(self._tables.items()):
            print(text)
        if self._words:
            print("\n  ".join(["", *self._words]).removeprefix("\n"))
        if self._one is not None and (given.json or given.items):
            _write(self._one, given)
        left = f"; {self.unchanged} were there and are left" if given.resume else ""
        taken = (f"; {self.reused} values that need a model are those of {given.reuse}, whose "
                 "digests still fit") if given.reuse else ""
        if given.quiet or given.resume:
            print(f"{self.count} results{left}{taken}")
        saved = self._saver.summary(self._baseline) if self._saver is not None else ""
        if saved:
            print(saved, file=sys.stderr if self._to_stdout else sys.stdout)


def _write(result: Result, given: argparse.Namespace) -> None:
    """A result as ``--json`` and ``--items`` ask for it."""
    from scorer.results.files import items_bytes, to_json

    if given.json:
        options.write_json(given.json, to_json(result))
    if given.items:
        options.write_bytes(given.items, items_bytes(result))


def _score_folders(recipe: ScorerRecipe, given: argparse.Namespace, report: _Report) -> int:
    """Score the folders that were named, then, with ``--all``, every other."""
    from scorer.errors import DataError, UsageError
    from scorer.runs.planning import place_of
    from scorer.scoring.submissions import find_all

    folders = [target for target in given.target if target.is_dir()]
    for folder in folders:
        if given.board not in (None, place_of(folder).board):
            raise UsageError(f"{folder} is a submission to {place_of(folder).board}; "
                             "leave out --board")
    if len({place_of(folder) for folder in folders}) < len({f.resolve() for f in folders}):
        raise UsageError("two of these folders have the same board, team and system; "
                         "score them one after the other")
    if given.all:
        folders += find_all([given.submissions, given.home / "submissions"], given.board)
    if not folders:
        return 0
    scored = set()

    def told(job: SplitJob, answer: JobOutcome) -> None:
        scored.add(job.folder)
        report.add(job.folder, job.split, answer)
        _describe(job.folder, given)

    alone = len(given.target) == 1 and not given.all
    worst = running.run_all(
        recipe, folders, given,
        engine=running.engine_of(given, "local" if given.all else "inline"),
        out=given.results,
        told=told, expect=lambda count: report.expect(report.count + count),
        records=given.all, resume=given.resume, alone=alone,
    )
    if alone and not scored and not worst and not given.shard:
        raise DataError(f"{folders[0]}: no split of it has public gold, so nothing is scored here")
    return worst


def _describe(folder: Path, given: argparse.Namespace) -> None:
    """Keep beside its result what a row of ours says of itself, if the repository has it not."""
    from scorer.files import write_atomically
    from scorer.runs.planning import place_of
    from scorer.submission import FILE_NAME, OWN

    place = place_of(folder)
    if given.results and place.team == OWN and not given.submissions.joinpath(*place).is_dir():
        write_atomically(given.results.joinpath(*place) / FILE_NAME,
                         (folder / FILE_NAME).read_bytes())


def _score_files(scorer: Scorer, given: argparse.Namespace, report: _Report) -> int:
    """Score the predictions files that were named, in this process."""
    from scorer.errors import WhyboardError
    from scorer.runs.planning import JobOutcome

    worst, files = 0, [target for target in given.target if not target.is_dir()]
    named.stdin_once(files)
    report.expect(len(files))
    for target in files:
        try:
            result = _score_file(scorer, target, given)
        except WhyboardError as fault:
            if len(given.target) == 1:
                raise
            print(f"{named.shown(target)}: {fault}", file=sys.stderr)
            worst = max(worst, fault.exit_code)
        else:
            report.add(target, given.split or "given", JobOutcome(result, notes=scorer.notes))
    return worst


def _board(given: argparse.Namespace, name: str = "") -> Board:
    """The board that the options name, else one by its name."""
    from scorer import board as boards

    named = given.board or given.task or name
    return boards.load(boards.for_task(named, given.boards), given.boards)


def _score_file(scorer: Scorer, target: Path, given: argparse.Namespace) -> Result:
    from scorer.errors import UsageError
    from scorer.scoring.submissions import gold_files

    if not named.exists(target):
        raise UsageError(f"{target}: no such file or folder; name predictions or a submission")
    golds = {role: path for role in GOLDS if (path := getattr(given, f"gold_{role}", None))}
    if given.gold is not None:
        golds["gold"] = given.gold
    for path in golds.values():
        if not path.exists():
            raise UsageError(f"{path}: no such file; name a gold file")
    if given.board is None and given.task is None:
        raise UsageError(f"{named.shown(target)} is a file: name its board with --board")
    board = _board(given)
    if given.split is not None:
        board.split(given.split)
    if golds:
        gold = gold_files(board, golds)
    elif given.split is not None:
        gold = scorer.gold(board, given.split)
    else:
        raise UsageError(f"{named.shown(target)}: name its gold with --split or --gold FILE")
    file = named.opened(target)
    if given.per_reference:
        file = _one_an_item(board, file, given, gold if golds else None)
    return scorer.file(board, file, given.split or "given", gold)


def _one_an_item(
    board: Board, file: File, given: argparse.Namespace, gold: SplitGold | None
) -> File:
    """The file with one line an item; ``gold``: that of other files than the split's."""
    from scorer.scoring import per_reference as lines

    if gold is None:
        owned = lines.owners(board, given.split, given.home, given.order)
    elif given.order is not None:
        owned = lines.owners_by_order(board, given.order, len(gold.texts), gold.texts)
    else:
        owned = lines.owners_by_gold(board, gold.items)
    print(lines.described(file, owned), file=sys.stderr)
    return lines.one_an_item(board, file, owned)


VERB = Action("score", "score submissions or a predictions file", run, """\
scorer score submissions/explagraphs-practice/my-team/my-system --results results
scorer score predictions.tsv --board explagraphs --split dev --json -
zcat predictions.tsv.gz | scorer score - --board explagraphs --split dev
scorer score predictions.tsv --task explagraphs --gold my-gold.tsv --metrics GED,G-BLEU
scorer score texts.tsv --board anlg --gold-source test.source --gold-references test.target
scorer score --all --results results --resume --timeout 600""", (
    option("target", nargs="*", type=Path, help=named.TARGET),
    option("--all", action="store_true",
           help="every submission below --submissions and below --home"),
    option("--resume", action="store_true",
           help="with --all: leave results in --results that are what scoring gives"),
    option("--board", help="board name or path; with --all: this board only"),
    option("--task", help="a task or board whose rules a file with --gold follows"),
    option("--split", help="split of a TSV file"),
    option("--gold", type=Path, metavar="FILE",
           help="any gold file in the board's columns; of anli also a file of labels"),
    option("--gold-source", type=Path, metavar="FILE",
           help="of anlg: the two observations of each context, tab-separated"),
    option("--gold-references", type=Path, metavar="FILE",
           help="of anlg: the references of each context, tab-separated"),
    options.per_reference,
    options.order,
    running.metrics,
    option("--json", metavar="OUT",
           help="write the result there; - for standard output"),
    option("--items", metavar="OUT",
           help="write one JSON line per item there; - for standard output"),
    option("--results", type=Path, metavar="DIR",
           help="write <board>/<team>/<system>/<split>.json below this folder"),
    option("--no-save", action="store_true",
           help="save nothing of a folder's scores (default: below results in --home, unless "
           "--results, --all, --metrics or --no-null is given)"),
    option("--reuse", type=Path, metavar="DIR",
           help="take model-based metrics from results there whose digests still fit"),
    running.model_options,
    option("--quiet", action="store_true", help="one line instead of tables"),
    option("--no-null", action="store_true", help="do not score the null as well"),
    options.submissions,
    options.boards,
    options.home,
    partial(running.engine_options, default="local with --all, else inline"),
))
