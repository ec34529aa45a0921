"""What relations mean, for people who read a triplet as a sentence.

Own words for the relations of ConceptNet (named in its ``conceptnet5/relations.py``), which those
of ExplaGraphs are written-out forms of: ``IsA`` and ``is a`` are one. Any other relation has none.
"""

from __future__ import annotations

_GLOSSES = {
    "RelatedTo": ("has to do with", "has nothing to do with"),
    "SimilarTo": ("is like", "is not like"),
    "Synonym": ("means the same as", "does not mean the same as"),
    "Antonym": ("is the opposite of", "is not the opposite of"),
    "DistinctFrom": ("is not the same thing as", "is the same thing as"),
    "FormOf": ("is a form of the word", "is not a form of the word"),
    "DerivedFrom": ("comes from the word", "does not come from the word"),
    "EtymologicallyRelatedTo": ("has an origin in common with", "has no origin in common with"),
    "EtymologicallyDerivedFrom": ("comes, long ago, from the word",
                                  "does not come from the word"),
    "IsA": ("is a kind of", "is not a kind of"),
    "DefinedAs": ("is explained as", "is not explained as"),
    "PartOf": ("is a part of", "is not a part of"),
    "HasA": ("has", "does not have"),
    "MadeOf": ("is made of", "is not made of"),
    "UsedFor": ("is used for", "is not used for"),
    "CapableOf": ("can", "cannot"),
    "AtLocation": ("is found at", "is not found at"),
    "LocatedNear": ("is near", "is not near"),
    "Causes": ("brings about", "does not bring about"),
    "CausesDesire": ("makes one want", "does not make one want"),
    "HasSubevent": ("has as a part that happens during it", "goes without"),
    "HasFirstSubevent": ("begins with", "does not begin with"),
    "HasLastSubevent": ("ends with", "does not end with"),
    "HasPrerequisite": ("first needs", "does not first need"),
    "HasProperty": ("can be described as", "cannot be described as"),
    "MotivatedByGoal": ("is done because of the wish for",
                        "is not done because of the wish for"),
    "ObstructedBy": ("is prevented by", "is not prevented by"),
    "Desires": ("wants", "does not want"),
    "CreatedBy": ("is made by", "is not made by"),
    "SymbolOf": ("stands for", "does not stand for"),
    "MannerOf": ("is a way to do", "is not a way to do"),
    "HasContext": ("is used in the field of", "is not used in the field of"),
    "ReceivesAction": ("can be", "cannot be"),
    "Entails": ("implies", "does not imply"),
}
_BY_KEY = {name.lower(): words for name, words in _GLOSSES.items()}
_WRITTEN_OUT = {"synonymof": "synonym", "antonymof": "antonym", "isnota": "notisa"}


def gloss(relation: str) -> str:
    """What stands between two concepts in a sentence for it; empty if it is not known.

    >>> gloss("IsA"), gloss("is a"), gloss("not has a"), gloss("NotDesires")
    ('is a kind of', 'is a kind of', 'does not have', 'does not want')
    >>> gloss("synonym of"), gloss("is not a"), gloss("likes")
    ('means the same as', 'is not a kind of', '')
    """
    key = "".join(relation.lower().replace("_", " ").split())
    key = _WRITTEN_OUT.get(key, key)
    if key in _BY_KEY:
        return _BY_KEY[key][0]
    positive = _BY_KEY.get(key.removeprefix("not"))
    return positive[1] if positive and key.startswith("not") else ""
