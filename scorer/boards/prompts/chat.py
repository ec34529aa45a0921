"""The messages for an item (system, examples as turns of a chat, the item), and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scorer.boards import Board
from scorer.boards.prompts.records import ANSWER, SYSTEM, USER, Message, Prompt, filled
from scorer.core.reading.tsv import Problems, Row
from scorer.tasks.answers import Answered, titled

LONGEST = 1_000_000
"""Characters of an answer that are read; what is longer counts as cut off."""
TEXTS, AS_CODE, TEXT, BUT = "texts", "texts_as_code", "text_", "texts_but_"
"""The item in a template: all its texts as lines, or as code, each by its column, all but one."""


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
        answer = {**words, **_of_texts(board, gold.texts),
                  **{name: of(gold) for name, of in board.task.gold_words.items()}}
        turns.append(Message("user", filled(templates[USER], answer)))
        turns.append(Message("assistant", filled(templates[ANSWER], answer)))
    turns.append(Message("user", filled(templates[USER], {**words, **_of_texts(board, texts)})))
    return tuple(turns)


def known_words(board: Board, name: str) -> set[str]:
    """What a template of this name may say: only an answer has gold, a system message no item."""
    words = {*board.task.prompt_words}
    if name != SYSTEM:
        words |= {*_of_texts(board, [""] * len(board.task.input_columns))}
    return words | {*board.task.gold_words} if name == ANSWER else words


def _of_texts(board: Board, texts: Sequence[str]) -> Mapping[str, str]:
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
