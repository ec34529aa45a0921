"""``scorer score``: score submissions or a predictions file."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import named, options, running
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.core.errors import WhyboardError
    from scorer.core.reading.tsv import File
    from scorer.scoring.runs.run import Done, Engine
    from scorer.scoring.submissions import Scorer, ScorerRecipe, SplitGold


def run(args: argparse.Namespace) -> int:
    """Score every target; a faulty submission is reported and the others go on."""
    from scorer.commands import score_text
    from scorer.core.errors import UsageError
    from scorer.scoring.engines.outcomes import run_inline
    from scorer.scoring.results import files
    from scorer.scoring.results.past import ResultsFolder
    from scorer.scoring.runs import saving
    from scorer.scoring.submissions import ScorerRecipe

    _check(args)
    sources, models = running.models_of(args)
    recipe = ScorerRecipe(args.home, args.boards, running.metrics_of(args), not args.no_null,
                          args.reuse, sources, models)
    engine = running.engine_of(args, "local" if args.all else "inline")
    many = args.all or bool(args.shard) or engine is not run_inline
    done, worst = _score(recipe, args, engine if many else None)
    results = [one.result for one in done if one.result is not None]
    if (args.json or args.items) and len(results) != 1:
        raise UsageError(f"--json and --items take one result, not {len(results)}; use --results")
    if args.results:
        folder = ResultsFolder(args.results)
        for one in [] if many else done:
            if one.result is not None and one.target.is_dir():
                folder.write(one.result)
        saving.describe(done, args.results, args.submissions)

    to_stdout, baseline = "-" in (args.json, args.items), ""
    if not (args.all or args.quiet):
        score_text.show_notes(done)
    if not (to_stdout or args.quiet):
        known = [*filter(None, [args.results]), Path("results"), args.home / "results"]
        baseline = score_text.show(done, args.board or args.task or "", args.boards, known,
                                   named=not args.all)
    if args.json:
        options.write_json(args.json, results[0].to_json())
    if args.items:
        options.write_bytes(args.items, files.items_bytes(*results))
    if args.quiet or args.resume:
        print(score_text.counts(done, args.reuse, resumed=args.resume))
    # A part of a result would replace a whole one, and --all has always needed a place.
    if not (args.results or args.all or args.no_save or args.metrics or args.no_null):
        saved = saving.save(done, args.home, args.submissions)
        lines = score_text.saved_text(saved, args.home, args.boards, baseline)
        print(*lines, sep="\n", end="\n" if lines else "",
              file=sys.stderr if to_stdout else sys.stdout)
    if args.all and args.results and not args.shard:
        _write_leaderboards(args)
    return worst


def _check(args: argparse.Namespace) -> None:
    """Raise UsageError for targets and options that do not go together."""
    from scorer.boards.submission import place_of
    from scorer.core.errors import UsageError

    if not args.target and not args.all:
        raise UsageError("nothing to score: name a submission or a file, or say --all")
    if args.resume and not (args.all and args.results):
        raise UsageError("--resume goes with --all and --results DIR")
    if args.json == args.items == "-":
        raise UsageError("--json - and --items - cannot share standard output; name a file for "
                         "one of them")
    options.check_order(args.target, args.order, per_reference=args.per_reference)
    if args.no_save and args.results:
        raise UsageError("--no-save and --results DIR contradict each other; leave out one of them")
    named.stdin_once([target for target in args.target if not target.is_dir()])
    folders = [target for target in args.target if target.is_dir()]
    for folder in folders:
        if args.board not in (None, place_of(folder).board):
            raise UsageError(f"{folder} is a submission to {place_of(folder).board}; "
                             "leave out --board")
    if len({place_of(folder) for folder in folders}) < len({f.resolve() for f in folders}):
        raise UsageError("two of these folders have the same board, team and system; "
                         "score them one after the other")


def _score(
    recipe: ScorerRecipe, args: argparse.Namespace, engine: Engine | None
) -> tuple[list[Done], int]:
    """What became of every target, and the exit code of the worst.

    ``engine``: does the work of many folders; None: this process, one folder after the other.
    """
    from scorer.core.errors import DataError, WhyboardError
    from scorer.scoring.runs.run import Done
    from scorer.scoring.submissions import find_all

    scorer, alone = recipe.scorer(), len(args.target) == 1 and not args.all
    done: list[Done] = []
    worst = 0
    folders = [target for target in args.target if target.is_dir()]
    if args.all:
        folders += find_all([args.submissions, args.home / "submissions"], args.board)
    for file in (target for target in args.target if not target.is_dir()):
        try:
            done.append(_score_file(scorer, file, args))
        except WhyboardError as fault:
            worst = max(worst, _report(named.shown(file), fault, alone=alone))
    if engine is not None:
        more, code = running.run_all(recipe, folders, engine, out=args.results,
                                     part=args.shard, log=args.log or args.home / "score.log",
                                     many=args.all, resume=args.resume, alone=alone)
        done, worst, folders = [*done, *more], max(worst, code), []
    for folder in folders:
        for split, answer in scorer.attempts(folder):
            if isinstance(answer, WhyboardError):
                worst = max(worst, _report(str(folder), answer, alone=alone))
            else:
                reused = scorer.reused - sum(one.reused for one in done)
                done.append(Done(folder, split, answer, scorer.notes, reused))
    if alone and not done and not worst and not args.shard:
        raise DataError(f"{args.target[0]}: no split of it has public gold, so nothing is scored "
                        "here")
    return done, worst


def _report(name: str, fault: WhyboardError, *, alone: bool) -> int:
    """Print why a target cannot be scored; returns the exit code."""
    print(fault if alone else f"{name}: {fault}", file=sys.stderr)
    return fault.exit_code


def _score_file(scorer: Scorer, path: Path, args: argparse.Namespace) -> Done:
    """A predictions file, against its split's gold or that of files."""
    from scorer import boards
    from scorer.core.errors import UsageError
    from scorer.scoring.runs.run import Done
    from scorer.scoring.submissions import gold_files

    if not named.exists(path):
        raise UsageError(f"{path}: no such file or folder; name predictions or a submission")
    golds = {"source": args.gold_source, "references": args.gold_references, "gold": args.gold}
    golds = {role: file for role, file in golds.items() if file is not None}
    for file in golds.values():
        if not file.exists():
            raise UsageError(f"{file}: no such file; name a gold file")
    if args.board is None and args.task is None:
        raise UsageError(f"{named.shown(path)} is a file: name its board with --board")
    board = boards.load(boards.for_task(args.board or args.task, args.boards), args.boards)
    if args.split is not None:
        board.split(args.split)
    elif not golds:
        raise UsageError(f"{named.shown(path)}: name its gold with --split or --gold FILE")
    gold = gold_files(board, golds) if golds else scorer.gold(board, args.split)
    content = named.opened(path)
    if args.per_reference:
        content = _one_an_item(board, content, args, gold if golds else None)
    split = args.split or "given"
    return Done(path, split, scorer.file(board, content, split, gold), scorer.notes)


