"""The program's types; a test, so that they are checked beside others and not before them."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_mypy_finds_nothing_in_the_program() -> None:
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "scorer"], cwd=ROOT,
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
