"""What a prompt is, and which there are: ``prompt.yaml`` and templates, ours or a host's own.

In a template ``{name}`` stands for something, filled once and strictly. A line that begins with
``[name] `` stands only where ``{name}`` is not empty, one that begins with ``[no_name] `` only
where it is. Braces of their own are doubled, ``{{`` and ``}}``. What is inserted is never looked at
again, so a text that contains ``{name}`` or ``[name]`` stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, NamedTuple

from scorer.boards import Board
from scorer.core.errors import Problem, SubmissionError, UsageError, excerpt
from scorer.core.files import listed, sha256
from scorer.core.reading.schema import Misfit, at_places, load
from scorer.core.reading.values import Choice, Decimal, Integer, Internal, Slug, Text, YesNo
from scorer.tasks.answers import titled

FILE_NAME = "prompt.yaml"
SYSTEM, USER, ANSWER = "system.txt", "user.txt", "answer.txt"
REQUIRED, OPTIONAL = (FILE_NAME, USER, ANSWER), (SYSTEM,)
"""The files of a prompt's folder; it has no others."""
FIXED, SIMILAR = "fixed", "similar"
CHOICES = (FIXED, SIMILAR)
"""How examples are chosen: the same for all items, or like each item."""
MOST_EXAMPLES = 64
TEXTS, AS_CODE, TEXT, BUT = "texts", "texts_as_code", "text_", "texts_but_"
"""The item in a template: all its texts as lines, or as code, each by its column, all but one."""
SHIPPED = Path(__file__).parent / "templates"
"""Prompts that come with the program: a folder a task, a folder a prompt."""
FOLDER = "prompts"
"""The folder of a host's own prompts in his board's."""


class Message(NamedTuple):
    """One message of a chat."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    content: str


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How answers are best decoded."""

    temperature: Annotated[float, Decimal(2), "The suggested temperature."]
    max_tokens: Annotated[int, Integer(1, 100_000), "The most tokens that an answer may have; what "
                          "is longer is cut off."]


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A prompt: the fields of ``prompt.yaml``, its templates and what names it exactly."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    name: Annotated[Slug, "The prompt's name; equals the folder's."]
    version: Annotated[int, Integer(1, 10_000), "Raised whenever a file of the folder changes."]
    title: Annotated[str, Text(80), "What it asks for, in a few words."]
    answer: Annotated[str, Text(20, r"[a-z]+", "a form of answers"), "The form in which a model is "
                      "asked to answer, one that the task reads: `lines`, `whole` or `code`."]
    examples: Annotated[int, Integer(0, MOST_EXAMPLES), "How many examples are shown unless a run "
                        "says otherwise."]
    choice: Annotated[str, Choice(CHOICES), "How they are chosen: `fixed`, the same for all items; "
                      "`similar`, those most like the item."]
    decoding: Annotated[Decoding, "Suggested decoding."]
    default: Annotated[bool, YesNo(), "Whether it is the one where no prompt is named."] = False
    digest: Internal[str] = ""
    """SHA-256 over the names and bytes of its files."""
    templates: Internal[Mapping[str, str]] = field(default_factory=dict)
    """``user.txt``, ``answer.txt`` and perhaps ``system.txt``."""
    origin: Internal[str] = ""
    """``scorer`` if it comes with the program, else the board whose host added it."""

    @property
    def reference(self) -> str:
        """Name, version and the beginning of the digest, as logs and pages show them."""
        return f"{self.name} v{self.version} (SHA-256 {self.digest[:12]})"


NO = "no_"
_NAME = r"[a-z][a-z0-9_]*"
_HOLE = re.compile(rf"\{{\{{|\}}\}}|\{{({_NAME})\}}|[{{}}]")
_CONDITION = re.compile(rf"\[({_NAME})\](?: |$)")


class Wrong(NamedTuple):
    """A fault of a template: the line, one-based, what was found and what was expected."""

    line: int
    found: str
    expected: str