def _one_an_item(
    board: Board, file: File, args: argparse.Namespace, gold: SplitGold | None
) -> File:
    """The file with one line an item; ``gold``: that of other files than the split's."""
    from scorer.scoring import per_reference as lines

    if gold is None:
        owned = lines.owners(board, args.split, args.home, args.order)
    elif args.order is not None:
        owned = lines.owners_by_order(board, args.order, len(gold.texts), gold.texts)
    else:
        owned = lines.owners_by_gold(board, gold.items)
    print(lines.described(file, owned), file=sys.stderr)
    return lines.one_an_item(board, file, owned)


def _write_leaderboards(args: argparse.Namespace) -> None:
    """Write the leaderboard documents of a folder of results; a fault in one is only reported."""
    from scorer.commands.rescore import write_leaderboards
    from scorer.core.errors import WhyboardError, printable

    try:
        write_leaderboards(args.results, args.boards, args.submissions, args.board)
    except WhyboardError as fault:
        print(printable(f"warning: leaderboards are not all written: {fault}"), file=sys.stderr)


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
           help="with --all: skip results in --results that are up to date"),
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
           help="do not save the scores (default: below results in --home, unless "
           "--results, --all, --metrics or --no-null is given)"),
    option("--reuse", type=Path, metavar="DIR",
           help="reuse model-based metrics of results here whose digests still match"),
    running.model_options,
    option("--quiet", action="store_true", help="one line instead of tables"),
    option("--no-null", action="store_true", help="do not score the null as well"),
    options.submissions,
    options.boards,
    options.home,
    partial(running.engine_options, default="local with --all, else inline"),
))
