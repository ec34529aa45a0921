"""The licence of a board, which its maintainers wrote in words, as registries of data name it."""

from __future__ import annotations

import re
from typing import NamedTuple

_CC = "https://creativecommons.org"
_KNOWN = {
    "cc0-1.0": (r"CC0(?: 1\.0)?", f"{_CC}/publicdomain/zero/1.0/"),
    "cc-by-4.0": (r"CC[ -]BY[ -]4\.0", f"{_CC}/licenses/by/4.0/"),
    "cc-by-sa-4.0": (r"CC[ -]BY-SA[ -]4\.0", f"{_CC}/licenses/by-sa/4.0/"),
    "cc-by-nc-4.0": (r"CC[ -]BY-NC[ -]4\.0", f"{_CC}/licenses/by-nc/4.0/"),
    "cc-by-nc-sa-4.0": (r"CC[ -]BY-NC-SA[ -]4\.0", f"{_CC}/licenses/by-nc-sa/4.0/"),
    "mit": (r"(?:The )?MIT(?: [Ll]icen[cs]e)?", "https://opensource.org/license/mit"),
    "apache-2.0": (r"Apache[ -](?:[Ll]icen[cs]e )?2\.0",
                   "https://www.apache.org/licenses/LICENSE-2.0"),
}


class Licence(NamedTuple):
    """A licence that the Hub knows, or ``other``."""

    id: str
    url: str


def licence(text: str) -> Licence:
    """The licence that a text begins with and says nothing but words of explanation after.

    A text that names two is ``other``: which one holds is for people to say.

    >>> licence("CC0 1.0: do with it what you like.").id
    'cc0-1.0'
    >>> licence("MIT licence in one place, CC BY-SA 4.0 in another.").id
    'other'
    """
    words = " ".join(text.split())
    named = [name for name, (pattern, _) in _KNOWN.items()
             if re.search(rf"(?<![\w-]){pattern}(?![\w-])", words)]
    if len(named) == 1 and re.match(rf"{_KNOWN[named[0]][0]}(?:[.:,;]|$)", words):
        return Licence(named[0], _KNOWN[named[0]][1])
    return Licence("other", "")
