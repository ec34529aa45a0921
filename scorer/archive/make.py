"""Making an archive of a commit, and perhaps of a site."""

from __future__ import annotations

import tempfile
from pathlib import Path

from scorer import board as boards
from scorer.archive import about, bundle
from scorer.archive.contents import CHECKOUT, Member, of_commit, of_site
from scorer.archive.refusals import refusals
from scorer.board import Board
from scorer.ci.git import Repository
from scorer.errors import MOST_SHOWN, DataError
from scorer.files import json_bytes, sha256, write_atomically


def make(
    root: Path, out: Path, *, commit: str = "HEAD", site: Path | None = None,
) -> bundle.Verified:
    """Write an archive of a commit of the checkout ``root`` to ``out``; the whole is in memory.

    ``site`` is a built site to put beside it. Uncommitted changes are left out. Raises DataError
    naming every file that may not be passed on.
    """
    repository = Repository(root)
    oid = repository.commit(commit)
    members = [*of_commit(repository, oid), *(of_site(site) if site is not None else ())]
    known = _boards(members)
    faults = list(refusals(members, known))
    if faults:
        raise DataError("nothing is archived:\n" + "\n".join(faults[:MOST_SHOWN]))
    said = about.describe(oid, members, known)
    members += [Member("archive.json", json_bytes(said)),
                Member("README.md", about.readme(said).encode())]
    write_atomically(out, bundle.pack(members))
    return bundle.Verified(len(members), sha256(bundle.manifest(members)))


def _boards(members: list[Member]) -> list[Board]:
    """The boards of the commit, which need not be those of this program."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for member in members:
            parts = member.path.split("/")
            if parts[:2] == [CHECKOUT, "boards"] and parts[3:] == [boards.FILE_NAME]:
                write_atomically(folder / parts[2] / parts[3], member.content)
        return [boards.load(name, folder) for name in boards.known_boards(folder)]
