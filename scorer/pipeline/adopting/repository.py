"""A repository for somebody else's boards: ``scorer board init``, and what it still lacks.

It holds data and configuration: boards, submissions, results, a few pages, the workflows, and one
line that says which version of the program reads them. Files are copied as they are, and one that
is there already stays (a .gitignore gets the lines that it lacks); so taking over a new version is
removing what is to be renewed, and init.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

from scorer._version import __version__
from scorer.boards import known_boards, load
from scorer.boards.reading import described, open_lines
from scorer.core import package_data
from scorer.core.errors import UsageError, WhyboardError
from scorer.core.files import HOME, write_atomically
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.hidden_gold import HiddenInputs, inputs_of, of_work_tree
from scorer.scoring import gold_report

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
PLACEHOLDER = "@maintainers"
"""What CODEOWNERS says before somebody put an account or a team there."""


def init(root: Path, title: str) -> list[str]:
    """Write what the folder lacks; returns the names of what was written, and of a .gitignore that
    got more lines.

    Raises UsageError for a checkout of the program.
    """
    if (root / "scorer" / "__init__.py").is_file():
        raise UsageError(f"{root} holds the program itself; make an empty folder: a repository of "
                         "boards needs none of its code")
    contents: dict[str, bytes] = {}
    for name in COPIED:
        path = package_data.path(name)
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        contents |= {(Path(name) / file.relative_to(path)).as_posix(): file.read_bytes()
                     for file in files if file.is_file()}
    words = {"title": title, "yaml_title": title.replace("'", "''"), "version": __version__}
    for name, source in FILLED_IN.items():
        template = Template((_TEMPLATES / source).read_text("utf-8"))
        contents[name] = template.substitute(words).encode()
    written = [name for name in contents if not (root / name).exists()]
    for name in written:
        write_atomically(root / name, contents[name])
    more = _completed((root / IGNORED).read_bytes(), contents[IGNORED])
    if more:
        write_atomically(root / IGNORED, more)
        written.append(f"{IGNORED} (lines that it lacked)")
    return written


def _completed(own: bytes, ours: bytes) -> bytes:
    """A .gitignore of the host's own with the lines that keep gold out of git; empty if it has
    them."""
    known = {line.strip() for line in own.split(b"\n")}
    missing = [line for line in ours.split(b"\n")
               if line and not line.startswith(b"#") and line not in known]
    end = b"" if own.endswith(b"\n") or not own else b"\n"
    return own + end + b"\n".join([b"# scorer board init", *missing, b""]) if missing else b""


def lacking(root: Path, home: Path | None = None) -> list[str]:
    """What a maintainer's checkout lacks, one line each with what to do: ``scorer ci doctor``.

    ``home``: where fetched data lie, whose gold is held against the rules too. What GitHub must
    know is set by ``.github/settings.sh``.
    """
    home = home or root / HOME
    hidden: list[HiddenInputs] = []
    lines: list[str] = []
    for name in known_boards(root / "boards"):
        try:
            board = load(root / "boards" / name)
            hidden += inputs_of(board, home)
            lines += [f"board {name}: {fault.summary}; run: scorer board check {name}"
                      for fault in gold_report.board_faults(board, home)]
            lines += described(root, board)
        except WhyboardError as fault:
            lines.append(f"board {name}: {str(fault).splitlines()[0]}")
    lines += [f"{page}:{line}: a text is still to be filled in" for page, line in open_lines(root)]
    owners = root / ".github" / "CODEOWNERS"
    if not owners.is_file() or PLACEHOLDER in owners.read_text("utf-8").split():
        lines.append(f".github/CODEOWNERS still says {PLACEHOLDER}; write your account or team")
    return [*(f"{finding}; remove it from git and add it to .gitignore. If it was ever pushed, "
              "make new gold or a new key" for finding in of_work_tree(Repository(root), hidden)),
            *lines]
