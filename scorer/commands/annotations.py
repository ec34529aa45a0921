"""``scorer annotations``: batches for annotators, checks of their answers, and what they say."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Action, Args, VerbGroup, flag, option
from scorer.core.errors import DataError, SubmissionError, UsageError, counted, excerpt, refusal
from scorer.core.files import write_atomically
from scorer.core.reading.tsv import open_file, read_lines, rows_bytes
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.people.hamlet import HamletResults, HamletRound, Judge, Tally
    from scorer.people.making import BatchRequest, Source
    from scorer.people.records import Batch, CountedFile, Form
    from scorer.people.stages import Stages
    from scorer.people.validate import CheckedFile, Workplace


def workplace_in(folder: Path) -> Workplace:
    """The folder that a command works in. Raises UsageError if there is none, and DataError with
    every fault of the host's forms."""
    from scorer.people.validate import Workplace

    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; make a batch with scorer annotations "
                         "make-batch, or name the folder with --annotations")
    try:
        return Workplace(folder)
    except SubmissionError as fault:
        raise DataError(str(fault)) from fault


# ---- making ------------------------------------------------------------------------------------


def _write_batches(annotations: Path, request: BatchRequest, sources: Sequence[Source]) -> None:
    """Make batches and their keys, write them, and say what they are."""
    from scorer.people import making, organisers

    batches, notes = making.make(annotations, request, sources)
    for note in notes:
        print(note)
    for batch in batches:
        path = organisers.path_of(annotations, batch.name)
        print(f"{path}: {counted(len(batch.items), 'item')}, "
              f"{counted(batch.needed, 'annotator')} each, SHA-256 {batch.sha256[:12]}...")
        key = organisers.path_of(annotations, batch.name, organisers.KEY_SUFFIX)
        print(f"{key}: where each item comes from; annotators must not look")


def _make_batch(args: Args) -> None:
    from scorer.people import making, organisers

    forms = organisers.forms_of(args.annotations)
    if args.form not in forms:
        raise UsageError(f"no form {excerpt(args.form)}; choose one of: {', '.join(forms)}")
    form = forms[args.form]
    sources, board, made_of = _sources(args, form)
    labels = form.labels if args.labels is None else () if args.labels == ["all"] else (
        args.labels)
    topics = []
    if args.topics is not None:
        content = read_lines(open_file(args.topics))
        content.problems.raise_if_any()
        topics = [line.decode().strip() for line in content.lines if line.strip()]
    _write_batches(args.annotations, making.BatchRequest(
        name=args.name, form=form, board=board, made_of=made_of, seed=args.seed,
        items=args.items, labels=labels, needed=args.needed, topics=topics,
        licence=args.licence, every=args.every_item), sources)


def _sources(args: Args, form: Form) -> tuple[Sequence[Source], str, str]:
    """Where items come from: systems, the name of their board, and both in words."""
    from scorer.people import making

    of_board = args.gold or args.submission or args.triplets
    if [bool(of_board), bool(args.texts), bool(args.from_batch)].count(True) != 1:
        raise UsageError("name what the items come from: --gold, --submission DIR, --triplets FILE "
                         "or, alone, --texts FILE or --from-batch NAME")
    if args.texts:
        names = ", ".join(path.name for path in args.texts)
        return [making.of_texts(form, path) for path in args.texts], args.board or "", names
    if args.from_batch:
        workplace = workplace_in(args.annotations)
        earlier, _ = workplace.batch(args.from_batch)
        return ([making.of_batch(workplace, args.from_batch, form)],
                earlier.board if earlier else "", f"batch {args.from_batch}")
    if args.board is None or args.split is None:
        raise UsageError("name the items' --board and --split")
    board = options.board_of(args)
    if board.examples == "private":
        raise UsageError(f"{board.id}: its board.yaml says that no item may be shown (examples: "
                         "private), and batches are published; who may show its items writes "
                         "examples: public there")
    golds = making.golds_of(board, args.split, args.home)
    if board.brought:
        print(f"note: {board.id} is brought by each user, never part of a repository, and this "
              "batch holds its texts; read the licence in its board.yaml before you commit it")
    sources = [making.of_gold(board, golds, args.split)] if args.gold else []
    sources += [making.of_submission(board, golds, folder, args.split, every=args.every_item)
                for folder in args.submission]
    sources += [making.of_triplets(board, golds, path, args.split) for path in args.triplets]
    return sources, board.id, f"{board.id} {args.split}"


