"""How ``others.yaml`` beside board.yaml is written: predictions by others that are scored here.

Nothing of theirs is committed: a file is named by its repository, commit and digest, and a form
says how its records become rows. As part of a board they are downloads, recipes and rows like
those of board.yaml; no version of a board depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import quote

from scorer.boards.recipes import (
    INPUTS,
    ITEM,
    REFERENCE,
    Check,
    Column,
    Field,
    Join,
    Misfits,
    Recipe,
    RelativePath,
    Source,
    of_recipe,
)
from scorer.boards.records import Board, Digest, Download, SplitName, ThirdParty
from scorer.core.reading.values import Choice, Date, Items, Link, Optional, Slug, Text, YesNo

FILE_NAME = "others.yaml"
FOLDER = "third-party"
"""Where made predictions lie, below the board's data folder."""
AUTHORS, REPRODUCTION, THIRD = "authors", "reproduction", "third-party"
_WHAT = {
    AUTHORS: "Predictions that its makers released: {by}.",
    REPRODUCTION: "A reproduction by {by}, not the predictions of the system's authors.",
    THIRD: "Predictions by {by}, who ran a system that others made.",
}
"""What a row is, in words that stand on its page."""
LONGEST_TITLE = 120
_Name = Annotated[str, Text(40, r"[a-z][a-z0-9-]*", "a lower-case name")]


@dataclass(frozen=True)
class TheirFile:
    """One file of a repository."""

    path: Annotated[str, Text(200, r"[^\s/\\]+(?:/[^\s/\\]+)*", "a path without spaces"),
                    "Where it lies in the repository."]
    to: Annotated[RelativePath, "Where it is put, relative to the board's data folder."]
    sha256: Annotated[Digest, "Digest of the file."]
    title: Annotated[str, Text(120), "What it is."]


