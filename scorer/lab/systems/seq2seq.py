"""Rationalizing and reasoning models: which comes first, the label or the graph.

After Saha et al., ExplaGraphs, EMNLP 2021, section 7. A sequence-to-sequence model writes the graph
in the board's own notation. What it writes is a prediction as it stands: nothing is repaired.

``tiny-t5`` is made here, a T5 of random weights whose tokenizer knows a board's train split. It
needs no download and knows no language: for a first try, and for tests.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, NamedTuple

import networkx as nx
import torch
import transformers
from pydantic import Field
from safetensors import SafetensorError
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from tqdm import tqdm

from scorer.core.errors import NotMeasured, UsageError, counted
from scorer.core.graph import Graph, concepts, syntax_faults
from scorer.core.reading.characters import REPLACED, UNWELCOME
from scorer.core.records import Edge
from scorer.lab.systems import labels, records
from scorer.lab.systems.records import Data, Predicted, Question, Run, Trained, TrainingRequest
from scorer.lab.training.trainer import Course, Fraction, Learner, Whole, first_line, fitted
from scorer.models.loading import device, model_of, quietly, tokenizer_of
from scorer.models.sources import FOR_BASE, locate, weights_digest
from scorer.tasks.graphs.constraints import findings
from scorer.tasks.graphs.graph_items import Gold, Prediction, Settings

MOST_READ = 512
"""Tokens of an input; what is behind them is not read."""
SPARE = 1.5
"""A graph may be so many times as long as the longest of train."""
BATCH = 16
"""Items that are written at once."""
Order = Literal["depth-first", "random"]
"""How a gold graph's edges are written for a model to learn."""


class WritingCourse(Course):
    """Everything that decides a run and what it writes, but for data and base.

    The defaults are those of the paper's BART and T5 (appendix A.1), but for the seed. The rate
    falls to 0 linearly.
    """

    epochs: Whole = 10
    learning_rate: Fraction = 3e-5
    batch_size: Whole = 8
    beams: Whole = 4
    edge_order: Order = "depth-first"
    repeats: Whole = 1
    """How often an epoch shows each graph."""
    most_tokens: Annotated[int, Field(alias="most tokens", ge=0, le=4096)] = 0
    """Of a string that is written; known once the base is."""


class WriterExample(NamedTuple):
    """What is read, and what is to be written."""

    source: str
    target: str


class WrittenText(NamedTuple):
    """What a model wrote."""

    text: str
    cut: bool
    """Whether it was stopped at the limit."""


