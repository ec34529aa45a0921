"""``scorer submit``: a submission's branch and the page of its pull request, by plain git."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import check, options
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.sending.branch import Planned
    from scorer.sending.clone import Clone


def run(given: argparse.Namespace) -> int:
    """Check the folder, make the branch, say what there is to push; push only where asked."""
    from scorer.errors import UsageError, printable, refusal
    from scorer.sending import branch, clone, remotes
    from scorer.submission import SubmissionName

    if given.push and given.dry_run:
        raise UsageError("--push and --dry-run together; a dry run pushes nothing")
    if not given.folder.is_dir():
        raise UsageError(f"{given.folder}: no such folder; name "
                         "submissions/<board>/<team>/<system>")
    here = clone.find(given.folder, given.root)
    boards = given.boards or _boards(here)
    if code := _checked(given, boards):
        return code
    found = remotes.roles(here.remotes(), given.remote,
                          here.text("config", "--get", "remote.pushDefault"))
    folder = given.folder.resolve()
    name = SubmissionName(*folder.parts[-3:])
    plan = branch.planned(here, found, name, folder, given.branch, boards, given.home)
    for note in plan.review.notes:
        print(f"note: {note}", file=sys.stderr)
    if plan.review.total:
        for line in plan.review.told:
            print(line, file=sys.stderr)
        print(refusal(plan.review.total), file=sys.stderr)
        return 2
    if plan.commit == plan.base.commit:
        print(f"{plan.base.name} has exactly these files of {name.path}; nothing to submit")
        return 0
    if given.push and found.own is None:
        raise UsageError("--push: this clone has no remote; add your fork: git remote add fork "
                         "ADDRESS")
    commit = plan.commit if given.dry_run else branch.made(plan)
    words = plan.push_words(commit)
    print(printable("\n".join(report(plan, commit, words, given))))
    if given.push:
        sys.stdout.flush()
        print(printable(clone.push(here, words)), file=sys.stderr)
    return 0


def _boards(here: Clone) -> Path:
    """Those of the clone if it has them in its work tree, else those that come with the program."""
    from scorer.board import boards_folder, known_boards

    own = here.top / "boards"
    return own if known_boards(own) else boards_folder()


def _checked(given: argparse.Namespace, boards: Path) -> int:
    """The exit code of ``scorer check FOLDER``, which says everything that it found."""
    asked = argparse.Namespace(
        target=[given.folder], board=None, split=None, rows=given.rows, fix=None, order=None,
        per_reference=False, reserved=False, boards=boards, home=given.home)
    return check.run(asked)


def report(plan: Planned, commit: str, words: tuple[str, ...], given: argparse.Namespace,
           ) -> list[str]:
    """What was made, what a push would bring, and what to do next."""
    from scorer.errors import counted

    on, made = f"{plan.base.name} {plan.base.commit[:10]} of {plan.base.day}", commit[:10]
    state = ("not made: dry run" if given.dry_run else
             f"{made} {plan.message.strip()}" if plan.changed else
             f"{made} (nothing changed since)")
    others = plan.clone.others(plan.name.path)
    facts = [
        ("branch", plan.branch), ("commit", state),
        ("author", f"{plan.author} (public with the commit)"),
        ("ahead", f"{counted(plan.ahead, 'commit')} of {on}"),
        ("folder", f"{plan.name.path}/"),
        *(("", line) for line in _files(plan)),
        *(("note", note) for note in _notes(plan, given.folder.resolve(), others)),
    ]
    lines = [f"  {label:8}{text}" for label, text in facts]
    return [*lines, "", *_next(plan, words, given)]


def _files(plan: Planned) -> Iterator[str]:
    """Each file with its size, its digest and its lines against the base."""
    from scorer.files import sha256

    stats = {stat.name: stat for stat in plan.stats}
    for path, content in plan.files.items():
        stat = stats.get(path)
        how = ("as it is there" if stat is None else f"new, {stat.added} lines" if not stat.old
               else f"+{stat.added} -{stat.removed} lines")
        name = path.removeprefix(f"{plan.name.path}/")
        yield f"{name}  {len(content):,} bytes  {how}  sha256 {sha256(content)[:16]}"


def _notes(plan: Planned, folder: Path, others: int) -> Iterator[str]:
    from scorer.errors import counted

    if folder != (plan.clone.top / plan.name.path).resolve():
        yield f"the files lie in {folder}; the branch is made in {plan.clone.top}"
    if others:
        yield (f"{counted(others, 'other change')} of your work tree left as they are, not in "
               "the commit")
    if hooks := plan.clone.hooks():
        yield f"not run, as the work tree is not committed: {', '.join(hooks)}"
    if plan.anonymous:
        yield (f"anonymous until {plan.anonymous} on the site, but anybody can read in git who "
               "made the commit and the pull request")
    if plan.other_board:
        yield (f"{plan.base.name} describes the board {plan.name.board} in other words than those "
               "checked here; bring it up to date")
    if plan.known:
        yield (f"the team {plan.name.team} is there already; open the pull request from the "
               "account that it belongs to")


def _next(plan: Planned, words: tuple[str, ...], given: argparse.Namespace) -> Iterator[str]:
    """The command that pushes, and where the pull request is opened."""
    import shlex

    from scorer.ci.validate import BRANCH
    from scorer.sending.clone import same
    from scorer.sending.remotes import fork_address, pull_request_page

    upstream, own = plan.roles
    program = ("git" if same(plan.clone, Path())
               else f"git -C {shlex.quote(str(plan.clone.top))}")
    if own is None or (own == upstream and not given.remote):
        where = fork_address(upstream) if upstream else "ADDRESS-OF-YOUR-FORK"
        yield (f"{own.name} is the only remote. If you may not push to it, make a fork and name "
               "it first, then run this again:" if own else "Name your fork to git first:")
        yield f"  {program} remote add fork {where}"
    yield ("Pushing:" if given.push else "Nothing was made or pushed. To push what would be made:"
           if given.dry_run else "Nothing was pushed. To push:")
    yield f"  {program} {shlex.join(words)}"
    page = pull_request_page(plan.roles, BRANCH, plan.branch)
    yield ("Then open the pull request:" if page else
           "Then open the pull request where the repository is hosted.")
    if page:
        yield f"  {page}"


VERB = Action("submit", "prepare a submission's branch and pull request, by plain git", run, """\
scorer submit submissions/explagraphs-practice/my-team/my-system
scorer submit submissions/explagraphs-practice/my-team/my-system --remote fork --push""", (
    option("folder", type=Path, help="submission folder"),
    option("--remote", metavar="NAME", help="remote to push to (default: the only one, "
           "remote.pushDefault, fork, or the one beside the benchmark's, which is upstream or "
           "origin)"),
    option("--branch", metavar="NAME", help="branch (default: submit/<board>/<team>/<system>)"),
    option("--push", action="store_true", help="push it, with what your git signs in with"),
    option("--dry-run", action="store_true", help="make nothing, only say what would be pushed"),
    option("--rows", action="store_true", help="show every row of every error and broken rule"),
    option("--root", type=Path, help="the clone (default: that of the working folder, else that "
           "of the submission)"),
    options.boards,
    options.home,
))
