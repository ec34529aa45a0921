"""What the structured model reads and learns: an item as tokens, with its graph as answers.

The input is ``label [SEP] text 1 [SEP] text 2 [SEP] concepts of neither text``, lower-cased.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scorer.lab.systems.structured.alignment import AlignedText, WordRun, outside, tags
from scorer.tasks.graphs.graph_items import Gold

TOKENS_OF_TEXTS = 160
"""All texts together are cut to this, each at its equal share."""
MOST_TOKENS = 240
"""Concepts from outside come in as long as there is room."""
MOST_FOREIGN = 3
"""Concepts of similar items, and runs of an item's own words, that a lesson adds to the graph's."""
NEIGHBOURS = 5
"""Train items that lend their concepts, by TF-IDF cosine of words and pairs of words."""

Tokens = range
"""The places of some neighbouring tokens."""


class Input(NamedTuple):
    """An item as a model reads it."""

    ids: list[int]
    words: list[list[Tokens]]
    """For each text the tokens of each word; none where the text was cut."""
    external: list[Tokens]
    """The tokens of each concept from outside that had room."""

    def tokens(self, text: int, run: WordRun) -> list[int]:
        """The places of the tokens of some words."""
        return [token for word in self.words[text][run.first : run.end] for token in word]


class Lesson(NamedTuple):
    """An item with what is right, by the places of tokens and concepts."""

    ids: list[int]
    tags: list[tuple[int, int]]
    """The first token of each word, and the word's tag."""
    concepts: list[list[int]]
    """The tokens of each concept."""
    edges: list[tuple[int, int, int]]
    """Source, target and relation; relations count from 1, 0 is none."""
    used: list[tuple[int, int]]
    """Each concept from outside, and whether the graph has it."""


@dataclass(frozen=True)
class LessonReader:
    """Makes inputs for one model. ``tokenizer`` is one of the tokenizers package."""

    tokenizer: Any
    first: int
    between: int
    """The special tokens at the start and after every part."""

    def read(self, label: str | None, texts: Sequence[AlignedText],
             external: Sequence[str]) -> Input:
        """The tokens of an item."""
        ids = [self.first]
        if label is not None:
            ids += [*self._encode(label.lower()).ids, self.between]
        words = []
        for text in texts:
            encoded = self._encode(text.text)
            most = TOKENS_OF_TEXTS // len(texts)
            words.append(_tokens_of_words(text, encoded.offsets[:most], len(ids)))
            ids += [*encoded.ids[:most], self.between]
        tokens = []
        for concept in external:
            own = self._encode(concept).ids
            if len(ids) + len(own) >= MOST_TOKENS:
                break
            tokens.append(range(len(ids), len(ids) + len(own)))
            ids += [*own, self.between]
        return Input(ids, words, tokens)

    def _encode(self, text: str) -> Any:
        return self.tokenizer.encode(text, add_special_tokens=False)


def _tokens_of_words(text: AlignedText, offsets: Sequence[tuple[int, int]],
                     before: int) -> list[Tokens]:
    tokens = []
    for word in text.words:
        over = [number for number, (start, end) in enumerate(offsets, before)
                if start < word.end and word.start < end]
        tokens.append(range(over[0], over[-1] + 1) if over else range(0))
    return tokens


@dataclass(frozen=True)
class Teacher:
    """Makes lessons of one board's items."""

    reader: LessonReader
    relations: Sequence[str]
    most_words: int
    """Of a concept."""
    seed: int
    numbers: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.numbers.update({name: n for n, name in enumerate(self.relations, 1)})

    def lesson(self, item: Gold, retrieved: Sequence[str], name: str) -> Lesson:
        """An item's lesson; ``name`` and the seed decide its chance.

        Half of the lessons have no concept from outside, so that a model can do without any. The
        others have the graph's own, with up to MOST_FOREIGN of the retrieved ones.
        """
        chance = random.Random(f"{self.seed} {name}")  # noqa: S311 no secret
        texts = [AlignedText(text) for text in item.texts]
        own = item.graphs[0].concepts
        external: list[str] = []
        if chance.random() < 0.5:
            foreign = [concept for concept in retrieved if concept not in own]
            some = chance.sample(foreign, min(len(foreign), chance.randint(0, MOST_FOREIGN)))
            external = [*outside(item.texts, own), *some]
            chance.shuffle(external)
        read = self.reader.read(item.label, texts, external)
        tokens = self._tokens(read, texts, own, external)
        for number, foreign_run in self._foreign(texts, own, chance):
            tokens.setdefault(texts[number].phrase(foreign_run), read.tokens(number, foreign_run))
        names = [concept for concept, positions in tokens.items() if positions]
        at = {concept: index for index, concept in enumerate(names)}
        return Lesson(
            read.ids,
            [(word[0], tag) for text, words in zip(texts, read.words, strict=True)
             for word, tag in zip(words, tags(text, own), strict=True) if word],
            [tokens[concept] for concept in names],
            [(at[edge.source], at[edge.target], self.numbers[edge.relation])
             for edge in item.graphs[0].edges
             if edge.source in at and edge.target in at and edge.relation in self.numbers],
            [(at[concept], int(concept in own)) for concept in external if concept in at],
        )

    def _tokens(self, read: Input, texts: Sequence[AlignedText], concepts: Sequence[str],
                external: Sequence[str]) -> dict[str, list[int]]:
        """The tokens of the graph's concepts, wherever they stand, and of those from outside."""
        tokens = {concept: [*span]
                  for concept, span in zip(external, read.external, strict=False)}
        for concept in concepts:
            inside = [token for n, text in enumerate(texts)
                      if (run := text.covering(concept)) is not None
                      for token in read.tokens(n, run)]
            if inside:
                tokens[concept] = inside
        return tokens

    def _foreign(self, texts: Sequence[AlignedText], own: Sequence[str], chance: random.Random
                 ) -> list[tuple[int, WordRun]]:
        """Runs of words that are no concept of the graph, to learn that no edge is theirs."""
        runs = []
        for _ in range(chance.randint(0, MOST_FOREIGN)):
            index = chance.randrange(len(texts))
            text = texts[index]
            if text.words:
                first = chance.randrange(len(text.words))
                end = min(first + chance.randint(1, self.most_words), len(text.words))
                run = WordRun(first, end)
                if text.phrase(run) not in own and text.fits(run, self.most_words):
                    runs.append((index, run))
        return runs


class Retrieval:
    """Train items, to be asked for concepts. Needs scikit-learn."""

    def __init__(self, train: Sequence[Gold]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        self._known = self._vectorizer.fit_transform(" ".join(item.texts) for item in train)
        self._lent = [outside(item.texts, item.graphs[0].concepts) for item in train]

    def concepts(self, texts: Sequence[Sequence[str]], most: int, *,
                 never: Sequence[Sequence[int]] | None = None) -> list[list[str]]:
        """For each item at most so many concepts of its nearest train items, nearest first.

        Only those that occur in none of its own texts. ``never``: the places of train items that
        lend an item nothing, such as itself and others of its first text.
        """
        import numpy as np

        vectors = self._vectorizer.transform(" ".join(own) for own in texts)
        results = []
        for index, own in enumerate(texts):
            near = (vectors[index] @ self._known.T).toarray()[0]
            if never is not None:
                near[[*never[index]]] = -1.0
            order = np.argsort(-near, kind="stable")[:NEIGHBOURS]
            lent = [concept for other in order if near[other] > 0 for concept in self._lent[other]]
            results.append(outside(own, list(dict.fromkeys(lent)))[:most])
        return results
