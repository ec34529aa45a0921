"""What is asked about an item: examples, the messages of a chat, how many tokens they have, and
what its answer says. Nothing here uses the network.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import input_texts, needed_golds, parsed
from scorer.boards.prompts.prompt import (
    ANSWER,
    SIMILAR,
    SYSTEM,
    USER,
    Message,
    Prompt,
    filled,
    item_words,
)
from scorer.core.errors import DataError, UsageError, counted, report
from scorer.core.files import sha256
from scorer.core.reading.tsv import Problems, Row, open_file
from scorer.tasks.answers import Answered

LONGEST = 1_000_000
"""Characters of an answer that are read; what is longer counts as cut off."""
TRAIN = "train"
SEED = 5
"""Decides the order of fixed examples unless told otherwise."""


def learned_from(board: Board, home: Path, file: Path | None = None) -> Sequence[Any]:
    """The items that may be shown as examples: those of train, or of a file where there is none.

    Raises UsageError without them, or for a file that has items of another split of the board;
    DataError for data that are not at hand.
    """
    if file is None:
        return _train(board, home)
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


def _train(board: Board, home: Path) -> Sequence[Any]:
    if TRAIN not in board.splits:
        raise UsageError(f"{board.id} has no train split; show no examples (--examples 0), or name "
                         "a gold file in the board's columns with --learn-from")
    return needed_golds(board, TRAIN, home).items


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
        items = len(self._texts)
        return {word: math.log((1 + items) / (1 + count)) + 1 for word, count in having.items()}

    @cached_property
    def _having(self) -> Mapping[str, Sequence[tuple[int, float]]]:
        """For every word the items that have it, and how much it weighs in each."""
        postings: dict[str, list[tuple[int, float]]] = {}
        for index, texts in enumerate(self._texts):
            for word, weight in self._vector(texts).items():
                postings.setdefault(word, []).append((index, weight))
        return postings

    def _vector(self, texts: Sequence[str]) -> Mapping[str, float]:
        """TF-IDF of an item's words, of length 1; words of no item are left out."""
        counts = Counter(word for word in _words(texts) if word in self._rarity)
        weights = {word: (1 + math.log(count)) * self._rarity[word]
                   for word, count in counts.items()}
        length = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / length for word, weight in weights.items()}

    def _similar(self, own: Sequence[str]) -> Sequence[int]:
        """All places, the most similar first by cosine; of equals the earlier."""
        near = [0.0] * len(self._texts)
        for word, weight in self._vector(own).items():
            for item, other in self._having[word]:
                near[item] += weight * other
        return sorted(range(len(near)), key=lambda index: (-round(near[index], 12), index))


def examples_for(
    board: Board, prompt: Prompt, home: Path, count: int | None = None, *,
    choice: str | None = None, seed: int = SEED, learn_from: Path | None = None,
) -> PromptExamples:
    """The examples of a prompt from train, or from the file ``learn_from``; read only if some are
    shown. Raises UsageError or DataError without them, and for a file where none are."""
    wanted = prompt.examples if count is None else count
    if not wanted and learn_from is not None:
        raise UsageError(f"prompt {prompt.name} shows no examples, so {learn_from} gives none; say "
                         "how many are to be shown")
    golds = learned_from(board, home, learn_from) if wanted else ()
    return PromptExamples(board, golds, prompt, wanted, choice=choice, seed=seed)


def _words(texts: Sequence[str]) -> list[str]:
    return re.findall(r"\w+", " ".join(texts).lower())


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
"""Characters of a token, where nobody has counted."""
A_MESSAGE = 4
"""Tokens that a chat's form adds for each message: an assumption, for it differs by model."""
TOKENIZER = "tokenizer.json"


class TokenCounter(NamedTuple):
    """A way to count, and how it is called."""

    count: Callable[[str], int]
    name: str

    def of(self, messages: Sequence[Message]) -> int:
        """Tokens of the messages that ask about one item."""
        return sum(self.count(message.content) + A_MESSAGE for message in messages)


ESTIMATED = TokenCounter(lambda text: math.ceil(len(text) / CHARACTERS),
                         f"estimated: a token for every {CHARACTERS} characters")


def tokenizer(path: Path) -> TokenCounter:
    """The tokenizer in a model's folder, or its file.

    Raises UsageError if it cannot be read, DataError without the extra.
    """
    path = path / TOKENIZER if path.is_dir() else path
    try:
        content = path.read_bytes()
        from tokenizers import Tokenizer

        encoder = Tokenizer.from_buffer(content)
    except ImportError as missing:
        raise DataError("--model-tokenizer needs the models extra: pip install 'whyboard[models]'"
                        ) from missing
    except Exception as fault:  # the library raises bare ones
        raise UsageError(f"{path}: no tokenizer that can be read; name a folder with a {TOKENIZER}"
                         ) from fault
    encoder.no_truncation()
    encoder.no_padding()
    return TokenCounter(lambda text: len(encoder.encode(text, add_special_tokens=False).ids),
                        f"by the tokenizer of {path}")
