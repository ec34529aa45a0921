"""Runs scripts of pages in node, over many cases at once."""

import json
import shutil
import subprocess
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

DRIVER = Path(__file__).with_suffix(".mjs")


def over(scripts: Path, body: str, known: Any, rows: Iterable[Any]) -> list[Any]:
    """What a function's body returns of each case, given ``known`` and ``load`` for modules."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("no node (apt install nodejs)")
    (scripts / "package.json").write_text('{"type": "module"}')
    with TemporaryFile("w+", encoding="utf-8") as sent:
        sent.writelines(json.dumps(row) + "\n" for row in chain([known], rows))
        sent.seek(0)
        ended = subprocess.run([program, DRIVER, scripts, body],
                              stdin=sent, capture_output=True, check=True, text=True)
    return [json.loads(line) for line in ended.stdout.removesuffix("\n").split("\n")]
