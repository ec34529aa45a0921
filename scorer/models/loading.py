"""Models of transformers out of a folder: safetensors only, no remote code, no network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch


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
