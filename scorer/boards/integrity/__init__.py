"""Integrity flags: what is worth knowing of a submission, for who reads its row.

``flags`` looks at one file's answers, ``survey`` at all of a split at once, ``same_file`` at bytes
(and ``names.py``, which needs a library, at names). Pure functions: the same predictions, golds and
others give the same flags, so a caller may keep them by digest. Every flag says what
it does not say, and names the rows it rests on. Thresholds stand beside the figures that they come
from (docs/integrity.md).
"""

from scorer.boards.integrity.answers import same_file
from scorer.boards.integrity.checks import flags, survey
from scorer.boards.integrity.flag import Flag, RowNote

__all__ = ["Flag", "RowNote", "flags", "same_file", "survey"]
