"""The check of a pull request that changes something below ``annotations``.

    event ------> PullRequest  who opened it, and whether the branch is a maintainer's  pull.py
    base, head -> Merge        what the branch changed, and what its merge changes      pull.py
    paths ------> faults       a stranger's: own answers, and nothing else
    files ------> faults       answers held against the main branch's batches, forms and people

A stranger adds, changes and takes back answers under their own name to batches that are open on the
main branch. Batches, keys, forms and people are the maintainers': their own pull requests, those of
a branch of this repository, are not judged. Everything is read as git objects, and written under
names of ours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scorer.core.errors import DataError, Problem, SubmissionError, counted, excerpt
from scorer.people.records import CLOSED
from scorer.people.sheets import MOST_BYTES, SheetFaults
from scorer.people.validate import HOST, ROOT, Workplace, answers_at, check_file
from scorer.pipeline.ci import pull
from scorer.pipeline.ci.git import FILE, NOTHING, Change, Repository
from scorer.pipeline.ci.pull import Merge, PullRequest, is_annotation, shown
from scorer.pipeline.ci.validate import Review, report

MOST_FILES = 50
"""Files of answers of one pull request that are read."""


def check(repository: Repository, request: PullRequest) -> Review:
    """Judge what merging a pull request whose objects are here would do below ``annotations``.

    Raises DataError where the main branch itself is at fault.
    """
    review, merge = Review(), pull.merge_of(repository, request)
    if isinstance(merge, Problem):
        review.add([merge])
        return review
    review.applies = any(is_annotation(change.path) for change in merge.changes)
    if review.applies and not request.own:
        login = request.author.login.lower() if request.author else ""
        with tempfile.TemporaryDirectory() as folder:
            try:
                for faults in _faults(merge, login, Path(folder)):
                    review.refuse([fault for fault in faults.kept if not fault.warns],
                                  faults.errors)
                    review.notes += [fault for fault in faults.kept if fault.warns]
            except SubmissionError as fault:
                raise DataError("\n".join(str(replace(problem, path=shown(
                    problem.path.removeprefix(f"{folder}/")))) for problem in fault.problems),
                    ) from fault
            except DataError as fault:
                raise DataError(str(fault).replace(f"{folder}/", "")) from fault
    return review


def _faults(merge: Merge, login: str, folder: Path) -> Iterator[SheetFaults]:
    """Refuse every path but those of somebody's own answers, whichever comparison names it; hold
    these, as merging leaves them, against the main branch.

    Raises SubmissionError where its forms are at fault, DataError where another file is.
    """
    repository, base = merge.repository, merge.pull.base
    workplace = _checkout(repository, base, folder)
    forms = workplace.forms.values()
    own = set()
    for path in dict.fromkeys(change.path for change in merge.changes):
        faults, answers = SheetFaults(shown(path)), answers_at(forms, path)
        if HOST.fullmatch(path) or not is_annotation(path):
            faults.of_file("ANN-MIXED", path=shown(path))
        elif answers is None:
            faults.of_file("ANN-PATH", path=excerpt(path, 200)[1:-1])
        elif not login or answers.annotator != login:
            faults.of_file("ANN-AUTHOR", u=login)
        else:
            own.add(path)
        yield faults
    files = [change for change in repository.changes(base, merge.tree) if change.path in own]
    if len(files) > MOST_FILES:
        faults = SheetFaults(ROOT)
        faults.of_file("ANN-MANY", n=len(files), most=MOST_FILES)
        yield faults
    for change in files[:MOST_FILES]:
        yield _check_file(repository, workplace, change, login)


def _check_file(repository: Repository, workplace: Workplace, change: Change, login: str
                ) -> SheetFaults:
    """What is wrong with one file of answers."""
    path, faults = workplace.folder.parent / change.path, SheetFaults(shown(change.path))
    content = repository.blob(change.oid, MOST_BYTES) if change.mode == FILE else None
    if change.mode == NOTHING:
        batch, _ = workplace.batch(path.parent.name)
        if batch is not None and batch.status == CLOSED:
            faults.of_file("ANN-BATCH-CLOSED gone", b=batch.name)
    elif change.mode != FILE:
        faults.of_file("ANN-LINK", path=shown(change.path))
    elif content is None:
        faults.of_file("ANN-SIZE", n=f"more than {MOST_BYTES}", most=MOST_BYTES)
    else:
        _write(path, content)
        return check_file(workplace, path, author=login)
    return faults


def _checkout(repository: Repository, commit: str, folder: Path) -> Workplace:
    """The maintainers' files of a commit. Raises SubmissionError for faulty forms."""
    entries = [entry for entry in repository.tree(commit, ROOT)
               if entry.mode == FILE and HOST.fullmatch(entry.path)]
    contents = repository.blobs([entry.oid for entry in entries])
    (folder / ROOT).mkdir()
    for entry in entries:
        _write(folder / entry.path, contents[entry.oid])
    return Workplace(folder / ROOT)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def markdown(found: Review) -> str:
    """The step's summary: rule ids, paths and ASCII excerpts, nothing that is alive."""
    if not (found.applies or found.total):
        return f"## No annotations\n\nThis pull request changes nothing below `{ROOT}/`.\n"
    if not found.total:
        return report("These annotations can be accepted", found)
    return report(f"{counted(found.total, 'error')} in annotations", found, "\nTo see the same on "
                  "your machine: `scorer annotations validate FILE --author LOGIN`.")
