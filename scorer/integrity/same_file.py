"""Flag ``same-file``: the very bytes of another row's predictions."""

from __future__ import annotations

from collections.abc import Mapping

from scorer.integrity.flag import Flag

MOST_NAMED = 5


def same_file(name: str, n: int, digests: Mapping[str, str]) -> Flag:
    """``digests``: of the predictions of every submission to the split, this one among them.
    ``n``: its rows, all of which are the same if any file is.
    """
    mine = digests.get(name)
    same = sorted(other for other, digest in digests.items() if digest == mine and other != name)
    return Flag(
        "same-file", "A file of predictions that another submission has too", bool(same),
        n if same else 0, n, (),
        tuple(f"Byte for byte the file of {other}." for other in same[:MOST_NAMED]),
        "Two rows are one file of predictions.",
        "Whose it is. The order of the rows and of their merges tells nothing: a copy may be "
        "merged before the pull request that it was taken from.",
    )
