"""``scorer meta``: which metric agrees with people, and how sure people and systems are."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.annotations import workplace_in
from scorer.commands.options import Args, Verb, figure, flag, option
from scorer.core.errors import DataError, UsageError, excerpt

if TYPE_CHECKING:
    from scorer.people.documents import (
        Estimate,
        MetaDocument,
        RatedGoldsDocument,
        SurenessDocument,
    )


def _meta(args: Args) -> None:
    if args.board is None and args.answers:
        raise UsageError("--answers goes with --board NAME")
    if args.board is None:
        _of_verdicts(args)
    elif args.answers:
        _of_answers(args)
    else:
        _of_ratings(args)


def _of_verdicts(args: Args) -> None:
    from scorer.metrics.catalogue import METRICS
    from scorer.people.aggregation import votes_on_systems
    from scorer.people.documents import MetaResults
    from scorer.people.metric_agreement import metrics_beside_people
    from scorer.people.verdicts import result_in

    ballots = votes_on_systems(workplace_in(args.annotations), partial(result_in, args.results))
    if args.split and args.split not in ballots:
        raise UsageError(f"no closed batch has graphs of {excerpt(args.split)}; there are some "
                         f"of: {', '.join(ballots) or 'none'}")
    shown = {split: ballot for split, ballot in ballots.items() if args.split in (None, split)}
    results = MetaResults(
        format="metric-agreement/1", rated={}, splits={
            split: metrics_beside_people(ballot.votes, METRICS) for split, ballot in shown.items()},
        simulated=[split for split, ballot in shown.items() if ballot.simulated])
    if args.json is not None:
        options.write_json(args.json, results.to_json())
        return
    for split, document in results.splits.items():
        _show_verdicts(split, document, split in results.simulated)
    left_out = [f"{split}: {system}" for split, ballot in shown.items()
                for system, votes in ballot.votes.items() if votes.judged is None]
    if left_out:
        print(f"No scores of single items in {args.results}, so left out: {', '.join(left_out)}")
    if not shown:
        print("No closed batch has graphs of a system.")


def _show_verdicts(split: str, report: MetaDocument, simulated: bool) -> None:
    note = "; SIMULATED votes, which say nothing of people" if simulated else ""
    print(f"{split}: {report.rated} graphs of {len(report.systems)} systems, {report.ratings} votes"
          f"{note}")
    print(f"  people among themselves, halves of each graph's votes: r {_told(report.half)}")
    options.print_table([("metric", "accuracy", "tau-b", "pairs as people", "items tau-b",
             "systems tau-b"), *(
        (name, *map(_told, (metric.accuracy, metric.tau_b, metric.pairwise, metric.within.tau_b,
                            metric.system_tau_b)))
        for name, metric in report.metrics.items())])


def _of_ratings(args: Args) -> None:
    from scorer.people.documents import MetaResults
    from scorer.people.metric_agreement import agreements_with_ratings, at_hand
    from scorer.scoring.submissions import Scorer

    board = options.board_of(args)
    rated = [name for name, split in board.splits.items() if split.ratings is not None]
    names = rated if args.split is None else [args.split]
    if not rated or not set(names) <= set(rated):
        raise UsageError(f"board {board.id} has ratings of its gold answers for "
                         f"{', '.join(rated) or 'no split'}; choose another, or name a file of "
                         "ratings in board.yaml")
    if args.split is None:
        names = [name for name in rated if at_hand(board, name, args.home)] or rated
        for name in rated:
            if name not in names:
                print(f"{board.id} {name} is not at hand, so left out; run: {board.how_to_bring}",
                      file=sys.stderr)
    session = Scorer(options.models_here(args), args.home, args.boards,
                     options.metrics_of(args)).session(board)
    documents = {f"{board.id}-{name}": agreements_with_ratings(session, name, args.home)
                 for name in names}
    if args.json is not None:
        options.write_json(args.json, MetaResults(
            format="metric-agreement/1", splits={}, simulated=[], rated=documents).to_json())
        return
    for split, document in documents.items():
        _show_rated(split, document)


def _show_rated(split: str, study: RatedGoldsDocument) -> None:
    print(f"{split}: {study.answers} gold answers of {study.items} items, {study.ratings} ratings; "
          f"within items a metric could reach {_told(study.ceiling)}")
    head = ("Spearman", "tau-b", f"given {' and '.join(study.controls)}", "over items",
            "pairs as people")
    for title, part in (("counts", study.counts), ("against all others", study.against_others),
                        ("against the best", study.against_best)):
        options.print_table([(title, *head), *(
            (name, *map(_told, (within.spearman, within.tau_b, within.partial, within.overall,
                                within.pairwise)))
            for name, agreement in part.items() if (within := agreement.within) is not None)])
    for name, metric in study.against_others.items():
        if metric.within is None:
            print(f"  {name} is not measured: {metric.note}")


def _of_answers(args: Args) -> None:
    from scorer.people.sureness import at_hand, document

    board = options.board_of(args)
    names = ([name for name in board.splits if at_hand(board, name, args.home)]
             if args.split is None else [args.split])
    if not names:
        described = any(split.answers is not None for split in board.splits.values())
        fault = DataError if described else UsageError
        raise fault(f"board {board.id}: neither people's answers nor systems' probabilities "
                    f"are at hand beside gold; run: scorer data fetch {board.id}")
    if args.json is not None and len(names) > 1:
        raise UsageError(f"one file has one split; name it: --split {names[0]}")
    for name in names:
        board.split(name)
        report = document(board, name, args.home, args.results)
        if args.json is not None:
            options.write_json(args.json, report.to_json())
        else:
            _show_answers(report)


def _show_answers(report: SurenessDocument) -> None:
    print(f"{report.board}-{report.split}")
    if report.people is None:
        print(f"  nothing of people: {report.people_note}")
    else:
        crowd = report.people
        print(f"  {crowd.answers:,} answers to {crowd.items:,} items, {crowd.right:,} of them "
              f"gold's; {crowd.unclear} items unclear, {crowd.tied} tied; Krippendorff's alpha "
              f"{_told(crowd.agreement.alpha)}")
        *some, every = crowd.majorities
        options.print_table([("is gold's label", "all items"), ("one person", _told(crowd.one)),
            *((f"majority of {majority.people}", _told(majority.right)) for majority in some),
            (f"majority of {every.people}", _told(crowd.majority)),
            *((name, _told(system.whole)) for name, system in report.systems.items())])
    if report.probabilities_note:
        print(f"  no calibration: {report.probabilities_note}")
    else:
        options.print_table([("probabilities of", "accuracy", "ECE", "Brier", "JSD"), *(
            (name, _told(scores.accuracy), figure(scores.ece), _told(scores.brier),
             _told(scores.jensen_shannon))
            for name, scores in report.probabilities.items())])


def _told(measure: Estimate | None) -> str:
    if measure is None or measure.value is None:
        return f"- ({measure.note})" if measure and measure.note else "-"
    ends = f" [{', '.join(map(figure, measure.ci))}]" if measure.ci else ""
    return figure(measure.value) + ends


META = Verb(_meta, """\
scorer meta --results results
scorer meta --split explagraphs-dev --json -
scorer meta --board copa-sse
scorer meta --board anli --answers""", (
    option("--split", "this split alone: board and split, such as explagraphs-dev; after --board a "
           "split of it", metavar="NAME"),
    options.folder("--results", "scored systems with the scores of single items (default: results)",
                   default=Path("results")),
    option("--board", "take the ratings of this board's gold answers, and score each answer "
           "against the others of its item", metavar="NAME"),
    flag("--answers", "with --board: take the labels that people gave items, and systems' "
         "probabilities, and say how sure both are"),
    options.json_file, options.workplace, *options.folders, options.metrics,
    *options.model_options(),
))
