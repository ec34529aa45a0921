"""``scorer new``, ``submit`` and ``baseline``: folders of submissions and their pull requests."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Args, Verb, flag, option
from scorer.core.errors import NotMeasured, SubmissionError, UsageError, printable, refusal
from scorer.core.files import sha256, write_atomically

if TYPE_CHECKING:
    from scorer.pipeline.sending import Clone, Remotes, Submitted


def _new(args: Args) -> None:
    """Write the template, never over an existing file."""
    from scorer.boards import submission

    board = options.board_of(args)
    folder = args.submissions / board.id / args.team / args.system
    problems = submission.slug_problems(args.team, args.system, str(folder), reserved=False)
    if problems:
        raise SubmissionError(problems)
    path = folder / submission.FILE_NAME
    if path.exists():
        raise UsageError(f"{path} exists already; choose another system name or edit it")
    write_atomically(path, submission.template(args.system, args.team).encode())
    columns = ", ".join(board.task.prediction_columns)
    print(f"{path} written. Fill it in, put predictions.<split>.tsv beside it "
          f"(columns: {columns}; no header), then run: scorer check {folder}")


NEW = Verb(_new, """\
scorer new explagraphs-practice my-team my-system --submissions submissions""", (
    option("board", "board name"),
    option("team", "the team's folder name: a-z, 0-9 and hyphens"),
    option("system", "the system's folder name: a-z, 0-9 and hyphens"),
    options.submissions, options.boards,
))


# ---- submit ------------------------------------------------------------------------------------


def _submit(args: Args) -> int:
    """Check the folder, make the branch, say what there is to push; push only where asked."""
    from scorer.boards.submission import SubmissionName
    from scorer.commands.check import Checking, check
    from scorer.pipeline import sending

    if args.push and args.dry_run:
        raise UsageError("--push and --dry-run together; a dry run pushes nothing")
    if not args.folder.is_dir():
        raise UsageError(f"{args.folder}: no such folder; name "
                         "submissions/<board>/<team>/<system>")
    here = sending.find_clone(args.root)
    boards = _boards(here)
    if code := check([args.folder], Checking(args.home, boards)):
        return code
    remotes = sending.remotes(here, args.remote)
    if args.push and not remotes.own:
        raise UsageError("--push: this clone has no remote; add your fork: git remote add fork "
                         "ADDRESS")
    folder = args.folder.resolve()
    name = SubmissionName(*folder.parts[-3:])
    made = sending.submitted(here, remotes, name, folder, args.owner, boards, args.home)
    for note in made.review.notes:
        print(f"note: {note}", file=sys.stderr)
    if made.review.total:
        for line in made.review.lines:
            print(line, file=sys.stderr)
        print(refusal(made.review.total), file=sys.stderr)
        return 2
    if made.commit == made.base:
        print(f"{made.main} has exactly these files of {name.path}; nothing to submit")
        return 0
    if not args.dry_run:
        here.must("switch to another branch there",
                  "branch", "--no-track", "--force", made.branch, made.commit)
    # an older branch is replaced, unless somebody else pushed to it
    lease = ([f"--force-with-lease={made.branch}:{made.pushed}"]
             if made.pushed not in ("", made.commit) else [])
    words = ("push", *lease, remotes.own or sending.FORK, made.branch)
    print(printable("\n".join(_report(made, here, args.dry_run))))
    print(printable("\n".join(_next_steps(remotes, here, words, args))))
    if args.push:
        sys.stdout.flush()
        print(printable(here.send(words)), file=sys.stderr)
    return 0


def _boards(here: Clone) -> Path:
    """Those of the clone if it has them in its work tree, else those that come with the program."""
    from scorer.boards import boards_folder, known_boards

    own = here.folder / "boards"
    return own if known_boards(own) else boards_folder()


def _report(made: Submitted, clone: Clone, dry_run: bool) -> Iterator[str]:
    """What was made: branch, commit, author, and each file with its size and its digest."""
    commit = clone.text("show", "--no-patch", "--format=%h %s", made.commit)
    author = clone.text("show", "--no-patch", "--format=%an <%ae>", made.commit)
    yield f"  branch  {made.branch}{' (not made: dry run)' if dry_run else ''}"
    yield f"  commit  {commit}, on {made.main} {made.base[:10]}"
    yield f"  author  {author} (public with the commit)"
    for path, content in made.files.items():
        yield f"          {path}  {len(content):,} bytes  sha256 {sha256(content)[:16]}"
    sent = made.review.submission
    if sent is not None and sent.meta.anonymous_until:
        yield (f"  note    anonymous until {sent.meta.anonymous_until} on the site, but anybody "
               "can read in git who made the commit and the pull request")


def _next_steps(remotes: Remotes, clone: Clone, words: tuple[str, ...], args: Args
                ) -> Iterator[str]:
    """The command that pushes, and what comes after it."""
    upstream, own = remotes
    inside = Path().resolve().is_relative_to(clone.folder)
    program = "git" if inside else f"git -C {shlex.quote(str(clone.folder))}"
    yield ""
    if not own or (own == upstream and not args.remote):
        yield (f"{own} is the benchmark's remote. If you may not push to it, make a fork and name "
               "it first, then run this again:" if own else "Name your fork to git first:")
        yield f"  {program} remote add fork ADDRESS-OF-YOUR-FORK"
    yield "Pushing:" if args.push else "Nothing was pushed. To push:"
    yield f"  {program} {shlex.join(words)}"
    yield "Then open the pull request at the address that GitHub answers."


SUBMIT = Verb(_submit, """\
scorer submit submissions/explagraphs-practice/my-team/my-system
scorer submit submissions/explagraphs-practice/my-team/my-system --remote fork --push""", (
    option("folder", "submission folder", type=Path),
    option("--remote", "remote to push to (default: fork, else origin)", metavar="NAME"),
    option("--owner", "for a team's first submission: its owner on GitHub (default: the account of "
           "gh, if that is here)", metavar="LOGIN#NUMBER"),
    flag("--push", "push it, with what your git signs in with"),
    flag("--dry-run", "only print what would be pushed"),
    option("--root", "the clone (default: that of the working folder)", type=Path, default=Path()),
    options.home,
))


# ---- baseline ----------------------------------------------------------------------------------


def _baseline(args: Args) -> int:
    """0 after writing them and naming the folders; 3 if one that was named cannot be made here."""
    from scorer import boards
    from scorer.boards.submission import THIRD_PARTY
    from scorer.scoring import reference
    from scorer.scoring.submissions import open_submission

    out = args.out or args.home / "submissions"
    for path in args.null_of:
        sent = open_submission(path)
        board = boards.load(args.board or sent.board, args.boards)
        null = reference.null_of(board, sent, args.home)
        print(reference.write_null_of(board, sent, null, out))
    if args.null_of:
        return 0
    if args.board is None:
        raise UsageError("name the board with --board")
    board = options.board_of(args)
    models, splits, lacking = options.models_here(args), args.split or ("dev", "test"), 0
    for baseline in reference.named(board, args.name):
        try:
            print(reference.write_baseline(board, baseline, splits, args.home, out, models))
        except NotMeasured as reason:
            print(f"{baseline.name}: {reason}", file=sys.stderr if args.name else sys.stdout)
            lacking = 3
    if args.name:
        return lacking
    systems = () if board.task.one_null else dict.fromkeys(
        row.system for row in board.third_party)
    folders = (out / board.id / THIRD_PARTY / system for system in systems)
    others = [open_submission(folder) for folder in folders if folder.is_dir()]
    for sent, null in reference.distinct_nulls(board, others, args.home):
        print(reference.write_null_of(board, sent, null, out))
    return 0


BASELINE = Verb(_baseline, """\
scorer baseline --board explagraphs-practice --out submissions
scorer baseline null gold --board explagraphs --split dev
scorer baseline --null-of .whyboard/submissions/explagraphs/third-party/max-margin""", (
    option("name", "baselines to write (default: all)", nargs="*"),
    option("--board", "board name or path"),
    option("--split", "splits to answer (default: dev and test)", action="append",
           choices=("dev", "test")),
    option("--null-of", "write the label-matched null of this submission instead", type=Path,
           action="append", default=[], metavar="SUBMISSION"),
    options.folder("--out", "folder of submissions to write to (default: <home>/submissions)"),
    *options.model_options(cached=False),
    *options.folders,
))
