"""What submissions on the main branch say of themselves: names, and whether they are withdrawn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.ci.git import FILE, Added, Entry, Repository
from scorer.ci.scope import Place, described
from scorer.files import sha256
from scorer.reading import fields
from scorer.reading.strict_yaml import LARGEST
from scorer.submission import FILE_NAME, META, Meta


class Description(NamedTuple):
    """A submission's description as it is now."""

    place: Place
    meta: Meta
    commit: str
    """The last commit that wrote it."""
    sha256: str
    """Digest of its bytes."""

    @property
    def path(self) -> str:
        """Where it lies."""
        return f"{self.place.path}/{FILE_NAME}"


def descriptions(repository: Repository, entries: Sequence[Entry], boards: Collection[str],
                 latest: Mapping[str, Added]) -> Iterator[Description]:
    """Those of some boards that can be read, in the order of their paths.

    ``latest``: the commit that last wrote each path.
    """
    found = [(entry, place) for entry in entries
             if (place := _place_of(entry)) is not None and place.board in boards]
    contents = repository.blobs([entry.oid for entry, _ in found])
    for entry, place in found:
        content = contents[entry.oid]
        meta, problems = fields.load(META, content[:LARGEST + 1], FILE_NAME)
        if not problems:
            yield Description(place, meta, latest[entry.path].commit, sha256(content))


def _place_of(entry: Entry) -> Place | None:
    is_one = entry.mode == FILE and entry.path.endswith(f"/{FILE_NAME}")
    return described(entry.path) if is_one else None
