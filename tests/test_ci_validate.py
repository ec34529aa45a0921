"""Pull requests as strangers make them, with real git: one folder below ``cases/pulls`` each."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import Board, load
from scorer.core.errors import DataError, UsageError
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.pull import bring, request
from scorer.pipeline.ci.runner import TryAgain, annotate
from scorer.pipeline.ci.validate import Review, check, markdown
from scorer.scoring.leaderboard import numbers
from tests import pull_cases
from tests.ci_world import BOARD, ROOT, git
from tests.effort import A_SECOND, least, seconds
from tests.fuzz_helpers import RUNNER_COMMAND
from tests.pull_cases import Pulls

pytestmark = pytest.mark.slow
MINE = f"submissions/{BOARD}/mallory/a-system"


@pytest.fixture(scope="module")
def pulls(tmp_path_factory: pytest.TempPathFactory) -> Pulls:
    return Pulls(tmp_path_factory.mktemp("pulls"))


def judged(pulls: Pulls, event: Mapping[str, Any], folder: Path) -> Review:
    """What is found of a pull request whose objects are here."""
    return check(Repository(pulls.folder), request(event), ROOT / "boards", folder / "home")


def assert_inert(text: str) -> None:
    """Nothing in a summary is alive: ASCII, and what strangers wrote only in code spans."""
    assert text.isascii()
    assert len(text) < 65_000
    outside = "".join(text.split("`")[::2])
    for mark in ("<", "@", "](", "http", "#1", "${{", "pwned"):
        assert mark not in outside
    assert "QQQ" not in text, "a key"


# ---- cases ---------------------------------------------------------------------------------------


@pytest.mark.claim("Hostile pull requests, each a case in a file, are refused by the rules in "
                   "its name.")
@pytest.mark.parametrize("name", pull_cases.names())
def test_a_pull_request_breaks_the_rules_in_its_name_and_no_others(
    name: str, pulls: Pulls, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    case, wanted = pull_cases.load(name), pull_cases.rules(name)
    event = pulls.event(case)
    review, cost = least(partial(judged, pulls, event, tmp_path), A_SECOND, seconds)
    assert cost <= A_SECOND
    text = markdown(review)
    assert {one.rule for one in (*review.problems, *review.notes)} == wanted, text
    assert review.code == (2 if any(CATALOGUE[rule].effect == "rejects" for rule in wanted) else 0)
    assert review.total == case.get("faults", review.total)
    assert [words for words in case.get("says", ()) if words not in text] == [], text
    assert_inert(text)
    annotate(review.problems)
    lines = capsys.readouterr().out.splitlines()
    assert [line.isascii() and bool(RUNNER_COMMAND.match(line)) for line in lines] == [
        True] * len(review.problems), "one command for each fault, and none of a stranger's"
    assert list(tmp_path.iterdir()) == [], "nothing is written"


def test_every_rule_of_pull_requests_has_a_case_of_its_own() -> None:
    cases = [pull_cases.rules(name) for name in pull_cases.names()]
    rules = [rule for rule in CATALOGUE if rule.startswith("PR-")]
    assert [rule for rule in rules if {rule} not in cases] == []
    assert len(cases) >= 60


# ---- the whole verb ------------------------------------------------------------------------------


def opened(pulls: Pulls, case: Mapping[str, Any], folder: Path) -> tuple[Path, dict[str, Any]]:
    """A checkout of main beside a pull request on its origin, and the event."""
    event = pulls.event(case)
    sides = event["pull_request"]
    origin, place = folder / "origin.git", folder / "checkout"
    git(folder, "init", "--quiet", "--bare", str(origin))
    shutil.copytree(pulls.folder / "objects", origin / "objects", dirs_exist_ok=True)
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "update-ref", "refs/heads/main", sides["base"]["sha"])
    git(origin, "update-ref", "refs/pull/1/head", sides["head"]["sha"])
    git(folder, "clone", "--quiet", "--no-checkout", "--branch=main", f"file://{origin}",
        str(place))
    return place, event


def ran(root: Path, event: Mapping[str, Any]) -> Review:
    """What the verb finds in a checkout."""
    repository = Repository(root)
    return check(repository, bring(repository, event), ROOT / "boards", root.parent / "home",
                 scored=True)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Pulls:
    """A repository without the objects of all cases, to be copied."""
    return Pulls(tmp_path_factory.mktemp("few"))


@pytest.mark.parametrize(("board", "system"), [
    ("explagraphs-practice", "shuffled-gold"), ("anli-practice", "fully-connected"),
    ("explained-practice", "word-overlap")])
def test_every_task_shows_its_metrics_that_need_no_model_beside_their_nulls(
    board: str, system: str, few: Pulls, tmp_path: Path,
) -> None:
    rows = (ROOT / "submissions" / board / "reference" / system / "predictions.dev.tsv").read_text()
    path = f"submissions/{board}/mallory/a-system/predictions.dev.tsv"
    root, event = opened(few, {"sends": [f"{board}/mallory/a-system"], "head": {path: rows}},
                         tmp_path)
    review = ran(root, event)
    assert review.problems == []
    [result] = review.results
    assert list(result.metrics) == [name for name in load(board).metrics
                                    if METRICS[name].model is None]
    for name, value in result.metrics.items():
        assert (value.null is None) == (board == "anli-practice"), "which alone has no null"
        text = numbers.plain(numbers.number(value.value or 0.0, METRICS[name]))
        assert f"\n| {name} ({METRICS[name].better} is better) | {text} | " in markdown(review)


def test_a_blob_too_large_to_be_submitted_never_leaves_the_server(
    few: Pulls, tmp_path: Path,
) -> None:
    root, event = opened(few, {"head": {f"{MINE}/predictions.dev.tsv": {"zeros": 9_000_000}}},
                         tmp_path)
    review = ran(root, event)
    assert [one.rule for one in review.problems] == ["PR-SIZE"]
    blob = git(few.folder, "rev-parse", f"{event['pull_request']['head']['sha']}:{MINE}"
               "/predictions.dev.tsv")
    assert not Repository(root).has(blob)


def test_what_comes_after_a_blob_that_stays_on_the_server_is_searched_for_gold(
    few: Pulls, tmp_path: Path,
) -> None:
    root, event = opened(few, {"own": True, "head": {
        "docs/a": {"zeros": 9_000_000}, "docs/b": {"zeros": 9_000_001},
        "docs/c": {"secret": True}}}, tmp_path)
    review = ran(root, event)
    assert [(one.rule, one.path) for one in review.problems] == [("PR-GOLD", "docs/c")]
    assert [(one.rule, one.path) for one in review.notes] == [("PR-UNREAD", "docs/a")]


def test_a_commit_that_was_pushed_over_is_left_to_the_newer_run(few: Pulls, tmp_path: Path) -> None:
    root, event = opened(few, {}, tmp_path)
    event["pull_request"]["head"]["sha"] = "1" * 40
    with pytest.raises(TryAgain, match="pushed again; the newer run judges it"):
        ran(root, event)


def test_only_the_data_of_the_boards_that_are_touched_are_waited_for(
    few: Pulls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def silent(board: Board, *_: Any, **__: Any) -> None:
        asked.append(board.id)
        raise DataError("no host answers")

    monkeypatch.setattr("scorer.boards.fetching.fetch", silent)
    root, event = opened(few, {"sends": ["explagraphs/mallory/a-system"]}, tmp_path)
    assert ran(root, event).code == 2  # other rows
    assert asked == ["explagraphs"]


def test_a_git_that_is_too_old_to_merge_is_named(
    pulls: Pulls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = shutil.which("git")
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\ncase "$*" in *merge-tree*) exit 129;; esac\nexec {real} "$@"\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(DataError, match=r"install git 2\.38 or newer"):
        judged(pulls, pulls.event({}), tmp_path)


# ---- events --------------------------------------------------------------------------------------


def test_a_branch_is_the_maintainers_if_it_lies_in_the_repository_whatever_its_labels(
    pulls: Pulls,
) -> None:
    event = pulls.event({})
    sides = event["pull_request"]
    sides["labels"] = [{"name": "maintenance"}]
    assert not request(event).own
    sides["head"]["repo"] = None  # a fork that is gone
    assert not request(event).own
    sides["base"]["repo"] = None
    assert not request(event).own
    sides["base"]["repo"] = sides["head"]["repo"] = {"id": 1}
    assert request(event).own


@pytest.mark.parametrize("change", [
    {"number": "1"}, {"user": None}, {"user": {"login": "a b", "id": 1}},
    {"user": {"login": "ann", "id": "1"}}, {"user": {"login": "ann", "id": True}},
    {"base": {"sha": "--upload-pack=x"}}, {"head": {"sha": "HEAD"}}, {"head": []}])
def test_an_event_about_something_else_is_refused(change: dict[str, Any], pulls: Pulls) -> None:
    event = pulls.event({})
    event["pull_request"] |= change
    for document in (event, {}, {"pull_request": []}):
        with pytest.raises(UsageError, match="not about a pull request of an account"):
            request(document)


# ---- owners --------------------------------------------------------------------------------------


def test_owners_on_main_that_cannot_be_read_are_our_data_s_fault(
    pulls: Pulls, tmp_path: Path,
) -> None:
    event = pulls.event({"before": {"submissions/teams/alice.yaml": "owners: [alice]\n"},
                         "sends": ["alice/second"]})
    with pytest.raises(DataError, match=r"^submissions/teams/alice\.yaml:1:10 META-VALUE "):
        judged(pulls, event, tmp_path)


def test_the_line_to_paste_is_accepted(pulls: Pulls, tmp_path: Path) -> None:
    path = "submissions/teams/mallory.yaml"
    [problem] = judged(pulls, pulls.event({"head": {path: "owners: [bob#1002]\n"}}),
                       tmp_path).problems
    assert problem.expected == "owners: [bob#1002, mallory#6666]"
    assert judged(pulls, pulls.event({"head": {path: problem.expected}}), tmp_path).code == 0


def test_who_is_not_known_yet_needs_the_file_of_a_new_team_all_the_same(
    pulls: Pulls, tmp_path: Path,
) -> None:
    def problems(case: Mapping[str, Any]) -> list[str]:
        pull = replace(request(pulls.event(case)), author=None)
        review = check(Repository(pulls.folder), pull, ROOT / "boards", tmp_path / "home")
        return [one.expected for one in review.problems]

    assert problems({"sends": ["alice/second"]}) == []
    assert problems({}) == []
    assert problems({"head": {"submissions/teams/mallory.yaml": None}}) == [
        "owners: [LOGIN#NUMBER]"]


@pytest.mark.claim("A check that is run again judges by the main branch as it is now.")
def test_an_owner_who_was_taken_out_meanwhile_is_refused_when_the_check_is_run_again(
    few: Pulls, tmp_path: Path,
) -> None:
    case = {"author": "bob#1002", "sends": ["alice/another-system"],
            "before": {"submissions/teams/alice.yaml": "owners: [alice#1001, bob#1002]\n"}}
    root, event = opened(few, case, tmp_path)
    base = event["pull_request"]["base"]["sha"]
    evicted = few._next(base, {"submissions/teams/alice.yaml": "owners: [alice#1001]\n"})
    origin = tmp_path / "origin.git"
    shutil.copytree(few.folder / "objects", origin / "objects", dirs_exist_ok=True)
    assert not ran(root, event).problems
    git(origin, "update-ref", "refs/heads/main", evicted)
    review = ran(root, event)
    assert {one.rule for one in review.problems} == {"PR-OWNER"}
