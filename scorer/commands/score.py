"""``scorer score`` and ``scorer rescore``: score submissions or a file, or every result again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Args, Verb, flag, option
from scorer.core.errors import DataError, UsageError, WhyboardError, counted, printable
from scorer.core.reading.tsv import open_named, shown_name

if TYPE_CHECKING:
    from scorer.boards.submission import SubmissionName
    from scorer.scoring.submissions import Done, Engine, RunPlan, Scorer

WHOLE = "1/1"
"""The part of a run that is all of it."""


def run(args: Args) -> int:
    """Score every target; a faulty submission is reported and the others go on."""
    from scorer.scoring.score_output import describe
    from scorer.scoring.submissions import Scorer, shard

    _check(args)
    scorer = Scorer(options.models_here(args), args.home, args.boards, options.metrics_of(args),
                    not args.no_null, args.reuse)
    engine = _engine_of(args, "local" if args.all else "inline")
    in_part = shard(args.shard or WHOLE)
    alone = len(args.target) == 1 and not args.all
    done: list[Done] = []
    worst = 0
    for file in args.target:
        if not file.is_dir():
            try:
                done.append(_score_file(args, scorer, file))
            except WhyboardError as fault:
                print(fault if alone else f"{shown_name(file)}: {fault}", file=sys.stderr)
                worst = max(worst, fault.exit_code)
    folders, passed_over = _folders(args, in_part)
    more, code = _score_folders(args, scorer, folders, engine, out=args.results, many=args.all,
                                resume=args.resume, alone=alone)
    done, worst = [*done, *more], max(worst, code, 2 if passed_over else 0)
    if alone and not done and not worst and not args.shard:
        raise DataError(f"{args.target[0]}: no split of it has public gold, so nothing is scored "
                        "here")
    count = sum(item.result is not None for item in done)
    if (args.json or args.items) and count != 1:
        raise UsageError(f"--json and --items take one result, not {count}; use --results")
    if args.results:
        describe(done, args.results, args.submissions)
    _print(args, done)
    if args.all and args.results and not args.shard:
        try:
            _write_leaderboards(args)
        except WhyboardError as fault:
            print(printable(f"warning: leaderboards are not all written: {fault}"), file=sys.stderr)
    return worst


def _check(args: Args) -> None:
    """Raise UsageError for targets and options that do not go together."""
    from scorer.boards.submission import place_of

    if not args.target and not args.all:
        raise UsageError("nothing to score: name a submission or a file, or say --all")
    if args.resume and not (args.all and args.results):
        raise UsageError("--resume goes with --all and --results DIR")
    if args.json == args.items == "-":
        raise UsageError("--json - and --items - cannot share standard output; name a file for "
                         "one of them")
    if (args.json or args.items) and len(args.target) > 1:
        raise UsageError(f"--json and --items take one result, not {len(args.target)}; "
                         "use --results")
    options.check_order(args)
    if args.no_save and args.results:
        raise UsageError("--no-save and --results DIR contradict each other; leave out one of them")
    folders = [target for target in args.target if target.is_dir()]
    options.named_once(args.target)
    for folder in folders:
        if args.board not in (None, place_of(folder).board):
            raise UsageError(f"{folder} is a submission to {place_of(folder).board}; "
                             "leave out --board")
    if len(set(map(place_of, folders))) < len({folder.resolve() for folder in folders}):
        raise UsageError("two of these folders have the same board, team and system; "
                         "score them one after the other")


def _score_file(args: Args, scorer: Scorer, path: Path) -> Done:
    """A predictions file, against its split's gold or that of files."""
    from scorer import boards
    from scorer.boards.golds import gold_files
    from scorer.scoring import fixing
    from scorer.scoring.submissions import Done

    options.check_exists(path)
    roles = {"source": args.gold_source, "references": args.gold_references, "gold": args.gold}
    golds = {role: file for role, file in roles.items() if file is not None}
    for file in golds.values():
        if not file.exists():
            raise UsageError(f"{file}: no such file; name a gold file")
    if args.board is None and args.task is None:
        raise UsageError(f"{shown_name(path)} is a file: name its board with --board")
    board = boards.load(boards.for_task(args.board or args.task or "", args.boards), args.boards)
    if args.split is not None:
        board.split(args.split)
    elif not golds:
        raise UsageError(f"{shown_name(path)}: name its gold with --split or --gold FILE")
    gold = gold_files(board, golds) if golds else scorer.gold(board, args.split)
    content = open_named(path)
    if args.per_reference:
        owned = fixing.owners(board, args.split, args.home, args.order,
                              gold.items if golds else None)
        print(fixing.described(content, owned), file=sys.stderr)
        content = fixing.one_an_item(board, content, owned)
    split = args.split or "given"
    return Done(path, split, *scorer.file(board, content, split, gold))


