"""The structured model on torch: one encoder, tags of words, relations of ordered pairs.

One pass reads an item. A concept's vector is the mean of its tokens' vectors; of two of them, a and
b, ``[a, b, a * b, |a - b|]`` says which relation leads from one to the other, or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch.nn import functional

from scorer.core.errors import NotMeasured
from scorer.lab.systems.networks import EncoderCourse, EncoderLearner, encoder_of
from scorer.lab.systems.structured.alignment import tagged_runs
from scorer.lab.systems.structured.lessons import Lesson, LessonReader
from scorer.lab.training.trainer import Fraction, Whole
from scorer.models.loading import tokenizer_of

IGNORED = -100
TAGS = 3


class GraphCourse(EncoderCourse):
    """Everything that decides a run, but for data and base."""

    epochs: Whole = 4
    learning_rate: Fraction = 5e-4
    batch_size: Whole = 16
    none_weight: Fraction = 0.3
    """Weight of pairs without an edge, of which there are many, against those with one."""


class StructuredNetwork(torch.nn.Module):
    """The encoder and what is put on it."""

    def __init__(self, base: Path, relations: int, course: GraphCourse) -> None:
        """With new heads, drawn by the seed; ``relations``: how many there are beside none.

        Raises NotMeasured for incomplete weights.
        """
        super().__init__()
        torch.manual_seed(course.seed)
        self.encoder = encoder_of(base, course.rank, course.alpha)
        width = self.encoder.config.hidden_size
        self.dropout = torch.nn.Dropout(course.dropout)
        self.tagger = torch.nn.Linear(width, TAGS)
        self.usage = torch.nn.Linear(width, 1)
        self.pairs = torch.nn.Sequential(
            torch.nn.Linear(4 * width, course.hidden), torch.nn.GELU(),
            torch.nn.Dropout(course.dropout), torch.nn.Linear(course.hidden, relations + 1),
        )

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


def reader(base: Path) -> LessonReader:
    """What makes inputs of a model. Raises NotMeasured without a fast tokenizer."""
    tokenizer = tokenizer_of(base)
    if not tokenizer.is_fast or tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
        raise NotMeasured(f"{base} has no tokenizer.json with tokens for start and separation")
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    return LessonReader(backend, tokenizer.cls_token_id, tokenizer.sep_token_id)


class GraphLearner(EncoderLearner[Lesson]):
    """Lessons, their loss, and how well held-out ones are answered."""

    def __init__(self, model: StructuredNetwork, course: GraphCourse,
                 lessons: Sequence[Sequence[Lesson]], held_out: Sequence[Lesson]) -> None:
        """``lessons``: those of each epoch."""
        super().__init__(model, course, (), held_out)
        self._lessons = lessons

    def length(self, item: Lesson) -> int:
        return len(item.ids)

    def items(self, epoch: int, rng: Random) -> Sequence[Lesson]:
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
        concepts, edges = _Counts(), _Counts()
        for batch in self.measured():
            hidden, relations, _ = self._answers(batch)
            tags = self.model.tagger(hidden).argmax(dim=-1).tolist()
            best, answers = relations[..., 1:].max(dim=-1)
            odds = (best - relations[..., 0]).tolist()
            for row, lesson in enumerate(batch):
                concepts.add(tagged_runs([tag for _, tag in lesson.tags]),
                             tagged_runs([tags[row][token] for token, _ in lesson.tags]))
                ranked = sorted((-odds[row][a][b], a, b) for a, b in permutations(
                    range(len(lesson.concepts)), 2))[: len(lesson.edges)]
                edges.add(lesson.edges, [(a, b, int(answers[row, a, b]) + 1)
                                         for _, a, b in ranked])
        figures = {"concepts_f1": concepts.f1, "edges_f1": edges.f1}
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
        device = next(self.model.parameters()).device
        hidden = self.model.read(ids.to(device), mask.to(device)).float()
        vectors = means.to(device) @ hidden
        return (hidden, self.model.relations(vectors).float(),
                self.model.usage(vectors).squeeze(-1).float())


class _Counts:
    def __init__(self) -> None:
        self._right = self._all = 0

    def add(self, wanted: Sequence[Any], predicted: Sequence[Any]) -> None:
        self._right += len({*wanted} & {*predicted})
        self._all += len({*wanted}) + len({*predicted})

    @property
    def f1(self) -> float:
        return round(2 * self._right / self._all, 6) if self._all else 0.0
