"""``scorer import``: logs of other harnesses as submissions that are ready to be sent."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scorer.commands import before, options
from scorer.commands.options import Action, VerbGroup, option
from scorer.core.records import SPLITS


def inspect(given: argparse.Namespace) -> int:
    """Write a submission of a log of inspect_ai."""
    from scorer import boards
    from scorer.boards.submission import FILE_NAME, Meta
    from scorer.commands.predict import check_folder
    from scorer.core.errors import SubmissionError, printable
    from scorer.core.files import write_atomically
    from scorer.core.reading import schema
    from scorer.lab.harnesses.asking import read_items
    from scorer.lab.harnesses.submitting import chosen_log, fields_of, imported, prompt_notes
    from scorer.scoring.reference import meta_bytes, write_submission

    board = boards.load(given.board, given.boards)
    check_folder(given.out, board)
    before.check_fields(given)
    _check_answers(given.answers, given.out)
    found = [imported(
        chosen_log(given.log, board.id, split),
        read_items(given.board, split, given.home, boards_folder=given.boards, with_gold=False),
        epoch=given.epoch, missing=_numbers(given.unanswered))
        for split in dict.fromkeys(given.split)]
    meta = fields_of(found, {
        "system": given.title, "team": given.team or given.out.resolve().parent.name,
        "date": given.date, "model": given.model, "saw_dev_gold": given.saw_dev_gold})
    path, content = given.out / FILE_NAME, meta_bytes(meta)
    problems = schema.load(Meta, content, str(path))[1]
    if problems:  # the log says what no submission may say
        raise SubmissionError(problems)
    if path.exists() and (not path.is_file() or path.read_bytes() != content):
        raise before.differs(path)
    write_submission(given.out, meta, {one.split: one.predictions() for one in found})
    for one in found:
        for note in prompt_notes(one):
            print(printable(f"note: {note}"), file=sys.stderr)
        print(printable(f"{given.out}: {one.split} written, {len(one.rows)} items"))
        for line in one.summary():
            print(printable(f"  {line}"))
    if given.answers is not None:
        write_atomically(given.answers, b"".join(one.answers() for one in found))
    if given.saw_dev_gold is None:
        print(printable(f"submission.yaml says saw_dev_gold: yes, since nobody here knows what "
                        f"{meta['models'][0]} read; if it read no dev gold, say --saw-dev-gold no"))
    print(f"next:  scorer check {given.out}")
    return 0


def _check_answers(path: Path | None, out: Path) -> None:
    """Raise UsageError for a file of texts that would lie in the submission, or is a folder."""
    from scorer.core.errors import UsageError

    if path is None:
        return
    fault = ("is a folder" if path.is_dir() else "would lie in the submission, where only "
             "predictions may" if path.resolve().is_relative_to(out.resolve()) else None)
    if fault:
        raise UsageError(f"--answers {path}: {fault}; name another file")


def _numbers(given: str | None) -> list[int]:
    """Items by number: ``3,7,12-20``. Raises UsageError."""
    from scorer.core.errors import UsageError, excerpt

    found: list[int] = []
    for part in (given or "").split(",") if given else ():
        low, dash, high = part.strip().partition("-")
        if not (low.isascii() and low.isdigit() and len(low) < 8
                and (not dash or (high.isascii() and high.isdigit() and len(high) < 8))):
            raise UsageError(f"--unanswered {excerpt(part)}: write numbers of items, such as "
                             "3,7,12-20")
        found += range(int(low), int(high if dash else low) + 1)
    return list(dict.fromkeys(found))


VERB = VerbGroup("import", "write submissions from logs of other harnesses", (
    Action("inspect", "write the answers in a log of inspect_ai as a submission", inspect, """\
scorer import inspect logs --board explagraphs-practice --split dev \\
    --out submissions/explagraphs-practice/my-team/my-model""", (
        option("log", nargs="+", type=Path, metavar="LOG",
               help="a log (.eval or .json), or a folder of them, in which the last of a run and "
               "its resumptions is taken; of a task that comes with this program"),
        option("--board", required=True, help="board name or path"),
        option("--split", action="append", choices=SPLITS, required=True,
               help="split that was asked; may be repeated, with a log of each"),
        option("--out", type=Path, required=True, metavar="DIR",
               help="the submission: submissions/<board>/<team>/<system>"),
        option("--epoch", type=int, metavar="N",
               help="which epoch to take, if the log has several"),
        option("--unanswered", metavar="ITEMS",
               help="items that may be missing in the log, such as 3,7,12-20; they stay without "
               "an answer"),
        option("--answers", type=Path, metavar="FILE",
               help="also write the model's texts, one JSON object a line; not into the "
               "submission, which has no place for them"),
        option("--model", metavar="NAME", help="the model's name (default: the log's)"),
        option("--title", help="the system's name as shown (default: the model's)"),
        option("--team", help="the team's name as shown (default: its folder's name)"),
        option("--date", help="when the predictions were made, YYYY-MM-DD (default: the log's)"),
        option("--saw-dev-gold", choices=("no", "yes"),
               help="what submission.yaml says (default: yes, since nobody here knows what the "
               "model read)"),
        options.boards,
        options.home,
    )),
))