def _folders(args: Args, in_part: Callable[[SubmissionName], bool]) -> tuple[list[Path], int]:
    """The folders to score, and how many are passed over for want of a submission.yaml."""
    from scorer.boards import load, submission

    folders, left = [target for target in args.target if target.is_dir()], list[Path]()
    if args.all:
        homes = [args.submissions, args.home / "submissions"]
        folders += [path for home in homes for path in submission.find(home, args.board)]
        if args.board and not folders:
            load(args.board, args.boards)  # or say which there are
        left = [path for home in homes for path in submission.without_meta(home, args.board)
                if in_part(submission.place_of(path))]
    for folder in left:
        print(printable(f"{folder} has predictions and no submission.yaml; scorer new makes one"),
              file=sys.stderr)
    return [path for path in folders if in_part(submission.place_of(path))], len(left)


def _print(args: Args, done: Sequence[Done]) -> None:
    """Print scores or how many there are, and save them below --home unless --results is given."""
    from scorer.scoring import score_output
    from scorer.scoring.results import files

    to_stdout, baseline = "-" in (args.json, args.items), ""
    results = [item.result for item in done if item.result is not None]
    if not (args.all or args.quiet):
        for note in chain.from_iterable(item.notes for item in score_output.by_name(done)):
            print(f"note: {note}", file=sys.stderr)
    if not (to_stdout or args.quiet):
        known = [*filter(None, [args.results]), Path("results"), args.home / "results"]
        baseline = score_output.show(done, args.board or args.task or "", args.boards, known,
                                   named=not args.all)
    if args.json:
        options.write_json(args.json, results[0].to_json())
    if args.items:
        options.write_bytes(args.items, files.items_bytes(*results))
    if args.quiet or args.resume:
        print(score_output.counts(done, args.reuse, resumed=args.resume))
    # A part of a result would replace a whole one, and --all has always needed a place.
    if not (args.results or args.all or args.no_save or args.metrics or args.no_null):
        saved = score_output.save(done, args.home, args.submissions)
        for line in score_output.saved_text(*saved, args.home, args.boards, baseline):
            print(line, file=sys.stderr if to_stdout else sys.stdout)


SCORE = Verb(run, """\
scorer score submissions/explagraphs-practice/my-team/my-system --results results
scorer score predictions.tsv --board explagraphs --split dev --json -
zcat predictions.tsv.gz | scorer score - --board explagraphs --split dev
scorer score predictions.tsv --task explagraphs --gold my-gold.tsv --metrics GED,G-BLEU
scorer score texts.tsv --board anlg --gold-source test.source --gold-references test.target
scorer score --all --results results --resume --timeout 600""", (
    option("target", options.TARGET, nargs="*", type=Path),
    flag("--all", "every submission below --submissions and below --home"),
    flag("--resume", "with --all: skip results in --results that are up to date"),
    option("--board", "board name or path; with --all: this board only"),
    option("--task", "a task or board whose rules a file with --gold follows"),
    option("--split", "split of a TSV file"),
    options.file("--gold", "any gold file in the board's columns; of anli also a file of labels"),
    options.file("--gold-source", "of anlg: the two observations of each context, tab-separated"),
    options.file("--gold-references", "of anlg: the references of each context, tab-separated"),
    options.per_reference, options.order, options.metrics,
    option("--json", "write the result there; - for standard output", metavar="OUT"),
    option("--items", "write the table of items there; - for standard output", metavar="OUT"),
    options.folder("--results", "write <board>/<team>/<system>/<split>.json below this folder"),
    flag("--no-save", "do not save the scores (default: below results in --home, unless --results, "
         "--all, --metrics or --no-null is given)"),
    options.folder("--reuse", "reuse model-based metrics of results here whose digests still "
                   "match"),
    *options.model_options(),
    flag("--quiet", "one line instead of tables"),
    flag("--no-null", "do not score the null as well"),
    options.submissions, *options.folders,
    partial(options.engine_options, default="local with --all, else inline"),
))


def _engine_of(args: Args, default: str) -> Engine:
    """The engine that was asked for. Raises UsageError for options of another one."""
    from scorer.models.endpoint import key_variables
    from scorer.scoring.engines import local, ray
    from scorer.scoring.submissions import run_inline

    name = args.engine or ("ray" if args.address or args.gpus else default)
    if name != "ray" and (args.address or args.gpus):
        raise UsageError("--address and --gpus are of the engine ray; say --engine ray")
    if name == "inline":
        if args.memory or args.workers:
            raise UsageError("--memory and --workers need workers; say --engine local")
        return run_inline
    if name == "local":
        return partial(local.run, seconds=args.timeout, size=args.workers or 1,
                       memory=args.memory, secrets=key_variables(options.models_of(args)[0]))
    gpus = args.gpus or float(args.device != "cpu")
    return partial(ray.run, seconds=args.timeout, size=args.workers, memory=args.memory,
                   address=args.address, gpus=gpus)


