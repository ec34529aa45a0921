"""A submission on disk: ``submissions/<board>/<team>/<system>/`` with its two kinds of files.

``submission.yaml`` says what the system is; ``predictions.<split>.tsv`` holds what it predicts.
The record ``Meta`` is the strict reader, the schema and the documentation in one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from scorer.core.errors import Problem, UsageError, excerpt
from scorer.core.files import listed
from scorer.core.reading import schema, strict
from scorer.core.reading.values import (
    SLUG,
    Choice,
    Date,
    Items,
    Link,
    Optional,
    Text,
    YesNo,
    is_slug,
)
from scorer.core.records import SPLITS

SUBMISSIONS, FILE_NAME = "submissions", "submission.yaml"
REFERENCE, THIRD_PARTY = "reference", "third-party"
NULL = "null"
"""The reference row of nulls with gold's labels."""
OWN = "whyboard"
"""The team of systems that were trained with this software by its makers."""
RESERVED = (REFERENCE, THIRD_PARTY, OWN, "human", "reported")
"""Team folders that only the board's maintainers write."""
ANONYMOUS = "anonymous"
"""What stands for the team in keys of rows whose team is not named: nobody's folder."""
CONSTRAINED, TRAINED_HERE = "constraints enforced in decoding", "trained here"
TAGS = (CONSTRAINED, TRAINED_HERE)
"""What a reader must know of a system to compare its row; the glossary says what each means."""
RESERVED_TAGS = (TRAINED_HERE,)
"""Those that only ``RESERVED`` teams give, as the board's maintainers vouch for them."""


_PROMPT = r"([a-z0-9-]{1,40}) v([0-9]{1,5}) \(SHA-256 ([0-9a-f]{64})\)"
PromptName = Annotated[str, Text(130, _PROMPT, "`name v1 (SHA-256 ...)` with all 64 digits")]


def null_name(team: str, system: str) -> str:
    """The folder of the reference row that is a submission's null."""
    return f"null-of-{team}-{system}"[:40].rstrip("-")


def relabelled_name(system: str, other: str, label: str) -> str:
    """The folder of a system that took another's labels instead of its own.

    >>> relabelled_name("tree", "others", "label")
    'tree-others-labels'
    """
    return f"{system}-{other}-{label}s"


def null_title(title: str) -> str:
    """The name that people read of the null of a system."""
    return f"Null of {title}"


class SubmissionName(NamedTuple):
    """Which submission: the names of its folders."""

    board: str
    team: str
    system: str

    def __str__(self) -> str:
        return "/".join(self)

    @property
    def path(self) -> str:
        """The folder, from the top of the repository."""
        return f"{SUBMISSIONS}/{self}"


def place_of(folder: Path) -> SubmissionName:
    """Which submission lies in a folder. Raises UsageError for a folder that is no submission's."""
    path = folder.resolve()
    if not path.parent.parent.name:
        raise UsageError(f"{folder} is no submission's folder; name "
                         "submissions/<board>/<team>/<system>")
    return SubmissionName(path.parent.parent.name, path.parent.name, path.name)


