"""The models of one run: found by source, checked by digest, loaded once when first asked for.

Whatever the source, the weights' digest enters every signature. The lexicon in which METEOR looks
words up is had in the same way, but is no model: it comes with the set-up and needs no permission.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scorer.core.errors import NotMeasured, UsageError, excerpt
from scorer.core.files import home_folder
from scorer.models import endpoint, wordnet
from scorer.models.endpoint import Endpoint
from scorer.models.known import ENCODERS, JUDGES, MACHINES, EncoderInfo, JudgeInfo, Machine
from scorer.models.sources import digest, find
from scorer.models.text_cache import TextCache
from scorer.models.wordnet import Lexicon

KNOWN: dict[str, EncoderInfo | JudgeInfo | Lexicon] = {
    **ENCODERS, **JUDGES, wordnet.INFO.name: wordnet.INFO}
"""Every model and lexicon a metric may ask for, by its name."""


def device_here() -> str:
    """``cuda`` if models can run on a GPU of this machine, else ``cpu``."""
    try:
        from scorer.models.loading import device
    except ImportError:
        return "cpu"  # without the models extra nothing runs on either
    return device()


class Models:
    """Gives models by name, and their parts of signatures without loading them."""

    def __init__(
        self, sources: Mapping[str, str] | None = None, *, allowed: bool = True,
        network: bool = False, device: str = "cpu", cache: Path | None = None,
        home: Path | None = None,
    ) -> None:
        """``sources`` overrides where a model is looked for; not ``allowed``: load none.

        ``network``: whether a hub source may be downloaded, or must be in the local cache.
        ``device``: cpu or cuda. ``cache``: a file in which answers are kept between runs; it has no
        effect on results. ``home``: where fetched data lie, else ``files.home_folder()``. Raises
        UsageError for an unknown name or device, and for an endpoint's file with faults.
        """
        self._machine = Machine(device)
        self._cache = TextCache(cache)
        self._network = network
        self._sources = dict(sources or {})
        self._allowed = allowed
        self._home = home or home_folder()
        self._loaded: dict[str, Any] = {}
        """By name: a model, or the reason why there is none."""
        self._digests: dict[str, str] = {}
        self._infos: dict[str, EncoderInfo | JudgeInfo | Lexicon | Endpoint] = {**KNOWN}
        for name, source in self._sources.items():
            if name not in KNOWN:
                raise UsageError(f"no model {excerpt(name)}; choose one of: {', '.join(KNOWN)}")
            if source.startswith(endpoint.PREFIX):
                self._infos[name] = endpoint.read(source, name)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_loaded": {}}  # another process loads its own

    def tag(self, name: str) -> str:
        """The model's part of a signature: with the pinned digest, else that of the files in use.

        Raises NotMeasured if neither is to be had.
        """
        return self._infos[name].tag(self._digest(name), self._machine)

    def fits(self, name: str, tag: object) -> bool:
        """Whether a part of a signature is that of the model in use, on any machine.

        Also where its weights are neither pinned nor at hand: then nothing speaks against it.
        """
        if name not in KNOWN:
            return False
        try:
            weights = self._digest(name)
        except NotMeasured:
            return True
        return tag in [self._infos[name].tag(weights, machine) for machine in MACHINES]

    def __call__(self, name: str) -> Any:
        """The loaded model. Raises NotMeasured with the reason if it cannot be had."""
        if name not in self._loaded:
            try:
                self._loaded[name] = self._load(name)
            except NotMeasured as reason:
                self._loaded[name] = str(reason)
                raise  # with its cause: one without room is told apart by it
        if isinstance(self._loaded[name], str):
            raise NotMeasured(self._loaded[name])
        return self._loaded[name]

    def _digest(self, name: str) -> str:
        """Pinned, else of the files in use, read once. Raises NotMeasured if neither is there."""
        if name not in self._digests:
            self._digests[name] = (self._infos[name].weights
                                   or digest(self._source(name), self._network))
        return self._digests[name]

    def _source(self, name: str) -> str:
        """Where a model is looked for; of a lexicon, the folder."""
        return (self._sources.get(name) or KNOWN[name].source
                or str(wordnet.folder(self._home)))

    def _load(self, name: str) -> Any:
        info, source = self._infos[name], self._source(name)
        if isinstance(info, Lexicon):
            return wordnet.read(Path(source))
        if not self._allowed:
            raise NotMeasured(f"model {name} was not asked for; score with --models fetch")
        if isinstance(info, Endpoint):
            return _behind(info, self._cache)
        files = find(source, self._network)
        if info.weights is not None and files.digest != info.weights:
            raise NotMeasured(
                f"model {name}: the weights' SHA-256 is {files.digest[:12]}..., expected "
                f"{info.weights[:12]}...; name the right files with --model {name}=SOURCE"
            )
        try:
            if isinstance(info, EncoderInfo):
                from scorer.models.transformers_encoder import TransformersEncoder

                # Without the cache: vectors are 1,000 times as large as a judge's answers for each
                # second that they save (docs/decisions/008-models-are-sources.md).
                return TransformersEncoder(files, info.layer, self._machine)
            from scorer.models.transformers_judge import TransformersJudge

            return TransformersJudge(files, info.labels, info.most_tokens, self._machine,
                                     self._cache)
        except ImportError as missing:
            raise NotMeasured(
                f"model {name} needs the models extra ({missing.name} is missing): "
                "pip install 'whyboard[models]'"
            ) from missing
        except NotMeasured as reason:
            raise NotMeasured(f"model {name} of {source} cannot be used: {reason}; name another "
                              f"with --model {name}=SOURCE") from reason
        except Exception as fault:  # foreign files can break a loader in any way
            raise NotMeasured(
                f"model {name} cannot be loaded from {source} ({type(fault).__name__}); name a "
                f"folder with a transformers model with --model {name}=SOURCE"
            ) from fault


def _behind(server: Endpoint, cache: TextCache) -> Any:
    """A judge that is asked over the network; nothing is asked yet."""
    if server.info.graded and not server.logprobs:
        raise NotMeasured(f"judge {server.judge}: probabilities are compared, and its "
                          "endpoint gives labels alone; write logprobs: yes into its file if "
                          "the server gives them")
    try:
        from scorer.models.endpoint_judge import EndpointJudge
    except ImportError as missing:
        raise NotMeasured(f"judge {server.judge} needs the endpoint extra ({missing.name} is "
                          "missing): pip install 'whyboard[endpoint]'") from missing
    return EndpointJudge(server, cache)
