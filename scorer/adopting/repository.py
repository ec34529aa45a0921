"""A repository for somebody else's boards: ``scorer board init``.

Such a repository holds data and configuration: boards, submissions, results, a few pages, and one
line that says which version of the program reads them. It never merges our code. Made from an
empty folder, or from a fork of ours, of which the program and everything about our boards go.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from scorer import git, package_data
from scorer._version import __version__
from scorer.annotations.hamlet_results import HamletResults
from scorer.annotations.people import SIMULATED
from scorer.annotations.published import HAMLET, HUMAN_FOLDER
from scorer.board import boards_folder, known_boards
from scorer.errors import DataError, UsageError, excerpt
from scorer.files import write_atomically

PROJECT = "whyboard"
PROGRAM = (
    ".ci", ".github/workflows", "boards/site.yaml", "CHANGELOG.md", "CITATION.cff",
    "CONTRIBUTING.md", "Makefile", "README.md", "benchmarks", "docs", "locks", "mkdocs.yml",
    "pyproject.toml", "scorer", "site", "submissions/README.md", "templates", "tests",
)
"""What a fork has of ours and an adopter has no use for; some of it is written anew."""
CARRIED = (
    "locks/ci.txt", "locks/model.txt", "locks/score.txt", "locks/score-torch.txt",
    ".github/CODEOWNERS", ".github/dependabot.yml", ".github/pull_request_template.md",
    ".github/ISSUE_TEMPLATE",
)
"""What an adopter has exactly as we do."""
_OUR_ANNOTATIONS = b"# Annotations of the practice boards\n"
_OUR_FORMS = ("relations-quiz",)
"""Forms of ours that do not come with the program."""
_FILES = Path(__file__).parent / "files"
IGNORED = ".gitignore"
"""To this one, lines are added where it is there already: without them gold could be committed."""
WRITTEN = {
    IGNORED: "gitignore", "README.md": "README.md", "mkdocs.yml": "mkdocs.yml",
    "requirements.txt": "requirements.txt", "site/about.md": "about.md",
    "site/index.md": "index.md", "submissions/README.md": "submissions.md",
    "boards/README.md": "boards.md",
}
"""What is written for an adopter, and the template it comes from."""


@dataclass(frozen=True)
class AdoptionPlan:
    """What becomes of a folder."""

    root: Path
    remove: tuple[str, ...]
    """Files and folders, from the top of the repository."""
    write: tuple[tuple[str, bytes], ...]


def plan(root: Path, keep: Sequence[str] = (), title: str = "My benchmark") -> AdoptionPlan:
    """What ``init`` would do; files of the adopter's own are never overwritten.

    ``keep`` names boards of ours that stay with their submissions and results. Raises UsageError
    if that cannot be undone, or a board is not ours.
    """
    ours = known_boards(boards_folder())
    unknown = [name for name in keep if name not in ours]
    if unknown:
        raise UsageError(f"--keep {excerpt(unknown[0])}: no board of this program; choose of: "
                         f"{', '.join(ours)} (boards of your own stay anyway)")
    fork = is_fork(root)
    if fork:
        _must_be_safe(root)
    gone = [name for name in ours if name not in keep]
    remove = [name for name in (*PROGRAM, *_of_boards(root, gone), *_annotations(root, gone))
              if (root / name).exists()]
    removed = set(remove) if fork else set()
    write = [(name, content) for name, content in _files(title)
             if not (root / name).exists() or removed & {name, name.partition("/")[0]}]
    if (root / IGNORED).is_file() and IGNORED not in removed:
        write += _added(root / IGNORED)
    return AdoptionPlan(root, tuple(sorted(removed)), tuple(write))


def is_fork(root: Path) -> bool:
    """Whether a folder holds this program's own source."""
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
        return isinstance(project, dict) and project.get("name") == PROJECT
    except (OSError, ValueError, KeyError):
        return False


def apply(made: AdoptionPlan) -> None:
    """Do it. Raises DataError if the machine does not let us."""
    for name in made.remove:
        path = made.root / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        except OSError as fault:
            raise DataError(f"{path}: cannot be removed ({fault.strerror}); "
                            "git restore . brings everything back") from fault
    for name, content in made.write:
        write_atomically(made.root / name, content)


def _added(path: Path) -> Iterator[tuple[str, bytes]]:
    """A file of patterns of the adopter's own with those of ours that it lacks after them."""
    before = path.read_bytes()
    known = {line.strip() for line in before.decode("utf-8", "replace").split("\n")}
    missing = [line for line in (_FILES / WRITTEN[IGNORED]).read_text("utf-8").split("\n")
               if line and not line.startswith("#") and line not in known]
    if missing:
        end = b"" if before.endswith(b"\n") or not before else b"\n"
        lines = "".join(f"{line}\n" for line in ("# scorer board init", *missing))
        yield IGNORED, before + end + lines.encode()


