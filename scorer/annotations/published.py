"""Documents below ``results`` that are of no system: what people said, and which metric agrees
with people. Maintainers write and commit them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.codec import Document

HUMAN_FOLDER = "results/human"
HUMAN_RESULTS = "human-results.json"
HAMLET = "hamlet.json"
METRIC_AGREEMENT = "metric-agreement.json"
_ANY_BOARD = "<board>"


@dataclass(frozen=True)
class Published:
    """One kind of such documents."""

    name: str
    file: str
    """Where it lies in the repository; ``<board>`` stands for any board."""
    about: str
    format: str
    """What the key ``format`` says."""
    kind: Callable[[], type[Document]]
    """Imports what reads it."""

    @property
    def title(self) -> str:
        """Of its schema."""
        return f"{self.about.rstrip('.')} ({self.file.rpartition('/')[2]}), {self.format}"

    def is_at(self, path: str) -> bool:
        """Whether a path is that of such a document."""
        mine, parts = self.file.split("/"), path.split("/")
        return len(mine) == len(parts) and all(
            part in (one, _ANY_BOARD) for part, one in zip(mine, parts, strict=True))


def _human_results() -> type[Document]:
    from scorer.annotations.documents import HumanResults

    return HumanResults


def _hamlet() -> type[Document]:
    from scorer.annotations.hamlet_results import HamletResults

    return HamletResults


def _metric_agreement() -> type[Document]:
    from scorer.annotations.documents import MetaResults

    return MetaResults


PUBLISHED = (
    Published("human-results", f"{HUMAN_FOLDER}/{HUMAN_RESULTS}",
              "What annotators of closed batches said, in numbers.", "human-results/1",
              _human_results),
    Published("hamlet", f"{HUMAN_FOLDER}/{HAMLET}",
              "What fooled a label model, round by round.", "hamlet/1", _hamlet),
    Published("metric-agreement", f"results/{_ANY_BOARD}/{METRIC_AGREEMENT}",
              "How far metrics agree with people, as `scorer meta --json` writes it.",
              "metric-agreement/1", _metric_agreement),
)


def at(path: str) -> Published | None:
    """The kind of document that belongs at a path of the repository, if any.

    >>> at("results/copa-sse/metric-agreement.json").name
    'metric-agreement'
    >>> at("results/copa-sse/other.json"), at("results/human/a/hamlet.json")
    (None, None)
    """
    return next((one for one in PUBLISHED if one.is_at(path)), None)
