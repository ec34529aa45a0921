"""Low-rank adapters: a judge as a few matrices on top of a base model, merged when loaded.

peft is given the matrices and five settings that are checked here, never the folder: its own
reader would obey a configuration that names modules to import, files to open or a hub to ask.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from peft import (
    LoraConfig,
    TaskType,
    get_peft_model,
    get_peft_model_state_dict,
    set_peft_model_state_dict,
)
from safetensors.torch import load_file

from scorer.errors import NotMeasured, excerpt
from scorer.models.sources import ADAPTER, ADAPTER_CONFIG

MOST = 4096
"""More than any rank or scale in use."""
_WITHOUT_EFFECT = frozenset({
    "auto_mapping", "base_model_name_or_path", "inference_mode", "init_lora_weights",
    "lora_dropout", "peft_version", "revision",
})
"""What a configuration says of training, or of where the base lies; our card says the latter."""


def merged(model: Any, missing: Collection[str], folder: Path) -> Any:
    """A classifier with an adapter's matrices multiplied out and added to its weights, in float32.

    ``model`` is the base with a new head, ``missing`` the parameters that its weights lacked: the
    adapter has to bring them. Raises NotMeasured if it does not, or asks for anything else.
    """
    config = _config(json.loads((folder / ADAPTER_CONFIG).read_bytes()))
    brought = load_file(folder / ADAPTER)
    lacking = sorted(name for name in missing
                     if not any(f".{part}." in f".{name}" for part in config.modules_to_save or ()))
    if lacking:
        raise NotMeasured(f"neither base nor adapter has {lacking[0]}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of settings that matter in training alone
        adapted = get_peft_model(model, config)
        _compare(get_peft_model_state_dict(adapted, save_embedding_layers=False), brought)
        set_peft_model_state_dict(adapted, brought)
        return adapted.merge_and_unload(progressbar=False)


def _config(given: Mapping[str, Any]) -> LoraConfig:
    """The settings that are known here. Raises NotMeasured for any other with an effect."""
    if given.get("peft_type") != "LORA" or given.get("task_type") != "SEQ_CLS":
        raise NotMeasured(f"{ADAPTER_CONFIG} is not of a LORA adapter of a SEQ_CLS model")
    config = LoraConfig(
        task_type=TaskType.SEQ_CLS,
        r=_number(given, "r"),
        lora_alpha=_number(given, "lora_alpha"),
        target_modules=_names(given, "target_modules"),
        modules_to_save=_names(given, "modules_to_save"),
    )
    used = {"peft_type", "task_type", "r", "lora_alpha", "target_modules", "modules_to_save"}
    usual = LoraConfig().to_dict()  # type: ignore[no-untyped-call]
    for name in sorted(given.keys() - used - _WITHOUT_EFFECT):
        if given[name] and given[name] != usual.get(name):
            raise NotMeasured(f"{ADAPTER_CONFIG} sets {excerpt(name)}, which is not supported")
    return config


def _number(given: Mapping[str, Any], name: str) -> int:
    value = given.get(name)
    if not isinstance(value, int) or not 0 < value <= MOST:
        raise NotMeasured(f"{ADAPTER_CONFIG}: {name} must be a whole number from 1 to {MOST}")
    return value


def _names(given: Mapping[str, Any], name: str) -> list[str]:
    values = given.get(name)
    plain = isinstance(values, list) and all(
        isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.]+", value) for value in values
    )
    if not plain:
        raise NotMeasured(f"{ADAPTER_CONFIG}: {name} must be a list of names of modules")
    return list(given[name])


def _compare(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse an adapter with other matrices than the base asks for."""
    for name in sorted(wanted.keys() ^ found.keys()):
        said = "lacks" if name in wanted else "has, besides what the base can take,"
        raise NotMeasured(f"{ADAPTER} {said} {excerpt(name)}")
    for name, value in wanted.items():
        if value.shape != found[name].shape:
            raise NotMeasured(f"{ADAPTER}: {name} has shape {tuple(found[name].shape)}; expected "
                              f"{tuple(value.shape)}")
