"""Whatever stops a build, a whole site is where one was."""

import gzip
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

pytest.importorskip("jinja2")

from scorer.cli import main
from scorer.core.errors import DataError, UsageError
from scorer.site.build import BuildReport, build
from scorer.site.site_folder import MARKS, beside
from tests.browser.tiny_site import GOLD, ROOT
from tests.run_helpers import tree

pytestmark = pytest.mark.site


def words(root: Path, out: Path) -> list[str]:
    """The words of the command."""
    return ["site", "build", "--root", str(root), "--out", str(out), "--home", str(root / "home")]


# ---- whole builds --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tiny_root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuildReport]:
    """A site, made by one process, and what was said of it."""
    out = tmp_path_factory.mktemp("swap") / "out" / "_site"
    return out, build(tiny_root, out, home=tiny_root / "home")


def test_a_site_is_whole(built: tuple[Path, BuildReport]) -> None:
    out, report = built
    files = tree(out)
    assert (report.files, report.examples) == (len(files), len(GOLD))
    assert not [name for name in files if name.startswith("_/")]
    shards = json.loads(gzip.decompress(files["data/tiny/dev/sly-team--payloads/0.shard"]))
    assert set(shards) == {"1", "2", "3", "4"}
    assert "<script>" not in shards["1"]["html"]
    pages = [content for name, content in files.items() if name.endswith(".html")]
    for left in (b"wb-slot", b"wb-title-here", b"fonts.g", b'<div data-wb="home'):
        assert not any(left in page for page in pages)
    assert files["sitemap.xml"].count(b"<loc>") == sum(
        name.endswith("index.html") for name in files)


@pytest.mark.claim("The same rows and data build the same site, byte for byte.")
def test_any_number_of_processes_gives_the_same_bytes_and_stale_pages_go(
    built: tuple[Path, BuildReport], tiny_root: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = shutil.copytree(built[0], tmp_path / "_site")
    (out / "boards" / "stale").mkdir()
    (out / "boards" / "stale" / "index.html").write_text("old")
    (out / "index.html").write_text("old")
    monkeypatch.setattr("scorer.site.reading.rows.MANY", 2)
    build(tiny_root, out, home=tiny_root / "home", processes=3)
    assert tree(out) == tree(built[0])
    assert not active_children()


def test_a_full_disk_is_one_sentence_and_the_old_site_stays(
    tiny_root: Path, tmp_path: Path
) -> None:
    """Full while the theme is made; a test below fills it while pages are written."""
    out = old_site(tmp_path)
    old = tree(out)
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "scorer", *words(tiny_root, out)], cwd=ROOT, check=False,
        capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)))
    assert ran.returncode == 3, ran.stderr
    assert "cannot be written (File too large" in ran.stderr
    assert "make room or choose another folder" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "Traceback" not in ran.stderr
    assert tree(tmp_path) == {f"_site/{name}": content for name, content in old.items()}


# ---- where a site may be -------------------------------------------------------------------


