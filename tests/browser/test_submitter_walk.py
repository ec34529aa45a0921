"""The submitter's walk: the words of the page on submitting, as they stand there, in a real shell.

The page is read in a browser; its commands run in a fresh clone, where git takes a folder for the
address that the page names and pip finds what the program needs in the environment of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("jinja2")

from scorer.site.build import build
from tests.browser.conftest import patient, served
from tests.browser.tiny_site import ROOT
from tests.ci_world import BOARD, git

pytestmark = [pytest.mark.browser, pytest.mark.site, pytest.mark.wheel, pytest.mark.whole]

ADDRESS = "https://github.com/some-lab/whyboard"
PAGE = "submit/"
MADE = ".git", ".venv*", ".whyboard", "_site", "__pycache__", ".*_cache", ".hypothesis", "tests"
"""What no clone has, or no submitter needs."""
ELSEWHERE = ("WHYBOARD", "GITHUB", "PYTHON", "PIP_", "VIRTUAL_ENV")


class Words(NamedTuple):
    """What the page says: its commands up to the submitter's own site, what sends the pull request,
    the submission.yaml and the line of predictions that it shows, how many inputs the file behind
    its link has, and where one's row will be."""

    commands: list[str]
    git: str
    description: str
    line: str
    items: int
    row: str


class World(NamedTuple):
    """A repository that is hosted, and a submitter's machine."""

    folder: Path
    origin: Path
    fork: Path
    environment: Mapping[str, str]

    def shell(self, script: str, folder: Path) -> str:
        """What a script prints; every line must work."""
        ran = subprocess.run(["bash", "-euc", script], cwd=folder, env=self.environment, text=True,
                             capture_output=True, check=False)
        assert ran.returncode == 0, f"{script}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout


@pytest.fixture
def world(tmp_path: Path) -> World:
    origin, fork, home = (tmp_path / name for name in ("origin.git", "fork.git", "home"))
    seed = shutil.copytree(ROOT, tmp_path / "seed", ignore=shutil.ignore_patterns(*MADE))
    for top in ("boards", "submissions", "results"):  # of many boards a site has many pages
        for path in (seed / top).iterdir():
            needed = path.name.endswith("-practice") if top == "boards" else path.name == BOARD
            if path.is_dir() and not needed:
                shutil.rmtree(path)
    (seed / "boards" / "site.yaml").unlink()  # which names some of them
    git(seed, "init", "--quiet", "--initial-branch=main")
    git(seed, "add", "--all")
    git(seed, "commit", "--quiet", "--message=Start")
    git(tmp_path, "clone", "--quiet", "--bare", str(seed), str(origin))
    git(tmp_path, "clone", "--quiet", "--bare", str(seed), str(fork))
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\nname = Me\nemail = me@example.org\n"
        f'[url "{origin}"]\ninsteadOf = {ADDRESS}.git\n'
        f'[url "{fork}"]\ninsteadOf = https://github.com/me/whyboard.git\n')
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ELSEWHERE)}
    return World(tmp_path, origin, fork, {
        **kept, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": packages,
        "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_COMPILE": "0"})


@pytest.fixture
def words(world: World, browser: Any, monkeypatch: pytest.MonkeyPatch) -> Words:
    """What the page of a hosted site says to who opens it."""
    out = world.folder / "site"
    monkeypatch.setenv("GITHUB_REPOSITORY", ADDRESS.removeprefix("https://github.com/"))
    build(world.folder / "seed", out, home=world.folder / "no-home")
    with served(out) as address:
        page = patient(browser.new_context()).new_page()
        page.goto(address + PAGE)
        page.get_by_text("See your row before you send it").click()
        text = page.locator("article").inner_text()
        address_of_row = re.search(r"http://127\.0\.0\.1:8000/(\S+?/)[\s:]", text)
        assert address_of_row, "no word of where one's row is"
        commands = page.locator(":is(.wb-sh, .wb-preview) code").all_inner_texts()
        sending = page.locator(".wb-git").inner_text()
        page.get_by_role("link", name="fill in submission.yaml").click()
        with page.expect_download() as download:
            page.locator("a[download*='dev.inputs']").first.click()
        words = Words(
            commands, sending, page.locator("code.language-yaml").inner_text(),
            page.locator(".wb-line code").inner_text(),
            Path(download.value.path()).read_text("utf-8").count("\n"), address_of_row[1])
        page.context.close()
    return words


@contextmanager
def serving(world: World, clone: Path, command: str) -> Iterator[str]:
    """The address of a site while the page's last command serves it, on a port that is free."""
    with subprocess.Popen(["bash", "-euc", f". .venv/bin/activate; exec {command} --port 0"],
                          cwd=clone, env=world.environment, stdout=subprocess.PIPE,
                          text=True) as running:
        try:
            assert running.stdout
            yield re.findall(r"http://[\d.:]+", running.stdout.readline())[0] + "/"
        finally:
            running.terminate()


@pytest.mark.claim("The commands of the page on submitting lead from a clone to one's own row and "
                   "to a pull request's branch, as they stand there.")
def test_the_words_of_the_page_lead_from_a_clone_to_one_s_own_row(
    world: World, words: Words, browser: Any,
) -> None:
    get, new, check, score, preview = words.commands
    folder = check.removeprefix("scorer check ").strip()
    *lines, serve = [check, score, *preview.strip().split("\n")]
    yaml, predictions = world.folder / "yaml", world.folder / "predictions"
    yaml.write_text(words.description, "utf-8")
    predictions.write_text(f"{words.line.strip()}\n" * words.items, "utf-8")
    printed = world.shell("\n".join([
        get, new, f"cp {yaml} {folder}/submission.yaml",
        f"cp {predictions} {folder}/predictions.dev.tsv", *lines, "pwd"]), world.folder)
    clone = Path(printed.strip().rpartition("\n")[2])
    with serving(world, clone, serve) as address:
        page = patient(browser.new_context()).new_page()
        page.goto(address + words.row)
        row = page.locator(".wb-line", has_text="My system")
        assert row.count() == 1
        assert "local preview" in row.inner_text()
        assert f"{words.items} items are too few" in page.locator(".wb-answer").inner_text()
        assert page.locator(f"a[href='{ADDRESS}']").first.is_visible()
        row.locator("summary").click()
        page.locator(".wb-more:visible").get_by_role("link", name="Compare with the first").click()
        page.wait_for_url("**/compare/*--vs--*/")
        answer = page.locator(".wb-answer").inner_text()
        assert answer.startswith("No verdict on")
        assert "My system (" in answer
        page.context.close()
    sent = words.git.replace("YOUR-ACCOUNT", "me").replace("NUMBER", "1001")
    assert sent != words.git
    world.shell(f". .venv/bin/activate\n{sent}", clone)
    branch = folder.replace("submissions", "submit", 1)
    named = git(world.fork, "log", "-1", "--format=", "--name-only", branch).split()
    files = [f"{folder}/predictions.dev.tsv", f"{folder}/submission.yaml"]
    assert named == [*files, "submissions/teams/my-team.yaml"]
    git(clone, "add", folder)
    assert git(clone, "status", "--porcelain").split("\n") == [
        f"A  {name}" for name in files], "nothing else is there to commit"
