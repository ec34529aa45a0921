"""The null graph: a chain of the texts' first words or ids, which says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.tasks.graphs.facts import entries
from scorer.tasks.graphs.graph_items import BY_ID, NullTemplate, Settings


def null_of(settings: Settings, texts: Sequence[str]) -> Graph:
    """The null graph of an item: of the first ids that its texts list, where concepts are ids; else
    of words.
    """
    listed = _ids(texts)
    if settings.graph.nodes != BY_ID or len(listed) < 2:
        return null_graph(settings.null, texts)
    return _chain(listed[: settings.null.most], settings.null.relation)


def null_fault(settings: Settings, texts: Sequence[str]) -> str:
    """Why the null graph of an item holds words where concepts are ids; empty if it does not."""
    if settings.graph.nodes != BY_ID or len(_ids(texts)) > 1:
        return ""
    return ("its texts list fewer than two ids (as `s1: text | s2: text`), so its null graph is of "
            "words, which no graph of ids has")


def _ids(texts: Sequence[str]) -> list[str]:
    return [name for text in texts for name in entries(text)]


def null_graph(template: NullTemplate, texts: Sequence[str]) -> Graph:
    """The chain for an item.

    Words of the lower-cased texts, split at white space, ``.`` and ``,`` stripped, kept if longer
    than 2 characters. Concepts: the distinct ones, in order, of the first two words of each text,
    then the third of each; if fewer than 4, the first distinct of all words. A single word is
    connected with itself: the texts of some boards are ids.

    >>> null_graph(NullTemplate("is a", 8), ["5a8b57f2"]).text
    '(5a8b57f2; is a; 5a8b57f2)'
    >>> null_graph(NullTemplate("is a", 8), ["Cats are good pets.", "They purr"]).text
    '(cats; is a; are)(are; is a; they)(they; is a; purr)(purr; is a; good)'
    """
    words = [content_words(text.lower()) for text in texts]
    leading = [word for found in words for word in found[:2]]
    leading += [word for found in words for word in found[2:3]]
    chain = list(dict.fromkeys(leading))[: template.most]
    if len(chain) < 4:
        every = (word for found in words for word in found)
        chain = list(dict.fromkeys(every))[: template.most]
    if len(chain) == 1:
        chain *= 2
    return _chain(chain, template.relation)


def _chain(concepts: Sequence[str], relation: str) -> Graph:
    return Graph.of(Edge(a, relation, b) for a, b in pairwise(concepts))


def content_words(text: str) -> list[str]:
    """Words of more than two characters, without full stops and commas at their ends."""
    words = (word.strip(".,") for word in text.split())
    return [word for word in words if len(word) > 2]
