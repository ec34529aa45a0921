"""Files are whole or not there, and what killed runs leave is no part of anything."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.core import files
from scorer.core.errors import DataError
from scorer.core.files import listed, new_folder, sweep, write_atomically, write_together
from tests.run_helpers import ROOT, SUBMISSIONS

KILLED = """
import os, signal, sys
from pathlib import Path
from scorer.core.files import new_folder, write_together
folder, after = Path(sys.argv[1]), int(sys.argv[2])
calls = [0]
def dies(call):
    def counted(*args, **words):
        if calls[0] == after:
            os.kill(os.getpid(), signal.SIGKILL)
        calls[0] += 1
        return call(*args, **words)
    return counted
os.fsync, Path.replace = dies(os.fsync), dies(Path.replace)
write_together({folder / "first": b"1", folder / "second": b"2"})
"""
WRITER = """
import sys
from pathlib import Path
from scorer.core.files import write_atomically
for number in range(500):
    write_atomically(Path(sys.argv[1]) / "dev.json", b"%d" % number * 1000)
"""


def killed(folder: Path, after: int) -> None:
    """Write two files in a process that is killed before one of its steps: two that bring them to
    disk, two renames."""
    ran = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(after)], cwd=ROOT,
                         check=False)
    assert ran.returncode == -signal.SIGKILL


@pytest.mark.parametrize(("after", "whole"), [
    (0, []), (1, []), (2, []), (3, ["first"])])
def test_of_files_that_belong_together_none_is_there_before_all_are_on_disk(
    tmp_path: Path, after: int, whole: list[str],
) -> None:
    killed(tmp_path, after)
    assert [path.name for path in listed(tmp_path)] == whole
    assert len(list(tmp_path.iterdir())) > len(whole)
    write_together({tmp_path / "first": b"1", tmp_path / "second": b"2"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_a_full_disk_leaves_no_half(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(DataError, match=r"second: cannot be written \(File too large\)"):
            write_together({tmp_path / "first": b"1", tmp_path / "second": b"2" * 200})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


def test_a_folder_is_there_when_it_is_whole(tmp_path: Path) -> None:
    def stopped() -> None:
        with new_folder(path) as folder:
            (folder / "half").touch()
            assert not listed(tmp_path)
            raise ValueError("stopped")

    path = tmp_path / "board"
    with pytest.raises(ValueError, match="stopped"):
        stopped()
    assert not list(tmp_path.iterdir())
    with new_folder(path) as folder:
        (folder / "board.yaml").touch()
    assert [one.name for one in path.iterdir()] == ["board.yaml"]


def test_what_killed_runs_left_goes_and_everything_else_stays(tmp_path: Path) -> None:
    (tmp_path / ".new.abcdefgh.partial").mkdir()
    (tmp_path / ".new.abcdefgh.partial" / "board.yaml").touch()
    names = {".dev.json.a1b2c3d4", ".keep.partial", "dev.json", "x.a1b2c3d4.partial"}
    for name in (*names, ".dev.items.tsv.a1b2c3d_.partial"):
        (tmp_path / name).touch()
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == names


def test_what_a_kill_left_is_no_submission_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "explagraphs-practice" / "team" / "system"
    shutil.copytree(SUBMISSIONS / "null", folder)
    (folder / ".predictions.dev.tsv.a1b2c3d4.partial").write_text("half")
    assert main(["check", str(folder)]) == 0, capsys.readouterr().err


def test_what_a_living_process_writes_is_never_swept(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], cwd=ROOT,
                          stderr=subprocess.PIPE, text=True) as writer:
        while writer.poll() is None:
            sweep(tmp_path)
        assert writer.stderr is not None
        assert (writer.returncode, writer.stderr.read()) == (0, "")
    assert (tmp_path / "dev.json").read_bytes() == b"499" * 1000
    assert [path.name for path in tmp_path.iterdir()] == ["dev.json"]


def test_without_locks_what_is_younger_than_an_hour_is_spared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "HAS_LOCKS", False)
    old, young = (tmp_path / f".dev.json.a1b2c3d{digit}.partial" for digit in (4, 5))
    for path in (old, young):
        path.touch()
    os.utime(old, (time.time() - 60 * 60 - 1,) * 2)
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [young]
    write_atomically(tmp_path / "dev.json", b"{}")
    assert (tmp_path / "dev.json").read_bytes() == b"{}"
