"""What the page on submitting knows: the repository, how to install, inputs and commands."""

import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer.boards import boards_folder, load
from scorer.site.home import inputs_of, submit_context
from scorer.site.outputs import file_groups, inputs_path, publisher_of
from scorer.site.reading.repository import SiteRepository, repository
from scorer.site.records import BoardView, SiteView, SplitView
from scorer.site.render import environment
from tests import case_files
from tests.browser.tiny_site import GOLD, ROOT
from tests.ci_world import git

OURS = SiteRepository("https://github.com/o/r", True, "pip install '.[site]'")


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_REPOSITORY", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)


def text(part: str, site: SiteView, found: SiteRepository) -> str:
    template = environment(ROOT / "templates").get_template("submit.html")
    return template.render(submit_context(site, found), part=part, root="../")


def test_the_repository_is_that_of_the_settings_else_of_the_job_else_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert repository(tmp_path) == SiteRepository()
    git(tmp_path, "init", "--quiet")
    assert not repository(tmp_path).url
    git(tmp_path, "remote", "add", "origin", "git@example.org:lab/board.git")
    found = repository(tmp_path)
    assert (found.url, found.github, found.issues) == ("https://example.org/lab/board", False, "")
    monkeypatch.setenv("GITHUB_REPOSITORY", "o/r")
    assert repository(tmp_path)[:2] == ("https://github.com/o/r", True)
    (tmp_path / "mkdocs.yml").write_text(
        'site_name: x\nrepo_url: "https://github.com/ours/board"  # here\n')
    found = repository(tmp_path)
    assert (found.name, found.folder, found.issues) == ("ours/board", "board", found.url)


@pytest.mark.parametrize(("remote", "url"), [(one, "") for one in (
    "", "/srv/board.git", "../board", "https://example.org/", "javascript:alert(1)",
    'https://example.org/"><script>', "file:///srv/board", "git@example.org:a b",
)] + [("https://me:s3cret@github.com/o/r.git", "https://github.com/o/r")])
def test_an_address_that_no_browser_should_open_is_none_and_no_secret_reaches_a_page(
    tmp_path: Path, remote: str, url: str
) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "remote.origin.url", remote)
    assert repository(tmp_path)[:2] == (url, bool(url))


def test_a_checkout_of_the_program_installs_itself_and_one_of_data_what_it_pins(
    tmp_path: Path,
) -> None:
    assert repository(tmp_path).install == "pip install 'whyboard[site]'"
    (tmp_path / "requirements.txt").touch()
    assert repository(tmp_path).install == "pip install -r requirements.txt"
    assert repository(ROOT).install == "pip install '.[site]'"


def test_every_slot_of_the_pages_has_words() -> None:
    pages = "".join((ROOT / "site/submit" / name).read_text() for name in ("index.md", "files.md"))
    assert [part for part in ("commands", "line")
            if f'<div data-wb="submit-{part}"></div>' not in pages] == []


def words(part: str, site: SiteView, found: SiteRepository) -> str:
    """The page without markup."""
    return unescape(re.sub("<[^>]+>", "", text(part, site, found)))


REPOSITORIES = case_files.read("repositories.yaml")


@pytest.mark.parametrize("case", REPOSITORIES.values(), ids=REPOSITORIES)
def test_a_repository_is_cloned_forked_and_asked_as_far_as_it_is_known(
    case: Mapping[str, Any], tiny_site: SiteView
) -> None:
    output = words("commands", tiny_site, SiteRepository(**case["repository"]))
    assert [one for one in case["has"] if one not in output] == []
    assert [one for one in case["lacks"] if one in output] == []


def test_the_line_to_begin_with_is_gold_of_a_board_in_the_repository(tiny_site: SiteView) -> None:
    assert GOLD[0][3].partition(")")[0] in text("line", tiny_site, OURS)
    empty = replace(tiny_site, boards=())
    assert "submissions/BOARD/my-team/my-system" in words("commands", empty, OURS)
    assert "<pre" not in text("line", empty, OURS)


def test_inputs_are_offered_only_where_they_may_be(tiny_site: SiteView) -> None:
    [board] = tiny_site.boards
    dev = board.splits[0]
    assert {view.name: here for view, here, _ in inputs_of(board)}["dev"] == inputs_path(dev) == (
        "data/tiny/dev/inputs.tsv")
    files = dict(file for group in file_groups(tiny_site, publisher_of("", None))
                 for file in group())
    assert files[inputs_path(dev)].decode().split("\n")[1] == "\t".join(GOLD[1][:2])
    assert [inputs_path(view) for view in (
        replace(dev, committed=False), replace(dev, golds=()))] == ["", ""]
    fetched = load(boards_folder() / "explagraphs")
    [(_, _, elsewhere)] = inputs_of(BoardView(fetched, (SplitView(fetched, "test"),)))
    assert elsewhere.endswith("/data/test_no_labels.tsv")
