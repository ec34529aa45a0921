"""The theme of the site: mkdocs with Material, in a process of its own.

Hand-written pages and one empty page per generated page in the navigation are staged; what mkdocs
makes of them are layouts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from scorer.core.errors import DataError
from scorer.site.layouts import prose
from scorer.site.layouts.layout import LAYOUT, SLIM, SLOT, TITLE, LayoutRequest

_OF_THE_MACHINE = re.compile(r"^\w+Error: \[Errno \d+\] ([^:\n]+)[^\n]*\s*\Z", re.MULTILINE)
"""The last line of what Python says if it may not read or write."""
_UNUSED = ("assets/javascripts/lunr/", "assets/javascripts/workers/", "search/", "sitemap.xml")
"""The theme's own search, and its own idea of what pages there are."""


@contextmanager
def started(wanted: LayoutRequest) -> Iterator[Callable[[], dict[str, bytes]]]:
    """The theme at work on its pages; what is given waits for them and its assets, by path.

    That raises DataError if mkdocs fails, or may not write.
    """
    _stage(wanted)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet",
               "--config-file", str(wanted.stage / "mkdocs.yml")]
    settings = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "0"}
    with subprocess.Popen(command,  # noqa: S603  # our own interpreter, our own words
                          env=os.environ | settings,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            yield partial(_finished, process, wanted.out)
        finally:
            process.kill()


def _finished(process: subprocess.Popen[bytes], out: Path) -> dict[str, bytes]:
    """Every file of the theme that the site uses."""
    output = process.communicate()[0].decode(errors="replace")
    if process.returncode:
        if fault := _OF_THE_MACHINE.search(output):
            raise DataError(f"mkdocs: cannot be written ({fault[1]}); make room or choose "
                            "another folder")
        raise DataError(f"mkdocs could not build the site:\n{output}")
    files = {path.relative_to(out).as_posix(): path for path in sorted(out.rglob("*"))
             if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items()
            if path.suffix != ".map" and not name.startswith(_UNUSED)}


def _stage(wanted: LayoutRequest) -> None:
    docs = wanted.docs
    for path in wanted.pages:
        source = docs / (path + "index.md")
        source.parent.mkdir(parents=True, exist_ok=True)
        head = f"title: {TITLE}\nhide: [navigation, toc]"
        head += "\ntemplate: slim.html" if path == SLIM else ""
        source.write_text(f"---\n{head}\n---\n{SLOT}\n", "utf-8")
    config = wanted.stage / "mkdocs.yml"
    config.write_text(yaml.safe_dump(_config(wanted), sort_keys=False), "utf-8")


def _config(wanted: LayoutRequest) -> dict[str, Any]:
    return {
        "INHERIT": prose.config(wanted.root, wanted.stage),
        "docs_dir": str(wanted.docs),
        "site_dir": str(wanted.out),
        "theme": {"custom_dir": str(prose.theme(wanted.root))},
        "copyright": wanted.made,
        **_repository(wanted),
        "nav": wanted.navigation,
        "not_in_nav": "\n".join([f"{LAYOUT}index.md", f"{SLIM}index.md", *prose.ELSEWHERE]),
    }


def _repository(wanted: LayoutRequest) -> dict[str, str]:
    known = wanted.repository
    return {"repo_url": known.url, "repo_name": known.name} if known.url else {}
