"""``scorer annotations hamlet``: which items that annotators wrote fool a label model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorer.commands import options, running
from scorer.commands.annotation_batches import FOLDER, check_name, opened, write_made
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.people.hamlet import HamletResults, HamletRound, Judge, Tally
    from scorer.people.stages import Stages

def _hamlet(args: argparse.Namespace) -> int:
    """0 after the list of tries, and perhaps a batch."""
    from scorer.commands.options import write_json
    from scorer.core.errors import UsageError
    from scorer.people import hamlet
    from scorer.people.stages import Stages

    if args.again and len(args.batch) > 1:
        raise UsageError("--again asks for items of one batch; name one")
    stages = Stages(opened(args))
    judge, system = _judge(args)
    found = [hamlet.round_of(stages, batch, number, judge)
             for number, batch in enumerate(args.batch, start=args.round)]
    document = hamlet.document(found, system, stages)
    if args.json is not None:
        write_json(args.json, document.to_json())
    else:
        _tell(document)
    if args.again:
        _ask_again(args, stages, found[0])
    return 0


def _judge(args: argparse.Namespace) -> tuple[Judge, str]:
    """What gives labels, and how it is called."""
    from scorer import boards
    from scorer.commands.training import in_words
    from scorer.core.errors import UsageError
    from scorer.lab.systems.records import Question, check_fits
    from scorer.lab.systems.registry import find
    from scorer.tasks.graphs.graph_items import Settings

    system, folder, trained = find(args.system)
    if trained is None:
        raise UsageError(f"{args.system} gives labels without training on any; name label, or a "
                         "folder that scorer train wrote")
    board = boards.load(args.board or trained.board, args.boards)
    if not isinstance(board.settings, Settings) or board.settings.labels is None:
        raise UsageError(f"{board.id} has no labels; name the board of a model that gives some")
    check_fits(trained, board.id, board.settings)
    settings = board.settings

    def judge(items: Sequence[Sequence[str]]) -> Sequence[str]:
        if not items:
            return []
        with in_words("no item was read"):
            answers = system.predict(folder, trained, Question(settings, items))
        return [one.label for one in answers.predictions]

    return judge, f"{trained.system}, trained on {trained.board}, weights {trained.weights[:12]}"


def _tell(document: HamletResults) -> None:
    from scorer.core.errors import counted

    print(f"model: {document.system}")
    if document.simulated:
        print(f"simulated: {', '.join(document.simulated[:5])}")
    for one in document.rounds:
        print(f"\nround {one.round}, {one.batch}: {_said(one)}; up to {one.most_tries} tries")
        for author, theirs in one.authors.items():
            print(f"  {author}: {_said(theirs)}")
        if one.late:
            print(f"  {counted(one.late, 'answer')} beyond these tries not counted")
        for end in one.ends:
            print(f"- {end.state}: {end.author}, try {end.number}, {end.batch}:{end.item}; to be "
                  f"{end.target}, model {end.said}, people {end.people or 'not yet'}")
            print("  " + " / ".join(end.texts.values()))


def _said(one: Tally) -> str:
    from scorer.core.errors import counted

    return (f"{counted(one.prompts, 'item')} in {one.tries} tries, {one.fooled} fooled the model, "
            f"{one.not_verified} more not verified yet, {one.refused} refused by people")


def _ask_again(args: argparse.Namespace, stages: Stages, found: HamletRound) -> None:
    from scorer.core.errors import UsageError
    from scorer.people import hamlet, making

    check_name(args.again)
    again = hamlet.again(stages, found)
    if not again:
        raise UsageError(f"nothing of {found.batch} is to be asked again: every item fooled the "
                         "model, is not answered, or has had its tries")
    first = stages.of(found.batch)[0].batch
    made = making.make(making.Wanted(
        name=args.again, form=stages.workplace.forms[first.kind], board=first.board,
        made_of=f"batch {found.batch}", seed=1, needed=1, licence=first.licence,
    ), [making.Source(f"batch {found.batch}", tuple(again))])
    write_made(args.annotations, made)


ACTION = Action(
    "hamlet", "say which items that annotators wrote fool a label model, and ask again", _hamlet,
    "scorer annotations hamlet write-1\n"
    "scorer annotations hamlet write-1 --again write-1-again\n"
    "scorer annotations hamlet write-2 --round 2 --system trained/label-2 --json -", (
        option("batch", nargs="+", help="batches of prompts in the order of their rounds; "
               "those that asked again for them are read with them"),
        option("--round", type=running.count, default=1, metavar="N", help="the round of the "
               "first one: three tries are counted in round 1, four later (default: 1)"),
        option("--system", default="label", help="the model: label, which comes with the "
               "program, or a folder that scorer train wrote (default: label)"),
        option("--board", help="whose labels they are (default: the board that the model was "
               "trained on)"),
        option("--again", metavar="NAME", help="also make a batch that asks again for what "
               "the model saw through; of one batch alone"),
        option("--json", metavar="FILE", help="write it as JSON; -: to standard output"),
        FOLDER, options.boards))
