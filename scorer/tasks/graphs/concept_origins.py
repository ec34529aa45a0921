"""Where a concept comes from: one of the input texts, several of them, or none.

The rule is the one by which the score decides whether a concept is in a text (the released
``metrics/eval.py``): the lower-cased concept is a substring of the lower-cased text. So a concept
of one letter is nearly always internal, and *loyal pets* is external to a text that says *loyal and
quiet pets*. The shares of external concepts that the data's statistics give rest on this rule.
"""

from __future__ import annotations

from collections.abc import Sequence

EXTERNAL, BOTH = "external", "both"


def places(concept: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Positions of the texts in which a lower-cased concept occurs.

    >>> places("cats", ["Cats purr", "dogs bark"]), places("s", ["cats", "dogs"])
    ((0,), (0, 1))
    """
    return tuple(place for place, text in enumerate(texts) if concept in text.lower())


def kind(concept: str, texts: Sequence[str], names: Sequence[str]) -> str:
    """``internal-<text>``, ``both`` (occurs in more texts than one) or ``external``.

    ``names`` are the names of the texts, as the board calls its columns.

    >>> names = ["belief", "argument"]
    >>> [kind(c, ["Cats purr", "Dogs bark"], names) for c in ("dogs", "r", "fish")]
    ['internal-argument', 'both', 'external']
    """
    found = places(concept, texts)
    if not found:
        return EXTERNAL
    return BOTH if len(found) > 1 else f"internal-{names[found[0]]}"


def kind_names(names: Sequence[str]) -> tuple[str, ...]:
    """Every kind there can be on a board with these texts.

    >>> kind_names(["belief", "argument"])
    ('internal-belief', 'internal-argument', 'both', 'external')
    """
    return (*(f"internal-{name}" for name in names), BOTH, EXTERNAL)
