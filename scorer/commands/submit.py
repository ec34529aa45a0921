"""``scorer submit``: a submission's branch and the page of its pull request, by plain git."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import check, options
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.pipeline.sending import Clone, Roles, Submitted


def run(given: argparse.Namespace) -> int:
    """Check the folder, make the branch, say what there is to push; push only where asked."""
    from scorer.boards.submission import SubmissionName
    from scorer.core.errors import UsageError, printable, refusal
    from scorer.pipeline import sending

    if given.push and given.dry_run:
        raise UsageError("--push and --dry-run together; a dry run pushes nothing")
    if not given.folder.is_dir():
        raise UsageError(f"{given.folder}: no such folder; name "
                         "submissions/<board>/<team>/<system>")
    here = sending.find_clone(given.folder, given.root)
    boards = given.boards or _boards(here)
    if code := _checked(given, boards):
        return code
    roles = sending.roles(here.remotes(), given.remote,
                          here.text("config", "--get", "remote.pushDefault"))
    if given.push and roles.own is None:
        raise UsageError("--push: this clone has no remote; add your fork: git remote add fork "
                         "ADDRESS")
    folder = given.folder.resolve()
    name = SubmissionName(*folder.parts[-3:])
    made = sending.submitted(here, roles, name, folder, given.branch, given.owner, boards,
                            given.home)
    for note in made.review.notes:
        print(f"note: {note}", file=sys.stderr)
    if made.review.total:
        for line in made.review.lines:
            print(line, file=sys.stderr)
        print(refusal(made.review.total), file=sys.stderr)
        return 2
    if made.commit == made.base.commit:
        print(f"{made.base.name} has exactly these files of {name.path}; nothing to submit")
        return 0
    if not given.dry_run:
        sending.name_branch(here, made)
    words = made.push_words(roles.own.name if roles.own else "fork")
    print(printable("\n".join(report(made, here, given.dry_run))))
    print(printable("\n".join(next_steps(made, roles, here, words, given))))
    if given.push:
        sys.stdout.flush()
        print(printable(here.send(words)), file=sys.stderr)
    return 0


def _boards(here: Clone) -> Path:
    """Those of the clone if it has them in its work tree, else those that come with the program."""
    from scorer.boards import boards_folder, known_boards

    own = here.folder / "boards"
    return own if known_boards(own) else boards_folder()


def _checked(given: argparse.Namespace, boards: Path) -> int:
    """The exit code of ``scorer check FOLDER``, which says everything that it found."""
    asked = argparse.Namespace(
        target=[given.folder], board=None, split=None, rows=given.rows, fix=None, order=None,
        per_reference=False, reserved=False, boards=boards, home=given.home)
    return check.run(asked)


def report(made: Submitted, clone: Clone, dry_run: bool) -> Iterator[str]:
    """What was made: branch, commit, author, and each file with its size and its digest."""
    from scorer.core.files import sha256

    commit = clone.text("show", "--no-patch", "--format=%h %s", made.commit)
    author = clone.text("show", "--no-patch", "--format=%an <%ae>", made.commit)
    yield f"  branch  {made.branch}{' (not made: dry run)' if dry_run else ''}"
    yield f"  commit  {commit}, on {made.base.name} {made.base.commit[:10]}"
    yield f"  author  {author} (public with the commit)"
    for path, content in made.files.items():
        yield f"          {path}  {len(content):,} bytes  sha256 {sha256(content)[:16]}"
    if made.anonymous_until:
        yield (f"  note    anonymous until {made.anonymous_until} on the site, but anybody can "
               "read in git who made the commit and the pull request")


def next_steps(made: Submitted, roles: Roles, clone: Clone, words: tuple[str, ...],
               given: argparse.Namespace) -> Iterator[str]:
    """The command that pushes, and where the pull request is opened."""
    from scorer.pipeline.ci.validate import BRANCH
    from scorer.pipeline.sending import fork_address, pull_request_page

    upstream, own = roles
    inside = Path().resolve().is_relative_to(clone.folder)
    program = "git" if inside else f"git -C {shlex.quote(str(clone.folder))}"
    yield ""
    if own is None or (own == upstream and not given.remote):
        address = fork_address(upstream) if upstream else "ADDRESS-OF-YOUR-FORK"
        yield (f"{own.name} is the only remote. If you may not push to it, make a fork and name "
               "it first, then run this again:" if own else "Name your fork to git first:")
        yield f"  {program} remote add fork {address}"
    yield "Pushing:" if given.push else "Nothing was pushed. To push:"
    yield f"  {program} {shlex.join(words)}"
    page = pull_request_page(roles, BRANCH, made.branch)
    yield ("Then open the pull request:" if page else
           "Then open the pull request where the repository is hosted.")
    if page:
        yield f"  {page}"


VERB = Action("submit", "make the branch of a submission's pull request", run, """\
scorer submit submissions/explagraphs-practice/my-team/my-system
scorer submit submissions/explagraphs-practice/my-team/my-system --remote fork --push""", (
    option("folder", type=Path, help="submission folder"),
    option("--remote", metavar="NAME", help="remote to push to (default: the only one, "
           "remote.pushDefault, fork, or the one beside the benchmark's, which is upstream or "
           "origin)"),
    option("--branch", metavar="NAME", help="branch (default: submit/<board>/<team>/<system>)"),
    option("--owner", metavar="LOGIN#NUMBER", help="for a team's first submission: its owner on "
           "GitHub (default: the account of gh, if that is here)"),
    option("--push", action="store_true", help="push it, with what your git signs in with"),
    option("--dry-run", action="store_true", help="only print what would be pushed"),
    option("--rows", action="store_true", help="show every row of every error and broken rule"),
    option("--root", type=Path, help="the clone (default: that of the working folder, else that "
           "of the submission)"),
    options.boards,
    options.home,
))