@dataclass(frozen=True)
class Meta:
    """What a submitter says about a system."""

    system: Annotated[str, Text(80), "The system's name as shown."]
    team: Annotated[str, Text(80), "The team's name as shown."]
    date: Annotated[str, Date(), "When the predictions were made."]
    description: Annotated[str, Text(2000, lines=True), "What the system does, in a few sentences."]
    training_data: Annotated[str, Text(1000, lines=True), "Everything the system was trained or "
                             "prompted with."]
    saw_dev_gold: Annotated[bool, YesNo(), "Whether dev gold was used in any way but for reading "
                            "scores."]
    links: Annotated[tuple[Link, ...], Items(0, 10), "Paper, code, model."] = ()
    models: Annotated[tuple[Annotated[str, Text(120)], ...], Items(0, 20),
                      "Pretrained models used, with revisions."] = ()
    parameters: Annotated[str | None, Text(120), "Number of parameters."] = None
    prompt: Annotated[Optional[PromptName], "The prompt that asked, where it is one of those that "
                      "`scorer prompts` lists: name, version and digest."] = None
    decoding: Annotated[str | None, Text(1000, lines=True), "Prompt and decoding."] = None
    seeds: Annotated[str | None, Text(200), "Seeds, and how many runs."] = None
    licence: Annotated[str | None, Text(200), "Licence of the predictions."] = None
    tags: Annotated[tuple[Annotated[str, Choice(TAGS)], ...], Items(0, len(TAGS)),
                    "What to know when the row is compared; a system whose decoding enforces "
                    "constraints says so. Only the board's maintainers say that a system was "
                    "trained here."] = ()
    withdrawn: Annotated[str | None, Text(300), "Why you withdraw the system: it keeps its page, "
                         "with this reason, and takes no rank."] = None
    anonymous_until: Annotated[str | None, Date(), "The first day on which the site names your "
                               "team and shows your links. Git shows who you are all the "
                               "same."] = None

    def anonymous(self, day: str | None) -> bool:
        """Whether the team is not named on a day (``YYYY-MM-DD``); so too if no day is known."""
        return self.anonymous_until is not None and (day is None or day < self.anonymous_until)


class UsedPrompt(NamedTuple):
    """The prompt that asked, as ``submission.yaml`` names it."""

    name: str
    version: str
    digest: str

    @property
    def folder(self) -> str:
        """Its page's folder among those of a board."""
        return f"prompts/{self.name}-v{self.version}-{self.digest[:12]}/"


def used_prompt(text: str) -> UsedPrompt | None:
    """The prompt that the field ``prompt`` names; None for anything else.

    >>> used_prompt(f"code v2 (SHA-256 {64 * 'a'})").folder
    'prompts/code-v2-aaaaaaaaaaaa/'
    """
    match = re.fullmatch(_PROMPT, text)
    return UsedPrompt(*match.groups()) if match else None


@dataclass(frozen=True)
class Submission:
    """One system of one team on one board."""

    board: str
    team: str
    system: str
    meta: Meta
    folder: Path
    splits: tuple[str, ...]
    """The splits it enters."""

    @property
    def name(self) -> SubmissionName:
        """The names of its folders."""
        return SubmissionName(self.board, self.team, self.system)

    def predictions(self, split: str) -> Path:
        """Where the predictions of a split lie."""
        return predictions_path(self.folder, split)

    @property
    def kind(self) -> str:
        """``reference``, ``third-party`` or ``scored``."""
        return self.team if self.team in (REFERENCE, THIRD_PARTY) else "scored"


def predictions_path(folder: Path, split: str) -> Path:
    """Where the predictions of a split lie in a submission's folder."""
    return folder / f"predictions.{split}.tsv"


def splits_in(folder: Path) -> tuple[str, ...]:
    """The splits that a folder answers; links are not followed."""
    paths = {split: predictions_path(folder, split) for split in SPLITS}
    return tuple(s for s, path in paths.items() if path.is_file() and not path.is_symlink())


def read(folder: Path, *, reserved: bool = False, splits: Sequence[str] = SPLITS,
         ) -> tuple[Submission | None, list[Problem]]:
    """Read a submission's folder: the submission or None, and every problem found.

    ``reserved``: whether the team may be a reserved one. ``splits``: those of its board.
    """
    path = folder.resolve()
    if not path.is_dir():
        raise UsageError(f"{folder}: no such folder; name submissions/<board>/<team>/<system>")
    shown, file = str(folder), path / FILE_NAME
    name = SubmissionName(path.parent.parent.name, path.parent.name, path.name)
    problems = slug_problems(name.team, name.system, shown, reserved)
    problems += _file_problems(listed(path), shown, splits)
    meta = None
    if file.is_file() and not file.is_symlink():
        meta, faults = read_meta(file, f"{shown}/{FILE_NAME}", name.team)
        problems += faults
    if problems or meta is None:
        return None, problems
    return Submission(*name, meta, folder, splits_in(path)), []


