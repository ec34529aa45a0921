"""Prompts as data: which there are, what is asked about an item, and what its answer says.

A prompt is a folder with ``prompt.yaml`` and templates, ours or a host's own. In a template
``{name}`` stands for something, filled once and strictly. A line that begins with ``[name] ``
stands only where ``{name}`` is not empty, one that begins with ``[no_name] `` only where it is.
Braces of their own are doubled, ``{{`` and ``}}``. What is inserted is never looked at again, so a
text that contains ``{name}`` or ``[name]`` stays as it is. Nothing here uses the network.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import input_texts, needed_golds, parsed
from scorer.core.errors import (
    Problem,
    SubmissionError,
    UsageError,
    counted,
    excerpt,
    report,
)
from scorer.core.files import listed, sha256
from scorer.core.reading.schema import Misfit, at_places, load
from scorer.core.reading.tsv import Problems, Row, open_file
from scorer.core.reading.values import Choice, Decimal, Integer, Internal, Slug, Text, YesNo
from scorer.tasks.answers import Answered, titled

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
SHIPPED = Path(__file__).with_name("prompt_templates")
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


def faults_of(template: str, known: Set[str]) -> Iterator[tuple[int, str, str]]:
    """What a template names that nobody fills, and braces that stand alone: of each the line, from
    1, what was found and what was expected.

    >>> [*faults_of("{texts} {label", {"texts"})]
    [(1, "'{' that names nothing", '{name}, or {{ and }} for braces')]
    """
    one_of = "one of: " + ", ".join(f"{{{name}}}" for name in sorted(known))
    for number, line in enumerate(template.split("\n"), start=1):
        condition = _CONDITION.match(line)
        if condition is not None and known.isdisjoint((condition[1],
                                                       condition[1].removeprefix(NO))):
            yield number, f"condition {excerpt(condition[0].strip())}", one_of
        for hole in _HOLE.finditer(line):
            if hole[0] in "{}":
                yield (number, f"{hole[0]!r} that names nothing",
                       "{name}, or {{ and }} for braces")
            elif hole[1] is not None and hole[1] not in known:
                yield number, f"placeholder {excerpt(hole[0])}", one_of


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its values, without line ends at its end.

    >>> filled("[label] {label}?\\n[no_label] Why?\\n", {"label": "{colour}"})
    '{colour}?'
    """
    lines = []
    for line in template.split("\n"):
        condition = _CONDITION.match(line)
        if condition is not None:
            name = condition[1]
            if not (values[name] if name in values else not values[name.removeprefix(NO)]):
                continue
            line = line[condition.end():]
        lines.append(line.format_map(values))
    return "\n".join(lines).rstrip("\n")


def known_words(board: Board, name: str) -> set[str]:
    """What a template of this name may say: only an answer has gold, a system message no item."""
    words = {*board.task.prompt_words}
    if name != SYSTEM:
        words |= {*item_words(board, [""] * len(board.task.input_columns))}
    return words | {*board.task.gold_words} if name == ANSWER else words


