"""The judge on torch and transformers: safetensors only, no remote code, each pair read once.

An adapter is a few matrices on top of a base model, merged when loaded. peft is given the matrices
and five settings that are checked here, never the folder: its own reader would obey a configuration
that names modules to import, files to open or a hub to ask.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification

from scorer.core.errors import NotMeasured, excerpt
from scorer.core.reading.schema import Document
from scorer.core.records import TextPair
from scorer.models.known import Machine
from scorer.models.loading import (
    Runner,
    Tokens,
    model_of,
    one_thread,
    platform_name,
    quietly,
    tokenizer_of,
)
from scorer.models.sources import ADAPTER, ADAPTER_CONFIG, ModelFiles
from scorer.models.text_cache import CachedJudge, TextCache

SAVED_AT_ONCE = 1000
"""Answers after which the cache file is written, so that a run that is stopped loses little."""


class TransformersJudge(CachedJudge):
    """One sequence classifier, loaded from a folder: softmax of its logits."""

    def __init__(
        self, files: ModelFiles, labels: tuple[str, ...], most_tokens: int,
        machine: Machine, cache: TextCache,
    ) -> None:
        """Load the files.

        Raises NotMeasured if the model has other labels than these, in order, or reads fewer
        tokens, or if its weights lack a part of it: that part would be random.
        """
        if files.card is not None:
            _check_labels(dict(enumerate(files.card.labels)), labels)
            if files.card.most_tokens != most_tokens:
                raise NotMeasured(f"the judge reads {files.card.most_tokens} tokens; expected "
                                  f"{most_tokens}")
        with quietly(), one_thread():
            tokenizer = tokenizer_of(files.folder)
            model = _load(files, labels)
        _check_labels(model.config.id2label, labels)
        longest = getattr(model.config, "max_position_embeddings", most_tokens)
        if 0 < longest < most_tokens:
            raise NotMeasured(f"the judge reads {longest} tokens at most; expected {most_tokens}")
        if len(tokenizer) > model.config.vocab_size:
            raise NotMeasured(f"the tokenizer knows {len(tokenizer)} tokens, the judge "
                              f"{model.config.vocab_size}; they do not belong together")
        if not tokenizer.is_fast:
            raise NotMeasured("its folder has no tokenizer.json; save its tokenizer again with "
                              "transformers as `scorer handbook judges` shows")
        self._tokenizer = tokenizer.backend_tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(
            most_tokens, strategy="longest_first", direction=tokenizer.truncation_side
        )
        self._runner = Runner(model, machine, padding=tokenizer.pad_token_id or 0,
                              types="token_type_ids" in tokenizer.model_input_names)
        super().__init__(labels, f"{files.fingerprint} T{most_tokens} {platform_name(machine)}",
                         cache)

    def _judge(self, new: Mapping[bytes, TextPair], cached: int) -> None:
        names = list(new)
        encoded = self._tokenizer.encode_batch([tuple(pair) for pair in new.values()])
        texts = [Tokens(encoding.ids, encoding.type_ids) for encoding in encoded]
        unsaved: dict[bytes, NDArray[np.float32]] = {}
        for batch, rows in self._runner.run(texts, _softmax):
            if not np.isfinite(rows).all():
                raise NotMeasured("the judge's outputs are not numbers: its weights are "
                                  "broken; name another with --model NAME=SOURCE")
            unsaved |= {names[index]: row for index, row in zip(batch, rows, strict=True)}
            if len(unsaved) >= SAVED_AT_ONCE:
                self._keep(unsaved)
                unsaved = {}
        self._keep(unsaved)


def _softmax(output: Any) -> NDArray[np.float32]:
    """Shape (texts, labels)."""
    return np.asarray(torch.softmax(output.logits, dim=-1).cpu().numpy(), np.float32)


def _load(files: ModelFiles, labels: tuple[str, ...]) -> Any:
    """The model in float32, with its adapter merged. Raises NotMeasured for incomplete weights."""
    heads: dict[str, Any] = {} if files.adapter is None else {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: index for index, label in enumerate(labels)},
    }
    with torch.random.fork_rng(devices=[]):  # a new head is drawn at random, and replaced
        model, missing = model_of(AutoModelForSequenceClassification, files.folder, **heads)
        if files.adapter is not None:
            return merged(model, missing, files.adapter)
    if missing:
        raise NotMeasured(f"its weights lack {missing[0]}, so it is no trained classifier")
    return model


def _check_labels(named: Mapping[int, str], labels: tuple[str, ...]) -> None:
    """Refuse another number of labels, and names of them in another order."""
    wanted = ", ".join(labels)
    if len(named) != len(labels):
        raise NotMeasured(f"the judge has {len(named)} labels; expected {len(labels)}: {wanted}")
    names = [named[index].lower() for index in range(len(named))]
    if set(names) & set(labels) and names != list(labels):
        raise NotMeasured(f"the judge's labels are {', '.join(names)}; expected {wanted}")


Size = Annotated[int, Field(ge=1, le=4096)]
"""More than any rank or scale in use."""
Modules = list[Annotated[str, Field(pattern=r"^[A-Za-z0-9_.]+$")]]
_WITHOUT_EFFECT = frozenset({
    "auto_mapping", "base_model_name_or_path", "inference_mode", "init_lora_weights",
    "lora_dropout", "peft_version", "revision",
})
"""What a configuration says of training, or of where the base lies; our card says the latter."""


class Settings(Document):
    """What an adapter's configuration says that is used here."""

    model_config = ConfigDict(extra="allow")

    peft_type: Literal["LORA"]
    task_type: Literal["SEQ_CLS"]
    r: Size
    lora_alpha: Size
    target_modules: Modules
    modules_to_save: Modules


