"""What a prompt is: the fields of ``prompt.yaml``, and the templates beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from scorer.core.reading.values import Choice, Decimal, Integer, Slug, Text, YesNo

FILE_NAME = "prompt.yaml"
SYSTEM, USER, ANSWER = "system.txt", "user.txt", "answer.txt"
REQUIRED, OPTIONAL = (FILE_NAME, USER, ANSWER), (SYSTEM,)
"""The files of a prompt's folder; it has no others."""
FIXED, SIMILAR = "fixed", "similar"
CHOICES = (FIXED, SIMILAR)
"""How examples are chosen: the same for all items, or like each item."""
MOST_EXAMPLES = 64


class Message(NamedTuple):
    """One message of a chat."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    content: str


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How answers are best decoded."""

    temperature: Annotated[float, Decimal(2), "The suggested temperature."]
    max_tokens: Annotated[int, Integer(1, 100_000), "The most tokens that an answer may have; what "
                          "is longer is cut off."]


@dataclass(frozen=True, kw_only=True)
class Header:
    """The fields of ``prompt.yaml``."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    name: Annotated[Slug, "The prompt's name; equals the folder's."]
    version: Annotated[int, Integer(1, 10_000), "Raised whenever a file of the folder changes."]
    title: Annotated[str, Text(80), "What it asks for, in a few words."]
    answer: Annotated[str, Text(20, r"[a-z]+", "a form of answers"), "The form in which a model is "
                      "asked to answer, one that the task reads: `lines`, `whole` or `code`."]
    examples: Annotated[int, Integer(0, MOST_EXAMPLES), "How many examples are shown unless a run "
                        "says otherwise."]
    choice: Annotated[str, Choice(CHOICES), "How they are chosen: `fixed`, the same for all items; "
                      "`similar`, those most like the item."]
    decoding: Annotated[Decoding, "Suggested decoding."]
    default: Annotated[bool, YesNo(), "Whether it is the one where no prompt is named."] = False


@dataclass(frozen=True, kw_only=True)
class Prompt(Header):
    """A prompt as read: its header, its templates and what names it exactly."""

    digest: str
    """SHA-256 over the names and bytes of its files."""
    templates: Mapping[str, str]
    """``user.txt``, ``answer.txt`` and perhaps ``system.txt``."""
    origin: str
    """``scorer`` if it comes with the program, else the board whose host added it."""

    @property
    def reference(self) -> str:
        """Name, version and the beginning of the digest, as logs and pages show them."""
        return f"{self.name} v{self.version} (SHA-256 {self.digest[:12]})"
