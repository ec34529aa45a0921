"""Low-rank adapters: a judge as a few matrices on top of a base model, merged when loaded.

peft is given the matrices and five settings that are checked here, never the folder: its own
reader would obey a configuration that names modules to import, files to open or a hub to ask.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from peft import (
    LoraConfig,
    TaskType,
    get_peft_model,
    get_peft_model_state_dict,
    set_peft_model_state_dict,
)
from pydantic import ConfigDict, Field
from safetensors.torch import load_file

from scorer.core.errors import NotMeasured, excerpt
from scorer.core.reading.documents import Document
from scorer.models.sources import ADAPTER, ADAPTER_CONFIG

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
    config = _config((folder / ADAPTER_CONFIG).read_bytes())
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


def _config(content: bytes) -> LoraConfig:
    """The settings that are known here. Raises NotMeasured for any other with an effect."""
    try:
        settings = Settings.read(content)
    except ValueError as fault:
        raise NotMeasured(f"{ADAPTER_CONFIG}: {fault}") from fault
    usual = LoraConfig().to_dict()  # type: ignore[no-untyped-call]
    for name, value in sorted(settings.others.items()):
        if value and name not in _WITHOUT_EFFECT and value != usual.get(name):
            raise NotMeasured(f"{ADAPTER_CONFIG} sets {excerpt(name)}, which is not supported")
    return LoraConfig(
        task_type=TaskType.SEQ_CLS, r=settings.r, lora_alpha=settings.lora_alpha,
        target_modules=settings.target_modules, modules_to_save=settings.modules_to_save)


def _compare(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse an adapter with other matrices than the base asks for."""
    for name in sorted(wanted.keys() ^ found.keys()):
        said = "lacks" if name in wanted else "has, besides what the base can take,"
        raise NotMeasured(f"{ADAPTER} {said} {excerpt(name)}")
    for name, value in wanted.items():
        if value.shape != found[name].shape:
            raise NotMeasured(f"{ADAPTER}: {name} has shape {tuple(found[name].shape)}; expected "
                              f"{tuple(value.shape)}")
