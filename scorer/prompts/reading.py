"""Finding prompts: those that come with the program, and a host's own beside his board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from scorer.board import Board
from scorer.errors import DataError, Problem, SubmissionError, UsageError, excerpt
from scorer.files import listed, sha256
from scorer.prompts import filling
from scorer.prompts.chat import known_words
from scorer.prompts.records import FILE_NAME, OPTIONAL, REQUIRED, Header, Prompt
from scorer.reading.characters import unwelcome_character
from scorer.reading.schema import Misfit, at_places, load
from scorer.reading.values import SLUG, is_slug

SHIPPED = Path(__file__).parent / "templates"
"""Prompts that come with the program: a folder a task, a folder a prompt."""
FOLDER = "prompts"
"""The folder of a host's own prompts in his board's."""
LARGEST = 32 * 1024
"""Bytes of one file of a prompt."""


def prompts_of(board: Board) -> Mapping[str, Prompt]:
    """The prompts for a board by name: those of its task if they fit it, then its host's own.

    Raises SubmissionError with every fault of a host's prompt, DataError for one of ours.
    """
    found: dict[str, Prompt] = {}
    problems: list[Problem] = []
    shipped = [(SHIPPED / board.task.name, "scorer")] * board.task.prompted(board.settings)
    for place, origin in (*shipped, (board.folder / FOLDER, board.id)):
        for folder in sorted(path for path in _listed(place) if path.is_dir()):
            prompt, faults = read(folder, board, origin)
            if faults and origin == "scorer":
                raise DataError("\n".join(map(str, faults)))
            problems += faults
            if prompt is not None and prompt.name in found:
                problems.append(Problem(str(folder / FILE_NAME), 1, 1, "META-VALUE",
                                        f"a second prompt {prompt.name}", "a name of its own",
                                        "rename it"))
            elif prompt is not None:
                found[prompt.name] = prompt
    if problems:
        raise SubmissionError(sorted(problems))
    return found


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
    problems: list[Problem] = []

    def complain(name: str, line: int, found: str, expected: str, advice: str) -> None:
        problems.append(Problem(str(folder / name), line, 1, "META-VALUE", found, expected, advice))

    there = {path.name: path for path in _listed(folder)}
    if not is_slug(folder.name):
        complain("", 1, f"the name {excerpt(folder.name)}", SLUG.words,
                 "rename the folder")
    for name in REQUIRED:
        if name not in there:
            complain(name, 1, "no such file", "one", "add it")
    for name in sorted(there.keys() - {*REQUIRED, *OPTIONAL}):
        complain("", 1, f"the file {excerpt(name)}", f"only {', '.join((*REQUIRED, *OPTIONAL))}",
                 "remove it")
    contents = {name: _bytes(path) for name, path in sorted(there.items())
                if name in (*REQUIRED, *OPTIONAL)}
    for name, content in contents.items():
        if content is None:
            complain(name, 1, f"no file that can be read, or more than {LARGEST} bytes",
                     "a small text file", "mend it")
    if problems:
        return None, problems
    whole = {name: content for name, content in contents.items() if content is not None}
    texts = {}
    for name, content in whole.items():
        if name != FILE_NAME:
            text, said = _text(content)
            if said:
                complain(name, 1, said, "plain text in UTF-8, with LF at the ends of lines",
                         "mend the file")
            else:
                texts[name] = text
                for wrong in filling.faults(text, known_words(board, name)):
                    complain(name, wrong.line, wrong.found, wrong.expected, "mend the template")
    header, faults = load(Header, whole[FILE_NAME], str(folder / FILE_NAME))
    if header is not None:
        faults = at_places([*_misfits(header, folder, board)], whole[FILE_NAME],
                           str(folder / FILE_NAME))
    problems += faults
    if problems or header is None:
        return None, problems
    return Prompt(board.task.name, header.name, header.version, header.title, digest(whole),
                  header.answer, header.examples, header.choice, header.decoding, texts,
                  header.default, origin), []


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


def _listed(folder: Path) -> list[Path]:
    try:
        return listed(folder)
    except OSError:
        return []


def _bytes(path: Path) -> bytes | None:
    """A file's bytes; None for what is none, cannot be read, or is too large."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError:
        return None
    return content if len(content) <= LARGEST else None


def _text(content: bytes) -> tuple[str, str]:
    """A template's text, or what is wrong with it."""
    try:
        text = content.decode()
    except UnicodeDecodeError as fault:
        return "", f"byte {fault.start} is not UTF-8"
    bad = unwelcome_character(text.replace("\n", " "))
    if bad is not None:
        return "", f"the character U+{ord(text[bad]):04X}"
    return (text, "") if text.strip() else ("", "an empty file")
