"""The structured model on torch: what it reads and learns, tags of words, relations of pairs.

The input is ``label [SEP] text 1 [SEP] text 2 [SEP] concepts of neither text``, lower-cased. One
pass reads an item. A concept's vector is the mean of its tokens' vectors; of two of them, a and b,
``[a, b, a * b, |a - b|]`` says which relation leads from one to the other, or none.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from scorer.core.errors import NotMeasured
from scorer.lab.systems.networks import EncoderCourse, EncoderLearner, EncoderNetwork
from scorer.lab.systems.structured import alignment
from scorer.lab.systems.structured.alignment import AlignedText, WordRun, outside
from scorer.lab.training.trainer import Fraction, Whole
from scorer.models.loading import tokenizer_of
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


class LessonReader:
    """Makes inputs for one model."""

    def __init__(self, base: Path) -> None:
        """Raises NotMeasured without a fast tokenizer."""
        tokenizer = tokenizer_of(base)
        if not tokenizer.is_fast or None in (tokenizer.cls_token_id, tokenizer.sep_token_id):
            raise NotMeasured(f"{base} has no tokenizer.json with tokens for start and separation")
        self._tokenizer = tokenizer.backend_tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._first, self._between = tokenizer.cls_token_id, tokenizer.sep_token_id

    def read(self, label: str | None, texts: Sequence[AlignedText],
             external: Sequence[str]) -> Input:
        """The tokens of an item."""
        ids = [self._first]
        if label is not None:
            ids += [*self._encode(label.lower()).ids, self._between]
        words = []
        for text in texts:
            encoded = self._encode(text.text)
            most = TOKENS_OF_TEXTS // len(texts)
            of_text = []
            for word in text.words:
                over = [number for number, (start, end)
                        in enumerate(encoded.offsets[:most], len(ids))
                        if start < word.end() and word.start() < end]
                of_text.append(range(over[0], over[-1] + 1) if over else range(0))
            words.append(of_text)
            ids += [*encoded.ids[:most], self._between]
        tokens = []
        for concept in external:
            own = self._encode(concept).ids
            if len(ids) + len(own) >= MOST_TOKENS:
                break
            tokens.append(range(len(ids), len(ids) + len(own)))
            ids += [*own, self._between]
        return Input(ids, words, tokens)

    def _encode(self, text: str) -> Any:
        return self._tokenizer.encode(text, add_special_tokens=False)


@dataclass(frozen=True)
class Teacher:
    """Makes lessons of one board's items."""

    reader: LessonReader
    relations: Sequence[str]
    most_words: int
    """Of a concept."""
    seed: int

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
             for word, tag in zip(words, alignment.tags(text, own), strict=True) if word],
            [tokens[concept] for concept in names],
            [(at[edge.source], at[edge.target], self.relations.index(edge.relation) + 1)
             for edge in item.graphs[0].edges
             if edge.source in at and edge.target in at and edge.relation in self.relations],
            [(at[concept], int(concept in own)) for concept in external if concept in at])

    def _tokens(self, read: Input, texts: Sequence[AlignedText], concepts: Sequence[str],
                external: Sequence[str]) -> dict[str, list[int]]:
        """The tokens of the graph's concepts, wherever they stand, and of those from outside."""
        tokens = {concept: [*span] for concept, span in zip(external, read.external, strict=False)}
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


IGNORED = -100
TAGS = 3


class GraphCourse(EncoderCourse):
    """Everything that decides a run, but for data and base."""

    epochs: Whole = 4
    learning_rate: Fraction = 5e-4
    batch_size: Whole = 16
    none_weight: Fraction = 0.3
    """Weight of pairs without an edge, of which there are many, against those with one."""