@pytest.mark.parametrize("below", ["file/_site", "file/a/b", "/proc/_site"])
def test_a_place_that_cannot_be_written_is_one_sentence(
    tiny_root: Path, tmp_path: Path, below: str, capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert main(words(tiny_root, tmp_path / below)) == 3
    [line] = capsys.readouterr().err.splitlines()
    assert "cannot be written" in line


def test_a_folder_of_something_else_is_left_alone(tiny_root: Path, tmp_path: Path) -> None:
    out = old_site(tmp_path)
    (out / ".git").write_bytes(b"gitdir: elsewhere")
    (tmp_path / "file").write_bytes(b"mine")
    before = tree(tmp_path)
    for place, message in ((out, r"holds \.git"), (tmp_path, "no whole"),
                           (tmp_path / "file", "a file; expected a folder")):
        with pytest.raises(UsageError, match=message):
            build(tiny_root, place, home=tmp_path)
    assert tree(tmp_path) == before


def test_two_builds_of_one_folder_do_not_mix(tiny_root: Path, tmp_path: Path) -> None:
    out = tmp_path / "_site"
    out.mkdir()
    with beside(out), pytest.raises(DataError, match="another build is writing it; wait until"):
        build(tiny_root, out, home=tmp_path)
    with beside(out):
        pass


# ---- what stops a build --------------------------------------------------------------------


def old_site(folder: Path) -> Path:
    """As much of a site as it is known by."""
    for name in MARKS:
        (folder / "_site" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "_site" / name).write_text("old")
    return folder / "_site"


KILLED = """
import os, shutil, signal, sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from scorer.core.errors import DataError
from scorer.site.site_folder import MARKS, beside, put
out, old = map(Path, sys.argv[1:])
for moment in count():
    left = moment
    def look(event, args):
        global left
        if event == "open" or event.startswith(("os.", "shutil.")):
            left -= 1
            if left == -1:
                os.kill(os.getpid(), signal.SIGKILL)
    shutil.copytree(old, out)
    child = os.fork()
    if not child:
        sys.addaudithook(look)
        with beside(out) as aside:
            for name in MARKS:
                put(aside, name, b"new")
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
    with suppress(DataError), beside(out):
        raise DataError("the next build fails")
    print(*os.listdir(out.parent), *{(out / name).read_text() for name in MARKS})
    shutil.rmtree(out)
"""


@pytest.mark.claim("A build that is killed at any moment leaves the old site or the new one.")
def test_a_killed_build_leaves_the_old_site_or_the_new_one(tmp_path: Path) -> None:
    """Killed at each thing that it asks of the file system, one after the other."""
    out = tmp_path / "new" / "_site"
    ran = subprocess.run([sys.executable, "-B", "-c", KILLED, str(out), str(old_site(tmp_path))],
                         cwd=ROOT, check=True, capture_output=True, text=True)
    moments = ran.stdout.splitlines()
    assert len(moments) > 20
    assert sorted({*moments}) == ["_site new", "_site old"]
    assert moments == sorted(moments, reverse=True), "the old one, then the new one"


HARMED = """
import os, resource, signal, sys
from pathlib import Path
from scorer.site.site_folder import beside, put
from scorer.site.workers import shared
with beside(Path(sys.argv[1])) as aside:
    def work():
        HARM
        put(aside, "page", bytes(1000))
    shared([work, work], 2)
"""
"""A build in which something happens to its processes while they work."""


@pytest.mark.parametrize(("harm", "message"), [
    ("os.kill(os.getpid(), signal.SIGKILL)",
     "a process of the build ended before its work; build with --jobs 1"),
    ("resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))",
     "{out}: cannot be written (File too large); make room or choose another folder"),
])
def test_what_stops_one_process_is_one_sentence_and_the_old_site_stays(
    tmp_path: Path, harm: str, message: str,
) -> None:
    out = old_site(tmp_path)
    old = tree(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-B", "-c", HARMED.replace("HARM", harm), str(out)],
        cwd=ROOT, check=False, capture_output=True, text=True)
    assert ran.stderr.splitlines()[-1] == f"scorer.core.errors.DataError: {message.format(out=out)}"
    assert tree(tmp_path) == old


INTERRUPTED = """
import os, sys, time
from pathlib import Path
from scorer.site.site_folder import beside
from scorer.site.workers import shared
def slow():
    os.write(1, b"drawing\\n")  # in one piece: two processes draw
    time.sleep(600)
with beside(Path(sys.argv[1])):
    shared([slow, slow], 2)
"""


def test_an_interrupted_build_leaves_no_process_and_the_old_site(tmp_path: Path) -> None:
    """Ctrl-C as soon as processes draw, sent to all of them as a terminal does."""
    old = tree(old_site(tmp_path))
    ran = subprocess.Popen([sys.executable, "-B", "-c", INTERRUPTED, str(tmp_path / "_site")],
                           cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
    assert ran.stdout is not None
    assert ran.stdout.readline() == "drawing\n"
    os.killpg(ran.pid, signal.SIGINT)
    _, output = ran.communicate(timeout=500)
    assert ran.returncode != 0
    assert output.count("Traceback") == 1, output
    for _ in range(1200):  # a busy machine takes a while
        try:
            os.killpg(ran.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("a process is left")
    assert tree(tmp_path) == {f"_site/{name}": content for name, content in old.items()}
