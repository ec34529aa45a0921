"""Integrity flags: neutral remarks on a predictions file that a reader of its row should know.

``flags`` looks at one file, ``survey`` at all of a split at once. Pure functions: the same
predictions, golds and others give the same flags, so a caller may keep them by digest. Every flag
is one module, says what it does not say, and names the rows it rests on. Thresholds stand beside
the figures that they come from (docs/integrity.md).
"""

from scorer.integrity.checks import flags, survey
from scorer.integrity.flag import Flag, RowNote

__all__ = ["Flag", "RowNote", "flags", "survey"]
