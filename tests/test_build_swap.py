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

from scorer.cli import main
from scorer.core.errors import DataError, UsageError
from scorer.site.build import build
from scorer.site.site_folder import beside
from tests.browser.tiny_site import ROOT, make_root
from tests.run_helpers import tree

pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout and its site."""
    folder = tmp_path_factory.mktemp("swap")
    root = make_root(folder / "root")
    build(root, folder / "_site", home=root / "home")
    return folder


@pytest.fixture
def root(world: Path, tmp_path: Path) -> Path:
    """A copy of the checkout, which says something else since its site was built."""
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    meta = tmp_path / "root/submissions/tiny/fair-team/chains/submission.yaml"
    said = yaml.safe_load(meta.read_text("utf-8")) | {"description": "Other words."}
    meta.write_text(yaml.safe_dump(said, allow_unicode=True), "utf-8")
    return tmp_path / "root"


@pytest.fixture
def out(root: Path) -> Path:
    """The copy of the site."""
    return root.parent / "_site"


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
def test_a_killed_build_leaves_the_old_site_or_the_new_one(root: Path, out: Path) -> None:
    """Killed before the old site is put aside, then while it is."""
    old = tree(out)
    for renames in (0, 1):
        ran = subprocess.run(
            [sys.executable, "-B", "-c", KILLED, str(root), str(out), str(renames)],
            cwd=ROOT, check=False)
        assert ran.returncode == -signal.SIGKILL
        assert out.exists() != bool(renames)
        with pytest.raises(DataError), beside(out):
            raise DataError("this one fails")
        assert tree(out) == old
    build(root, out, home=root / "home")
    new = tree(out)
    assert new != old
    assert new.keys() == old.keys()
    assert {path.name for path in out.parent.iterdir()} == {"root", "_site"}


def words(root: Path, out: Path) -> list[str]:
    """The words of the command."""
    return ["site", "build", "--root", str(root), "--out", str(out), "--home", str(root / "home")]


def test_a_full_disk_is_one_sentence_and_the_old_site_stays(root: Path, out: Path) -> None:
    """Full while the theme is made; a test below fills it while pages are written."""
    old = tree(out)
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "scorer", *words(root, out)], cwd=ROOT, check=False,
        capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)))
    assert ran.returncode == 3, ran.stderr
    assert "cannot be written (File too large" in ran.stderr
    assert "make room or choose another folder" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "Traceback" not in ran.stderr
    assert tree(out) == old
    assert {path.name for path in out.parent.iterdir()} == {"root", "_site"}


@pytest.mark.parametrize("below", ["file/_site", "file/a/b", "/proc/_site"])
def test_a_place_that_cannot_be_written_is_one_sentence(
    world: Path, tmp_path: Path, below: str, capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert main(words(world / "root", tmp_path / below)) == 3
    [line] = capsys.readouterr().err.splitlines()
    assert "cannot be written" in line


def test_a_folder_of_something_else_is_left_alone(root: Path, out: Path) -> None:
    folder = out.parent
    (out / ".git").write_bytes(b"gitdir: elsewhere")
    (folder / "file").write_bytes(b"mine")
    before = tree(folder)
    for place, message in ((out, r"holds \.git"), (root, "no whole site"), (folder, "no whole"),
                           (folder / "file", "a file; expected a folder")):
        with pytest.raises(UsageError, match=message):
            build(root, place, home=root / "home")
    assert tree(folder) == before


def test_two_builds_of_one_folder_do_not_mix(world: Path, tmp_path: Path) -> None:
    root, out = world / "root", tmp_path / "_site"
    out.mkdir()
    with beside(out), pytest.raises(DataError, match="another build is writing it; wait until"):
        build(root, out, home=root / "home")
    with beside(out):
        pass


def test_any_number_of_processes_gives_the_same_bytes(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scorer.site.reading.rows.MANY", 2)
    build(world / "root", tmp_path / "_site", home=world / "root/home", processes=3)
    assert tree(tmp_path / "_site") == tree(world / "_site")
    assert not active_children()


@pytest.mark.parametrize(("harm", "message"), [
    ("process.kill()", "a process of the build ended before its work; build with --jobs 1"),
    ("resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100, 100))",
     "{out}: cannot be written (File too large); make room or choose another folder"),
])
def test_what_stops_one_process_is_one_sentence_and_the_old_site_stays(
    root: Path, out: Path, harm: str, message: str,
) -> None:
    old = tree(out)
    ran = subprocess.run(
        [sys.executable, "-B", "-c", HARM.replace("HARM", harm), *words(root, out),
         "--jobs", "2"],
        cwd=ROOT, check=False, capture_output=True, text=True)
    assert ran.returncode == 3, ran.stderr
    assert ran.stderr == f"{message.format(out=out)}\n"
    assert tree(out) == old
    assert {path.name for path in out.parent.iterdir()} == {"root", "_site"}


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


def test_an_interrupted_build_leaves_no_process_and_the_old_site(root: Path, out: Path) -> None:
    """Ctrl-C as soon as processes draw, sent to all of them as a terminal does."""
    old = tree(out)
    ran = subprocess.Popen([sys.executable, "-B", "-c", INTERRUPTED, str(root), str(out)],
                           cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
    assert ran.stdout is not None
    assert ran.stdout.readline() == "drawing\n"
    os.killpg(ran.pid, signal.SIGINT)
    _, said = ran.communicate(timeout=500)
    assert ran.returncode != 0
    assert said.count("Traceback") == 1, said
    assert ended(ran.pid)
    assert tree(out) == old
    assert {path.name for path in out.parent.iterdir()} == {"root", "_site"}


def ended(group: int) -> bool:
    """Whether all processes of a group end; a busy machine takes a while."""
    for _ in range(1200):
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
    time.sleep(600)
building.shared = lambda jobs, processes: shared([slow, slow], processes)
building.build(Path(sys.argv[1]), Path(sys.argv[2]), home=Path(sys.argv[1]) / "home",
               processes=2)
"""
