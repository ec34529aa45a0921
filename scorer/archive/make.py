"""Making an archive of a commit, and perhaps of a site.

It says of itself what it is: ``archive.json`` for programs, ``README.md`` for people.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scorer import board as boards
from scorer.archive import bundle
from scorer.archive.contents import CHECKOUT, SITE, Member, of_commit, of_site, refusals
from scorer.board import Board
from scorer.ci.git import Repository
from scorer.errors import MOST_SHOWN, DataError
from scorer.files import json_bytes, sha256, write_atomically
from scorer.models import judge_card
from scorer.models.judge_card import FILE as CARD


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
    said = describe(oid, members, known)
    program = any(member.path == _PROGRAM for member in members)
    members += [Member("archive.json", json_bytes(said)),
                Member("README.md", readme(said, program=program).encode())]
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
        return boards.load_all(folder)


SCHEMA = 1
_STATUS = f"{SITE}/data/status.json"
"""The states of all submissions, which need the history of git; a built site has them."""
_PROGRAM = f"{CHECKOUT}/scorer/_version.py"
_VERSION = re.compile(rb'__version__ = "([^"]+)"')
_PINNED = re.compile(rb"^whyboard\S*(?:==| @ \S*/whyboard-)([0-9][^\s;-]*)", re.MULTILINE)


def describe(commit: str, members: Sequence[Member], boards: Sequence[Board]) -> dict[str, Any]:
    """The document of ``archive.json``: versions, judges, and digests of data here or elsewhere."""
    contents = {member.path: member.content for member in members}
    version = (_VERSION.search(contents.get(_PROGRAM, b""))
               or _PINNED.search(contents.get(f"{CHECKOUT}/requirements.txt", b"")))
    return {
        "schema": SCHEMA,
        "commit": commit,
        "scorer": version[1].decode() if version else None,
        "site": any(path.startswith(f"{SITE}/") for path in contents),
        "status": _STATUS if _STATUS in contents else None,
        "boards": {board.id: _board(board, contents) for board in boards},
        "judges": {path: _card(content) for path, content in contents.items()
                   if path.startswith(f"{CHECKOUT}/scorer/models/") and path.endswith(f"/{CARD}")},
    }


def _board(board: Board, contents: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "version": board.version,
        "licence": board.licence,
        "splits": {
            name: {"rows": split.rows, "gold": split.gold, "file": split.file,
                   "sha256": split.sha256, "gold_hmac": split.gold_hmac,
                   "here": f"{CHECKOUT}/boards/{board.id}/data/{split.file}" in contents}
            for name, split in board.splits.items()
        },
        "downloads": [{"path": one.path, "url": one.url, "sha256": one.sha256}
                      for one in board.downloads],
    }


def _card(content: bytes) -> dict[str, Any]:
    card = judge_card.from_json(json.loads(content))
    return {"judge": card.judge, "name": card.name, "weights": card.weights}


_OWN_PROGRAM = """\
Python 3.11 with the packages that `locks/demo.txt` pins; then no network is needed."""
_PINNED_PROGRAM = f"""\
Python 3.11, the packages that `{CHECKOUT}/locks/ci.txt` pins, and the program, which is not here:
`{CHECKOUT}/requirements.txt` names its version. With its wheel beside this archive no network is
needed."""


def readme(about: Mapping[str, Any], *, program: bool = True) -> str:
    """How to check, rebuild and complete the archive. ``program``: whether that is in it."""
    site = f", the built site in `{SITE}/`" if about["site"] else ""
    status = f" --status ../{about['status']}" if about["status"] else ""
    rows = [f"| `{name}` | `{one['path']}` | <{one['url']}> | `{one['sha256']}` |"
            for name, board in about["boards"].items() for one in board["downloads"]]
    needed = _OWN_PROGRAM if program else _PINNED_PROGRAM
    data = "\n".join(["| board | file | from | SHA-256 |", "|---|---|---|---|", *rows])
    return f"""\
# An archive of a Whyboard

Everything committed at {about["commit"]} (scorer {about["scorer"]})
is in `{CHECKOUT}/`{site}. `archive.json` says the same to programs.

## Check it

    sha256sum --check --quiet MANIFEST

or in `{CHECKOUT}/`, for the file it came in: `python -m scorer archive --verify FILE`. This finds
damage. Against somebody who changed files and MANIFEST alike, compare the SHA-256 of MANIFEST with
the one that was printed when the archive was made.

## Build the site again

{needed}

    cd {CHECKOUT}
    python -m scorer site build --out ../rebuilt --home ../empty{status}

The same commit, packages, WHYBOARD_SITE_URL and address of the repository (repo_url in mkdocs.yml,
else GITHUB_REPOSITORY) give the same bytes.

## Compute every number again

    cd {CHECKOUT}
    python -m scorer rescore --out ../again

Metrics that need a model also need what `locks/score-torch.txt`, `locks/score.txt` and
`locks/model.txt` pin; the SHA-256 of every model's weights stands in the signatures of its values.

## Data that are not here

{data if rows else "None: every board carries its data."}
"""
