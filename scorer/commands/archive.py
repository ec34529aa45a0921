"""``scorer archive``: one file from which everything can be built again, years later."""

from __future__ import annotations

import argparse
from pathlib import Path

from scorer.commands import options
from scorer.commands.options import Action, option


def run(given: argparse.Namespace) -> int:
    """Write or verify one archive; say how many files it has and the digest of its manifest."""
    from scorer.core.errors import UsageError
    from scorer.pipeline.archive.make import make
    from scorer.pipeline.archive.verify import verify

    if (given.out is None) == (given.verify is None):
        raise UsageError("name an archive to write, or one to verify with --verify")
    if given.verify is not None:
        verified = verify(given.verify)
        print(f"{given.verify}: sound")
    else:
        verified = make(given.root, given.out, commit=given.commit, site=given.site)
        print(given.out)
    print(f"{verified.files} files; SHA-256 of the MANIFEST: {verified.manifest}")
    return 0


VERB = Action("archive", "write an archive of the repository, or verify one", run, """\
scorer archive whyboard.zip
scorer site build --out _site --home empty && scorer archive whyboard.zip --site _site
scorer archive --verify whyboard.zip""", (
    option("out", nargs="?", type=Path, metavar="OUT",
           help="the archive to write, a .zip"),
    options.root,
    option("--commit", default="HEAD",
           help="which commit is archived; changes that are not committed are left "
           "out (default: HEAD)"),
    option("--site", type=Path, metavar="DIR",
           help="a built site to put beside it, made without fetched data"),
    option("--verify", type=Path, metavar="FILE",
           help="hash every file of an archive again instead"),
))
