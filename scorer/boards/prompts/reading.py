"""Finding prompts: those that come with the program, and a host's own beside his board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from scorer.boards import Board
from scorer.boards.prompts.chat import known_words
from scorer.boards.prompts.records import (
    FILE_NAME,
    OPTIONAL,
    REQUIRED,
    Header,
    Prompt,
    faults_of,
)
from scorer.core.errors import DataError, Problem, SubmissionError, UsageError, excerpt
from scorer.core.files import listed, sha256
from scorer.core.reading.schema import Misfit, at_places, load

SHIPPED = Path(__file__).parent / "templates"
"""Prompts that come with the program: a folder a task, a folder a prompt."""
FOLDER = "prompts"
"""The folder of a host's own prompts in his board's."""


def prompts_of(board: Board) -> Mapping[str, Prompt]:
    """The prompts for a board by name: those of its task if they fit it, then its host's own.

    Raises SubmissionError with every fault of a host's prompt, DataError for one of ours.
    """
    prompts: dict[str, Prompt] = {}
    problems: list[Problem] = []
    shipped = [(SHIPPED / board.task.name, "scorer")] * board.task.prompted
    for parent, origin in (*shipped, (board.folder / FOLDER, board.id)):
        for folder in sorted(path for path in parent.glob("*/") if path.is_dir()):
            prompt, faults = read(folder, board, origin)
            if faults and origin == "scorer":
                raise DataError("\n".join(map(str, faults)))
            problems += faults
            if prompt is not None and prompt.name in prompts:
                problems.append(Problem(str(folder / FILE_NAME), 1, 1, "META-VALUE",
                                        f"a second prompt {prompt.name}", "a name of its own",
                                        "rename it"))
            elif prompt is not None:
                prompts[prompt.name] = prompt
    if problems:
        raise SubmissionError(sorted(problems))
    return prompts


def find(board: Board, name: str | None = None) -> Prompt:
    """A prompt by its name; without one the default, or the first.

    Raises UsageError that names those there are.
    """
    known = prompts_of(board)
    defaults = [prompt.name for prompt in known.values() if prompt.default]
    wanted = next(iter([*defaults, *known]), "") if name is None else name
    if wanted not in known:
        named = f"prompt {excerpt(wanted)}" if wanted else "prompt"
        raise UsageError(f"board {board.id} has no {named}; choose one of: "
                         f"{', '.join(known) or 'none'}")
    return known[wanted]


def read(folder: Path, board: Board, origin: str = "scorer") -> tuple[Prompt | None, list[Problem]]:
    """The prompt in a folder, or None, and every problem found."""
    def problem(name: str, line: int, actual: str, expected: str) -> Problem:
        return Problem(str(folder / name), line, 1, "META-VALUE", actual, expected, "mend it")

    known = (*REQUIRED, *OPTIONAL)
    there = [path.name for path in listed(folder)]
    problems = [problem(name, 1, "no such file", "one") for name in REQUIRED if name not in there]
    problems += [problem(name, 1, f"the file {excerpt(name)}", f"only {', '.join(known)}")
                 for name in there if name not in known]
    if problems:
        return None, problems
    contents = {name: (folder / name).read_bytes() for name in known if name in there}
    templates = {name: content.decode(errors="replace") for name, content in contents.items()
                 if name != FILE_NAME}
    for name, text in templates.items():
        problems += [problem(name, wrong.line, wrong.found, wrong.expected)
                     for wrong in faults_of(text, known_words(board, name))]
    header, faults = load(Header, contents[FILE_NAME], str(folder / FILE_NAME))
    if header is not None:
        faults = at_places([*_misfits(header, folder, board)], contents[FILE_NAME],
                           str(folder / FILE_NAME))
    problems += faults
    if problems or header is None:
        return None, problems
    return Prompt(**vars(header), digest=digest(contents), templates=templates, origin=origin), []


def _misfits(header: Header, folder: Path, board: Board) -> Iterator[Misfit]:
    """What of a prompt.yaml does not fit its folder or its board."""
    if header.name != folder.name:
        yield (("name",), f"name {header.name}", f"the folder's name {folder.name}",
               "rename one of them")
    if header.answer not in board.task.answer_forms:
        yield (("answer",), f"answer {header.answer}",
               f"one of: {', '.join(board.task.answer_forms)}", "choose one of them")


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the names and bytes of files: of what ``sha256sum *`` prints in their folder.

    >>> digest({"a": b"1"}) == sha256(f"{sha256(b'1')}  a\\n".encode())
    True
    """
    return sha256("".join(f"{sha256(files[name])}  {name}\n" for name in sorted(files)).encode())
