"""Whatever stops a build, a whole site is where one was."""

import json
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

from scorer.errors import DataError, UsageError
from scorer.website import drawing
from scorer.website.build import build
from scorer.website.site_folder import Aside, beside, restore
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


BUILD = """
import json, os, signal, sys
from pathlib import Path
from scorer.website.build import build
root, home, out, told, last = sys.argv[1:]
steps = []
def look(event, given):
    writes = event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR)
    if writes or event in ("os.mkdir", "os.link", "os.rename", "os.remove", "os.rmdir"):
        if len(steps) == int(last):
            os.kill(os.getpid(), signal.SIGKILL)
        steps.append(f"{event} {given[0]}")
sys.addaudithook(look)
build(Path(root), Path(out), home=Path(home), theme="plain")
Path(told).write_text(json.dumps(steps))
"""


def stopped(root: Path, place: Path, last: int) -> list[str]:
    """A build in a process of its own that is killed before it changes a file once more than
    ``last`` times; what it changed, if it was not."""
    told = place.parent / "steps.json"
    told.unlink(missing_ok=True)
    ran = subprocess.run(
        [sys.executable, "-B", "-c", BUILD, str(root), str(place / "home"), str(place / "_site"),
         str(told), str(last)],
        cwd=ROOT, check=False, capture_output=True, text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"})
    assert ran.returncode == (0 if last < 0 else -signal.SIGKILL), ran.stderr
    steps: list[str] = json.loads(told.read_text()) if last < 0 else []
    return steps


def places(steps: list[str], out: Path) -> list[int]:
    """Some of the steps of a build, and all around the swap."""
    ours = (f"os.rename {out}", f"os.rename {Aside(out).new}")
    renames = [number for number, step in enumerate(steps) if step.startswith(ours)]
    assert len(renames) == 2
    around = range(renames[0] - 1, renames[1] + 3)
    return sorted({len(steps) // 4, len(steps) // 2, *around, len(steps) - 1})


@pytest.mark.claim("A build that is killed at any moment leaves the old site or the new one.")
def test_a_killed_build_leaves_the_old_site_or_the_new_one(tmp_path: Path) -> None:
    root, place, spare = make_root(tmp_path / "root"), tmp_path / "place", tmp_path / "spare"
    out = place / "_site"
    build(root, out, home=place / "home", theme="plain")
    old = tree(out)
    shutil.copytree(place, spare)
    add(root, "new-team", "2026-03-01")
    steps = stopped(root, place, -1)
    new = tree(out)
    assert len(new) > len(old) > 100
    found = set()
    for last in places(steps, out):
        shutil.rmtree(place)
        shutil.copytree(spare, place)
        stopped(root, place, last)
        state = "old" if tree(out) == old else "new" if tree(out) == new else "away"
        if state == "away":
            assert not out.exists(), f"half a site; killed before: {steps[last]}"
            restore(out)
            assert tree(out) == old
        if state not in found:
            build(root, out, home=place / "home", theme="plain")
            assert tree(out) == new
            assert {path.name for path in place.iterdir()} == {"_site"}
        found.add(state)
    assert found == {"old", "away", "new"}


def command(root: Path, out: Path, *words: str, largest: int | None = None
            ) -> subprocess.CompletedProcess[str]:
    """The command, where no file may become larger than so many bytes."""
    def limit() -> None:
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    return subprocess.run(
        [sys.executable, "-B", "-m", "scorer", "site", "build", "--root", str(root), "--out",
         str(out), "--home", str(root / "home"), *words], cwd=ROOT, check=False,
        capture_output=True, text=True, preexec_fn=limit)


@pytest.mark.parametrize(("largest", "words"), [
    (20_000, ("--theme", "plain")), (300_000, ("--theme", "material"))])
def test_a_full_disk_is_one_sentence_and_the_old_site_stays(
    tmp_path: Path, largest: int, words: tuple[str, ...],
) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home", theme="plain")
    old = tree(out)
    add(root, "new-team", "2026-03-01")
    ran = command(root, out, *words, largest=largest)
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
    ran = command(root, tmp_path / below, "--theme", "plain")
    assert ran.returncode == 3, ran.stderr
    assert "cannot be written" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home", theme="plain")
    (out / ".git").write_bytes(b"gitdir: elsewhere")
    (tmp_path / "file").write_bytes(b"mine")
    before = tree(tmp_path)
    for folder, words in ((out, r"holds \.git"), (root, "no whole site"), (tmp_path, "no whole"),
                          (tmp_path / "file", "a file; expected a folder")):
        with pytest.raises(UsageError, match=words):
            build(root, folder, home=root / "home", theme="plain")
    assert tree(tmp_path) == before


def test_two_builds_of_one_folder_do_not_mix(tmp_path: Path) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    out.mkdir()
    with beside(out), pytest.raises(DataError, match="another build is writing it; wait until"):
        build(root, out, home=root / "home", theme="plain")
    build(root, out, home=root / "home", theme="plain")
    assert (out / "index.html").is_file()


def test_any_number_of_processes_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the practice boards, whose largest split is drawn in two portions."""
    monkeypatch.setattr(drawing, "CARDS", 1)
    sites = []
    for processes in (1, 2, 3):
        build(ROOT, tmp_path / "_site", home=tmp_path, theme="plain", processes=processes)
        sites.append(tree(tmp_path / "_site"))
    assert sites[0] == sites[1] == sites[2]
    assert not active_children()


def test_a_process_that_is_killed_is_replaced_and_the_site_is_the_same(tmp_path: Path) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home", theme="plain")
    old = tree(out)
    ran = with_processes(root, out, "process.kill()")
    assert ran.returncode == 0, ran.stderr
    assert tree(out) == old


def test_a_disk_that_is_full_for_a_process_alone_is_one_sentence(tmp_path: Path) -> None:
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home", theme="plain")
    old = tree(out)
    ran = with_processes(
        root, out, "resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100, 100))")
    assert ran.returncode == 3, ran.stderr
    assert ran.stderr == (f"{out}: cannot be written (File too large); "
                          "make room or choose another folder\n")
    assert tree(out) == old
    assert {path.name for path in tmp_path.iterdir()} == {"root", "_site"}


def with_processes(root: Path, out: Path, harm: str) -> subprocess.CompletedProcess[str]:
    """A build in which something happens to every other process before it draws."""
    return subprocess.run([sys.executable, "-B", "-c", HARM.replace("HARM", harm), "site", "build",
                           "--root", str(root), "--out", str(out), "--home", str(root / "home"),
                           "--theme", "plain", "--jobs", "2"],
                          cwd=ROOT, check=False, capture_output=True, text=True)


HARM = """
import resource, sys, time
from multiprocessing import active_children
from threading import Event
from scorer.cli import main
from scorer.website.build import Drawers, _Build
paths, data, drawn = Drawers.paths, _Build._data, Event()
def harmed(drawers, *args):
    while not active_children():
        time.sleep(0.01)
    for process in active_children():
        HARM
    try:
        return paths(drawers, *args)
    finally:
        drawn.set()
def waits(build):
    data(build)
    drawn.wait()
Drawers.paths, _Build._data = harmed, waits
sys.exit(main(sys.argv[1:]))
"""


def test_an_interrupted_build_leaves_no_process_and_the_old_site(tmp_path: Path) -> None:
    """Ctrl-C as soon as processes draw, sent to all of them as a terminal does."""
    root, out = make_root(tmp_path / "root"), tmp_path / "_site"
    build(root, out, home=root / "home", theme="plain")
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
import sys, time
from pathlib import Path
from scorer.website import build as building
def slow(build):
    build.themed.result()
    print("drawing", flush=True)
    time.sleep(60)
building._Build._data = slow
building.build(Path(sys.argv[1]), Path(sys.argv[2]), home=Path(sys.argv[1]) / "home",
               theme="plain", processes=2)
"""