def _score_folders(args: Args, scorer: Scorer, folders: Sequence[Path], engine: Engine, *,
                   out: Path | None, many: bool = True, resume: bool = False, alone: bool = False,
                   ) -> tuple[list[Done], int]:
    """Score submissions' folders by an engine, writing below ``out``.

    ``many``: whether results are given without the scores of their items, if there are several.
    ``alone``: the one folder that was named; its fault is reported without its name. Returns the
    exit code of the worst, too.
    """
    from scorer.scoring.engines.outcomes import Failure
    from scorer.scoring.submissions import perform, plan, run_inline

    planned, log = plan(scorer, folders), args.log or args.home / "score.log"
    named = engine is run_inline and not many
    outcomes = perform(planned, scorer, engine, out, log, resume=resume, preload=not named)
    write: Callable[..., None] = print
    if not named:
        from tqdm import tqdm

        write, outcomes = tqdm.write, iter(tqdm(outcomes, total=len(planned.jobs), unit="split",
                                                disable=len(planned.jobs) < 2 or None))
    reported, worst = set[str](), _report_missing(planned, many, alone)
    done: list[Done] = []
    answers = ((job.sent.folder, answer) for job, answer in outcomes)
    for folder, answer in chain(planned.failed.items(), answers):
        if isinstance(answer, Failure):
            worst = max(worst, answer.exit_code)
            name = "" if alone and answer.code in ("submission", "data") else f"{folder}: "
            more = f"; its traceback is in {os.fspath(log)}" if answer.log else ""
            line = printable(f"{name}{answer.message}{more}")
            if line not in reported:  # that of every split stands once
                write(line, file=sys.stderr)
            reported.add(line)
        elif many and len(planned.jobs) > 1 and answer.result is not None:
            done.append(answer._replace(result=answer.result.replace(items=())))
        else:
            done.append(answer)
    return done, worst


def _report_missing(planned: RunPlan, many: bool, alone: bool) -> int:
    """Say what is not to be had here, and whom it keeps from being scored; the exit code."""
    for failure, folders in planned.missing.items():
        more = (f"{counted(len(folders), 'submission')} not scored" if many
                else f"not scored: {', '.join(map(str, folders))}")
        print(printable(failure.message + ("" if alone else f" ({more})")), file=sys.stderr)
    return max((failure.exit_code for failure in planned.missing), default=0)


# ---- rescore -----------------------------------------------------------------------------------


def _rescore(args: Args) -> int:
    """Score what was ever scored, from its predictions alone, and say how many results that is."""
    from scorer.boards.submission import SubmissionName
    from scorer.scoring.submissions import Scorer, shard

    if not args.results.is_dir():
        raise UsageError(f"{args.results}: no such folder; name one with --results")
    if args.leaderboards:
        print(f"{counted(_write_leaderboards(args), 'leaderboard')} written")
        return 0
    scored = {SubmissionName(*path.parent.relative_to(args.results).parts)
              for path in args.results.glob(f"{args.board or '*'}/*/*/*.json")}
    folders, lost = list[Path](), 0
    for name in sorted(filter(shard(args.shard or WHOLE), scored)):
        homes = [top.joinpath(*name) for top in (args.submissions, args.home / "submissions")]
        there = [home for home in homes if home.is_dir()][:1]
        folders += there
        if not there:
            lost = 3
            print(f"{name}: its predictions are not at hand, so its results stay as they are",
                  file=sys.stderr)
    scorer = Scorer(options.models_here(args), args.home, args.boards)
    done, worst = _score_folders(args, scorer, folders, _engine_of(args, "local"),
                                 out=args.out or args.results)
    print(f"{counted(len(done), 'result')} computed again")
    return max(worst, lost)


def _write_leaderboards(args: Args) -> int:
    """Write them with what the annotators beside the submissions said; returns how many."""
    # Only here: they would make every score begin later.
    from scorer.people.leaderboard import people_in
    from scorer.people.validate import ROOT
    from scorer.scoring.leaderboard.files import write

    people = people_in(args.submissions.parent / ROOT)
    return len(write(args.results, args.boards, args.submissions, args.board, people))


RESCORE = Verb(_rescore, """\
scorer rescore --results results
scorer rescore --board explagraphs --timeout 600 --memory 8
scorer rescore --shard 2/8 --out part-2      # part 2 of a job matrix
scorer rescore --leaderboards                # from the results there are
scorer rescore --engine ray --address head:6379""", (
    option("--board", "this board only"),
    options.folder("--results", "submissions with results here are scored (default: results)",
                   default=Path("results")),
    options.folder("--out", "write here (default: the folder of --results)"),
    flag("--leaderboards", "score nothing: only write leaderboard.<split>.json of each board from "
         "the results in --results"),
    *options.model_options(), options.submissions, *options.folders,
    partial(options.engine_options, default="local"),
))
