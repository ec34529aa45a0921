"""``scorer annotations``: what people said, in numbers; and all its actions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.annotations import ACTIONS, tell_left_out, workplace_in, write_batches
from scorer.commands.options import Action, VerbGroup, figure, option
from scorer.core.errors import UsageError, counted
from scorer.core.files import json_bytes, write_atomically

if TYPE_CHECKING:
    from scorer.people.documents import QuestionFigures
    from scorer.people.hamlet import HamletResults, HamletRound, Judge, Tally
    from scorer.people.stages import Stages

# ---- aggregate and agreement -------------------------------------------------------------------


def _aggregate(args: argparse.Namespace) -> int:
    """0; 3 for a result or a key that cannot be read, or a folder that cannot be written."""
    from scorer.people.aggregation import aggregated
    from scorer.people.published import HUMAN_RESULTS
    from scorer.people.verdicts import in_boards, in_folder

    workplace = workplace_in(args.annotations)
    results = aggregated(workplace, in_folder(args.results), in_boards())
    tell_left_out(workplace)
    path = args.out / HUMAN_RESULTS
    write_atomically(path, json_bytes(results.to_json()))
    closed = len(results.generated_from.batches)
    print(f"{path}: {closed} closed {'batch' if closed == 1 else 'batches'}")
    if results.simulated is not None:
        print(f"simulated answers are in {len(results.simulated.batches)} of them: those of "
              f"{', '.join(results.simulated.annotators)}")
    return 0


def _agreement(args: argparse.Namespace) -> int:
    from scorer.people import organisers
    from scorer.people.figures import question_figures
    from scorer.people.records import CLOSED

    workplace = workplace_in(args.annotations)
    tell_left_out(workplace)
    closed = [batch for batch in workplace.batches() if batch.status == CLOSED]
    for kind in dict.fromkeys(batch.kind for batch in closed):
        form = workplace.forms[kind]
        answers = [annotation for batch in closed if batch.kind == kind
                   for annotation in workplace.annotations(batch)]
        if questions := question_figures(form, answers):
            _show(form.title, questions, organisers.simulated(
                workplace.people, [answer.annotator for answer in answers]))
    if not closed:
        print("No batch is closed; agreement is shown of closed batches alone.")
    return 0


def _show(title: str, questions: dict[str, QuestionFigures], simulated: Sequence[str]) -> None:
    print(f"{title} (simulated answers of {', '.join(simulated)})" if simulated else title)
    rows = [("question", "units", "votes each", "agree", "alpha", "alpha, 95 %", "ordinal",
             "Fleiss", "cannot tell")]
    for name, question in questions.items():
        measure = question.agreement
        low, high = measure.raters
        rows.append((
            name, str(measure.units), str(low) if low == high else f"{low} to {high}",
            figure(measure.raw.value), figure(measure.alpha.value),
            " to ".join(map(figure, measure.alpha.ci)) if measure.alpha.ci else measure.alpha.note,
            figure(measure.alpha_ordinal and measure.alpha_ordinal.value),
            figure(measure.fleiss and measure.fleiss.value), str(question.unsure)))
    options.print_table(rows, "  ")


_FIGURES = (
    Action("aggregate", "write what annotators of closed batches said, in numbers", _aggregate,
           "scorer annotations aggregate --out results/human", (
        options.folder("--out", "the folder for human-results.json", required=True),
        options.folder("--results", "scored systems, for people's verdicts over all items and "
                       "beside a judge's (default: results)", default=Path("results")),
        options.workplace)),
    Action("agreement", "measure agreement on closed batches", _agreement,
           "scorer annotations agreement", (options.workplace,)),
)


# ---- hamlet ------------------------------------------------------------------------------------


def _hamlet(args: argparse.Namespace) -> int:
    """0 after the list of tries, and perhaps a batch."""
    from scorer.people import hamlet
    from scorer.people.stages import Stages

    if args.again and len(args.batch) > 1:
        raise UsageError("--again asks for items of one batch; name one")
    stages = Stages(workplace_in(args.annotations))
    judge, system = _judge(args)
    rounds = [hamlet.round_of(stages, batch, number, judge)
              for number, batch in enumerate(args.batch, start=args.round)]
    document = hamlet.document(rounds, system, stages)
    if args.json is not None:
        options.write_json(args.json, document.to_json())
    else:
        _show_rounds(document)
    if args.again:
        _ask_again(args, stages, rounds[0])
    return 0


def _judge(args: argparse.Namespace) -> tuple[Judge, str]:
    """What gives labels, and how it is called."""
    from scorer import boards
    from scorer.lab.systems.records import Question, check_fits, find, in_words
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
            answers = system.loaded().predict(folder, trained, Question(settings, items))
        return [prediction.label for prediction in answers.predictions]

    return judge, f"{trained.system}, trained on {trained.board}, weights {trained.weights[:12]}"


def _show_rounds(document: HamletResults) -> None:
    print(f"model: {document.system}")
    if document.simulated:
        print(f"simulated: {', '.join(document.simulated[:5])}")
    for turn in document.rounds:
        print(f"\nround {turn.round}, {turn.batch}: {_said(turn)}; up to {turn.most_tries} tries")
        for author, theirs in turn.authors.items():
            print(f"  {author}: {_said(theirs)}")
        if turn.late:
            print(f"  {counted(turn.late, 'answer')} beyond these tries not counted")
        for end in turn.ends:
            print(f"- {end.state}: {end.author}, try {end.number}, {end.batch}:{end.item}; to be "
                  f"{end.target}, model {end.said}, people {end.people or 'not yet'}")
            print("  " + " / ".join(end.texts.values()))


def _said(one: Tally) -> str:
    return (f"{counted(one.prompts, 'item')} in {one.tries} tries, {one.fooled} fooled the model, "
            f"{one.not_verified} more not verified yet, {one.refused} refused by people")


def _ask_again(args: argparse.Namespace, stages: Stages, previous: HamletRound) -> None:
    from scorer.people import hamlet, making

    again = hamlet.again(stages, previous)
    if not again:
        raise UsageError(f"nothing of {previous.batch} is to be asked again: every item fooled the "
                         "model, is not answered, or has had its tries")
    first = stages.of(previous.batch)[0].batch
    write_batches(args.annotations, making.BatchRequest(
        name=args.again, form=stages.workplace.forms[first.kind], board=first.board,
        made_of=f"batch {previous.batch}", seed=1, needed=1, licence=first.licence,
    ), {f"batch {previous.batch}": again})


_HAMLET = Action(
    "hamlet", "say which items that annotators wrote fool a label model, and ask again", _hamlet,
    "scorer annotations hamlet write-1\n"
    "scorer annotations hamlet write-1 --again write-1-again\n"
    "scorer annotations hamlet write-2 --round 2 --system trained/label-2 --json -", (
        option("batch", "batches of prompts in the order of their rounds; those that asked again "
               "for them are read with them", nargs="+"),
        option("--round", "the round of the first one: three tries are counted in round 1, four "
               "later (default: 1)", type=options.count, default=1, metavar="N"),
        option("--system", "the model: label, which comes with the program, or a folder that "
               "scorer train wrote (default: label)", default="label"),
        option("--board", "whose labels they are (default: the board that the model was trained "
               "on)"),
        option("--again", "also make a batch that asks again for what the model saw through; of "
               "one batch alone", metavar="NAME"),
        options.json_file,
        options.workplace, options.boards))


ANNOTATIONS = VerbGroup((*ACTIONS, *_FIGURES, _HAMLET))
