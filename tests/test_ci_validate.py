"""Pull requests as strangers make them: real git objects of any name, mode and size.

Numbers in comments are rows of the list of hostile submissions in ``test_hostile_rows.py``.
A commit is made of objects, so that no file system has a say in what a name may be.
"""

import gzip
import json
import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.board import Board, known_boards, load
from scorer.ci import flags, hidden_gold, merging
from scorer.ci.errors import TryAgain
from scorer.ci.git import Repository
from scorer.ci.github import GitHub
from scorer.ci.runner import annotate
from scorer.ci.scope import PullContext
from scorer.ci.validate import Request, Review, bring, markdown, outcome, request, run, validate
from scorer.errors import DataError, UsageError
from scorer.files import sha256
from scorer.hidden import age, envelope
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.rules import CATALOGUE
from scorer.scoring.checking import check_file
from scorer.scoring.leaderboard import numbers
from tests.ci_world import (
    ALICE,
    BOARD,
    GOLD,
    MALLORY,
    META,
    ROOT,
    World,
    folder_of,
    git,
    good,
    mine,
)
from tests.effort import A_SECOND, least
from tests.fuzz_helpers import RUNNER_COMMAND
from tests.judging import seconds

pytestmark = pytest.mark.slow
MINE = folder_of("mallory")
MERGED = folder_of("alice")
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n"


