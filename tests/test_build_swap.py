"""Whatever stops a build, a whole site is where one was."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest
import yaml

pytest.importorskip("jinja2")

from scorer.core.errors import DataError, UsageError
from scorer.site.build import build
from scorer.site.site_folder import beside
from tests.browser.tiny_site import ROOT, make_root, score_all
from tests.run_helpers import tree

pytestmark = pytest.mark.site


def add(root: Path, team: str, date: str, source: str = "fair-team/chains") -> None:
    """One more submission, which says what another one says, on another day."""
    new = root / "submissions" / "tiny" / team / "later"
    shutil.copytree(root / "submissions" / "tiny" / source, new)
    meta = new / "submission.yaml"
    told = yaml.safe_load(meta.read_text("utf-8")) | {"date": date}
    meta.write_text(yaml.safe_dump(told, allow_unicode=True), "utf-8")
    score_all(root)


KILLED = """
import os, signal, sys
from pathlib import Path
from scorer.site.build import build
root, out, left = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
def look(event, args):
    global left
    if event == "os.rename":
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(look)
build(root, out, home=root / "home")
"""


@pytest.mark.claim("A build that is killed at any moment leaves the old site or the new one.")
@pytest.mark.parametrize("renames", [0, 1])
def test_a_killed_build_leaves_the_old_site_or_the_new_one(
    tmp_path: Path, renames: int,
) -> None:
    """Killed before the old site is put aside, or while it is."""
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home")
    old = tree(out)
    add(root, "new-team", "2026-03-01")
    ran = subprocess.run(
        [sys.executable, "-B", "-c", KILLED, str(root), str(out), str(renames)],
        cwd=ROOT, check=False)
    assert ran.returncode == -signal.SIGKILL
    assert out.exists() != bool(renames)
    with pytest.raises(DataError), beside(out):
        raise DataError("this one fails")
    assert tree(out) == old
    build(root, out, home=root / "home")
    assert len(tree(out)) > len(old) > 100
    assert {path.name for path in tmp_path.iterdir()} == {"root", "_site"}


def command(root: Path, out: Path, largest: int | None = None) -> subprocess.CompletedProcess[str]:
    """The command, where no file may become larger than so many bytes."""
    def limit() -> None:
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    return subprocess.run(
        [sys.executable, "-B", "-m", "scorer", "site", "build", "--root", str(root), "--out",
         str(out), "--home", str(root / "home")], cwd=ROOT, check=False,
        capture_output=True, text=True, preexec_fn=limit)


@pytest.mark.parametrize("largest", [20_000, 300_000])
def test_a_full_disk_is_one_sentence_and_the_old_site_stays(tmp_path: Path, largest: int) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home")
    old = tree(out)
    add(root, "new-team", "2026-03-01")
    ran = command(root, out, largest=largest)
    assert ran.returncode == 3, ran.stderr
    assert "cannot be written (File too large" in ran.stderr
    assert "make room or choose another folder" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "Traceback" not in ran.stderr
    assert tree(out) == old
    assert {path.name for path in tmp_path.iterdir()} == {"root", "_site"}


@pytest.mark.parametrize("below", ["file/_site", "file/a/b", "/proc/_site"])
def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, below: str) -> None:
    root = make_root(tmp_path / "root")
    (tmp_path / "file").write_bytes(b"")
    ran = command(root, tmp_path / below)
    assert ran.returncode == 3, ran.stderr
    assert "cannot be written" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home")
    (out / ".git").write_bytes(b"gitdir: elsewhere")
    (tmp_path / "file").write_bytes(b"mine")
    before = tree(tmp_path)
    for folder, words in ((out, r"holds \.git"), (root, "no whole site"), (tmp_path, "no whole"),
                          (tmp_path / "file", "a file; expected a folder")):
        with pytest.raises(UsageError, match=words):
            build(root, folder, home=root / "home")
    assert tree(tmp_path) == before


def test_two_builds_of_one_folder_do_not_mix(tmp_path: Path) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    out.mkdir()
    with beside(out), pytest.raises(DataError, match="another build is writing it; wait until"):
        build(root, out, home=root / "home")
    build(root, out, home=root / "home")
    assert (out / "index.html").is_file()


def test_any_number_of_processes_gives_the_same_bytes(tmp_path: Path) -> None:
    sites = []
    for processes in (1, 3):
        build(ROOT, tmp_path / "_site", home=tmp_path, processes=processes)
        sites.append(tree(tmp_path / "_site"))
    assert sites[0] == sites[1]
    assert not active_children()


@pytest.mark.parametrize(("harm", "message"), [
    ("process.kill()", "a process of the build ended before its work; build with --jobs 1"),
    ("resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100, 100))",
     "{out}: cannot be written (File too large); make room or choose another folder"),
])
def test_what_stops_one_process_is_one_sentence_and_the_old_site_stays(
    tmp_path: Path, harm: str, message: str,
) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home")
    old = tree(out)
    ran = subprocess.run(
        [sys.executable, "-B", "-c", HARM.replace("HARM", harm), "site", "build", "--root",
         str(root), "--out", str(out), "--home", str(root / "home"), "--jobs", "2"],
        cwd=ROOT, check=False, capture_output=True, text=True)
    assert ran.returncode == 3, ran.stderr
    assert ran.stderr == f"{message.format(out=out)}\n"
    assert tree(out) == old
    assert {path.name for path in tmp_path.iterdir()} == {"root", "_site"}


HARM = """
import resource, sys
from multiprocessing import active_children
from scorer.cli import main
from scorer.site import build as building
shared = building.shared
def after_harm(job):
    def harmed():
        for process in active_children():
            HARM
        return job()
    return harmed
building.shared = lambda jobs, processes: shared([*map(after_harm, jobs)], processes)
sys.exit(main(sys.argv[1:]))
"""
"""A build in which something happens to every other process before we take a job."""


def test_an_interrupted_build_leaves_no_process_and_the_old_site(tmp_path: Path) -> None:
    """Ctrl-C as soon as processes draw, sent to all of them as a terminal does."""
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home")
    old = tree(out)
    ran = subprocess.Popen([sys.executable, "-B", "-c", INTERRUPTED, str(root), str(out)],
                           cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
    assert ran.stdout is not None
    assert ran.stdout.readline() == "drawing\n"
    os.killpg(ran.pid, signal.SIGINT)
    _, said = ran.communicate(timeout=120)
    assert ran.returncode != 0
    assert said.count("Traceback") == 1, said
    assert ended(ran.pid)
    assert tree(out) == old
    assert {path.name for path in tmp_path.iterdir()} == {"root", "_site"}


def ended(group: int) -> bool:
    """Whether all processes of a group end within ten seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


INTERRUPTED = """
import os, sys, time
from pathlib import Path
from scorer.site import build as building
shared = building.shared
def slow():
    os.write(1, b"drawing\\n")  # in one piece: two processes draw
    time.sleep(60)
building.shared = lambda jobs, processes: shared([slow, slow], processes)
building.build(Path(sys.argv[1]), Path(sys.argv[2]), home=Path(sys.argv[1]) / "home",
               processes=2)
"""