def merged(model: Any, missing: Collection[str], folder: Path) -> Any:
    """A classifier with an adapter's matrices multiplied out and added to its weights, in float32.

    ``model`` is the base with a new head, ``missing`` the parameters that its weights lacked: the
    adapter has to bring them. Raises NotMeasured if it does not, or asks for anything else.
    """
    from peft import get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict

    config = _config((folder / ADAPTER_CONFIG).read_bytes())
    brought = load_file(folder / ADAPTER)
    lacking = sorted(name for name in missing
                     if not any(f".{part}." in f".{name}" for part in config.modules_to_save))
    if lacking:
        raise NotMeasured(f"neither base nor adapter has {lacking[0]}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of settings that matter in training alone
        adapted = get_peft_model(model, config)
        wanted = get_peft_model_state_dict(adapted, save_embedding_layers=False)
        for name in sorted(wanted.keys() ^ brought.keys()):
            verb = "lacks" if name in wanted else "has, besides what the base can take,"
            raise NotMeasured(f"{ADAPTER} {verb} {excerpt(name)}")
        for name, value in wanted.items():
            if value.shape != brought[name].shape:
                raise NotMeasured(f"{ADAPTER}: {name} has shape {tuple(brought[name].shape)}; "
                                  f"expected {tuple(value.shape)}")
        set_peft_model_state_dict(adapted, brought)
        return adapted.merge_and_unload(progressbar=False)


def _config(content: bytes) -> Any:
    """The settings that are known here. Raises NotMeasured for any other with an effect."""
    from peft import LoraConfig

    try:
        settings = Settings.read(content)
    except ValueError as fault:
        raise NotMeasured(f"{ADAPTER_CONFIG}: {fault}") from fault
    usual = LoraConfig().to_dict()  # type: ignore[no-untyped-call]
    for name, value in sorted(settings.others.items()):
        if value and name not in _WITHOUT_EFFECT and value != usual.get(name):
            raise NotMeasured(f"{ADAPTER_CONFIG} sets {excerpt(name)}, which is not supported")
    return LoraConfig(
        task_type=settings.task_type, r=settings.r, lora_alpha=settings.lora_alpha,
        target_modules=settings.target_modules, modules_to_save=settings.modules_to_save)