@dataclass(frozen=True)
class Repository:
    """A public repository on GitHub at one commit."""

    repository: Annotated[str, Text(140, r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", "owner/name"),
                          "The repository on GitHub."]
    commit: Annotated[str, Text(40, r"[0-9a-f]{40}", "40 hexadecimal digits"), "The commit."]
    licence: Annotated[str, Text(200), "The licence of the files, or `no licence file`."]
    files: Annotated[tuple[TheirFile, ...], Items(1), "The files."]

    def page(self, path: str) -> str:
        """Where people see a file."""
        return f"https://github.com/{self.repository}/blob/{self.commit}/{quote(path)}"

    def raw(self, path: str) -> str:
        """Where its bytes come from."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{quote(path)}"


@dataclass(frozen=True, kw_only=True)
class Form:
    """How the records of a file become the rows of a predictions file."""

    name: Annotated[_Name, "What systems call it."]
    source: Annotated[Source, "Where records come from; each makes a row. Of format `inputs` where "
                      "the items do, and predictions are joined."]
    join: Annotated[tuple[Join, ...], Items(0, 5), "Records of other files that belong to "
                    "them."] = ()
    one_a: Annotated[str, Choice((ITEM, REFERENCE)), "Whether there is a record for each item, or "
                     "for each gold answer: of those of an item, all equal, the first is "
                     "taken."] = ITEM
    checks: Annotated[tuple[Check, ...], Items(0, 5), "How records are known to be in the order of "
                      "the split."] = ()
    columns: Annotated[tuple[Column, ...], Items(1, 20), "The columns of a predictions file, in "
                       "order; `default: \"-\"` where there may be no answer."]
    probabilities: Annotated[tuple[Field, ...], Items(2, 20), "The fields with the probability of "
                             "each label, in the order of the labels. They make a file of their "
                             "own, which serves calibration and no score."] = ()


@dataclass(frozen=True)
class Answers:
    """What a system answered to one split."""

    file: Annotated[RelativePath, "One of the files of sources, by `to`."]
    form: Annotated[Optional[_Name], "How it becomes rows. Left out: it is a predictions file as "
                    "it is."] = None


@dataclass(frozen=True, kw_only=True)
class System:
    """One system of others: a row for each split that it answers."""

    system: Annotated[Slug, "The row's folder name."]
    title: Annotated[str, Text(80), "The row's name. That of a reproduction says so."]
    by: Annotated[str, Text(120), "Who made the predictions, and when."]
    what: Annotated[str, Choice(tuple(_WHAT)), "authors: released by those who made the system; "
                    "reproduction: others trained again what a paper describes; third-party: "
                    "others ran it."]
    description: Annotated[str, Text(600, lines=True), "What it is."]
    date: Annotated[str, Date(), "When they were published."]
    saw_dev_gold: Annotated[bool, YesNo(), "Whether dev gold was used in making them."]
    ranked: Annotated[bool, YesNo(), "Whether the row may have a rank: not where it is no system, "
                      "such as people's answers or an oracle."] = True
    splits: Annotated[Mapping[SplitName, Answers], Items(1), "What it answered."]


@dataclass(frozen=True, kw_only=True)
class Others:
    """The file others.yaml."""

    sources: Annotated[tuple[Repository, ...], Items(1, 20), "Where their files are."]
    forms: Annotated[tuple[Form, ...], Items(0, 20), "How files become rows."] = ()
    systems: Annotated[tuple[System, ...], Items(1), "Whose they are."]

    @property
    def downloads(self) -> tuple[Download, ...]:
        """Their files. No board needs them: a folder may lack them."""
        return tuple(Download(path=file.to, url=source.raw(file.path), sha256=file.sha256,
                              title=file.title, optional=True, by_others=True)
                     for source in self.sources for file in source.files)


def with_others(board: Board, others: Others) -> Board:
    """The board with the files and rows of others, which must fit it: see ``misfits``."""
    forms = {form.name: form for form in others.forms}
    files = {file.to: (source, file) for source in others.sources for file in source.files}
    recipes, rows = [*board.recipes], []
    for system in others.systems:
        for split, answers in system.splits.items():
            path, form = answers.file, forms[answers.form] if answers.form else None
            if form is not None:
                path = f"{FOLDER}/{system.system}.{split}.tsv"
                recipes.append(_recipe(form, path, split, answers.file))
            if form is not None and form.probabilities:
                columns = tuple(Column(name=f"p{number}", field=field)
                                for number, field in enumerate(form.probabilities, start=1))
                recipes.append(replace(recipes[-1], columns=columns,
                                       to=probabilities_path(system.system, split)))
            rows.append(_row(system, split, path, *files[answers.file]))
    return replace(board, downloads=(*board.downloads, *others.downloads), recipes=tuple(recipes),
                   third_party=tuple(rows))


def probabilities_path(system: str, split: str) -> str:
    """Where the probabilities of a system lie, relative to the board's data folder."""
    return f"{FOLDER}/{system}.{split}.probabilities.tsv"


def _recipe(form: Form, to: str, split: str = "", file: str = "") -> Recipe:
    """How a predictions file is made; ``file``: the system's, where a source names none."""
    def of(source: Source) -> Source:
        named = source.file or source.format == INPUTS
        return source if named else replace(source, file=file)

    return Recipe(to=to, source=of(form.source), columns=form.columns, split=split,
                  join=tuple(replace(join, source=of(join.source)) for join in form.join),
                  checks=form.checks, one_a=form.one_a)


def _row(system: System, split: str, path: str, source: Repository, file: TheirFile) -> ThirdParty:
    name = file.path.rpartition("/")[2]
    title = f"{name} of {source.repository} at {source.commit[:7]}"
    return ThirdParty(
        system.system, path, split, system.title,
        f"{system.description.strip()} {_WHAT[system.what].format(by=system.by)}", system.by,
        Link(title[:LONGEST_TITLE], source.page(file.path)), source.licence, system.date,
        system.saw_dev_gold, system.ranked)


def misfits(board: Board, others: Others) -> Misfits:
    """What each field allows by itself, but the whole or the board does not.

    ``board``: as board.yaml alone describes it.
    """
    theirs = {download.path for download in others.downloads}
    brought = theirs | {download.path for download in board.downloads}
    names = {*board.task.input_columns, "place"}
    for form in others.forms:
        recipe = _recipe(form, FOLDER)
        yield from of_recipe(recipe)
        for source in recipe.sources:
            if source.file and source.file not in brought:
                yield (f"the file {source.file} in form {form.name}", "a file of sources, or a "
                       "download", "mend the path")
        for check in form.checks:
            for name in check.names:
                if name not in names:
                    yield (f"{{{name}}} in a check of form {form.name}",
                           "one of: " + ", ".join(sorted(names)), "mend the name")
    forms = {form.name for form in others.forms}
    for system in others.systems:
        for split in system.splits:
            if split not in board.splits or board.splits[split].gold != "public":
                yield (f"predictions of {system.system} for {split}", "a split with public gold",
                       "remove them")
        for answers in system.splits.values():
            if answers.form is not None and answers.form not in forms:
                yield (f"form {answers.form} of {system.system}", "one of the forms",
                       "mend the name")
            if answers.file not in theirs:
                yield (f"the file {answers.file} of {system.system}", "a file of sources",
                       "add it there")
        if system.what == REPRODUCTION and "reproduc" not in system.title.lower():
            yield (f"the title of {system.system}", "one that says that it is a reproduction",
                   "write NAME (reproduction, WHO)")
