"""Documents below ``results`` that are of no system: what people said, and which metric agrees
with people. Maintainers write and commit them.
"""

from __future__ import annotations

import re

from scorer.core.reading.schema import Document, Format
from scorer.core.records import SPLITS
from scorer.people.documents import HumanResults, MetaResults, SurenessDocument
from scorer.people.hamlet import HamletResults

HUMAN_FOLDER = "results/human"
HUMAN_RESULTS = "human-results.json"
HAMLET = "hamlet.json"
METRIC_AGREEMENT = "metric-agreement.json"
_SPLIT = "<split>"


def _published(name: str, file: str, about: str, kind: type[Document]) -> Format:
    """A format whose documents name it, and its version 1, by their key ``format``."""
    title = f"{about.rstrip('.')} ({file.rpartition('/')[2]}), {name}/1"
    return Format(name, file, about, title, kind)


def sureness_file(split: str) -> str:
    """The name of the document about a split."""
    return f"sureness.{split}.json"


PUBLISHED = (
    _published("human-results", f"{HUMAN_FOLDER}/{HUMAN_RESULTS}",
               "What annotators of closed batches said, in numbers.", HumanResults),
    _published("hamlet", f"{HUMAN_FOLDER}/{HAMLET}",
               "What fooled a label model, round by round.", HamletResults),
    _published("metric-agreement", f"results/<board>/{METRIC_AGREEMENT}",
               "How far metrics agree with people, as `scorer meta --json` writes it.",
               MetaResults),
    _published("sureness", f"results/<board>/{sureness_file(_SPLIT)}",
               "How sure people and systems are of labels, as `scorer meta --json` writes it.",
               SurenessDocument),
)


def at(path: str) -> Format | None:
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
