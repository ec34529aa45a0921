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

DRIVER = """
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
const [folder, body] = process.argv.slice(1);
const load = (name) => import(new URL(name, pathToFileURL(`${folder}/`)));
const AsyncFunction = (async () => {}).constructor;
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
let tell = null;
for await (const line of lines) {
  const row = JSON.parse(line);
  if (tell === null) tell = await new AsyncFunction("load", "known", body)(load, row);
  else process.stdout.write(`${JSON.stringify(tell(row))}\\n`);
}
"""
"""Reads a line with what is known, then a case a line; tells the page's answer to each."""


def over(scripts: Path, body: str, known: Any, rows: Iterable[Any]) -> list[Any]:
    """What a function's body returns of each case, given ``known`` and ``load`` for modules."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("no node (apt install nodejs)")
    (scripts / "package.json").write_text('{"type": "module"}')
    with TemporaryFile("w+", encoding="utf-8") as sent:
        sent.writelines(json.dumps(row) + "\n" for row in chain([known], rows))
        sent.seek(0)
        said = subprocess.run([program, "--input-type=module", "-e", DRIVER, scripts, body],
                              stdin=sent, capture_output=True, check=True, text=True)
    return [json.loads(line) for line in said.stdout.removesuffix("\n").split("\n")]
