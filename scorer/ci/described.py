"""What submissions on the main branch say of themselves: names, and whether they are withdrawn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from scorer.ci.git import FILE, Entry, Repository
from scorer.ci.scope import TOP, Place
from scorer.reading import fields
from scorer.reading.strict_yaml import LARGEST
from scorer.submission import FILE_NAME, META, Meta


class Description(NamedTuple):
    """A submission's description as it is now."""

    place: Place
    meta: Meta
    commit: str
    """The last commit that wrote it."""


def descriptions(repository: Repository, commit: str, entries: Sequence[Entry],
                 boards: Collection[str]) -> Iterator[Description]:
    """Those of some boards that can be read, in the order of their paths."""
    found = [(entry, place) for entry in entries
             if (place := _place_of(entry)) is not None and place.board in boards]
    contents = repository.blobs([entry.oid for entry, _ in found])
    latest = repository.latest(commit, TOP)
    for entry, place in found:
        meta, problems = fields.load(META, contents[entry.oid][:LARGEST + 1], FILE_NAME)
        if not problems:
            wrote = latest.get(entry.path)
            yield Description(place, meta, wrote.commit if wrote else commit)


def _place_of(entry: Entry) -> Place | None:
    parts = entry.path.split("/")
    fits = len(parts) == 5 and parts[4] == FILE_NAME and entry.mode == FILE
    return Place(*parts[1:4]) if fits else None
