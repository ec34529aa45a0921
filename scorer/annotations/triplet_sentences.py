"""Triplets as sentences that simulated annotators write, whatever the number of their concepts.

``glosses.py`` has what pages say of a relation; its words fit one thing alone (``bags is``).
"""

from __future__ import annotations

import re

from scorer.records import Edge

_WORDS = {
    "antonym of": "can be the opposite of", "synonym of": "can mean the same as",
    "at location": "can be found at", "located near": "can be near",
    "capable of": "can be capable of", "causes": "can cause", "entails": "can entail",
    "causes desire": "can make people want", "created by": "can be created by",
    "defined as": "can be defined as", "derived from": "can come from",
    "desires": "can want", "has a": "can have", "has context": "can have to do with",
    "has first subevent": "can begin with", "has last subevent": "can end with",
    "has prerequisite": "can need", "has property": "can be", "has subevent": "can come with",
    "is a": "can be called", "made of": "can be made of", "manner of": "can be a way of",
    "motivated by goal": "can be done for", "obstructed by": "can be held up by",
    "part of": "can be part of", "receives action": "can undergo",
    "related to": "can have to do with", "similar to": "can be like",
    "symbol of": "can stand for", "used for": "can be used for",
}
_WORD = re.compile(r"[A-Z]?[^A-Z\s]+|[A-Z]")


def sentence(triplet: Edge) -> str:
    """A triplet as a sentence; what a relation negates cannot be.

    >>> sentence(Edge("fair wages", "causes", "fixed income"))
    'Fair wages can cause fixed income.'
    >>> sentence(Edge("bags", "NotUsedFor", "food")), sentence(Edge("a", "is not a", "b"))
    ('Bags cannot be used for food.', 'A cannot be called b.')
    """
    relation = [word.lower() for word in _WORD.findall(triplet.relation)]
    plain = " ".join(word for word in relation if word != "not")
    verb = _WORDS.get(plain, f"can be in the relation '{plain}' to")
    if "not" in relation:
        verb = verb.replace("can ", "cannot ", 1)
    text = f"{triplet.source} {verb} {triplet.target}."
    return text[:1].upper() + text[1:]