def _export_refinement(args: Args) -> None:
    from scorer.people.stages import CORRECT, PENDING, WRONG, Stages

    histories = Stages(workplace_in(args.annotations)).histories()
    options.write_bytes(args.out, rows_bytes((*item.texts, *item.graphs) for item in histories))
    states = [history.state for history in histories]
    if args.correct is not None:
        options.write_bytes(args.correct, rows_bytes(
            (*item.texts, item.graphs[-1]) for item in histories if item.state == CORRECT))
    print(f"{counted(len(states), 'item')}: {states.count(CORRECT)} correct, "
          f"{states.count(WRONG)} to refine, {states.count(PENDING)} to verify", file=sys.stderr)


# ---- closing -----------------------------------------------------------------------------------


def _close(args: Args) -> None:
    from scorer.people.records import OPEN
    from scorer.people.validate import closing_order, coverage

    workplace = workplace_in(args.annotations)
    for batch in [workplace.chosen(name, OPEN) for name in args.batch]:
        far = coverage(workplace, batch)
        path = _write_closing(workplace, batch, closing_order(workplace, batch))
        print(f"{path}: closed; {far.finished} of {len(batch.items)} items have the {batch.needed} "
              "answers that they need")
        if far.refused:
            print(f"{batch.name}: {counted(far.refused, 'file')} with errors will not count")


def _write_closing(workplace: Workplace, batch: Batch, answers: list[CountedFile]) -> Path:
    """Write which files count in a batch; returns where."""
    from scorer.people import organisers

    path = organisers.path_of(workplace.folder, batch.name, organisers.CLOSED_SUFFIX)
    write_atomically(path, organisers.closing_content(batch, answers))
    return path


def _withdraw(args: Args) -> None:
    """Take the file away, and before that its name out of what counts."""
    from scorer.people.records import CLOSED, OPEN

    workplace = workplace_in(args.annotations)
    batch = workplace.chosen(args.batch, OPEN, CLOSED)
    named = list(batch.closing.answers) if batch.closing else []
    left = [answer for answer in named if answer.annotator != args.login]
    logins = [path.stem for path in workplace.files(batch)]
    if args.login not in logins and left == named:
        raise UsageError(f"batch {batch.name} has no answers of {excerpt(args.login)}; those of "
                         f"{', '.join(logins) or 'nobody'}")
    if left != named:
        print(f"{_write_closing(workplace, batch, left)}: without {args.login}")
    if args.login in logins:
        file = workplace.folder_of(batch) / f"{args.login}.tsv"
        file.unlink()
        print(f"{file}: removed; figures change with the next scorer annotations aggregate")


# ---- checking ----------------------------------------------------------------------------------


def _validate(args: Args) -> int:
    """0 if every file can be accepted, 2 for a fault of an annotator's, 3 for one of a batch.

    Files that were not named and have no fault are one line, which does not hide the others.
    """
    from scorer.people.validate import check_file

    workplace = workplace_in(args.annotations)
    paths = [_inside(workplace, path) for path in args.path] or workplace.every_path()
    errors = worst = sound = 0
    for path in paths:
        checked = check_file(workplace, path, author=args.author, handed_in=bool(args.path))
        errors += checked.errors + len(checked.problems)
        worst = max(worst, 3 if checked.problems else 2 if checked.errors else 0)
        if args.path or checked.problems or checked.kept:
            _tell(checked)
        else:
            sound += 1
    if sound:
        print("1 file is sound" if sound == 1 else f"{sound} files are sound")
    if errors:
        sys.stdout.flush()
        print(refusal(errors), file=sys.stderr)
    elif not paths:
        print(f"{workplace.folder}: nothing to check")
    return worst


def _inside(workplace: Workplace, path: Path) -> Path:
    """A path as one below the folder. Raises UsageError for others, and for what is not there."""
    folder = workplace.folder.absolute()
    if not path.absolute().is_relative_to(folder) or not (path.is_symlink() or path.is_file()):
        raise UsageError(f"{excerpt(str(path), 200)} is no file below {workplace.folder}; name "
                         "files there, or another folder with --annotations")
    return workplace.folder / path.absolute().relative_to(folder)