def _must_be_safe(root: Path) -> None:
    """Raise UsageError unless git could bring back what goes, and the program runs from elsewhere.
    """
    if Path(__file__).resolve().is_relative_to(root.resolve()):
        raise UsageError("the program runs from the folder that it is to be removed from; install "
                         "it first, into an environment of its own: python3 -m venv ../venv && "
                         "../venv/bin/pip install . && ../venv/bin/scorer board init")
    try:
        asked = git.run(root, "status", "--porcelain")
    except OSError as fault:
        raise UsageError("git is needed, so that what goes can be had back; install it") from fault
    if asked.returncode:
        raise UsageError(f"{root} is no git repository, so what goes could not be had back; "
                         "work in a clone")
    if asked.stdout.strip():
        raise UsageError(f"{root} has changes that are not committed; commit them first, so that "
                         "git restore . undoes everything")


def _of_boards(root: Path, gone: Sequence[str]) -> Iterator[str]:
    """Everything about some boards; what tells of no board at all goes with the last of ours."""
    for name in gone:
        yield from (f"{top}/{name}" for top in ("boards", "submissions", "results"))
        yield from (f"ledger/{path.name}" for path in sorted((root / "ledger").glob("*.jsonl"))
                    if name in (path.name.removesuffix(".jsonl"), *path.name.split(".")[1:-1]))
    if gone == known_boards(boards_folder()):
        yield "ledger/owners.jsonl"


def _annotations(root: Path, gone: Sequence[str]) -> Iterator[str]:
    """Batches of some boards with their answers; what tells of them all goes with the last one."""
    folder = root / "annotations"
    ours, left, kept = known_boards(boards_folder()), set[str](), False
    for path in sorted(folder.glob("batches/*.json")):
        name = path.name.removesuffix(".json").removesuffix(".key").removesuffix(".closed")
        try:
            batch = json.loads((path.parent / f"{name}.json").read_bytes())
            board, kind = str(batch.get("board", "")), str(batch.get("kind", ""))
        except (OSError, ValueError, AttributeError):
            board = kind = ""
        if board not in gone and not (gone == ours and not board and _is_simulated(folder, name)):
            left.add(kind)
            kept = kept or board in ours
            continue
        yield f"annotations/batches/{path.name}"
        if path.name == f"{name}.json":
            yield from (f"annotations/{one.relative_to(folder).as_posix()}"
                        for one in (*folder.glob(f"*/{name}"), *folder.glob(f"*/{name}.tsv")))
    people = folder / "annotators.yml"
    readme = folder / "README.md"
    if not kept and readme.is_file() and readme.read_bytes().startswith(_OUR_ANNOTATIONS):
        yield "annotations/README.md"
    yield from (f"annotations/forms/{kind}.yaml" for kind in _OUR_FORMS if kind not in left)
    if gone == ours and _is_of_simulated(root / HUMAN_FOLDER / HAMLET):
        yield f"{HUMAN_FOLDER}/{HAMLET}"
    if not left and people.is_file() and all(
            line.startswith(SIMULATED)
            for line in people.read_text("utf-8", "replace").splitlines()):
        yield "annotations/annotators.yml"


def _is_simulated(annotations: Path, batch: str) -> bool:
    """Whether nobody but our simulated annotators has answered a batch."""
    people = [path.name for path in annotations.glob(f"*/{batch}/*.tsv")]
    return bool(people) and all(name.startswith(SIMULATED) for name in people)


def _is_of_simulated(results: Path) -> bool:
    """Whether nobody but our simulated annotators wrote what tried to fool a model."""
    try:
        rounds = HamletResults.read(results.read_bytes()).rounds
    except (OSError, ValueError):
        return False
    return all(name.startswith(SIMULATED) for one in rounds for name in one.authors)


def _files(title: str) -> Iterator[tuple[str, bytes]]:
    words = {"title": title, "yaml_title": title.replace("'", "''"), "version": __version__}
    for name, source in WRITTEN.items():
        text = Template((_FILES / source).read_text("utf-8")).substitute(words)
        yield name, text.encode()
    for name in CARRIED:
        place = package_data.path(name)
        if place.is_dir():
            yield from ((f"{name}/{path.name}", path.read_bytes())
                        for path in sorted(place.iterdir()))
        else:
            yield name, place.read_bytes()