@pytest.fixture(scope="module")
def owned(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which alice has a merged submission and a recorded account."""
    world = World.of(seed, tmp_path_factory.mktemp("owned"))
    owner = f'{{"id": {ALICE}, "schema": 1, "team": "alice"}}\n'.encode()
    world.push({**good("alice"), "ledger/owners.jsonl": owner})
    return world.origin


@pytest.fixture
def world(owned: Path, tmp_path: Path) -> World:
    return World.of(owned, tmp_path)


def judged(world: World, files: dict[str, Any], author: int = MALLORY, *, trusted: bool = False,
           head: str | None = None, millions: float = A_SECOND,
           github: GitHub | None = None) -> Review:
    """Judge a commit as a pull request; what is told of it is fit for a runner.

    A refusal takes no more than so many ``millions`` of turns of a loop, git's own included.
    """
    asked = Request(1, world.tip, head or world.commit(files), PullContext(author, trusted))
    place = world.folder / "files"

    def review() -> Review:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        return validate(Repository(world.origin), asked, ROOT / "boards", world.folder / "home",
                        place, github)

    found, cost = least(review, millions, seconds)
    assert cost <= millions or not found.total
    assert outcome(found) == (2 if found.total else 0)
    assert_inert(markdown(found))
    return found


def assert_inert(text: str) -> None:
    """Nothing in a summary is alive: ASCII, and what strangers wrote only in code spans."""
    assert text.isascii()
    assert len(text) < 65_000
    outside = "".join(text.split("`")[::2])
    for mark in ("<", "@", "](", "http", "#1", "${{"):
        assert mark not in outside


def rules(found: Review) -> list[str]:
    """The rules that were broken, each once, in order."""
    return list(dict.fromkeys(problem.rule for problem in found.problems))


@pytest.mark.parametrize(("board", "system", "metrics"), [
    ("explagraphs-practice", "shuffled-gold",
     ["SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "GED"]),
    ("anli-practice", "fully-connected", ["accuracy"]),
    ("anlg-practice", "copy-first",
     ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr"]),
    ("graph-stance-practice", "texts-and-graph", ["graph-lift", "accuracy"]),
    ("explained-practice", "word-overlap",
     ["joint-ROUGE-L", "accuracy", "ROUGE-L", "CIDEr", "BLEU-1", "BLEU-4", "ROUGE-L-recall",
      "BLEU-letters"]),
])
def test_every_task_shows_its_metrics_that_need_no_model(
    board: str, system: str, metrics: list[str], world: World
) -> None:
    rows = (ROOT / folder_of("reference", system, board) / "predictions.dev.tsv").read_bytes()
    place = folder_of("mallory", board=board)
    found = judged(world, {f"{place}/submission.yaml": META.encode(),
                           f"{place}/predictions.dev.tsv": rows})
    assert rules(found) == []
    [result] = found.results
    assert list(result.metrics) == metrics
    assert all(value.value is not None for value in result.metrics.values())
    assert all((value.null is None) == (board == "anli-practice")
               for value in result.metrics.values()), "which alone has no null"
    assert all(f"\n| {name} | {number_of(result, name)} | "
               in markdown(found) for name in metrics)


def number_of(result: Result, name: str) -> str:
    """A value as people read it, in ASCII."""
    return numbers.plain(numbers.number(result.metrics[name].value or 0.0, METRICS[name]))


NOTED = {
    "explagraphs-practice": (lambda row: row.replace("; ", ";"), "EG-SLIP"),
    "anlg-practice": (lambda row: f" {row}", "ART-SPACES"),
}


@pytest.mark.parametrize("board", NOTED)
def test_what_check_notes_of_the_rows_is_noted_in_the_pull_request(
    board: str, world: World
) -> None:
    change, rule = NOTED[board]
    system = {"explagraphs-practice": "shuffled-gold", "anlg-practice": "copy-first"}[board]
    source = ROOT / folder_of("reference", system, board) / "predictions.dev.tsv"
    rows = [change(row) for row in source.read_text("utf-8").splitlines()]
    place = folder_of("mallory", board=board)
    path = world.folder / "predictions.dev.tsv"
    path.write_text("\n".join(rows))
    known = load(board)
    [note] = check_file(known, path, split="dev")[0].notes
    found = judged(world, {f"{place}/submission.yaml": META.encode(),
                           f"{place}/predictions.dev.tsv": path.read_bytes()})
    assert not found.total
    [told] = found.notes
    assert told == replace(note, path=f"{place}/predictions.dev.tsv")
    assert told.rule == rule
    assert f"**{rule}** `{told.found}`" in markdown(found)


@pytest.mark.parametrize("trusted", [False, True])
def test_hidden_gold_and_keys_are_refused_whoever_brings_them(
    trusted: bool, world: World,
) -> None:
    opened = envelope.new("any-board", "test", b"a\tb\tsupport\n")
    found = judged(world, {"notes/gold.txt": opened.to_bytes(), "README.md": b"Hello.\n",
                           "my.key": age.new_identity().encode()}, trusted=trusted)
    assert [(one.rule, one.path, one.found) for one in found.problems] == [
        ("PR-GOLD", "my.key", "a secret key"),
        ("PR-GOLD", "notes/gold.txt", "opened gold of any-board test")]
    assert "Nothing to validate" not in markdown(found)
    assert opened.key.hex() not in markdown(found)


def test_files_that_were_not_searched_for_gold_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hidden_gold, "MOST_FILES", 2)
    monkeypatch.setattr(hidden_gold, "MOST_BYTES", 5)
    files = {"a.txt": b"One.\n", "b.txt": b"Two.\n", "c.txt": b"Three.\n"}
    found = judged(world, dict(files), trusted=True)
    assert [(note.rule, note.path, note.found) for note in found.notes] == [
        ("PR-UNREAD", "c.txt", "2 of 3 files not searched for hidden gold")]
    assert "Nothing to validate" in markdown(found)
    assert "PR-UNREAD" in markdown(found)


def test_another_split_of_one_s_own_system_may_follow(world: World) -> None:
    test = GOLD.with_name("predictions.test.tsv").read_bytes().replace(b"(", b"(my ", 1)
    found = judged(world, {f"{MERGED}/predictions.test.tsv": test}, ALICE)
    assert rules(found) == []
    assert [result.split for result in found.results] == ["dev", "test"]


def test_the_owner_may_describe_a_system_anew_and_nobody_else_may(world: World) -> None:
    files = {f"{MERGED}/submission.yaml": META.replace("Answers", "Answers well").encode()}
    assert rules(judged(world, files, ALICE)) == []
    assert rules(judged(world, files, MALLORY)) == ["PR-IMMUTABLE", "PR-OWNER"]


def test_a_team_whose_first_one_still_waits_is_its_author_s_all_the_same(world: World) -> None:
    with world.github():
        asked = GitHub(world.api, "o/r", "t", pause=0.01)
        world.merge(world.open(good("carol"), 1003))
        assert rules(judged(world, good("carol", "second"), MALLORY, github=asked)) == ["PR-OWNER"]
        assert rules(judged(world, good("carol", "second"), 1003, github=asked)) == []
        world.failures += [503] * 4  # who is not told leaves it to planning
        assert rules(judged(world, good("carol", "second"), MALLORY, github=asked)) == []
    assert rules(judged(world, good("dora"), MALLORY, github=asked)) == []


PLACES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a link in the place of predictions":  # row 36
        ({f"{MINE}/predictions.dev.tsv": ("120000", b"../../../../etc/passwd")}, ["PR-MODE"]),
    "a link in the place of the description":
        ({f"{MINE}/submission.yaml": ("120000", b"/dev/zero")}, ["PR-MODE"]),
    "a submodule":  # row 37
        ({f"{MINE}/predictions.test.tsv": ("160000", "1" * 40)}, ["PR-MODE"]),
    "an executable file":
        ({f"{MINE}/predictions.dev.tsv": ("100755", mine("mallory"))}, ["PR-MODE"]),
    "a folder in the place of a file":
        ({f"{MINE}/predictions.test.tsv/x": b"x"}, ["PR-PLACE"]),
    "a pointer of git lfs": ({f"{MINE}/predictions.dev.tsv": LFS}, ["PR-LFS"]),  # row 38
    "predictions over 8 MiB":  # row 48
        ({f"{MINE}/predictions.dev.tsv": b"\0" * (8 * 1024 * 1024 + 1)}, ["PR-SIZE"]),
    "a description over 64 KiB":
        ({f"{MINE}/submission.yaml": b"#" * (64 * 1024 + 1)}, ["PR-SIZE"]),
    "two submissions": (good("mallory", "second"), ["PR-ONE"]),  # row 43
    "two boards": (
        {f"submissions/explagraphs/mallory/a-system/{name.rpartition('/')[2]}": content
         for name, content in good("mallory").items()}, ["PR-ONE"]),
    "a submission and a page": ({"docs/x.md": b"x"}, ["PR-SCOPE"]),
    "a submission and a result": ({f"results/{BOARD}/mallory/a-system/dev.json": b"{}"},
                                  ["PR-SCOPE"]),
    "a submission and a workflow": ({".github/workflows/x.yml": b"on: push"}, ["PR-SCOPE"]),
    "a submission and rules for git": ({".gitattributes": b"* filter=evil"}, ["PR-SCOPE"]),
    "a workflow in the folder":  # row 39
        ({f"{MINE}/.github/workflows/x.yml": b"on: push"}, ["PR-PLACE"]),
    "too shallow": ({"submissions/x.tsv": b"x"}, ["PR-PLACE"]),
    "a hundred folders deep":  # row 58
        ({f"{MINE}/{'d/' * 100}predictions.dev.tsv": b"x"}, ["PR-PLACE"]),
    "another spelling of the top folder": ({"Submissions/x/y/z/submission.yaml": b"x"},
                                           ["PR-PLACE"]),
    "a merged file is changed":  # row 42
        ({f"{MERGED}/predictions.dev.tsv": mine("mallory")},
         ["PR-ONE", "PR-IMMUTABLE", "PR-OWNER"]),
    "a merged file is removed": ({f"{MERGED}/predictions.dev.tsv": None},
                                 ["PR-ONE", "PR-IMMUTABLE", "PR-OWNER"]),
    "a merged file is made executable": ({f"{MERGED}/predictions.dev.tsv":
                                          ("100755", mine("alice"))},
                                         ["PR-ONE", "PR-MODE", "PR-IMMUTABLE", "PR-OWNER"]),
    "another team's folder": (good("alice", "second"), ["PR-ONE", "PR-OWNER"]),
}


@pytest.mark.parametrize("case", PLACES)
def test_what_a_pull_request_may_not_touch(case: str, world: World) -> None:
    files, wanted = PLACES[case]
    found = judged(world, {**good("mallory"), **files})
    assert rules(found) == wanted
    for problem in found.problems:
        assert problem.advice == CATALOGUE[problem.rule].advice


NAMES = [  # rows 39 and 40
    "predictions.tsv.gz", "predictions.dev.TSV", "predictions.csv", "predictions.dev.tsv ",
    "predictions.dev.tsv\n", "-rf.tsv", "$(x).tsv", os.fsdecode(b"\xff.tsv"), "x" * 300, "CON",
    "nul.tsv", "a:b", ".gitattributes", ".gitmodules", "conftest.py", "setup.py",
    "sitecustomize.py", "pyproject.toml", "model.safetensors", "\u202elmay.noissimbus",
    "::error::x", "##[command]x", "a\tb", 'q"q',
]


@pytest.mark.parametrize("name", NAMES)
def test_only_two_kinds_of_names_are_allowed_and_others_are_shown_in_ascii(
    name: str, world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    found = judged(world, {**good("mallory"), f"{MINE}/{name}": b"x"})
    assert rules(found) == ["PR-FILE"]
    annotate(found.problems)
    told = capsys.readouterr().out
    assert told.isascii()
    assert all(line.startswith("::error file=") for line in told.splitlines())
    assert len([line for line in told.splitlines() if RUNNER_COMMAND.search(line)]) == 1


@pytest.mark.parametrize(("team", "wanted"), [  # row 41
    ("Alice", ["PR-CASE", "META-SLUG"]),
    ("\uff41lice", ["PR-CASE", "META-SLUG"]),
    ("team.", ["META-SLUG"]), ("t\xe9am", ["META-SLUG"]), ("te\u0301am", ["META-SLUG"]),
    ("\u0430lice", ["META-SLUG"]), ("a b", ["META-SLUG"]), ("$(id)", ["META-SLUG"]),
    ("reference", ["META-SLUG"]), ("whyboard", ["META-SLUG"]),
])
def test_a_team_s_folder_is_a_slug_that_nobody_mistakes(
    team: str, wanted: list[str], world: World,
) -> None:
    assert rules(judged(world, good(team))) == wanted


@pytest.mark.parametrize("name", ["..", ".", ".git", "...", "-", "a\\b"])
def test_a_folder_that_is_a_way_elsewhere_is_refused_and_nothing_is_written_there(
    name: str, world: World,
) -> None:  # row 41: no index takes such a name, but a tree of git may hold it
    made = world.commit(good("0"))
    old, new = b" 0\0", f" {name}\0".encode()
    for path in (f"submissions/{BOARD}", "submissions", ""):
        oid = git(world.origin, "rev-parse", f"{made}:{path}")
        content = subprocess.run(["git", "-C", world.origin, "cat-file", "tree", oid],
                                 capture_output=True, check=True).stdout
        assert old in content
        tree = git(world.origin, "hash-object", "-t", "tree", "-w", "--stdin", "--literally",
                   given=content.replace(old, new))
        old, new = bytes.fromhex(oid), bytes.fromhex(tree)
    head = git(world.origin, "commit-tree", tree, "-p", world.tip, given=b"Way out\n")
    before = sorted(path.name for path in world.folder.iterdir())
    found = judged(world, {}, head=head)
    assert rules(found)[0] == "META-SLUG"
    assert found.reading is not None
    assert not found.reading.ok
    assert sorted(path.name for path in world.folder.iterdir()) == sorted({*before, "files"})


def test_rules_for_git_in_the_folder_change_no_byte_that_is_read(world: World) -> None:  # row 56
    evil = b"* working-tree-encoding=UTF-16 filter=x text eol=crlf ident\n"
    found = judged(world, {**good("mallory"), f"{MINE}/.gitattributes": evil})
    assert rules(found) == ["PR-FILE"]
    assert not found.notes


def test_an_unknown_board_or_split_is_named_with_those_there_are(world: World) -> None:
    place = "submissions/no-board/mallory/a-system"
    [problem] = judged(world, {f"{place}/submission.yaml": META.encode()}).problems
    assert problem.rule == "PR-BOARD"
    assert problem.expected == (
        "one of: " + ", ".join(known_boards(ROOT / "boards")))


def test_the_same_predictions_again_are_refused_and_a_rival_s_are_told(world: World) -> None:
    again = good("alice", "second", mine("alice"))  # row 44
    assert rules(judged(world, again, ALICE)) == ["PR-SAME"]
    copied = judged(world, good("mallory", rows=mine("alice")))
    assert rules(copied) == []
    assert [note.rule for note in copied.notes] == ["PR-COPY"]


def remarked(world: World, number: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the whole verb notes of an open pull request: the rules, and what was found."""
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    told: list[Review] = []
    run(world.clone(f"judge-{number}"), world.event(number), ROOT / "boards",
        world.folder / "home", told.append)
    assert outcome(told[0]) == 0
    assert_inert(markdown(told[0]))
    return [f"{note.rule}: {note.found}" for note in told[0].notes]


def test_only_the_data_of_the_boards_that_are_touched_are_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def silent(board: Board, *_: Any, **__: Any) -> None:
        asked.append(board.id)
        raise DataError("no host answers")

    monkeypatch.setattr("scorer.board.fetching.fetch", silent)
    remarked(world, world.open(good("bob")), monkeypatch)
    assert asked == []
    other = {path.replace(BOARD, "explagraphs"): content
             for path, content in good("bob", rows=b"support\n").items()}
    told: list[Review] = []
    run(world.clone("other"), world.event(world.open(other)), ROOT / "boards",
        world.folder / "home", told.append)
    assert asked == ["explagraphs"]
    assert rules(told[0]) != []


def named(team: str, name: str, rows: bytes | None = None) -> dict[str, bytes]:
    """A submission of a team that calls itself so."""
    files = good(team, rows=rows)
    path = f"{folder_of(team)}/submission.yaml"
    return {**files, path: files[path].replace(b"team: A team", f"team: {name}".encode())}


def test_a_copy_of_an_open_pull_request_is_told_of_both(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = world.open(named("bob", "Bob"), author=1003)
    second = world.open(named("mallory", "Mallory", mine("bob")), MALLORY)
    assert remarked(world, second, monkeypatch) == [
        "PR-COPY: the same bytes as in pull request 1, opened before this one"]
    assert remarked(world, first, monkeypatch) == [
        "PR-COPY: the same bytes as in pull request 2, opened after this one"]
    world.merge(second)
    world.pulls[first]["base"] = world.tip
    assert remarked(world, first, monkeypatch) == [
        "PR-COPY: the same bytes as submissions/explagraphs-practice/mallory/a-system/"
        "predictions.dev.tsv"], "that it was copied there, nobody can see from the files"


def test_only_the_newest_fifty_other_pull_requests_are_compared(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in range(51):
        world.open(good("bob" if number < 2 else f"team-{number}"))
    last = world.open(named("mallory", "Mallory", mine("bob")), MALLORY)
    assert remarked(world, last, monkeypatch) == [
        "PR-COPY: the same bytes as in pull request 2, opened before this one"]


def test_other_pull_requests_that_take_too_long_to_fetch_are_left_aside(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.open(named("bob", "Bob"), author=1003)
    monkeypatch.setattr(flags, "WITHIN", 0.0)
    second = world.open(named("mallory", "Mallory", mine("bob")), MALLORY)
    assert remarked(world, second, monkeypatch) == []


def test_files_of_other_pull_requests_stay_where_they_are(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.open(good("bob", rows=b"support\t(a; b; c)\n" * 40))
    oid = git(world.origin, "hash-object", "--stdin", given=b"support\t(a; b; c)\n" * 40)
    second = world.open(named("mallory", "Mallory"), MALLORY)
    assert remarked(world, second, monkeypatch) == []
    assert not Repository(world.folder / f"judge-{second}").has(oid)


@pytest.mark.parametrize(("team", "name", "said"), [
    ("bob", "The Whyboard authors", "is that of the maintainers"),
    ("bob", "the\u00a0WHYBOARD  authors", "is that of the maintainers"),
    ("bob", "The Whyb\u043eard auth\u043ers", "looks like that of the maintainers"),
    ("bob", "Refer\u0435nce", "looks like that of the maintainers"),
    ("bob", "Al\u0456ce", "looks like that of the team alice"),
    ("a1ice", "Somebody", "looks like that of the team alice"),
    ("bob", "ANLI", "is that of the board anli"),
])
def test_a_name_that_is_taken_or_looks_like_another_is_told(
    team: str, name: str, said: str, world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    [note] = remarked(world, world.open(named(team, name), MALLORY), monkeypatch)
    assert note == f"PR-NAME: the name {name!a} in the folder {team} {said}"


def test_two_teams_of_one_name_are_told_and_a_team_of_its_own_name_is_not(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.merge(world.open(named("bob", "Group of three"), author=1003))
    world.merge(world.open(named("carol", "Group of three"), author=1004))
    other = world.open(named("mallory", "group of  Three"), MALLORY)
    assert remarked(world, other, monkeypatch) == [
        f"PR-NAME: the name 'group of  Three' in the folder mallory is that of the team {team}"
        for team in ("bob", "carol")], "two of the very bytes in submission.yaml are two teams"
    again = {path.replace("a-system", "another"): content.replace(b"(bob ", b"(BOB ")
             for path, content in named("bob", "Group of three").items()}
    assert remarked(world, world.open(again, author=1003), monkeypatch) == [
        "PR-NAME: the name 'Group of three' in the folder bob is that of the team carol"]


def test_five_thousand_files_are_refused_at_once(world: World) -> None:  # row 43
    files = {f"{MINE}/{number}.tsv": b"x" for number in range(5000)}
    found = judged(world, {**good("mallory"), **files})
    assert found.total == 5000
    assert len(found.problems) == 50
    assert "The first 50 of 5000 are shown." in markdown(found)


def test_a_file_of_many_faults_is_told_by_their_number(world: World) -> None:
    rows = b"maybe\t(a; b)\n" * 40  # row 57
    found = judged(world, good("mallory", rows=rows))
    assert rules(found) == ["TSV-LABEL"]
    assert found.total == 40


@pytest.mark.parametrize(("change", "words"), [
    (gzip.compress, "1:1` **TSV-ENCODING** `a gzip file`; expected `UTF-8 text`; "
     "`unpack it: gunzip FILE.gz`"),
    (lambda rows: rows.replace(b"\n", b"\t\n"), "1:1` **TSV-FORM** `a tab at the end of 40 of 40 "
     "lines`; expected `2 columns (stance, graph) and nothing else`; "),
    (lambda rows: b"maybe\t(a; b)\n" * 40, "1:1` **TSV-LABEL** `stance 'maybe'`; expected "
     "`'support' or 'counter'`; `write the label exactly as listed` (in all 40 rows)"),
], ids=["gzip", "a tab too many", "the same label"])
def test_a_fault_of_every_row_is_told_once_in_the_words_of_check(
    change: Callable[[bytes], bytes], words: str, world: World
) -> None:
    told = markdown(judged(world, good("mallory", rows=change(mine("mallory")))))
    [line] = [line for line in told.splitlines() if "**TSV-" in line]
    assert line.startswith(f"- `{MINE}/predictions.dev.tsv:{words}")


def test_of_each_rule_the_first_five_faults_are_told_or_one_of_every_row(world: World) -> None:
    rows = b"".join(b"maybe %d\t(a; b)\n" % number for number in range(40))
    told = markdown(judged(world, good("mallory", rows=rows)))
    assert told.count("**TSV-LABEL** `stance") == 1
    assert "(TSV-LABEL in all 40 rows)\n" in told
    told = markdown(judged(world, good("mallory", rows=rows.replace(b"maybe 0", b"counter"))))
    assert told.count("**TSV-LABEL** `stance") == 5
    assert "\n- 34 more TSV-LABEL\n" in told


def test_text_that_is_alive_elsewhere_is_dead_in_a_summary(world: World) -> None:  # rows 31 to 35
    for evil in (b"<img src=x onerror=alert(1)>", b"[x](javascript:alert(1))", b"@org/team",
                 b"```", b"--> fixes #1", b"::stop-commands::x", b"##[group]x", b"EOF",
                 b"${{ secrets.X }}", b"`id`"):
        found = judged(world, good("mallory", rows=evil + b"\t(a; b; c)\n" * 40))
        assert "TSV-LABEL" in rules(found)


def test_history_does_not_matter_only_what_would_be_merged(world: World) -> None:  # rows 50, 51
    big = world.commit({**good("mallory"), f"{MINE}/model.bin": b"\0" * 9_000_000})
    files = {f"{MINE}/model.bin": None}
    assert rules(judged(world, {}, head=world.commit(files, parent=big))) == []
    old = world.commit(good("mallory"))
    world.push({"docs/later.md": b"x"})
    assert rules(judged(world, {}, head=old)) == []


def test_a_history_of_its_own_is_refused(world: World) -> None:
    tree = git(world.origin, "rev-parse", f"{world.tip}^{{tree}}")
    orphan = git(world.origin, "commit-tree", tree, given=b"Orphan\n")
    [problem] = judged(world, {}, head=orphan).problems
    assert (problem.rule, problem.advice) == (
        "PR-BASE", "open it for the main branch, from a branch made from that")


def tied(world: World, tree: str, *parents: str) -> str:
    """A merge commit that has the tree of a commit, whatever its parents have."""
    words = [word for parent in parents for word in ("-p", parent)]
    return git(world.origin, "commit-tree", f"{tree}^{{tree}}", *words, given=b"Tie\n")


def merge(world: World, head: str) -> str:
    """Merge a commit as the button does; returns the main branch's new tip."""
    place = world.clone("button")
    git(place, "fetch", "--quiet", "origin", head)
    git(place, "merge", "--quiet", "--no-ff", "--message=Merge", "FETCH_HEAD")
    git(place, "push", "--quiet", "origin", "HEAD:main")
    return world.tip


@pytest.mark.claim("A pull request is judged by what merging it would do.")
@pytest.mark.parametrize("victim", [
    f"{folder_of('carol')}/predictions.dev.tsv", "scorer/ci/policy.py",
    f"boards/{BOARD}/board.yaml"])
def test_crossed_histories_cannot_take_back_what_was_merged(world: World, victim: str) -> None:
    """The branch has an older head, merged later, and a newer commit of main for parents."""
    start = world.tip
    newer = world.push({victim: b"new\n"}, parent=start)
    older = world.commit(good("bob"), parent=start)
    git(world.origin, "update-ref", "refs/pull/1/head", older)
    head = tied(world, world.commit(good("mallory"), parent=older), older, newer)
    git(world.origin, "update-ref", "refs/pull/2/head", head)
    base = merge(world, older)
    assert len(Repository(world.origin).merge_bases(base, head)) == 2
    found = judged(world, {}, head=head)
    assert rules(found) == ["PR-CROSSED"]
    assert "2 commits at which it left the main branch" in found.problems[0].found
    merge(world, head)  # what a person who overlooks it would do
    there = git(world.origin, "ls-tree", "-r", "main", "--", victim)
    assert git(world.origin, "ls-tree", "-r", newer, "--", victim) != there


def test_a_check_stays_true_if_an_older_head_of_the_branch_is_merged_first(world: World) -> None:
    start = world.tip
    older = world.commit(good("bob"), parent=start)
    head = tied(world, world.commit(good("mallory"), parent=start), older, start)
    git(world.origin, "update-ref", "refs/pull/1/head", older)
    git(world.origin, "update-ref", "refs/pull/2/head", head)
    [problem] = judged(world, {}, head=head).problems
    assert (problem.rule, problem.found) == (
        "PR-HISTORY", f"commit {older[:12]}, which holds more than that")
    merge(world, older)
    merge(world, head)  # had the check been green, bob's submission would be gone now
    assert git(world.origin, "ls-tree", "main", "--", folder_of("bob")) == ""


SECOND_SPLIT = {f"{folder_of('mallory', 'first')}/predictions.test.tsv":
                GOLD.with_name("predictions.test.tsv").read_bytes().replace(b"(", b"(my ", 1)}


@pytest.mark.parametrize("path", [f"{folder_of('carol')}/predictions.dev.tsv",
                                  "scorer/ci/policy.py"])
def test_a_commit_with_what_main_has_cannot_be_merged_first_and_undone(
    world: World, path: str,
) -> None:
    """The branch left main before ``path`` came there; its first commit has it, its head not."""
    start, there = world.tip, {path: b"new\n"}
    gone = {path: world.file(path) if path.startswith("scorer") else None}
    world.push(there, parent=start)
    first = world.commit({**there, **good("mallory", "first")}, parent=start)
    assert rules(judged(world, {}, head=first)) == []
    head = world.commit({**gone, **SECOND_SPLIT}, parent=first)
    assert rules(judged(world, {}, head=head)) == ["PR-HISTORY"]


def test_a_branch_without_a_submission_cannot_undo_one_that_is_merged_first(world: World) -> None:
    start = world.tip
    bob = world.commit(good("bob"), parent=start)
    for files in ({"docs/typo.md": b"x"}, {}):
        head = tied(world, world.commit(files, parent=start), bob, start)
        assert rules(judged(world, {}, head=head)) == ["PR-HISTORY"]
    assert rules(judged(world, {"docs/typo.md": b"x"})) == []


def test_who_described_a_first_system_anew_may_go_on_from_the_same_fork(world: World) -> None:
    one = good("mallory", "one")
    first = world.commit(one)
    again = {**one, f"{folder_of('mallory', 'one')}/submission.yaml":
             META.replace("Answers", "Answers well").encode()}
    world.push(one)  # squashed
    world.push(again)
    synced = tied(world, world.tip, first, world.tip)
    head = world.commit(good("mallory", "two"), parent=synced)
    assert rules(judged(world, {}, head=head)) == []


def test_a_pull_request_for_another_branch_is_refused_until_it_is_for_main(world: World) -> None:
    event = world.event(world.open(good("mallory"), MALLORY))
    assert request(event).for_main
    event["pull_request"]["base"]["ref"] = "cleanup"
    asked = request(event)
    found = validate(Repository(world.origin), asked, ROOT / "boards", world.folder / "home",
                     world.folder)
    assert [problem.rule for problem in found.problems] == ["PR-BASE"]


def test_a_branch_that_follows_the_main_branch_is_fine(world: World) -> None:
    first = world.commit(good("mallory"))
    world.push({"docs/later.md": b"x"})
    both = world.commit(good("mallory"))
    assert rules(judged(world, {}, head=tied(world, both, first, world.tip))) == []


def test_who_works_on_from_a_branch_that_was_squashed_is_fine(world: World) -> None:
    first = world.commit(good("mallory"))
    world.push(good("mallory"))
    head = world.commit(good("mallory", "second"), parent=first)
    assert rules(judged(world, {}, head=head)) == []


def test_what_a_branch_held_between_is_refused_with_a_way_out(world: World) -> None:
    detour = world.commit({**good("mallory"), "docs/x.md": b"x"})
    found = judged(world, {}, head=world.commit({"docs/x.md": None}, parent=detour))
    [problem] = found.problems
    assert (problem.rule, problem.advice) == (
        "PR-HISTORY",
        "make a new branch from the main branch and add your files in one commit")


def test_a_branch_of_too_many_commits_is_refused(world: World) -> None:
    head = world.commit(good("mallory"))
    for number in range(merging.MOST_COMMITS - 1):
        head = world.commit({f"{MINE}/predictions.test.tsv": b"%d" % number}, head)
    head = world.commit({f"{MINE}/predictions.test.tsv": None}, head)
    assert rules(judged(world, {}, head=head)) == ["PR-HISTORY"]


def test_a_branch_that_conflicts_is_refused(world: World) -> None:
    head = world.commit(good("mallory"))
    other = good("mallory", rows=mine("mallory", "other"))
    world.push(other)
    assert rules(judged(world, {}, head=head)) == ["PR-CONFLICT"]


def test_a_git_that_is_too_old_to_merge_is_named(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = shutil.which("git")
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\ncase "$*" in *merge-tree*) exit 129;; esac\nexec {real} "$@"\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(DataError, match=r"install git 2\.38 or newer"):
        judged(world, good("mallory"))


def test_a_team_that_maintainers_began_takes_no_stranger_s_system(world: World) -> None:
    world.push(good("lab"))
    with world.github():
        asked = GitHub(world.api, "o/r", "t", pause=0.01)
        [problem] = judged(world, good("lab", "second"), github=asked).problems
        assert (problem.rule, problem.found) == (
            "PR-OWNER", "the team 'lab' that only maintainers write")
        withdrawal = {f"{folder_of('lab')}/submission.yaml": (META + "withdrawn: Ha.\n").encode()}
        assert rules(judged(world, withdrawal, github=asked)) == ["PR-IMMUTABLE", "PR-OWNER"]
        assert rules(judged(world, good("lab", "second"), github=asked, trusted=True)) == []


def test_a_path_that_was_removed_stays_its_team_s(world: World) -> None:
    with world.github():
        asked = GitHub(world.api, "o/r", "t", pause=0.01)
        world.merge(world.open(good("carol"), 1003))
        world.push(dict.fromkeys(good("carol")))
        assert rules(judged(world, good("carol"), MALLORY, github=asked)) == ["PR-OWNER"]
        assert rules(judged(world, good("carol"), 1003, github=asked)) == []


def test_other_predictions_never_come_to_a_place_where_some_were_accepted(world: World) -> None:
    path = f"{MERGED}/predictions.dev.tsv"
    line = {"schema": 1, "event": "accepted", "board": BOARD, "team": "alice",
            "system": "a-system", "split": "dev", "commit": world.tip,
            "predictions": sha256(mine("alice"))}
    world.push({path: None, f"ledger/{BOARD}.jsonl": json.dumps(line).encode() + b"\n"})
    assert rules(judged(world, {path: mine("alice", "other")}, ALICE)) == ["PR-IMMUTABLE"]
    assert rules(judged(world, {path: mine("alice")}, ALICE)) == []


def test_a_blob_too_large_to_be_submitted_never_leaves_the_server(world: World) -> None:
    number = world.open({**good("mallory"), f"{MINE}/predictions.test.tsv": b"\0" * 9_000_000})
    place = world.clone("checkout")
    head = world.pulls[number]["head"]
    asked = Request(number, world.tip, head, PullContext(MALLORY))
    bring(Repository(place), asked)
    blob = git(world.origin, "rev-parse", f"{head}:{MINE}/predictions.test.tsv")
    assert not Repository(place).has(blob)
    found = validate(Repository(place), asked, ROOT / "boards", place / "home", world.folder / "f")
    assert rules(found) == ["PR-SIZE"]


def test_a_commit_that_was_pushed_over_is_left_to_the_newer_run(world: World) -> None:
    number = world.open(good("mallory"))
    asked = Request(number, world.tip, "1" * 40, PullContext(MALLORY))
    with pytest.raises(TryAgain, match="pushed again; the newer run judges it"):
        bring(Repository(world.clone("checkout")), asked)


def test_maintainers_may_change_merged_files_on_a_marked_branch_of_their_own(world: World) -> None:
    files = {f"{MERGED}/predictions.dev.tsv": mine("new"), "scorer/x.py": b"x"}
    assert rules(judged(world, files, trusted=True)) == []
    number = world.open(files)
    event = world.event(number, labels=[{"name": "maintenance"}])
    assert not request(event).pull.trusted  # a fork's, whoever set the label
    event["pull_request"]["head"]["repo"]["id"] = 1
    assert request(event).pull.trusted
    event["pull_request"]["labels"] = []
    assert not request(event).pull.trusted


@pytest.mark.parametrize("event", [
    {}, {"pull_request": []}, {"pull_request": {"number": "1"}},
    {"pull_request": {"number": 1, "base": {"sha": "--upload-pack=x"}, "head": {"sha": "HEAD"}}},
])
def test_an_event_about_something_else_is_refused(event: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="not about a pull request"):
        request(event)


@pytest.mark.slow
def test_three_hundred_megabytes_are_refused_in_little_memory(world: World) -> None:
    blob = world.folder / "blob"
    with blob.open("wb") as file:
        file.truncate(300_000_000)
    oid = git(world.origin, "hash-object", "-w", str(blob))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = judged(world, {**good("mallory"), f"{MINE}/predictions.test.tsv": ("100644", oid)})
    assert rules(found) == ["PR-SIZE"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_every_rule_of_pull_requests_has_a_case_here() -> None:
    here = Path(__file__).read_text("utf-8")
    assert [rule for rule in CATALOGUE if rule.startswith("PR-") and rule not in here] == []