def item_words(board: Board, texts: Sequence[str]) -> Mapping[str, str]:
    """What a template may say of an item; ids are no texts."""
    shown = {name: text for name, text in zip(board.task.input_columns, texts, strict=True)
             if name not in board.task.id_columns}
    lines = {name: f"{titled(name)}: {text}" for name, text in shown.items()}
    return {
        TEXTS: "\n".join(lines.values()),
        AS_CODE: "\n".join(f"{name} = {_literal(text)}" for name, text in shown.items()),
        **{TEXT + name: text for name, text in shown.items()},
        **{BUT + left_out: "\n".join(line for name, line in lines.items() if name != left_out)
           for left_out in shown},
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
    problems = [problem(name, *fault) for name, text in templates.items()
                for fault in faults_of(text, known_words(board, name))]
    header, path = contents[FILE_NAME], str(folder / FILE_NAME)
    prompt, faults = load(Prompt, header, path)
    if prompt is not None:
        misfits: list[Misfit] = []
        if prompt.name != folder.name:
            misfits.append((("name",), f"name {prompt.name}", f"the folder's name {folder.name}",
                            "rename one of them"))
        if prompt.answer not in board.task.answer_forms:
            misfits.append((("answer",), f"answer {prompt.answer}",
                            f"one of: {', '.join(board.task.answer_forms)}", "choose one of them"))
        faults = at_places(misfits, header, path)
    if problems or faults:
        return None, [*problems, *faults]
    return replace(prompt, digest=digest(contents), templates=templates, origin=origin), []


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the names and bytes of files: of what ``sha256sum *`` prints in their folder.

    >>> digest({"a": b"1"}) == sha256(f"{sha256(b'1')}  a\\n".encode())
    True
    """
    return sha256("".join(f"{sha256(files[name])}  {name}\n" for name in sorted(files)).encode())


# ---- examples ------------------------------------------------------------------------------

TRAIN = "train"
SEED = 5
"""Decides the order of fixed examples unless told otherwise."""


def learned_from(board: Board, home: Path, file: Path | None = None) -> Sequence[Any]:
    """The items that may be shown as examples: those of train, or of a file where there is none.

    Raises UsageError without them, or for a file that has items of another split of the board;
    DataError for data that are not at hand.
    """
    if file is None and TRAIN not in board.splits:
        raise UsageError(f"{board.id} has no train split; show no examples (--examples 0), or name "
                         "a gold file in the board's columns with --learn-from")
    if file is None:
        return needed_golds(board, TRAIN, home).items
    if TRAIN in board.splits:
        raise UsageError(f"{board.id} has a train split; leave --learn-from out")
    golds, problems = parsed(board, open_file(file, largest=LARGEST_GOLD))
    if problems.total:
        raise UsageError(report(problems.kept, problems.total))
    own = {_plain(board, gold.texts) for gold in golds}
    for split in board.splits:
        if any(_plain(board, texts) in own for texts in input_texts(board, split, home) or ()):
            raise UsageError(f"{file} has items of {split}, which a model that is measured there "
                             "must not see; name a file of other items")
    return golds


def _plain(board: Board, texts: Sequence[str]) -> tuple[str, ...]:
    """An item's texts as they are compared: without ids, letter case and white space aside."""
    columns = board.task.input_columns
    return tuple(" ".join(text.lower().split()) for name, text in zip(columns, texts, strict=False)
                 if name not in board.task.id_columns)


class PromptExamples:
    """Gold items, from which so many are chosen for an item; always the same for the same item."""

    def __init__(
        self, board: Board, golds: Sequence[Any], prompt: Prompt, count: int | None = None, *,
        choice: str | None = None, seed: int = SEED,
    ) -> None:
        """``count`` and ``choice``: the prompt's own unless given. Raises UsageError for more
        examples than there are items, one of which may be the item asked about."""
        self._board, self._golds = board, golds
        self.count = prompt.examples if count is None else count
        self.choice = choice or prompt.choice
        self._seed = seed
        if self.count and self.count > len(golds) - 1:
            raise UsageError(f"{counted(self.count, 'example')} of "
                             f"{counted(len(golds), 'item')}; ask for at most "
                             f"{max(0, len(golds) - 1)}")
        self._texts = [_plain(board, gold.texts) for gold in golds] if self.count else []

    def chosen(self, texts: Sequence[str]) -> Sequence[Any]:
        """The examples for an item with these input columns, in the order in which they are shown.

        Never one with the item's own texts. Of similar ones the most similar comes last.
        """
        if not self.count:
            return ()
        own = _plain(self._board, texts)
        order = self._similar(own) if self.choice == SIMILAR else self._fixed
        indices = [index for index in order if self._texts[index] != own][: self.count]
        shown = reversed(indices) if self.choice == SIMILAR else indices
        return [self._golds[index] for index in shown]

    @cached_property
    def _fixed(self) -> Sequence[int]:
        """All places in a seeded order, the labels in turn."""
        order = sorted(range(len(self._golds)), key=lambda position: (
            sha256(f"{self._seed} {position} {self._texts[position]}".encode()), position))
        by_label: dict[Any, list[int]] = {}
        for index in order:
            content = self._board.task.gold_contents(self._golds[index])[0]
            by_label.setdefault(content.label, []).append(index)
        turns = [by_label[label] for label in sorted(by_label, key=str)]
        return [group[turn] for turn in range(max(map(len, turns), default=0))
                for group in turns if turn < len(group)]

    @cached_property
    def _rarity(self) -> Mapping[str, float]:
        """Of every word the logarithm of one over the share of items that have it, and one."""
        having = Counter(word for texts in self._texts for word in {*_words(texts)})
        return {word: math.log((1 + len(self._texts)) / (1 + count)) + 1
                for word, count in having.items()}

    def _vector(self, texts: Sequence[str]) -> Mapping[str, float]:
        """TF-IDF of an item's words, of length 1; words of no item are left out."""
        weights = {word: (1 + math.log(count)) * self._rarity[word]
                   for word, count in Counter(_words(texts)).items() if word in self._rarity}
        length = math.hypot(*weights.values()) or 1.0
        return {word: weight / length for word, weight in weights.items()}

    @cached_property
    def _having(self) -> Mapping[str, Sequence[tuple[int, float]]]:
        """For every word the items that have it, and how much it weighs in each."""
        postings: dict[str, list[tuple[int, float]]] = {}
        for index, texts in enumerate(self._texts):
            for word, weight in self._vector(texts).items():
                postings.setdefault(word, []).append((index, weight))
        return postings

    def _similar(self, own: Sequence[str]) -> Sequence[int]:
        """All places, the most similar first by cosine; of equals the earlier."""
        near = [0.0] * len(self._texts)
        for word, weight in self._vector(own).items():
            for item, other in self._having[word]:
                near[item] += weight * other
        return sorted(range(len(near)), key=lambda index: (-round(near[index], 12), index))


def _words(texts: Sequence[str]) -> list[str]:
    return re.findall(r"\w+", " ".join(texts).lower())


# ---- what is asked and answered ------------------------------------------------------------


def messages(
    prompt: Prompt, board: Board, texts: Sequence[str], examples: Sequence[Any] = ()
) -> tuple[Message, ...]:
    """The messages that ask about an item with these input columns.

    ``examples``: gold items, shown before it in this order, each as a question and its answer.
    """
    words = board.task.prompt_words
    templates = prompt.templates
    turns = ([Message("system", filled(templates[SYSTEM], words))] if SYSTEM in templates else [])
    for gold in examples:
        answer = {**words, **item_words(board, gold.texts),
                  **{name: of(gold) for name, of in board.task.gold_words.items()}}
        turns.append(Message("user", filled(templates[USER], answer)))
        turns.append(Message("assistant", filled(templates[ANSWER], answer)))
    turns.append(Message("user", filled(templates[USER], {**words, **item_words(board, texts)})))
    return tuple(turns)


LONGEST = 1_000_000
"""Characters of an answer that are read; what is longer counts as cut off."""


def read_answer(prompt: Prompt, board: Board, text: str, *, cut: bool = False) -> Answered:
    """What a model wrote, as the columns of a row; nothing is repaired.

    ``cut``: whether the answer is known to be cut off, by the number of its tokens or by a broken
    connection. Whatever the text, ``board`` can read the row.
    """
    answer = board.task.read_answer(prompt.answer, text[:LONGEST],
                                    cut=cut or len(text) > LONGEST)
    problems = Problems("answer")
    if board.task.read_prediction(Row(1, answer.columns), problems) is None:
        reason = "; ".join(problem.found for problem in problems.kept)
        return replace(answer, kind="unparsable", columns=board.task.unanswered, said=reason)
    return answer


# ---- tokens ------------------------------------------------------------------------------------

CHARACTERS = 4
"""Characters of a token: nobody counts them."""
A_MESSAGE = 4
"""Tokens that a chat's form adds for each message: an assumption, for it differs by model."""
ESTIMATED = f"estimated: a token for every {CHARACTERS} characters"


def tokens_of(messages: Sequence[Message]) -> int:
    """Tokens of the messages that ask about one item, about."""
    return sum(math.ceil(len(message.content) / CHARACTERS) + A_MESSAGE for message in messages)
