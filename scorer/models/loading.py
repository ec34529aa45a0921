"""Models out of a folder, and run over many texts.

They are loaded from safetensors only, without remote code and network.

On a CPU an answer is the same to the last bit whatever else is asked with it, so that caches, parts
of a run and other workers of the same kind cannot change a result: a batch holds texts of one
length only, is computed by one thread, and no linear layer ever sees fewer than ``FEWEST_ROWS``
rows (docs/decisions/008-models-are-sources.md). Speed comes from several batches at once.

On a GPU texts of similar length are padded together. There an answer depends on its batch, by about
1e-5; no more than that is promised.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tokenizers
import torch
from numpy.typing import NDArray
from torch.nn.utils.rnn import pad_sequence

from scorer.core.errors import NotMeasured
from scorer.models.known import Machine


def device() -> str:
    """``cuda`` if there is a GPU that this PyTorch can use, else ``cpu``."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def model_of(kind: Any, folder: Path, **config: Any) -> tuple[Any, list[str]]:
    """A model in float32, and the parameters that its weights lack.

    ``kind``: a class of transformers; ``config`` changes what the folder's configuration says.
    """
    with quietly():
        model, report = kind.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, trust_remote_code=False,
            dtype=torch.float32, output_loading_info=True, **config)
    return model, sorted(report["missing_keys"])


def encoder_of(folder: Path, **config: Any) -> tuple[Any, list[str]]:
    """The same of an encoder; its pooler, which reads the first token alone, is not used."""
    from transformers import AutoModel

    model, missing = model_of(AutoModel, folder, **config)
    return model, [name for name in missing if "pooler" not in name]


def tokenizer_of(folder: Path) -> Any:
    """A folder's tokenizer."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)


@contextmanager
def quietly() -> Iterator[None]:
    """Models are loaded without progress bars and reports; what matters in them is checked."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity(50)  # critical
    try:
        yield
    finally:
        logging.set_verbosity(before)


# ---- running them ------------------------------------------------------------------------------

FEWEST_ROWS = 64
"""From 32 rows on, a row's product was the same in every batch measured; twice that, to be sure."""
TOKENS_A_BATCH = 1024
TOKENS_A_PADDED_BATCH = 65_536
LEAST_REAL = 0.95
"""The least share of real tokens in a padded batch."""

Batch = list[int]
"""Places of texts."""


class Tokens(NamedTuple):
    """One text, or a pair of texts, as a model reads it."""

    ids: list[int]
    types: list[int]
    """0 for the first text, 1 for the second."""


Read = Callable[[Any], NDArray[np.float32]]
"""Takes a model's output for a batch; gives an array whose first axis is the texts of the batch."""


class Runner:
    """A model made ready for a machine."""

    def __init__(self, model: torch.nn.Module, machine: Machine, *, types: bool = False,
                 padding: int = 0) -> None:
        """``types``: whether the model is told which tokens belong to the second text.

        ``padding`` is the tokenizer's padding token. Raises NotMeasured if there is no such device.
        """
        if machine.device == "cuda" and device() != "cuda":
            raise NotMeasured("no GPU is at hand; score with --device cpu")
        self._model = model.eval().to(device=machine.device)
        self._machine = machine
        self._types = types
        self._padding = padding
        if not machine.padded:
            for module in self._model.modules():
                if isinstance(module, torch.nn.Linear):
                    module.__class__ = Steady

    def run(self, texts: Sequence[Tokens], read: Read
            ) -> Iterator[tuple[Batch, NDArray[np.float32]]]:
        """Each batch, as places in ``texts``, with what ``read`` finds in the model's output."""
        lengths = [len(text.ids) for text in texts]
        batches = (of_similar_length if self._machine.padded else of_one_length)(lengths)

        def answer(batch: Batch) -> tuple[Batch, NDArray[np.float32]]:
            return batch, self._answer([texts[index] for index in batch], read)

        if self._machine.padded or not batches:
            yield from map(answer, batches)
            return
        with one_thread() as threads, ThreadPoolExecutor(min(threads, len(batches))) as pool:
            yield from pool.map(answer, batches)

    def _answer(self, texts: Sequence[Tokens], read: Read) -> NDArray[np.float32]:
        rows = {"input_ids": [text.ids for text in texts],
                "attention_mask": [[1] * len(text.ids) for text in texts]}
        if self._types:
            rows["token_type_ids"] = [text.types for text in texts]
        with torch.inference_mode():  # it holds for one thread only
            return read(self._model(**{
                name: pad_sequence(
                    [torch.tensor(row, dtype=torch.long) for row in part], batch_first=True,
                    padding_value=self._padding if name == "input_ids" else 0,
                ).to(self._machine.device) for name, part in rows.items()}))


def of_one_length(lengths: Sequence[int], most: int = TOKENS_A_BATCH) -> list[Batch]:
    """Batches of texts of one length, at most so many tokens each, longest first.

    >>> of_one_length([2, 3, 2, 2], most=4)
    [[1], [0, 2], [3]]
    """
    by_length: dict[int, Batch] = {}
    for index, length in enumerate(lengths):
        by_length.setdefault(length, []).append(index)
    return [
        group[start : start + max(1, most // length)]
        for length, group in sorted(by_length.items(), reverse=True)
        for start in range(0, len(group), max(1, most // length))
    ]


def of_similar_length(
    lengths: Sequence[int], most: int = TOKENS_A_PADDED_BATCH, least_real: float = LEAST_REAL
) -> list[Batch]:
    """Batches to be padded to their first text's length: longest first, few tokens of padding.

    >>> of_similar_length([10, 99, 100, 100], most=300)
    [[2, 3, 1], [0]]
    """
    batches: list[Batch] = []
    longest = real = 0
    for index in sorted(range(len(lengths)), key=lambda position: -lengths[position]):
        length = lengths[index]
        full = (len(batches[-1]) + 1) * longest if batches else 0
        if not batches or full > most or real + length < least_real * full:
            batches.append([])
            longest, real = length, 0
        batches[-1].append(index)
        real += length
    return batches


class Steady(torch.nn.Linear):
    """A linear layer whose outputs for a row do not depend on how many rows there are."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 torch's name
        """Shape (..., features in) to (..., features out); few rows are filled up with zeros."""
        rows = input.reshape(-1, input.shape[-1])
        missing = FEWEST_ROWS - len(rows)
        if missing <= 0:
            return super().forward(input)
        filled = super().forward(torch.nn.functional.pad(rows, (0, 0, 0, missing)))
        return filled[: len(rows)].reshape(*input.shape[:-1], self.out_features)


@contextmanager
def one_thread() -> Iterator[int]:
    """One thread for every operation of torch; gives the number that may run side by side.

    That is torch's own number of threads, but not more than this process may use processors.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield min(before, processors())
    finally:
        torch.set_num_threads(before)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def platform_name(machine: Machine) -> str:
    """What an answer's last digits depend on beside model and text: libraries and processor."""
    versions = (torch.__version__, version("transformers"), tokenizers.__version__)
    if machine.device == "cuda":
        return " ".join([*versions, torch.cuda.get_device_name(), machine.word])
    names = Path("/proc/cpuinfo")
    match = re.search(r"^model name\s*: (.*)$", names.read_text("utf-8"), re.M) \
        if names.is_file() else None
    capability = torch.backends.cpu.get_cpu_capability()
    return " ".join([*versions, platform.machine(), match[1] if match else platform.processor(),
                     capability, machine.word])
