"""``scorer site``, ``archive`` and ``handbook``: pages to build, to serve, to keep and to read."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from scorer.commands import options
from scorer.commands.options import Action, Args, Verb, VerbGroup, option
from scorer.core.errors import UsageError, printable
from scorer.core.package_data import HANDBOOK as PAGES
from scorer.core.package_data import handbook

THREADS = "OPENBLAS_NUM_THREADS"


def _build(args: Args) -> None:
    _without_idle_threads()
    try:
        from scorer.site.build import build
        from scorer.site.workers import usual
    except ImportError as missing:
        from scorer.core.errors import DataError

        raise DataError(f"the site needs the site extra ({missing.name} is missing): "
                        "pip install 'whyboard[site]'") from missing
    if not args.root.is_dir():
        raise UsageError(f"{args.root}: no such folder; name the checkout with --root")
    status = _status(args.status) if args.status else None
    report = build(args.root, args.out, home=args.home, status=status,
                   processes=args.jobs or usual(), rows=args.rows)
    for warning in report.warnings:
        print(printable(f"warning: {warning}"), file=sys.stderr)
    print(f"{args.out}: {report}")


def _without_idle_threads() -> None:
    """Load numpy with one thread, unless somebody said how many: the matrices of a build are small,
    and threads that wait cost as much as those that work. Other programs are told nothing."""
    if THREADS not in os.environ:
        os.environ[THREADS] = "1"
        import numpy  # noqa: F401  # reads it once

        del os.environ[THREADS]


def _status(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as fault:
        raise UsageError(f"{path}: no JSON can be read there; run: scorer ci status > {path}"
                         ) from fault


def _serve(args: Args) -> None:
    from scorer.site.site_folder import server

    folder: Path = args.out
    if not (folder / "index.html").is_file():
        raise UsageError(f"{folder}: no built site; run: scorer site build")
    try:
        listening = server(folder, args.port)
    except OSError as fault:
        message = f"port {args.port} cannot be used ({fault.strerror}); choose another with --port"
        raise UsageError(message) from fault
    with listening:
        print(f"serving {folder} on http://127.0.0.1:{listening.server_port} (stop with Ctrl-C)",
              flush=True)
        listening.serve_forever()


_OUT = option("--out", "the built site", type=Path, default=Path("_site"))
SITE = VerbGroup((
    Action("build", "build the site of a checkout", _build, """\
scorer site build --root . --out _site
scorer ci status > status.json && scorer site build --status status.json""", (
        option("--root", "the checkout: boards, submissions, results, site, templates", type=Path,
               default=Path()),
        _OUT, options.home,
        options.file("--status", "what `scorer ci status` printed: the page of all submissions "
                     "then has them, with times, runs and errors"),
        option("--jobs", "processes that write pages at once; the site is the same, byte for byte "
               "(default: the cores that can be used, at most 8)", type=options.count, metavar="N"),
        option("--rows", "rows of a split whose answers to single items are on the site (default: "
               "100)", type=options.count, metavar="N", default=100))),
    Action("serve", "serve a built site on this machine", _serve,
           "scorer site serve --out _site --port 8000", (
        _OUT,
        option("--port", "port on 127.0.0.1; 0: any", type=int, default=8000))),
))


# ---- archive -----------------------------------------------------------------------------------


def _archive(args: Args) -> None:
    from scorer.pipeline.archive import make, verify

    if (args.out is None) == (args.verify is None):
        raise UsageError("name an archive to write, or one to verify with --verify")
    if args.verify is not None:
        verified = verify(args.verify)
        print(f"{args.verify}: sound")
    else:
        verified = make(args.root, args.out, args.site)
        print(args.out)
    print(f"{verified.files} files; SHA-256 of the MANIFEST: {verified.manifest}")


ARCHIVE = Verb(_archive, """\
scorer archive whyboard.zip
scorer site build --out _site --home empty && scorer archive whyboard.zip --site _site
scorer archive --verify whyboard.zip""", (
    option("out", "the archive to write, a .zip; changes that are not committed are left out",
           nargs="?", type=Path, metavar="OUT"),
    options.root,
    options.folder("--site", "a built site to put beside it, made without fetched data"),
    options.file("--verify", "hash every file of an archive again instead"),
))


# ---- handbook ----------------------------------------------------------------------------------


def _handbook(args: Args) -> None:
    print(handbook(args.page or "README"), end="")


HANDBOOK = Verb(_handbook, """\
scorer handbook run-a-board
scorer handbook""", (
    option("page", f"one of: {', '.join(PAGES)} (default: the page that lists them)", nargs="?",
           choices=PAGES, metavar="PAGE"),
))