def faults_of(template: str, known: Collection[str]) -> list[Wrong]:
    """What a template names that nobody fills, and braces that stand alone.

    >>> faults_of("{texts} {label", ["texts"])
    [Wrong(line=1, found="'{' that names nothing", expected='{name}, or {{ and }} for braces')]
    """
    faults = []
    for number, line in enumerate(template.split("\n"), start=1):
        condition = _CONDITION.match(line)
        if condition is not None and condition[1] not in known and (
                condition[1].removeprefix(NO) not in known):
            faults.append(Wrong(number, f"condition {excerpt(condition[0].strip())}",
                                _one_of(known)))
        for hole in _HOLE.finditer(line):
            if hole[1] is None and hole[0] in "{}":
                faults.append(Wrong(number, f"{hole[0]!r} that names nothing",
                                    "{name}, or {{ and }} for braces"))
            elif hole[1] is not None and hole[1] not in known:
                faults.append(Wrong(number, f"placeholder {excerpt(hole[0])}", _one_of(known)))
    return faults


def _one_of(known: Collection[str]) -> str:
    return "one of: " + ", ".join(f"{{{name}}}" for name in sorted(known))


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its values, without line ends at its end.

    >>> filled("[label] {label}?\\n[no_label] Why?\\n", {"label": "{colour}"})
    '{colour}?'
    """
    lines = (_line(line, values) for line in template.split("\n"))
    return "\n".join(line for line in lines if line is not None).rstrip("\n")


def _line(line: str, values: Mapping[str, str]) -> str | None:
    condition = _CONDITION.match(line)
    if condition is not None:
        name = condition[1]
        stands = bool(values[name]) if name in values else not values[name.removeprefix(NO)]
        if not stands:
            return None
        line = line[condition.end():]
    return _HOLE.sub(lambda hole: values[hole[1]] if hole[1] else hole[0][:1], line)


def known_words(board: Board, name: str) -> set[str]:
    """What a template of this name may say: only an answer has gold, a system message no item."""
    words = {*board.task.prompt_words}
    if name != SYSTEM:
        words |= {*item_words(board, [""] * len(board.task.input_columns))}
    return words | {*board.task.gold_words} if name == ANSWER else words


def item_words(board: Board, texts: Sequence[str]) -> Mapping[str, str]:
    """What a template may say of an item; ids are no texts."""
    ids = board.task.id_columns
    shown = [(name, text) for name, text in zip(board.task.input_columns, texts, strict=True)
             if name not in ids]
    return {
        TEXTS: "\n".join(f"{titled(name)}: {text}" for name, text in shown),
        AS_CODE: "\n".join(f"{name} = {_literal(text)}" for name, text in shown),
        **{TEXT + name: text for name, text in shown},
        **{BUT + left_out: "\n".join(f"{titled(name)}: {text}" for name, text in shown
                                     if name != left_out) for left_out, _ in shown},
    }


def _literal(text: str) -> str:
    """A text as a string of Python.

    >>> print(_literal('a "b"'))
    "a \\"b\\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# ---- finding prompts -------------------------------------------------------------------------


def prompts_of(board: Board) -> Mapping[str, Prompt]:
    """The prompts for a board by name: those of its task if they fit it, then its host's own.

    Raises SubmissionError with every fault.
    """
    prompts: dict[str, Prompt] = {}
    problems: list[Problem] = []
    shipped = [(SHIPPED / board.task.name, "scorer")] * board.task.prompted
    for parent, origin in (*shipped, (board.folder / FOLDER, board.id)):
        for folder in sorted(path for path in parent.glob("*/") if path.is_dir()):
            prompt, faults = read(folder, board, origin)
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


def prompt_of(board: Board, name: str | None = None) -> Prompt:
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
    prompt, faults = load(Prompt, contents[FILE_NAME], str(folder / FILE_NAME))
    if prompt is not None:
        faults = at_places([*_misfits(prompt, folder, board)], contents[FILE_NAME],
                           str(folder / FILE_NAME))
    problems += faults
    if problems or prompt is None:
        return None, problems
    return replace(prompt, digest=digest(contents), templates=templates, origin=origin), []


def _misfits(prompt: Prompt, folder: Path, board: Board) -> Iterator[Misfit]:
    """What of a prompt.yaml does not fit its folder or its board."""
    if prompt.name != folder.name:
        yield (("name",), f"name {prompt.name}", f"the folder's name {folder.name}",
               "rename one of them")
    if prompt.answer not in board.task.answer_forms:
        yield (("answer",), f"answer {prompt.answer}",
               f"one of: {', '.join(board.task.answer_forms)}", "choose one of them")


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the names and bytes of files: of what ``sha256sum *`` prints in their folder.

    >>> digest({"a": b"1"}) == sha256(f"{sha256(b'1')}  a\\n".encode())
    True
    """
    return sha256("".join(f"{sha256(files[name])}  {name}\n" for name in sorted(files)).encode())
