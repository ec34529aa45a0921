"""Documents below ``results`` that are of no system: what people said, and which metric agrees
with people. Maintainers write and commit them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scorer.core.reading.documents import Document
from scorer.core.records import SPLITS
from scorer.people.documents import HumanResults, MetaResults, SurenessDocument
from scorer.people.hamlet import HamletResults

HUMAN_FOLDER = "results/human"
HUMAN_RESULTS = "human-results.json"
HAMLET = "hamlet.json"
METRIC_AGREEMENT = "metric-agreement.json"
_SPLIT = "<split>"


@dataclass(frozen=True)
class PublishedDocument:
    """One kind of such documents."""

    name: str
    file: str
    """Where it lies in the repository; ``<board>`` and ``<split>`` stand for any."""
    about: str
    format: str
    """What the key ``format`` says."""
    kind: type[Document]
    """The class that reads it."""

    @property
    def title(self) -> str:
        """Of its schema."""
        return f"{self.about.rstrip('.')} ({self.file.rpartition('/')[2]}), {self.format}"


def sureness_file(split: str) -> str:
    """The name of the document about a split."""
    return f"sureness.{split}.json"


PUBLISHED = (
    PublishedDocument("human-results", f"{HUMAN_FOLDER}/{HUMAN_RESULTS}",
                      "What annotators of closed batches said, in numbers.", "human-results/1",
                      HumanResults),
    PublishedDocument("hamlet", f"{HUMAN_FOLDER}/{HAMLET}",
                      "What fooled a label model, round by round.", "hamlet/1", HamletResults),
    PublishedDocument("metric-agreement", f"results/<board>/{METRIC_AGREEMENT}",
                      "How far metrics agree with people, as `scorer meta --json` writes it.",
                      "metric-agreement/1", MetaResults),
    PublishedDocument("sureness", f"results/<board>/{sureness_file(_SPLIT)}",
                      "How sure people and systems are of labels, as `scorer meta --json` "
                      "writes it.", "sureness/1", SurenessDocument),
)


def at(path: str) -> PublishedDocument | None:
    """The kind of document that belongs at a path of the repository, if any.

    >>> at("results/copa-sse/metric-agreement.json").name
    'metric-agreement'
    >>> at("results/anli/sureness.dev.json").name, at("results/anli/sureness.all.json")
    ('sureness', None)
    >>> at("results/copa-sse/other.json"), at("results/human/a/hamlet.json")
    (None, None)
    """
    for kind in PUBLISHED:
        pattern = re.escape(kind.file).replace("<board>", "[^/]+").replace(
            _SPLIT, f"(?:{'|'.join(SPLITS)})")
        if re.fullmatch(pattern, path):
            return kind
    return None