class StructuredNetwork(EncoderNetwork):
    """The encoder and what is put on it."""

    def __init__(self, base: Path, relations: int, course: GraphCourse) -> None:
        """``relations``: how many there are beside none."""
        super().__init__(base, course)
        width = self.width
        self.dropout = torch.nn.Dropout(course.dropout)
        self.tagger = torch.nn.Linear(width, TAGS)
        self.usage = torch.nn.Linear(width, 1)
        self.pairs = torch.nn.Sequential(
            torch.nn.Linear(4 * width, course.hidden), torch.nn.GELU(),
            torch.nn.Dropout(course.dropout), torch.nn.Linear(course.hidden, relations + 1))

    def read(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Token vectors, shape (items, tokens, width)."""
        vectors: torch.Tensor = self.dropout(
            self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state)
        return vectors

    def relations(self, vectors: torch.Tensor) -> torch.Tensor:
        """Logits, shape (items, sources, targets, 1 + relations), of (items, concepts, width)."""
        a, b = vectors.unsqueeze(2), vectors.unsqueeze(1)
        a, b = a.expand(-1, -1, b.shape[2], -1), b.expand(-1, a.shape[1], -1, -1)
        logits: torch.Tensor = self.pairs(torch.cat([a, b, a * b, (a - b).abs()], dim=-1))
        return logits


class GraphLearner(EncoderLearner[Lesson]):
    """Lessons, their loss, and how well held-out ones are answered."""

    def __init__(self, model: StructuredNetwork, course: GraphCourse,
                 lessons: Sequence[Sequence[Lesson]], held_out: Sequence[Lesson]) -> None:
        """``lessons``: those of each epoch."""
        super().__init__(model, course, (), held_out)
        self._lessons = lessons

    def length(self, item: Lesson) -> int:
        return len(item.ids)

    def items(self, epoch: int, rng: random.Random) -> Sequence[Lesson]:
        return self._lessons[epoch]

    def loss(self, batch: Sequence[Lesson]) -> torch.Tensor:
        """The cross entropies of tags, of relations and of whether a concept is used, added."""
        hidden, relations, usage = self._answers(batch)
        tags = torch.full(hidden.shape[:2], IGNORED)
        answers = torch.full(relations.shape[:3], IGNORED)
        used = torch.full(usage.shape, -1.0)
        for row, lesson in enumerate(batch):
            for token, tag in lesson.tags:
                tags[row, token] = tag
            count = len(lesson.concepts)
            answers[row, :count, :count] = 0
            answers[row].fill_diagonal_(IGNORED)
            for source, target, relation in lesson.edges:
                answers[row, source, target] = relation
            for index, answer in lesson.used:
                used[row, index] = answer
        tags, answers, used = (tensor.to(hidden.device) for tensor in (tags, answers, used))
        weight = torch.ones(relations.shape[-1], device=hidden.device)
        weight[0] = self.course.none_weight
        total = functional.cross_entropy(
            self.model.tagger(hidden).float().flatten(0, 1), tags.flatten(), ignore_index=IGNORED)
        if (answers != IGNORED).any():
            total = total + functional.cross_entropy(
                relations.flatten(0, 2), answers.flatten(), weight, ignore_index=IGNORED)
        if (used >= 0).any():
            total = total + functional.binary_cross_entropy_with_logits(
                usage[used >= 0], used[used >= 0])
        return total

    def score(self) -> tuple[float, Mapping[str, float]]:
        """The mean F1 of held-out concepts by tags, and of held-out edges over gold concepts.

        Of edges the likeliest are taken, as many as gold has: a decode asks which are better.
        """
        concepts, edges = [], []
        for batch in self.measured():
            hidden, relations, _ = self._answers(batch)
            tags = self.model.tagger(hidden).argmax(dim=-1).tolist()
            best, answers = relations[..., 1:].max(dim=-1)
            odds = (best - relations[..., 0]).tolist()
            for row, lesson in enumerate(batch):
                concepts.append((
                    alignment.tagged_runs([tag for _, tag in lesson.tags]),
                    alignment.tagged_runs([tags[row][token] for token, _ in lesson.tags])))
                ranked = sorted((-odds[row][a][b], a, b) for a, b in permutations(
                    range(len(lesson.concepts)), 2))[: len(lesson.edges)]
                edges.append((lesson.edges, [(a, b, int(answers[row, a, b]) + 1)
                                             for _, a, b in ranked]))
        figures = {"concepts_f1": _f1(concepts), "edges_f1": _f1(edges)}
        return sum(figures.values()) / 2, figures

    def _answers(self, batch: Sequence[Lesson]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Token vectors, logits of relations and of usage."""
        longest = max(len(lesson.ids) for lesson in batch)
        most = max(len(lesson.concepts) for lesson in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        mask = torch.zeros((len(batch), longest), dtype=torch.long)
        means = torch.zeros((len(batch), most, longest))
        for row, lesson in enumerate(batch):
            ids[row, : len(lesson.ids)] = torch.tensor(lesson.ids)
            mask[row, : len(lesson.ids)] = 1
            for index, tokens in enumerate(lesson.concepts):
                means[row, index, tokens] = 1 / len(tokens)
        hidden = self.model.read(ids.to(self.model.device), mask.to(self.model.device)).float()
        vectors = means.to(self.model.device) @ hidden
        return (hidden, self.model.relations(vectors).float(),
                self.model.usage(vectors).squeeze(-1).float())


def _f1(answers: Sequence[tuple[Sequence[Any], Sequence[Any]]]) -> float:
    """Of what is wanted and what is predicted, pair by pair, over all of them."""
    right = sum(len({*wanted} & {*predicted}) for wanted, predicted in answers)
    every = sum(len({*wanted}) + len({*predicted}) for wanted, predicted in answers)
    return round(2 * right / every, 6) if every else 0.0
