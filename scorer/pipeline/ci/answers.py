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

import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from scorer.core.errors import DataError, Problem, SubmissionError, counted, excerpt
from scorer.people.records import CLOSED
from scorer.people.sheets import MOST_BYTES, RuleFault, said
from scorer.people.validate import ROOT, AnswersFile, Workplace, check_file, file_at
from scorer.pipeline.ci import pull
from scorer.pipeline.ci.git import FILE, NOTHING, Change, Repository
from scorer.pipeline.ci.pull import Merge, PullRequest, is_annotation, shown
from scorer.pipeline.ci.validate import Review, report

MOST_FILES = 50
"""Files of answers of one pull request that are read."""
_HOST = re.compile(rf"{ROOT}/(?:batches/[a-z0-9-]{{1,60}}(?:\.key|\.closed)?\.json"
                   r"|forms/[a-z0-9-]{1,60}\.yaml|annotators\.yml|README\.md)")
_ANSWERS = re.compile(rf"{ROOT}/(?:[a-z0-9-]{{1,60}}/){{1,2}}([a-z0-9-]{{1,60}})\.tsv")


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
        review.refuse(list(_path_faults(merge, login)))
        with tempfile.TemporaryDirectory() as folder:
            _check_files(merge, login, Path(folder), review)
    return review


def _fault(path: str, which: str, /, **values: object) -> RuleFault:
    """A fault of a whole file."""
    what = said(which, **values)
    return RuleFault(shown(path), 1, 1, what.rule, what.text, "", "")


def _path_faults(merge: Merge, login: str) -> Iterator[RuleFault]:
    """Refuse every path but those of a stranger's own answers, whichever comparison names it."""
    for path in dict.fromkeys(change.path for change in merge.changes):
        if _HOST.fullmatch(path) or not is_annotation(path):
            yield _fault(path, "ANN-MIXED", path=shown(path))
        elif not _ANSWERS.fullmatch(path):
            yield _fault(path, "ANN-PATH", path=excerpt(path, 200)[1:-1])
        elif not _is_own(path, login):
            yield _fault(path, "ANN-AUTHOR", u=login)


def _is_own(path: str, login: str) -> bool:
    """Whether answers at a path would be somebody's own; rulings are nobody's."""
    match = _ANSWERS.fullmatch(path)
    return match is not None and path.count("/") == 3 and match[1] == login


def _check_files(merge: Merge, login: str, folder: Path, review: Review) -> None:
    """Hold somebody's own answers, as merging leaves them, against the main branch.

    Raises DataError where its forms are at fault.
    """
    repository = merge.repository
    try:
        workplace = _checkout(repository, merge.pull.base, folder)
    except SubmissionError as fault:
        raise DataError("\n".join(
            str(replace(error, path=shown(error.path.removeprefix(f"{folder}/"))))
            for error in fault.problems)) from fault
    answers = [change for change in repository.changes(merge.pull.base, merge.tree)
               if _is_own(change.path, login)]
    if len(answers) > MOST_FILES:
        review.refuse([_fault(ROOT, "ANN-MANY", n=len(answers), most=MOST_FILES)])
    for change in answers[:MOST_FILES]:
        content = repository.blob(change.oid, MOST_BYTES) if change.mode == FILE else None
        if content is None:
            review.refuse(list(_kind_faults(workplace, change)))
            continue
        path = _write(folder / change.path, content)
        try:
            faults = check_file(workplace, path, author=login).faults
        except DataError as fault:
            raise DataError(str(fault).replace(f"{folder}/", "")) from fault
        review.refuse([fault for fault in faults.kept if not fault.warns], faults.errors)
        review.notes += [fault for fault in faults.kept if fault.warns]


def _kind_faults(workplace: Workplace, change: Change) -> Iterator[RuleFault]:
    """What is wrong with answers that are gone, or no file that can be read."""
    path = change.path
    if change.mode == FILE:
        yield _fault(path, "ANN-SIZE", n=f"more than {MOST_BYTES}", most=MOST_BYTES)
    elif change.mode != NOTHING:
        yield _fault(path, "ANN-LINK", path=shown(path))
    else:
        answers = file_at(workplace.forms.values(), PurePosixPath(path).relative_to(ROOT))
        batch = workplace.batch(answers.batch)[0] if isinstance(answers, AnswersFile) else None
        if batch is not None and batch.status == CLOSED:
            yield _fault(path, "ANN-BATCH-CLOSED gone", b=batch.name)


def _checkout(repository: Repository, commit: str, folder: Path) -> Workplace:
    """The maintainers' files of a commit. Raises SubmissionError for faulty forms."""
    entries = [entry for entry in repository.tree(commit, ROOT)
               if entry.mode == FILE and _HOST.fullmatch(entry.path)]
    contents = repository.blobs([entry.oid for entry in entries])
    (folder / ROOT).mkdir()
    for entry in entries:
        _write(folder / entry.path, contents[entry.oid])
    return Workplace(folder / ROOT)


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def markdown(found: Review) -> str:
    """The step's summary: rule ids, paths and ASCII excerpts, nothing that is alive."""
    if not (found.applies or found.total):
        return f"## No annotations\n\nThis pull request changes nothing below `{ROOT}/`.\n"
    if not found.total:
        return report("These annotations can be accepted", found)
    return report(f"{counted(found.total, 'error')} in annotations", found, "\nTo see the same on "
                  "your machine: `scorer annotations validate FILE --author LOGIN`.")