class Writer:
    """An encoder-decoder and its tokenizer."""

    def __init__(self, folder: Path, source: str) -> None:
        """Load them; ``source`` is how messages call the folder.

        Raises UsageError for another kind of model, NotMeasured if it cannot be loaded.
        """
        try:
            config = transformers.AutoConfig.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False)
            if not config.is_encoder_decoder:
                raise UsageError(f"{source} is no encoder-decoder but {config.model_type}; name "
                                 "one such as BART or T5 with --base")
            with quietly():
                self.tokenizer = tokenizer_of(folder)
            model, missing = model_of(transformers.AutoModelForSeq2SeqLM, folder)
        except (OSError, ValueError, KeyError, SafetensorError) as fault:
            raise NotMeasured(f"{source} cannot be loaded ({first_line(fault)}); fetch its files "
                              "again, or name another encoder-decoder with --base") from fault
        if missing:
            raise NotMeasured(f"{source} has no weights for {len(missing)} parts of its "
                              f"{config.model_type}, such as {missing[0]}; name an "
                              "encoder-decoder with all its weights with --base")
        self.model = model.to(device())
        self._positions = getattr(config, "max_position_embeddings", None)
        self._source = source

    def tokens(self, pair: WriterExample) -> dict[str, list[int]]:
        """A pair as training reads it."""
        return {"input_ids": self._read(pair.source),
                "labels": list(self.tokenizer(pair.target)["input_ids"])}

    def most(self, targets: Sequence[str]) -> int:
        """At most so many tokens are written by a model that learned from these texts.

        Raises UsageError if a text of them is too long for it.
        """
        longest = max(len(self.tokenizer(target)["input_ids"]) for target in targets)
        if self._positions is not None and longest > self._positions:
            raise UsageError(f"{self._source} writes at most {self._positions} tokens, and a graph "
                             f"of train has {longest}; name another encoder-decoder with --base")
        return min(math.ceil(SPARE * longest), self._positions or sys.maxsize)

    def write(self, sources: Sequence[str], most: int, beams: int) -> list[WrittenText]:
        """The likeliest string for each source, of at most ``most`` tokens, by beam search."""
        read = [self._read(source) for source in sources]
        order = sorted(range(len(read)), key=lambda index: -len(read[index]))
        written: dict[int, WrittenText] = {}
        self.model.eval()
        for start in tqdm(range(0, len(order), BATCH), unit="batch", disable=None):
            indices = order[start : start + BATCH]
            rows = self._generate([read[index] for index in indices], most, beams)
            written.update(zip(indices, rows, strict=True))
        return [written[index] for index in range(len(read))]

    def saved(self, folder: Path) -> str:
        """Write model and tokenizer; returns the digest of the weights."""
        with quietly():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)
        return weights_digest(folder)

    def _read(self, source: str) -> list[int]:
        most = min(MOST_READ, self._positions or MOST_READ)
        return list(self.tokenizer(source, truncation=True, max_length=most)["input_ids"])

    def _text(self, row: Any) -> str:
        return str(self.tokenizer.decode(row, skip_special_tokens=True,
                                         clean_up_tokenization_spaces=False))

    def _generate(self, rows: Sequence[list[int]], most: int, beams: int) -> list[WrittenText]:
        """Beam search that forbids nothing: a base's own rules, such as that no three tokens in a
        row may come twice, are not for graphs."""
        config, own = self.model.config, self.model.generation_config
        known = {name: getattr(own, name, None) for name in (
            "bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id",
            "forced_bos_token_id")}
        generation = transformers.GenerationConfig(  # type: ignore[no-untyped-call]
            max_length=most, num_beams=beams, do_sample=False, early_stopping=False,
            **{name: getattr(config, name, None) if value is None else value
               for name, value in known.items()})
        batch = self.tokenizer.pad({"input_ids": [*rows]}, return_tensors="pt"
                                   ).to(self.model.device)
        with torch.inference_mode():
            outputs = self.model.generate(
                input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                generation_config=generation)
        end = self.tokenizer.eos_token_id
        return [WrittenText(self._text(row), end not in row[1:].tolist()) for row in outputs.cpu()]


class WritingLearner(Learner[WriterExample]):
    """Pairs, their loss, and what is written for held-out ones."""

    def __init__(self, writer: Writer, course: WritingCourse, learned: Sequence[WriterExample],
                 held_out: Sequence[WriterExample], settings: Settings, golds: Sequence[Gold]
                 ) -> None:
        """``golds``: the items of the held-out pairs."""
        super().__init__(writer.model, course, [*learned] * course.repeats, held_out)
        self._writer = writer
        self._collate = transformers.DataCollatorForSeq2Seq(writer.tokenizer)
        self._settings, self._golds = settings, golds

    def length(self, item: WriterExample) -> int:
        """None counts: batches of one length would hold the repeats of one item."""
        return 0

    def loss(self, batch: Sequence[WriterExample]) -> torch.Tensor:
        """The mean cross entropy of the targets' tokens."""
        inputs = self._collate([self._writer.tokens(pair) for pair in batch])
        loss: torch.Tensor = self.model(**inputs.to(self.model.device)).loss
        return loss

    def score(self) -> tuple[float, Mapping[str, float]]:
        """The graphs that break no rule, without beam search; of equal epochs the one is better
        whose others break fewer."""
        written = self._writer.write([pair.source for pair in self.held_out],
                                     self.course.most_tokens, 1)
        broken = [len(findings(self._settings, gold.texts, Graph(_held(output.text))).broken)
                  for gold, output in zip(self._golds, written, strict=True)]
        right = broken.count(0)
        return (round(right + sum(1 / (1 + count) for count in broken) / len(broken), 6),
                {"structurally correct": round(right / len(broken), 6)})


