"""What a signature says: its parts, its short form, and what tells two of them apart. Pure.

``scorer.scoring.evaluate`` writes the long form, ``METRIC|key:value|...``; it stands in every
result.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

from scorer.core.errors import DataError, excerpt
from scorer.core.files import sha256
from scorer.core.results import MetricValue

METRIC = "metric"
"""The key under which ``parts`` gives the metric, which has none in a signature."""
UNSTATED = "not stated"
"""In place of a value that only the other signature has."""
_DIGITS = 8

Key = TypeVar("Key", bound=Hashable)


class Word(NamedTuple):
    """A key of a signature."""

    short: str
    """What stands for it in a short form."""
    meaning: str


KEYS: Mapping[str, Word] = {
    "match": Word("m", "how predicted and gold edges, steps or labels are matched"),
    "concepts": Word("c", "when a concept counts as occurring in a text"),
    "repeats": Word("rp", "whether a graph may repeat an edge"),
    "order": Word("o", "the order in which a judge reads the edges; BLEU's longest n-gram"),
    "bleu": Word("b", "which implementation of BLEU"),
    "smooth": Word("s", "how BLEU is smoothed"),
    "ref": Word("rl", "the reference length that BLEU uses"),
    "case": Word("ca", "whether case matters"),
    "meteor": Word("me", "which implementation of METEOR"),
    "beta": Word("be", "the weight of recall in ROUGE-L"),
    "cider": Word("ci", "which implementation of CIDEr"),
    "n": Word("ng", "CIDEr's longest n-gram"),
    "sigma": Word("sg", "CIDEr's length penalty"),
    "df": Word("d", "where CIDEr takes its document frequencies from"),
    "refs": Word("rs", "how BERTScore combines several references"),
    "tok": Word("t", "the tokenizer"),
    "rouge": Word("r", "which ROUGE, and which of its values"),
    "stem": Word("st", "which stemmer"),
    "idf": Word("i", "whether BERTScore weights tokens by inverse document frequency"),
    "rescale": Word("re", "whether BERTScore is rescaled to a baseline"),
    "round": Word("rd", "the rounding of model outputs"),
    "cost": Word("co", "the cost of a graph edit"),
    "collapse": Word("cl", "which of two edges between the same concepts counts"),
    "leaves": Word("lv", "what ids of the leaves of entailment trees begin with"),
    "budget": Word("bu", "steps after which an edit distance is only a bound"),
    "constant": Word("k", "what is added to the size of a gold graph"),
    "edits": Word("es", "how edits give the similarity of two texts"),
    "best": Word("bt", "which of several golds is the best"),
    "compare": Word("cmp", "the precision in which probabilities are compared"),
    "edges": Word("ed", "the most edges of a graph that is scored edge by edge"),
    "encoder": Word("e", "which encoder: name, layer, how it was run, digest of its weights"),
    "judge": Word("j", "which judge: name, longest input, how it was run, digest of its weights or "
                  "of its endpoint"),
    "lexicon": Word("l", "which lexicon: name, digest of its file"),
    "board": Word("bd", "which board, and its version"),
    "golds": Word("#", "the most golds of an item"),
    "over": Word("ov", "how several golds of an item become one number: the best, the first or "
                 "the mean; not named: as the metric says"),
    "against": Word("a", "which part of the gold, for a row that answers with the rest of it"),
    "gold": Word("g", "the digest of the gold"),
    "scorer": Word("v", "the version of this program"),
}
"""Every key; one that stands in no table keeps its name in a short form."""


def parts(signature: str) -> dict[str, str]:
    """The parts of a long signature by their keys, in its order; the metric comes first.

    Raises DataError for anything else, a short form included.

    >>> parts("accuracy|match:exact|golds:1")
    {'metric': 'accuracy', 'match': 'exact', 'golds': '1'}
    """
    metric, *rest = signature.split("|")
    values = {METRIC: metric}
    for part in rest:
        key, colon, value = part.partition(":")
        if not (key and colon and value) or key in values:
            raise _no_signature(signature)
        values[key] = value
    if not metric or not rest:
        raise _no_signature(signature)
    return values


def _no_signature(signature: str) -> DataError:
    return DataError(f"no signature: {excerpt(signature)}; expected METRIC|key:value|... with each "
                     "key once; take the long form that stands in a result")


def short(signature: str) -> str:
    """The short form of a long signature: short keys, then eight digits of the long form's SHA-256.

    Equal short forms are of equal long forms. Raises DataError as ``parts``.

    >>> short("accuracy|match:exact|golds:1")
    'accuracy|m:exact|#:1|69cc6ec6'
    """
    metric, *rest = parts(signature).items()
    words = [f"{KEYS[key].short if key in KEYS else key}:{value}" for key, value in rest]
    return "|".join([metric[1], *words, sha256(signature.encode())[:_DIGITS]])


def difference(signature: str, other: str) -> tuple[str, ...]:
    """What differs between two long signatures, one ``key: value / value`` each; empty if nothing.

    >>> difference("accuracy|match:exact|golds:1", "accuracy|match:exact|golds:2")
    ('golds: 1 / 2',)
    """
    first, second = parts(signature), parts(other)
    return tuple(
        f"{key}: {first.get(key, UNSTATED)} / {second.get(key, UNSTATED)}"
        for key in dict.fromkeys([*first, *second])
        if first.get(key) != second.get(key)
    )


def comparable_groups(values: Mapping[Key, MetricValue]) -> list[tuple[str, tuple[Key, ...]]]:
    """Values of one metric in groups of equal signatures, each with its members; nothing is ranked
    across two groups.

    The largest group comes first; groups of a size, and members, keep the order of ``values``. What
    was not measured is in no group; a value without a signature is alone in one.
    """
    buckets: dict[tuple[str, Key | None], list[Key]] = {}
    for name, value in values.items():
        if value.value is not None:
            alone = None if value.signature else name
            buckets.setdefault((value.signature, alone), []).append(name)
    groups = [(signature, tuple(members)) for (signature, _), members in buckets.items()]
    return sorted(groups, key=lambda group: -len(group[1]))
