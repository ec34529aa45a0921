"""``scorer annotations hamlet``: which items that annotators wrote fool a label model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from scorer.commands import options, running
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.annotations.hamlet import HamletRound, Judge
    from scorer.annotations.stages import Stages
    from scorer.annotations.validate import Workplace

Opened = Callable[[argparse.Namespace], "Workplace"]


def actions(folder: Any, opened: Opened) -> tuple[Action, ...]:
    """The action. ``folder``: the option that names the folder of annotations; ``opened`` reads
    it."""
    return (Action(
        "hamlet", "say which items that annotators wrote fool a label model, and ask again",
        partial(_hamlet, opened),
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
            folder, options.boards)),)


def _hamlet(opened: Opened, given: argparse.Namespace) -> int:
    """0 after the list of tries, and perhaps a batch."""
    from scorer.annotations import hamlet
    from scorer.annotations.stages import Stages
    from scorer.commands.options import write_json
    from scorer.errors import UsageError

    if given.again and len(given.batch) > 1:
        raise UsageError("--again asks for items of one batch; name one")
    stages = Stages(opened(given))
    judge, system = _judge(given)
    found = [hamlet.round_of(stages, batch, number, judge)
             for number, batch in enumerate(given.batch, start=given.round)]
    document = hamlet.document(found, system, stages)
    if given.json is not None:
        write_json(given.json, document)
    else:
        _tell(found, document)
    if given.again:
        _ask_again(given, stages, found[0])
    return 0


def _judge(given: argparse.Namespace) -> tuple[Judge, str]:
    """What gives labels, and how it is called."""
    from scorer import board as boards
    from scorer.commands.training import in_words
    from scorer.errors import UsageError
    from scorer.systems.records import Question, check_fits
    from scorer.systems.registry import find
    from scorer.tasks.graphs.records import Settings

    system, folder, trained = find(given.system)
    if trained is None:
        raise UsageError(f"{given.system} gives labels without training on any; name label, or a "
                         "folder that scorer train wrote")
    board = boards.load(given.board or trained.board, given.boards)
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


def _tell(found: Sequence[HamletRound], document: dict[str, Any]) -> None:
    from scorer.errors import counted

    print(f"model: {document['system']}")
    if document["simulated"]:
        print(f"simulated: {', '.join(document['simulated'][:5])}")
    for one, counts in zip(found, document["rounds"], strict=True):
        print(f"\nround {one.number}, {one.batch}: {_said(counts)}; up to {one.most_tries} tries")
        for author, theirs in counts["authors"].items():
            print(f"  {author}: {_said(theirs)}")
        if one.late:
            print(f"  {counted(one.late, 'answer')} beyond these tries not counted")
        for end in one.ends:
            print(f"- {end.state}: {end.author}, try {end.number}, {end.batch}:{end.item}; to be "
                  f"{end.target}, model {end.said}, people {end.people or 'not yet'}")
            print("  " + " / ".join(end.texts.values()))


def _said(counts: dict[str, int]) -> str:
    from scorer.errors import counted

    return (f"{counted(counts['prompts'], 'item')} in {counts['tries']} tries, "
            f"{counts['fooled']} fooled the model, {counts['not_verified']} more not verified yet, "
            f"{counts['refused']} refused by people")


def _ask_again(given: argparse.Namespace, stages: Stages, found: HamletRound) -> None:
    from scorer.annotations import hamlet, making
    from scorer.commands.annotation_batches import check_name, write_made
    from scorer.errors import UsageError

    check_name(given.again)
    again = hamlet.again(stages, found)
    if not again:
        raise UsageError(f"nothing of {found.batch} is to be asked again: every item fooled the "
                         "model, is not answered, or has had its tries")
    first = stages.of(found.batch)[0].batch
    made = making.make(making.Wanted(
        name=given.again, form=stages.workplace.forms[first.kind], board=first.board,
        made_of=f"batch {found.batch}", seed=1, needed=1, licence=first.licence,
    ), [making.of_tries(found.batch, again)])
    write_made(given.annotations, made)
