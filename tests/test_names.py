"""Names that people could take for each other, and files that are one: what is said of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("homoglyphs_fork")

from scorer.boards.integrity import same_file
from scorer.boards.names import Name, alike, name_flag, reserved
from scorer.site.boards.system_page import everybody, integrity_flags
from scorer.site.outputs import atom, row_news
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from tests import case_files
from tests.browser.test_canaries import Parsed
from tests.browser.tiny_site import rendered
from tests.browser.wide_site import NAMELESS
from tests.values import described

KNOWN = [*reserved(), Name("Alice Lab", "the team alice"), Name("alice", "the team alice"),
         Name("Amazon", "the team amazon"), Name("M\u00fcnchen", "the team muc"),
         Name("\u2605", "the team star"), Name("\u0915\u0941", "the team ku")]


LIKENESSES = case_files.read("names.yaml")


@pytest.mark.parametrize("name", LIKENESSES)
def test_what_a_name_is_or_looks_like(name: str) -> None:
    found = ", ".join(map(str, alike([name], KNOWN)))
    assert (found or "none") == LIKENESSES[name]


def test_a_flag_names_whose_the_name_is_and_says_that_names_may_meet() -> None:
    flag = name_flag(("bob", "\u0391lice Lab"), KNOWN)
    assert (flag.raised, flag.count) == (True, 1)
    assert flag.n == len({"maintainers", "alice", "amazon", "muc", "star", "ku"})
    assert flag.details == ("The name looks like that of the team alice.",)
    assert "Who had the name first" in flag.does_not_say
    assert not name_flag(("bob", "Bob"), KNOWN).raised


def test_the_same_bytes_are_told_of_both_and_of_neither_that_it_is_the_copy() -> None:
    digests = {"alice/a": "1", "mallory/b": "1", "bob/c": "2"}
    for name, other in (("alice/a", "mallory/b"), ("mallory/b", "alice/a")):
        flag = same_file(name, 40, digests)
        assert (flag.raised, flag.count, flag.n) == (True, 40, 40)
        assert flag.details == (f"Byte for byte the file of {other}.",)
        assert "a copy may be merged before" in flag.does_not_say
    assert not same_file("bob/c", 40, digests).raised


@pytest.fixture(scope="module")
def site(wide_site: SiteView) -> SiteView:
    """With a team that calls itself as another one's folder is called, whose file it copied."""
    return replace(wide_site, boards=(changed(wide_site.boards[0], _mallory),))


def changed(board: BoardView, change: Callable[[Entry, SplitView], Entry]) -> BoardView:
    """The board after a change of one row."""
    return replace(board, splits=tuple(replace(view, entries=tuple(
        change(entry, view) if entry.key == "gamma-team/near" else entry
        for entry in view.entries)) for view in board.splits))


def _mallory(entry: Entry, view: SplitView) -> Entry:
    [other] = [one for one in view.entries if one.key == "beta-team/close"]
    predictions = entry.result.predictions.replace(sha256=other.result.predictions.sha256)
    return replace(described(entry, by="\u0412eta Team"),
                   result=entry.result.replace(predictions=predictions))


@pytest.fixture
def board(site: SiteView) -> BoardView:
    return site.boards[0]


def raised(board: BoardView, known: Sequence[Name]) -> dict[str, dict[str, tuple[str, ...]]]:
    """What is told of names and bytes, by row."""
    return {key: {flag.id: flag.details for flag in flags
                  if flag.raised and flag.id in ("name", "same-file")}
            for (_, key), flags in integrity_flags(board, known).items()}


def test_both_rows_are_told_of_the_name_and_of_the_bytes(site: SiteView, board: BoardView) -> None:
    found = raised(board, everybody(site.boards))
    assert found["alpha-team/strong"] == {}
    for key, other in (("gamma-team/near", "beta-team/close"),
                       ("beta-team/close", "gamma-team/near")):
        assert found[key] == {
            "name": (f"The name looks like that of the team {other.partition('/')[0]}.",),
            "same-file": (f"Byte for byte the file of {other}.",)}


def test_a_preview_is_told_of_others_and_no_other_row_of_it(board: BoardView) -> None:
    own = changed(board, lambda entry, _: replace(entry, preview=True))
    found = raised(own, everybody([own]))
    assert found["gamma-team/near"].keys() == {"name", "same-file"}
    assert found["beta-team/close"] == {}


def test_a_team_that_is_anonymous_is_neither_compared_nor_named(
    site: SiteView, board: BoardView,
) -> None:
    known = everybody(site.boards)
    assert not any("secret" in name.whose or name.text == NAMELESS for name in known)
    flags = integrity_flags(board, known)["dev", "secret-folder/hidden"]
    assert "name" not in {flag.id for flag in flags}
    assert "same-file" in {flag.id for flag in flags}


@pytest.mark.whole
def test_a_team_s_folder_stands_beside_its_name_on_every_page_that_names_it(site: SiteView) -> None:
    found = rendered(site)
    naming = [path for path, html in found.items() if "\u0412eta Team" in html]
    assert "boards/wide/dev/" in naming
    assert "boards/wide/systems/gamma-team--near/" in naming
    for path in naming:
        assert "gamma-team" in "".join(text for text, _ in Parsed(found[path]).texts), path


def test_the_feed_tells_a_team_s_folder_too(site: SiteView) -> None:
    news = list(row_news("https://a.org/", site))
    feed = atom("https://a.org/", "t", news)
    assert "<author><name>\u0412eta Team (gamma-team)</name></author>" in feed.decode()
    assert "secret-folder)" not in feed.decode()
