"""Which remote is the benchmark's, which one the submitter's, and the page of a pull request."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from scorer.core.errors import UsageError, excerpt

UPSTREAM, ORIGIN, FORK = "upstream", "origin", "fork"
"""What remotes are called by custom: a benchmark's, what was cloned, and one's own."""
_GITHUB = re.compile(r"(?:.+\.)?github\.com|github(?:\.[a-z0-9-]+)+\.[a-z]{2,}|.+\.ghe\.com")


class Remote(NamedTuple):
    """A remote of a clone, its addresses as a browser opens them; empty where it opens none."""

    name: str
    fetched: str
    pushed: str


class Roles(NamedTuple):
    """The remote of the benchmark and the one to push to; None if the clone has none."""

    upstream: Remote | None
    own: Remote | None


def roles(remotes: Sequence[Remote], wanted: str | None = None, default: str = "") -> Roles:
    """Which remote is which.

    ``wanted``: the name of the one to push to, as the user says; ``default``: git's own
    ``remote.pushDefault``. The benchmark's is ``upstream`` if there is one, else ``origin``.
    Raises UsageError where that leaves a choice.

    >>> fork, origin = Remote("fork", "", ""), Remote("origin", "", "")
    >>> [remote.name for remote in roles([fork, origin])]
    ['origin', 'fork']
    """
    named = {remote.name: remote for remote in remotes}
    listed = ", ".join(map(excerpt, named))
    if wanted is not None and wanted not in named:
        raise UsageError(f"--remote {excerpt(wanted)}: no remote of this name; "
                         + (f"choose from: {listed}" if named else "git remote add adds one"))
    own = named.get(wanted or default)
    upstream = named.get(UPSTREAM) or named.get(ORIGIN) or _only(remotes, but=own)
    if named and upstream is None:
        raise UsageError(f"several remotes ({listed}), and none is called {UPSTREAM} or {ORIGIN}; "
                         f"name the benchmark's so: git remote rename NAME {UPSTREAM}")
    own = own or named.get(FORK) or _only(remotes, but=upstream)
    if named and own is None:
        raise UsageError(f"several remotes to push to: {listed}; name yours with --remote")
    return Roles(upstream, own)


def _only(remotes: Sequence[Remote], but: Remote | None) -> Remote | None:
    """The one remote that there is beside another, or that other one if there is no further."""
    rest = [remote for remote in remotes if remote != but]
    if len(rest) == 1:
        return rest[0]
    return None if rest else but


def pull_request_page(found: Roles, main: str, branch: str) -> str:
    """Where a browser opens the pull request of a branch; empty for hosts other than GitHub's.

    >>> lab = Remote("origin", *["https://github.com/lab/board"] * 2)
    >>> me = Remote("fork", *["https://github.com/me/board"] * 2)
    >>> pull_request_page(Roles(lab, me), "main", "submit/x")
    'https://github.com/lab/board/compare/main...me:submit/x?expand=1'
    """
    if found.upstream is None or found.own is None:
        return ""
    theirs, mine = _of_github(found.upstream.fetched), _of_github(found.own.pushed)
    if theirs is None or mine is None or theirs[0] != mine[0]:
        return ""
    (host, owner, name), (_, account, copy) = theirs, mine
    branch = quote(branch, safe="/")
    if (owner.lower(), name.lower()) == (account.lower(), copy.lower()):
        return f"https://{host}/{owner}/{name}/pull/new/{branch}"
    own = account if copy.lower() == name.lower() else f"{account}:{copy}"
    return f"https://{host}/{owner}/{name}/compare/{main}...{own}:{branch}?expand=1"


def fork_address(upstream: Remote) -> str:
    """What to add as the remote of a fork, by the account's name."""
    found = _of_github(upstream.fetched)
    return f"https://{found[0]}/YOUR-ACCOUNT/{found[2]}.git" if found else "ADDRESS-OF-YOUR-FORK"


def _of_github(address: str) -> tuple[str, str, str] | None:
    """Host, owner and name of a repository on GitHub, or on a GitHub of one's own."""
    parts = urlsplit(address)
    host = parts.netloc.lower().removeprefix("ssh.").removeprefix("www.")
    own = {os.environ.get("GH_HOST", ""), urlsplit(os.environ.get("GITHUB_SERVER_URL", "")).netloc}
    names = parts.path.strip("/").split("/")
    if len(names) != 2 or not (_GITHUB.fullmatch(host) or host in own - {""}):
        return None
    return host, names[0], names[1]