def read_meta(path: Path, shown: str, team: str = OWN) -> tuple[Meta | None, list[Problem]]:
    """Read a submission.yaml: what it says or None, and every problem found.

    ``team``: whose it is, as only some may give all tags.
    """
    with path.open("rb") as file:
        content = file.read(strict.LARGEST + 1)
    meta, problems = schema.load(Meta, content, shown)
    if meta is not None:
        own = ", ".join(tag for tag in TAGS if may_tag(team, tag))
        problems = schema.at_places([
            (("tags", at), f"the tag {tag!r}, which only the board's maintainers give",
             f"any of: {own}", "remove the tag")
            for at, tag in enumerate(meta.tags) if not may_tag(team, tag)], content, shown)
    return (None if problems else meta), problems


def slug_problems(team: str, system: str, shown: str, reserved: bool) -> list[Problem]:
    """What is wrong with the names of the folders ``<team>/<system>``."""
    faults = [(f"the {what} {excerpt(name)}", SLUG.words)
              for what, name in (("team", team), ("system", system)) if not is_slug(name)]
    if team == ANONYMOUS or (team in RESERVED and not reserved):
        faults.append((f"the reserved team {team!r}", "a team name of your own"))
    return [Problem(shown, 1, 1, "META-SLUG", *fault, "rename the folder") for fault in faults]


def may_tag(team: str, tag: str) -> bool:
    """Whether a team may give its system a tag."""
    return tag not in RESERVED_TAGS or team in RESERVED


def file_advice(name: str) -> str | None:
    """What to do with a file that does not belong there, where its name says so."""
    return "unpack it: gunzip FILE.gz" if name.endswith(".tsv.gz") else None


def _file_problems(files: Sequence[Path], shown: str, splits: Sequence[str]) -> list[Problem]:
    names = [file.name for file in files]
    answers = [predictions_path(Path(), split).name for split in splits]
    wanted = f"{FILE_NAME} and predictions.<split>.tsv"
    faults = [(excerpt(name), wanted, file_advice(name) or (
                  f"rename or remove it; the splits are {', '.join(splits)}"
                  if name.startswith("predictions.") else "remove it"))
              for name in names if name not in (FILE_NAME, *answers)]
    faults += [(f"{excerpt(file.name)} is no regular file", "a regular file",
                "commit the file itself") for file in files
               if file.name in (FILE_NAME, *answers) and (file.is_symlink() or not file.is_file())]
    if FILE_NAME not in names:
        faults.append((f"no {FILE_NAME}", wanted, "run `scorer new` for a template"))
    if not {*answers} & {*names}:
        faults.append(("no predictions file", wanted, "add predictions.dev.tsv"))
    return [Problem(shown, 1, 1, "META-FILE", *fault) for fault in faults]


def find(folder: Path, board: str | None = None) -> list[Path]:
    """The submission folders below ``submissions/``, sorted; of one board if named."""
    return sorted(
        path.parent for path in folder.glob(f"{board or '*'}/*/*/{FILE_NAME}") if path.is_file()
    )


def without_meta(folder: Path, board: str | None = None) -> list[Path]:
    """The folders below ``submissions/`` with predictions and no submission.yaml, sorted."""
    return sorted(path for path in folder.glob(f"{board or '*'}/*/*")
                  if splits_in(path) and not (path / FILE_NAME).is_file())


def template(system: str, team: str) -> str:
    """A submission.yaml to fill in, with every field explained."""
    lines = ["# Every field is explained in submissions/README.md. Remove optional ones you leave."]
    values = {"system": system, "team": team}
    for row in schema.table(Meta):
        name, accepted = row.name, row.accepted
        if name == "withdrawn" or "." in name:
            continue  # nobody begins with the first; others are fields of a link
        more = "" if row.required else " (optional)"
        lines.append(f"# {row.meaning} {accepted[0].upper()}{accepted[1:]}{more}.")
        if accepted.startswith("a list"):
            lines.append(f"{name}: []")
        else:
            mark = "" if row.required else "# "
            lines.append(f"{mark}{name}: {values.get(name, '')}".rstrip())
    return "\n".join(lines) + "\n"
