"""A repository for somebody else's boards: ``scorer board init``.

It holds data and configuration: boards, submissions, results, a few pages, the workflows, and one
line that says which version of the program reads them. Files are copied as they are, and one that
is there already stays; so taking over a new version is removing what is to be renewed, and init.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import Template

from scorer._version import __version__
from scorer.core import package_data
from scorer.core.errors import UsageError
from scorer.core.files import write_atomically

COPIED = (".github", "locks/ci.txt", "locks/model.txt", "locks/score.txt", "locks/score-torch.txt")
"""What such a repository has exactly as ours."""
_TEMPLATES = Path(__file__).parent / "files"
IGNORED = ".gitignore"
FILLED_IN = {
    IGNORED: "gitignore", "README.md": "README.md", "mkdocs.yml": "mkdocs.yml",
    "requirements.txt": "requirements.txt", "site/about.md": "about.md",
    "site/index.md": "index.md", "submissions/README.md": "submissions.md",
    "boards/README.md": "boards.md",
}
"""What gets the title and the version, and its template."""


def init(root: Path, title: str) -> list[str]:
    """Write what the folder lacks; returns the names of what was written.

    Raises UsageError for a checkout of the program.
    """
    if (root / "scorer" / "__init__.py").is_file():
        raise UsageError(f"{root} holds the program itself; make an empty folder: a repository of "
                         "boards needs none of its code")
    written = []
    for name, content in [*_copied(), *_filled_in(title)]:
        if not (root / name).exists():
            write_atomically(root / name, content)
            written.append(name)
    return [*written, *_completed(root / IGNORED)]


def _copied() -> Iterator[tuple[str, bytes]]:
    for name in COPIED:
        path = package_data.path(name)
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from ((f"{name}/{file.relative_to(path).as_posix()}" if path.is_dir() else name,
                     file.read_bytes()) for file in files if file.is_file())


def _filled_in(title: str) -> Iterator[tuple[str, bytes]]:
    words = {"title": title, "yaml_title": title.replace("'", "''"), "version": __version__}
    for name, source in FILLED_IN.items():
        yield name, Template(_template(source)).substitute(words).encode()


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")


def _completed(path: Path) -> Iterator[str]:
    """Add to a .gitignore of the host's own the lines that keep gold out of git."""
    text = path.read_text("utf-8", errors="surrogateescape")
    known = {line.strip() for line in text.split("\n")}
    missing = [line for line in _template("gitignore").split("\n")
               if line and not line.startswith("#") and line not in known]
    if missing:
        end = "" if text.endswith("\n") or not text else "\n"
        lines = "\n".join(["# scorer board init", *missing, ""])
        write_atomically(path, (text + end + lines).encode("utf-8", "surrogateescape"))
        yield path.name