TOKENS = 1024
"""Of the tokenizer: bytes, and what is frequent in train."""
SIZES: dict[str, Any] = {
    "d_model": 64, "d_kv": 16, "d_ff": 256, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.1,
    "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
}
"""Of the tiny model."""
SPECIAL = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}


def make_tiny(folder: Path, texts: Sequence[str], seed: int) -> Path:
    """Write the model and its tokenizer; returns the folder."""
    end = SPECIAL["eos_token"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=TOKENS, special_tokens=[*SPECIAL.values()], show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", special_tokens=[(end, tokenizer.token_to_id(end))])
    transformers.PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, clean_up_tokenization_spaces=False, **SPECIAL,
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    with quietly():
        transformers.T5ForConditionalGeneration(transformers.T5Config(
            vocab_size=tokenizer.get_vocab_size(), **SIZES)).save_pretrained(folder)
    return folder


def ordered(edges: Sequence[Edge], order: Order, seed: str) -> list[Edge]:
    """The edges in an order; ``seed`` decides a random one."""
    if order == "depth-first":
        return depth_first(edges)
    mixed = [*edges]
    random.Random(seed).shuffle(mixed)  # noqa: S311 a fixed draw, no secret
    return mixed


def depth_first(edges: Sequence[Edge]) -> list[Edge]:
    """Edges by the topological order of their sources, then of their targets.

    Of all topological orders of the concepts it is the depth-first one: a path is followed to its
    end before the next begins. Where that leaves a choice, what stood first comes first. In a
    graph with a cycle the order is the same, though not topological.

    >>> names = ["b c", "a b", "a d", "c e"]
    >>> chosen = depth_first([Edge(a, "r", b) for a, b in map(str.split, names)])
    >>> [f"{edge.source} {edge.target}" for edge in chosen]
    ['a b', 'a d', 'b c', 'c e']
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(reversed(concepts(edges)))
    graph.add_edges_from((edge.source, edge.target) for edge in reversed(edges))
    order = [*nx.dfs_postorder_nodes(graph)][::-1]
    return sorted(edges, key=lambda edge: (order.index(edge.source), order.index(edge.target)))


RATIONALIZING, REASONING = "rationalizing", "reasoning"
TINY = "tiny-t5"
"""The base that is made here, of random weights."""
TINY_COURSE: dict[str, Any] = {"epochs": 8, "learning_rate": 5e-3}
"""What it needs, which knows nothing; chosen on the practice board's train split."""
TINY_EPOCH = 360
"""It is shown at least so many graphs an epoch, each as often as that takes."""
MEASURED = 100
"""Held-out items that choose the epoch."""
NOTHING = "()"
"""Stands for an empty string, which may not be a line; a graph that breaks the rules too."""


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Train the model of graphs, and one of labels in a folder inside."""
    source = request.options.get("base")
    if not source:
        raise UsageError(f"{name} needs an encoder-decoder: --base hub:NAME@COMMIT, a folder, or "
                         f"{TINY} for a first try (scorer handbook systems)")
    labels.fit_inside(labels.WITH_GRAPH if name == REASONING else labels.LABEL, data, request)
    with TemporaryDirectory() as folder:
        return _fit(name, data, request, locate(source, advice=FOR_BASE) if source != TINY
                    else make_tiny(Path(folder), texts_of(data), request.seed))


def _fit(name: str, data: Data, request: TrainingRequest, base: Path) -> Trained:
    source = request.options["base"]
    learned, held_out = data.parts(request.seed)
    writer = Writer(base, source)
    course = _course(request, len(learned))
    pairs = _pairs(name, data.settings, learned, course)
    course = course.model_copy(update={"most_tokens": writer.most([pair.target for pair in pairs])})
    run = Run(name, data, request, course.to_json(),
              records.Base(source=source, weights=weights_digest(base)))
    done = run.finished()
    if done is not None:
        return done
    some = held_out[:: max(1, len(held_out) // MEASURED)][:MEASURED]
    return run.end(fitted(run, lambda *_: WritingLearner(
        writer, course, pairs, _pairs(name, data.settings, some, course), data.settings, some),
        lambda: writer.saved(request.out)))


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """A label and a graph for each item; labels.inside says what it raises."""
    course = records.course_of(WritingCourse, trained)
    own = labels.inside(folder, trained, question)
    nothing = [None] * len(question.texts)
    if trained.system == REASONING:
        graphs, remark = _written(folder, trained, question, nothing)
    answers: Sequence[str | None] = question.labels or nothing
    if own is not None:
        read = graphs if trained.system == REASONING else None
        answers = labels.labels(folder / labels.LABEL, own, question.texts, read)
    if trained.system == RATIONALIZING:
        graphs, remark = _written(folder, trained, question, answers)
    return Predicted(
        [Prediction(label, graph) for label, graph in zip(answers, graphs, strict=True)],
        f"Beam search, {course.beams} beams, at most {course.most_tokens} tokens. "
        "No graph is repaired.",
        (trained,) if own is None else (trained, own), remark)


def _written(folder: Path, trained: Trained, question: Question,
             answers: Sequence[str | None]) -> tuple[list[Graph], str]:
    """The graphs, and what became of the strings, in words."""
    records.check_weights(folder, trained, weights_digest(folder))
    course = records.course_of(WritingCourse, trained)
    sources = [_source(question.settings, texts, label)
               for texts, label in zip(question.texts, answers, strict=True)]
    written = Writer(folder, str(folder)).write(sources, course.most_tokens, course.beams)
    graphs = [Graph(_held(output.text)) for output in written]
    faulty = sum(bool(syntax_faults(output.text, most=1)) for output in written)
    cut = sum(output.cut for output in written)
    other = sum(output.text != graph.text for output, graph in zip(written, graphs, strict=True))
    return graphs, (
        f"of {counted(len(written), 'string')} {faulty} are not in the notation, {cut} were "
        f"cut at the limit, and {other} hold a substitute (U+FFFD for a character that a file "
        f"may not have, {NOTHING} for nothing)")


def _held(text: str) -> str:
    """What a model wrote as a file of predictions may hold it; no graph gets better by it."""
    return UNWELCOME.sub(REPLACED, text.replace("\t", REPLACED)) or NOTHING


def _pairs(name: str, settings: Settings, golds: Sequence[Gold], course: WritingCourse
           ) -> list[WriterExample]:
    """What is read and written of each item, its first gold graph."""
    return [
        WriterExample(_source(settings, gold.texts, gold.label if name == RATIONALIZING else None),
                      Graph.of(ordered(gold.graphs[0].edges, course.edge_order,
                                       f"{course.seed} {index}")).text)
        for index, gold in enumerate(golds)]


def _source(settings: Settings, texts: Sequence[str], label: str | None) -> str:
    """What a model reads of an item: the texts with their names, and the label if it comes first.
    """
    parts = [f"{setting.name}: {text}" for setting, text in zip(settings.texts, texts, strict=True)]
    if label is not None and settings.labels is not None:
        parts.append(f"{settings.labels.name}: {label}")
    return " ".join(parts)


def _course(request: TrainingRequest, items: int) -> WritingCourse:
    changes = {}
    if request.options["base"] == TINY:
        changes = {**TINY_COURSE, "repeats": max(1, round(TINY_EPOCH / items))}
    if "edge_order" in request.options:
        changes["edge_order"] = request.options["edge_order"]
    return WritingCourse.of(request, **changes)


def texts_of(data: Data) -> list[str]:
    """Everything that is read and written of train, for a tokenizer to learn from."""
    return [text for gold in data.golds
            for text in (_source(data.settings, gold.texts, gold.label), gold.graphs[0].text)]
