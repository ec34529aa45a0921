"""Characters that may stand in a field, and those that may not.

Invisible are the default-ignorable code points of Unicode 17 (DerivedCoreProperties.txt; those kept
for later ones included) and the few signs that are drawn as nothing: an empty braille cell, a note
without a head, a filler of Khitan. Variation selectors are invisible too, and stand behind many an
emoji: predictions may hold them, and what describes a system may behind a symbol.

Unassigned code points are accepted: which they are depends on the interpreter's Unicode version,
and a file must get the same verdict everywhere. So is U+FFFD, which models of bytes write.
"""

from __future__ import annotations

import re

_CONTROL = "\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029"
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\ufdd0-\ufdef\ue000-\uf8ff\ud800-\udfff"
    "\u2800\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\U000f0000-\U0010ffff"
)
_PLANE_ENDS = "".join(
    chr(plane * 0x10000 + end) for plane in range(1, 15) for end in (0xFFFE, 0xFFFF)
)
UNWELCOME = re.compile(f"[{_CONTROL}{_INVISIBLE}{_PLANE_ENDS}]")
REPLACED = "\ufffd"
"""Stands for an unwelcome character, which a file of predictions may not hold."""
CONTROLS = re.compile(f"[{_CONTROL}]")
_SYMBOLS = "\u00a9\u00ae\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_SELECTORS = re.compile(f"[\ufe00-\ufe0d]|(?<![{_SYMBOLS}])[\ufe0e\ufe0f]")

OTHER_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""Space characters other than U+0020, as a class of characters."""


def unwelcome_character(text: str) -> int | None:
    """The position of the first control, invisible, direction-changing, private or non-character.

    >>> unwelcome_character("caf\\u00e9 \\u202e")
    5
    >>> unwelcome_character("a\\tb") is None
    True
    """
    match = UNWELCOME.search(text)
    return None if match is None else match.start()


def selector_without_symbol(text: str) -> int | None:
    """The position of the first variation selector that makes no emoji of the symbol before it.

    >>> selector_without_symbol("\u2764\ufe0f a\ufe0f")
    4
    """
    match = _SELECTORS.search(text)
    return None if match is None else match.start()