def _tell(checked: CheckedFile) -> None:
    """Print what was found in a file: faults as errors, one line if there are none."""
    failed = bool(checked.errors or checked.problems)
    for line in (*checked.problems, *checked.lines()):
        print(line, file=sys.stderr if failed else sys.stdout)
    if not failed:
        summary = "sound"
        if checked.annotation is not None:
            summary = counted(len(checked.annotation.answers), "answer")
        elif checked.rulings:
            summary = counted(len(checked.rulings), "ruling")
        notes = counted(checked.warnings, "warning") if checked.warnings else "no faults"
        print(f"{checked.path}: {summary}, {notes}")


def _status(args: Args) -> int:
    """0; 3 if a batch has faults."""
    from scorer.people.validate import coverage

    workplace = workplace_in(args.annotations)
    table = [("batch", "form", "status", "items", "finished", "needed", "annotators", "answers")]
    for batch in workplace.batches():
        far = coverage(workplace, batch)
        simulated = f" ({len(far.simulated)} simulated)" if far.simulated else ""
        table.append((batch.name, batch.kind, batch.status, str(len(batch.items)),
                      str(far.finished), str(batch.needed), f"{far.annotators}{simulated}",
                      str(far.answers)))
    options.print_table(table)
    return 3 if _tell_left_out(workplace) else 0


def _tell_left_out(workplace: Workplace) -> bool:
    """Say on standard error what no figure counts; whether a batch has faults."""
    from scorer.people.validate import uncounted

    for line in (*workplace.problems, *uncounted(workplace)):
        print(line, file=sys.stderr)
    return bool(workplace.problems)


# ---- aggregate ---------------------------------------------------------------------------------


def _aggregate(args: Args) -> None:
    from scorer.people.aggregation import aggregated, votes_on_systems
    from scorer.people.published import HUMAN_RESULTS
    from scorer.people.verdicts import board_rule, result_in

    workplace = workplace_in(args.annotations)
    votes = votes_on_systems(workplace, partial(result_in, args.results))
    results = aggregated(workplace, votes, board_rule)
    _tell_left_out(workplace)
    path = args.out / HUMAN_RESULTS
    options.write_json(str(path), results.to_json())
    closed = len(results.generated_from.batches)
    print(f"{path}: {closed} closed {'batch' if closed == 1 else 'batches'}")
    if results.simulated is not None:
        print(f"simulated answers are in {len(results.simulated.batches)} of them: those of "
              f"{', '.join(results.simulated.annotators)}")


# ---- hamlet ------------------------------------------------------------------------------------


def _hamlet(args: Args) -> None:
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


def _judge(args: Args) -> tuple[Judge, str]:
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
        print(f"\nround {turn.round}, {turn.batch}: {_in_words(turn)}; "
              f"up to {turn.most_tries} tries")
        for author, theirs in turn.authors.items():
            print(f"  {author}: {_in_words(theirs)}")
        if turn.late:
            print(f"  {counted(turn.late, 'answer')} beyond these tries not counted")
        for end in turn.ends:
            print(f"- {end.state}: {end.author}, try {end.number}, {end.batch}:{end.item}; to be "
                  f"{end.target}, model {end.said}, people {end.people or 'not yet'}")
            print("  " + " / ".join(end.texts.values()))


def _in_words(tally: Tally) -> str:
    return (f"{counted(tally.prompts, 'item')} in {tally.tries} tries, {tally.fooled} fooled the "
            f"model, {tally.not_verified} more not verified yet, {tally.refused} refused by people")


def _ask_again(args: Args, stages: Stages, previous: HamletRound) -> None:
    from scorer.people import hamlet, making

    again = hamlet.again(stages, previous)
    if not again:
        raise UsageError(f"nothing of {previous.batch} is to be asked again: every item fooled the "
                         "model, is not answered, or has had its tries")
    first = stages.of(previous.batch)[0].batch
    _write_batches(args.annotations, making.BatchRequest(
        name=args.again, form=stages.workplace.forms[first.kind], board=first.board,
        made_of=f"batch {previous.batch}", seed=1, needed=1, licence=first.licence,
    ), [(f"batch {previous.batch}", again)])


