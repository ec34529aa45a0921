"""The judge on torch and transformers: safetensors only, no remote code, each pair read once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils import logging

from scorer.errors import NotMeasured
from scorer.records import TextPair

TOKENS_A_BATCH = 4096
"""Pairs of one length are judged together, up to this many tokens; none is ever padded."""


class TransformersJudge:
    """One sequence classifier, loaded from a folder; remembers every pair it has judged."""

    def __init__(self, folder: Path, labels: tuple[str, ...], most_tokens: int) -> None:
        """Load the files. Raises NotMeasured if the model has other labels than these, in order."""
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self.labels = labels
        self._most = most_tokens
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModelForSequenceClassification.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, trust_remote_code=False,
            dtype=torch.float32,
        )
        _check_labels(model.config.id2label, labels)
        self._model = model.eval()
        self._known: dict[TextPair, NDArray[np.float32]] = {}

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Softmax of the logits, shape (pairs, labels). Raises NotMeasured if they are NaN."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        by_length: dict[int, list[tuple[TextPair, dict[str, list[int]]]]] = {}
        for pair in new:
            inputs = self._tokenizer(
                *pair, truncation="longest_first", max_length=self._most
            )
            by_length.setdefault(len(inputs["input_ids"]), []).append((pair, dict(inputs)))
        for length, group in sorted(by_length.items()):
            step = max(1, TOKENS_A_BATCH // length)
            for start in range(0, len(group), step):
                self._judge(group[start : start + step])
        rows = [self._known[pair] for pair in pairs]
        return np.stack(rows) if rows else np.zeros((0, len(self.labels)), np.float32)

    def _judge(self, batch: Sequence[tuple[TextPair, dict[str, list[int]]]]) -> None:
        names = batch[0][1].keys()
        with torch.inference_mode():
            inputs = {name: torch.tensor([row[name] for _, row in batch]) for name in names}
            logits = self._model(**inputs).logits.float()
            rows = torch.softmax(logits, dim=-1).numpy()
        if not np.isfinite(rows).all():
            raise NotMeasured("the judge's outputs are not numbers; its weights are broken")
        for (pair, _), row in zip(batch, rows, strict=True):
            self._known[pair] = row


def _check_labels(named: dict[int, str], labels: tuple[str, ...]) -> None:
    """Refuse another number of labels, and names of them in another order."""
    wanted = ", ".join(labels)
    if len(named) != len(labels):
        raise NotMeasured(f"the judge has {len(named)} labels; expected {len(labels)}: {wanted}")
    given = [named[place].lower() for place in range(len(named))]
    if set(given) & set(labels) and given != list(labels):
        raise NotMeasured(f"the judge's labels are {', '.join(given)}; expected {wanted}")
