"""``scorer meta``: which metric agrees with people, and how sure people and systems are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from scorer import boards
from scorer.commands import options
from scorer.commands.annotations import workplace_in
from scorer.commands.options import Verb, figure, option
from scorer.core.errors import UsageError, excerpt
from scorer.core.files import sha256_file
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.people.aggregation import votes_on_systems
from scorer.people.documents import (
    Estimate,
    MetaDocument,
    MetaResults,
    PeopleDocument,
    RatedGoldsDocument,
    SurenessDocument,
    SystemDocument,
)
from scorer.people.metric_agreement import (
    agreements_with_ratings,
    at_hand,
    metrics_beside_people,
    read,
)
from scorer.people.verdicts import SystemVotes, in_folder
from scorer.scoring.results import files
from scorer.scoring.submissions import ScorerRecipe


def _meta(given: argparse.Namespace) -> int:
    """0; 3 for a result, a key, ratings or answers that cannot be read."""
    if given.board is None and given.answers:
        raise UsageError("--answers goes with --board NAME")
    if given.board is None:
        return _of_verdicts(given)
    return _of_answers(given) if given.answers else _of_ratings(given)


# ---- verdicts on systems' graphs -----------------------------------------------------------


def _of_verdicts(given: argparse.Namespace) -> int:
    found = votes_on_systems(workplace_in(given.annotations), in_folder(given.results))
    if given.split and given.split not in found:
        raise UsageError(f"no closed batch has graphs of {excerpt(given.split)}; there are some "
                         f"of: {', '.join(found) or 'none'}")
    splits, simulated, left_out = {}, [], []
    for split, one in found.items():
        votes = one.votes
        if given.split in (None, split):
            results = _results(given.results, split, votes)
            left_out += [f"{split}: {system}" for system in votes if system not in results]
            splits[split] = metrics_beside_people(votes, results, METRICS)
            if one.simulated:
                simulated.append(split)
    if given.json is not None:
        options.write_json(given.json, MetaResults(
            format="metric-agreement/1", splits=splits, simulated=simulated, rated={}).to_json())
        return 0
    for split, document in splits.items():
        _show_verdicts(split, document, split in simulated)
    if left_out:
        print(f"No scores of single items in {given.results}, so left out: {', '.join(left_out)}")
    if not splits:
        print("No closed batch has graphs of a system.")
    return 0


def _results(folder: Path, split: str, votes: Mapping[str, SystemVotes]) -> dict[str, Result]:
    board, _, name = split.rpartition("-")
    found = {}
    for system, one in votes.items():
        if one.judged is not None:
            team, _, own = system.partition("/")
            found[system] = files.read(files.result_path(folder, board, team, own, name))
    return found


def _show_verdicts(split: str, found: MetaDocument, simulated: bool) -> None:
    note = "; SIMULATED votes, which say nothing of people" if simulated else ""
    print(f"{split}: {found.rated} graphs of {len(found.systems)} systems, {found.ratings} votes"
          f"{note}")
    print(f"  people among themselves, halves of each graph's votes: r {_told(found.half)}")
    options.print_table([("metric", "accuracy", "tau-b", "pairs as people", "items tau-b",
             "systems tau-b"), *(
        (name, "-" if one.accuracy is None else _told(one.accuracy), _told(one.tau_b),
         _told(one.pairwise), _told(one.within.tau_b), _told(one.system_tau_b))
        for name, one in found.metrics.items())])


# ---- ratings of gold answers ---------------------------------------------------------------


def _of_ratings(given: argparse.Namespace) -> int:
    board = boards.load(given.board, given.boards)
    rated = [name for name, split in board.splits.items() if split.ratings is not None]
    names = rated if given.split is None else [given.split]
    if not rated or not set(names) <= set(rated):
        raise UsageError(f"board {board.id} has ratings of its gold answers for "
                         f"{', '.join(rated) or 'no split'}; choose another, or name a file of "
                         "ratings in board.yaml")
    if given.split is None:
        names = [name for name in rated if at_hand(board, name, given.home)] or rated
        for name in rated:
            if name not in names:
                print(f"{board.id} {name} is not at hand, so left out; run: {board.how_to_bring}",
                      file=sys.stderr)
    sources, models = options.models_of(given)
    session = ScorerRecipe(given.home, given.boards, options.metrics_of(given), sources=sources,
                           models=models).scorer().session(board)
    found = {}
    for name in names:
        golds, ratings = read(board, name, given.home)
        path = board.ratings_file(name, given.home)
        assert path is not None
        found[f"{board.id}-{name}"] = agreements_with_ratings(
            session, name, golds, ratings, sha256_file(path))
    if given.json is not None:
        options.write_json(given.json, MetaResults(
            format="metric-agreement/1", splits={}, simulated=[], rated=found).to_json())
        return 0
    for split, document in found.items():
        _show_rated(split, document)
    return 0


def _show_rated(split: str, found: RatedGoldsDocument) -> None:
    print(f"{split}: {found.answers} gold answers of {found.items} items, {found.ratings} ratings")
    print("  people among themselves, halves of each answer's ratings: "
          f"r {_told(found.within_half)} within items, {_told(found.half)} over all")
    print(f"  so a metric could reach {_told(found.ceiling)} within items")
    controls = " and ".join(found.controls)
    head = ("Spearman", "tau-b", f"given {controls}", f"equal {found.controls[0]}", "over items",
            "pairs as people")
    for title, part in (("counts", found.counts), ("against all others", found.against_others),
                        ("against the best", found.against_best)):
        options.print_table([(title, *head), *(
            (name, *map(_told, (within.spearman, within.tau_b, within.partial, within.matched,
                                within.overall, within.pairwise)))
            for name, one in part.items() if (within := one.within) is not None)])
    for name, one in found.against_others.items():
        if one.within is None:
            print(f"  {name} is not measured: {one.note}")


# ---- answers to items ----------------------------------------------------------------------


def _of_answers(given: argparse.Namespace) -> int:
    from scorer.people.sureness import at_hand, document, scores_in

    board = boards.load(given.board, given.boards)
    names = ([name for name in board.splits if at_hand(board, name, given.home)]
             if given.split is None else [given.split])
    if not names:
        raise UsageError(f"board {board.id}: neither people's answers nor systems' probabilities "
                         f"are at hand beside gold; run: scorer data fetch {board.id}")
    if given.json is not None and len(names) > 1:
        raise UsageError(f"one file has one split; name it: --split {names[0]}")
    for name in names:
        board.split(name)
        found = document(board, name, given.home, scores_in(given.results, board, name))
        if given.json is not None:
            options.write_json(given.json, found.to_json())
        else:
            _show_answers(found)
    return 0


def _show_answers(found: SurenessDocument) -> None:
    print(f"{found.board}-{found.split}")
    if found.people is None:
        print(f"  nothing of people: {found.people_note}")
    else:
        _show_people(found.people, found.systems)
    if found.probabilities_note:
        print(f"  no calibration: {found.probabilities_note}")
    else:
        heads = ("probabilities of", "accuracy", "confidence", "ECE", "Brier", "JSD", "KL")
        options.print_table([heads, *(
            (name, _told(one.accuracy), figure(one.confidence), figure(one.ece),
             _told(one.brier), *("-" if far is None else _told(far) for far in (
                 one.jensen_shannon, one.kullback_leibler)))
            for name, one in found.probabilities.items())])


def _show_people(found: PeopleDocument, systems: Mapping[str, SystemDocument]) -> None:
    print(f"  {found.answers:,} answers to {found.items:,} items, {found.right:,} of them gold's; "
          f"{found.unclear} items unclear, {found.tied} tied")
    bins = [f"{one.low:.2f} to {one.high:.2f}" for one in found.bins]
    *some, last = found.majorities
    options.print_table([("is gold's label", "all items", *(f"{name} bits" for name in bins)),
            ("items", str(found.items), *(str(one.items) for one in found.bins)),
            ("one person", _told(found.one), *(_told(one.one) for one in found.bins)),
            *((f"majority of {one.people}", _told(one.right), *("" for _ in bins))
              for one in some),
            (f"majority of {last.people}", _told(found.majority), *(_told(one.majority)
                                                                    for one in found.bins)),
            *((name, _told(one.whole), *map(_told, one.bins)) for name, one in systems.items())])
    if not systems:
        print("  No system here has the scores of single items.")
    options.print_table([("people among themselves", ""), *((name, _told(one)) for name, one in (
        ("pairs that agree", found.agreement.raw), ("Krippendorff's alpha", found.agreement.alpha),
        ("Fleiss's kappa", found.agreement.fleiss)) if one is not None)])


# ---- all ----------------------------------------------------------------------------------


def _told(one: Estimate) -> str:
    if one.value is None:
        return f"- ({one.note})" if one.note else "-"
    low, high = one.ci or (None, None)
    return f"{figure(one.value)}" + ("" if low is None else f" [{figure(low)}, {figure(high)}]")


META = Verb(_meta,
    "scorer meta --results results\n"
    "scorer meta --split explagraphs-dev --json -\n"
    "scorer meta --board copa-sse\n"
    "scorer meta --board anli --answers", (
        option("--split", metavar="NAME", help="this split alone: board and split, such as "
               "explagraphs-dev; after --board a split of it"),
        option("--results", type=Path, default=Path("results"), metavar="DIR",
               help="scored systems with the scores of single items (default: results)"),
        option("--board", metavar="NAME", help="take the ratings of this board's gold answers, "
               "and score each answer against the others of its item"),
        option("--answers", action="store_true", help="with --board: take the labels that people "
               "gave items, and systems' probabilities, and say how sure both are"),
        options.json_file,
        options.workplace, options.boards, options.home, options.metrics, options.model_options))
