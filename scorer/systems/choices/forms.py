"""The six forms of input of Bhagavatula et al., ICLR 2020, Table 6: what a model sees of an item.

An input is one segment, or two with a separator between. A hypothesis has one score an input, and
they are added: so in the linear chain neither observation is seen together with the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Input = tuple[str, ...]
"""One segment, or two."""


class Form(NamedTuple):
    """What is read of the two observations and one hypothesis."""

    title: str
    inputs: Callable[[str, str, str], tuple[Input, ...]]


FORMS = {
    "hypothesis-only": Form("hypothesis only", lambda obs1, obs2, text: ((text,),)),
    "first-observation": Form(
        "first observation only", lambda obs1, obs2, text: ((obs1, text),)),
    "second-observation": Form(
        "second observation only", lambda obs1, obs2, text: ((text, obs2),)),
    "linear-chain": Form(
        "linear chain", lambda obs1, obs2, text: ((obs1, text), (text, obs2))),
    "fully-connected": Form(
        "fully connected", lambda obs1, obs2, text: ((f"{obs1} {obs2}", text),)),
    "narrative-order": Form(
        "narrative order", lambda obs1, obs2, text: ((f"{obs1} {text}", obs2),)),
}
"""By the names that ``--form`` takes. ``narrative-order`` is the paper's form of GPT, and that in
which the released code gives BERT its fully connected input."""
FULLY_CONNECTED = "fully-connected"


def as_four(texts: Sequence[str]) -> tuple[str, str, str, str]:
    """What is given as two texts, and the two hypotheses; of several given, the others are one.

    >>> as_four(["premise", "cause", "one", "other"]), as_four(["premise", "one", "other"])[:2]
    (('premise', 'cause', 'one', 'other'), ('premise', ''))
    """
    first, *given, one, other = texts
    return first, " ".join(given), one, other
