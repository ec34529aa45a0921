"""``scorer board init``: a repository of data and configuration that pins the program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from scorer import __version__
from scorer.boards import known_boards
from scorer.cli import main
from scorer.pipeline.adopting import repository
from tests.ci_world import git
from tests.run_helpers import tree
from tests.walks import commands

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
PRACTICE = "explagraphs-practice"
OURS = known_boards(ROOT / "boards")


@pytest.fixture
def adopted(tmp_path: Path) -> Path:
    """A repository made from an empty folder."""
    assert main(["board", "init", "--root", str(tmp_path), "--title", "It's: ours"]) == 0
    return tmp_path


# ---- an empty folder -------------------------------------------------------------------------


def test_an_empty_folder_becomes_a_repository_without_any_of_our_code(adopted: Path) -> None:
    files = tree(adopted)
    ours = {f".github/{name}": content for name, content in tree(ROOT / ".github").items()}
    assert {name: files[name] for name in ours} == ours, "copied as they are"
    assert set(files) == {
        *repository.FILLED_IN, *ours,
        *(f"locks/{name}.txt" for name in ("ci", "model", "score", "score-torch"))}
    assert f"whyboard[ci,site]=={__version__}\n" in files["requirements.txt"].decode()
    assert yaml.safe_load(files["mkdocs.yml"])["site_name"] == "It's: ours"
    assert b"explagraphs" not in b"".join(
        content for name, content in files.items()
        if name.startswith("site/") or name in ("mkdocs.yml", "submissions/README.md"))


def test_a_second_run_brings_what_was_removed_and_keeps_what_was_edited(
    adopted: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (adopted / "README.md").write_text("My own words.\n")
    before = tree(adopted)
    shutil.rmtree(adopted / ".github" / "workflows")
    (adopted / "locks" / "ci.txt").unlink()
    assert main(["board", "init", "--root", str(adopted), "--title", "It's: ours"]) == 0
    assert tree(adopted) == before
    assert main(["board", "init", "--root", str(adopted)]) == 0
    assert tree(adopted) == before
    assert "no file: all are there" in capsys.readouterr().out


def test_a_checkout_of_the_program_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "init", "--root", str(ROOT)]) == 2
    assert "holds the program itself; make an empty folder" in capsys.readouterr().err


# ---- the page, with an installed program -----------------------------------------------------

PAGE = ROOT / "site" / "host" / "index.md"


def test_boards_are_found_where_a_command_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["board", "list"]) == 0
    assert capsys.readouterr().out.split() == OURS
    data = ROOT / "boards" / PRACTICE / "data"
    assert main(["board", "new", "mine", "--data", str(data)]) == 0
    capsys.readouterr()
    assert main(["board", "list"]) == 0
    assert capsys.readouterr().out.split() == ["mine"]
    assert main(["board", "new", "second", "--like", "mine", "--data", str(data)]) == 0
    assert main(["new", "mine", "my-team", "my-system"]) == 0


@pytest.mark.site
def test_a_folder_of_data_alone_builds_and_what_it_has_takes_the_place_of_ours(
    seed: Path, tmp_path: Path,
) -> None:
    from scorer.site.build import build

    root = tmp_path / "root"
    git(tmp_path, "clone", "--quiet", str(seed), "seed")
    for top in ("boards", "submissions", "results"):
        shutil.copytree(tmp_path / "seed" / top / PRACTICE, root / top / PRACTICE)
    (root / "mkdocs.yml").write_text("site_name: Mine\n")
    (root / "site").mkdir()
    (root / "site" / "faq.md").write_text("# My questions\n")
    (root / "templates").mkdir()
    (root / "templates" / "boards.html").write_text("<h1>My boards</h1>")
    out = tmp_path / "_site"
    assert build(root, out, home=tmp_path / "home").examples == 24 + 40 + 24
    faq = (out / "faq" / "index.html").read_text("utf-8")
    assert "My questions" in faq
    assert "What do I send?" not in faq
    assert "Questions - Mine" in faq or "My questions - Mine" in faq
    assert "<h1>My boards</h1>" in (out / "boards" / "index.html").read_text("utf-8")
    for page in ("host", "changelog", "schemas", "metrics/g-bleu", "downloads", "about"):
        html = (out / page / "index.html").read_text("utf-8")
        for link in re.findall(r'(?:href|src)="?([^"#\s>]*)', html):
            target = (out / page / link).resolve()
            assert "://" in link or target.is_file() or (target / "index.html").is_file(), (
                f"{page}: {link}")
    assert (out / "schemas" / "result.json").read_bytes().startswith(b"{")
    assert "Worked example" in (out / "metrics" / "g-bleu" / "index.html").read_text("utf-8")


class Walk(NamedTuple):
    """What the commands of the page made, in a shell that began in an empty folder."""

    made: Path
    printed: str
    environment: dict[str, str]


@pytest.fixture(scope="module")
def walk(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The page's commands as they stand there; pip finds the wheel, and dependencies are ours."""
    work = tmp_path_factory.mktemp("walk")
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("PYTHON", "WHYBOARD", "PIP_", "GIT_"))} | {
        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_NO_DEPS": "1",
        "PIP_IGNORE_INSTALLED": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "HOME": str(work),
        "PYTHONPATH": packages, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    last = "python -c 'import scorer; print(scorer.__file__)'; git status --porcelain"
    ran = subprocess.run(["bash", "-euc", f"{commands(PAGE)}\n{last}"], cwd=work,
                         env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    made = work / "my-benchmark"
    environment["PATH"] = f"{made}/.venv/bin:{environment['PATH']}"
    return Walk(made, ran.stdout, environment)


@pytest.mark.wheel
@pytest.mark.site
@pytest.mark.claim("Hosting a board takes the commands of one page, and no code.")
def test_the_commands_of_the_page_make_a_site_from_an_installed_program(walk: Walk) -> None:
    made, printed, _ = walk
    assert printed.endswith(f"{made}/.venv/lib/python3.{sys.version_info[1]}/site-packages/"
                         "scorer/__init__.py\n")  # the wheel's, and nothing left to commit
    assert "my-benchmark: fine" in printed
    assert not {"scorer", "templates", "tests", "docs"} & {path.name for path in made.iterdir()}
    board = (made / "_site/boards/my-benchmark/dev/index.html").read_text("utf-8")
    for row in ("Null graph", "Gold after two edits", "Gold (ceiling)", "My system"):
        assert row in board
    home = (made / "_site/index.html").read_text("utf-8")
    assert "<title>My benchmark</title>" in home
    assert "My benchmark" in home
    assert "ExplaGraphs" not in home
    for name in ("boards/my-benchmark/dev/1", "handbook/run-a-board"):
        assert (made / "_site" / name / "index.html").is_file()
    assert (made / "_site/schemas/result.json").is_file()
    assert (made / "_site/assets/whyboard.css").is_file()


@pytest.mark.wheel
@pytest.mark.site
def test_what_the_page_made_passes_the_checks_of_its_own_pull_requests(walk: Walk) -> None:
    for line in ("python -m scorer board check --boards boards", "python -m scorer ci site"):
        assert f"run: {line}\n" in (walk.made / ".github/workflows/ci.yml").read_text("utf-8")
        ran = subprocess.run(line.split(), cwd=walk.made, env=walk.environment,
                             capture_output=True, text=True, check=False)
        assert ran.returncode == 0, line + ran.stdout + ran.stderr


@pytest.mark.wheel
@pytest.mark.site
@pytest.mark.claim("The site built from an unpacked archive is the site built from the checkout, "
                   "byte for byte.")
def test_the_archive_of_the_page_builds_the_same_site_again(walk: Walk, tmp_path: Path) -> None:
    archive = walk.made.parent / "my-benchmark.zip"
    assert f"{archive.name}: sound" in walk.printed
    shutil.unpack_archive(archive, tmp_path)
    [top] = tmp_path.iterdir()
    text = (top / "README.md").read_text("utf-8")
    assert "requirements.txt` names its version" in text
    command = re.search(r"python -m scorer site build .*", text)
    assert command is not None
    ran = subprocess.run(command[0].split(), cwd=top / "checkout", env=walk.environment,
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert tree(top / "rebuilt") == tree(top / "site")