ANNOTATIONS = VerbGroup((
    Action("validate", "check annotators' files and the host's own", _validate, """\
scorer annotations validate
scorer annotations validate annotations/csk/csk-1/octo-cat.tsv --author octo-cat""", (
        option("path", "files below the folder, as new answers to open batches (default: all there "
               "are)", nargs="*", type=Path),
        option("--author", "who opened the pull request; may change no file but those of that name",
               metavar="LOGIN"),
        options.workplace)),
    Action("status", "count the answers to each batch", _status, "scorer annotations status",
           (options.workplace,)),
    Action("make-batch", "make a batch of gold, submissions, triplets, texts or answers",
           _make_batch, """\
scorer annotations make-batch verify-1 --form verify --board explagraphs-practice \\
    --split dev --submission submissions/explagraphs-practice/whyboard/structured --items 20
scorer annotations make-batch verify-2 --form verify --texts graphs.tsv
scorer annotations make-batch csk-1 --form csk --board explagraphs-practice --split dev \\
    --triplets triplets.tsv --topics topics.txt --items 20""", (
        option("name", "the batch's name"),
        option("--form", "the form of its questions", required=True),
        option("--board", "board name or path"),
        option("--split", "its split", choices=SPLITS),
        flag("--gold", "take gold answers"),
        options.folder("--submission", "take the predictions of these submissions; their names "
                       "stand in the key alone", nargs="+", action="extend", default=[]),
        options.file("--triplets", "take these lists of triplets, as scorer predict --triplets "
                     "writes them", nargs="+", action="extend", default=[]),
        options.file("--texts", "take the lines of these files: the texts that the form shows, "
                     "between tabs, and perhaps a topic", nargs="+", action="extend", default=[]),
        option("--from-batch", "take the items of a batch that go on to this form, by annotators' "
               "answers", metavar="NAME"),
        option("--items", "so many of each system, from every label in proportion (default: all)",
               type=options.count, metavar="N"),
        option("--seed", "which items are taken, and their order (default: 1)", type=int,
               default=1),
        option("--labels", "items of these gold labels; all: every one (default: as the form says)",
               nargs="+", metavar="LABEL"),
        flag("--every-item", "also items that do not pass the gates of a metric"),
        option("--needed", "annotators of an item (default: as the form says)", type=options.count,
               metavar="N"),
        option("--licence", "under which answers are published (default: CC BY 4.0)",
               default="CC BY 4.0", metavar="TEXT"),
        options.file("--topics", "the topics of a form that asks for one, a line each"),
        options.workplace, *options.folders)),
    Action("export-refinement", "write the graphs that annotators wrote, a row an item",
           _export_refinement,
           "scorer annotations export-refinement refinement.tsv --correct gold.tsv", (
        option("out", "texts, label and a graph a round, between tabs; -: to standard output",
               metavar="FILE"),
        option("--correct", "also write texts, label and graph of items found correct, as a gold "
               "file", metavar="FILE"), options.workplace)),
    Action("close", "end batches: their answers are published, and new ones refused", _close,
           "scorer annotations close verify-1", (
        option("batch", "open batches", nargs="+"), options.workplace)),
    Action("withdraw", "take an annotator's answers back, out of a closed batch too", _withdraw,
           "scorer annotations withdraw verify-1 octo-cat", (
        option("batch", "the batch"),
        option("login", "whose answers to it"), options.workplace)),
    Action("aggregate", "write what annotators of closed batches said, in numbers", _aggregate,
           "scorer annotations aggregate --out results/human", (
        options.folder("--out", "the folder for human-results.json", required=True),
        options.folder("--results", "scored systems, for people's verdicts over all items and "
                       "beside a judge's (default: results)", default=Path("results")),
        options.workplace)),
    Action("hamlet", "say which items that annotators wrote fool a label model, and ask again",
           _hamlet, """\
scorer annotations hamlet write-1
scorer annotations hamlet write-1 --again write-1-again
scorer annotations hamlet write-2 --round 2 --system trained/label-2 --json -""", (
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
        options.json_file, options.workplace, options.boards)),
))
