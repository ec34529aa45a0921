"""Pull requests of annotators, as real git objects: whose files, which batches, and what else.

Those without a history stand in ``cases/annotations/pulls.yaml``.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from scorer.core.errors import DataError
from scorer.people import organisers
from scorer.people.validate import Workplace
from scorer.pipeline.ci import answers
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.pull import Owner, PullRequest
from scorer.pipeline.ci.validate import Review
from tests.annotation_world import CSK_ROWS, SHA, batch, cases, expanded, made, sheet, sound
from tests.ci_world import Runner, World, git

pytestmark = pytest.mark.slow
CSK, STANCE = "annotations/csk/c1", "annotations/stance/s1"
CLOSING = "annotations/batches/c1.closed.json"
PEOPLE = "annotations/annotators.yml"
PULLS = cases("pulls")["strangers"]
VOTES = {"rows": ["a1\tsupport", "b2\tneutral"]}


class Place:
    """A repository with batches, a key and three files of answers, and its digests."""

    def __init__(self, world: World, workplace: Workplace) -> None:
        self.world, self.workplace = world, workplace

    def file(self, path: str, value: Any) -> Any:
        """What a value of ``pulls.yaml`` is as a file of a commit."""
        _, kind, name, *_ = [*path.split("/"), "", ""]
        name = name.partition(".")[0]
        match value:
            case None:
                return None
            case {"link": to}:
                return "120000", to.encode()
            case {"mode": mode}:
                return mode, "1" * 40 if mode == "160000" else b"x"
            case {"by": who}:
                value = sheet(kind, name, *value.get("rows", CSK_ROWS), annotator=who,
                              **value.get("header", {}))
            case {"batch": of}:
                value = json.dumps(batch(of, **{**value, "batch": name}))
            case {"json": document}:
                value = json.dumps(document)
        found, _ = self.workplace.batch(name)
        return os.fsencode(expanded(value).replace(SHA, found.sha256 if found else "0" * 64))

    def answers(self, who: str, folder: str = CSK, **more: Any) -> dict[str, bytes]:
        """Somebody's sound answers, at their path."""
        path = f"{folder}/{who}.tsv"
        return {path: self.file(path, {"by": who, **more})}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("annotated")
    place = Place(World(folder, folder / "origin.git"), made(folder / "files"))
    origin = place.world.origin
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    git(origin, "config", "uploadpack.allowFilter", "true")
    tree = git(origin, "hash-object", "-w", "-t", "tree", "--stdin")
    git(origin, "update-ref", "refs/heads/main",
        git(origin, "commit-tree", tree, stdin=b"Start\n"))
    files = {path.relative_to(folder / "files").as_posix(): path.read_bytes()
             for path in place.workplace.every_path()}
    place.world.push({**files, "README.md": b"A board.\n", **place.answers("ann"),
                      **place.answers("ann", STANCE, **VOTES),
                      **place.answers("bob", STANCE, **VOTES)})
    return folder


@pytest.fixture
def place(origin: Path, tmp_path: Path) -> Place:
    return Place(World.of(origin / "origin.git", tmp_path),
                 Workplace(origin / "files" / "annotations"))


@pytest.fixture(scope="module")
def unchanged(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The same, for tests that only open pull requests."""
    return Place(World.of(origin / "origin.git", tmp_path_factory.mktemp("unchanged")),
                 Workplace(origin / "files" / "annotations"))


def judged(place: Place, files: dict[str, Any], login: str = "mallory", *,
           own: bool = False, head: str | None = None) -> Review:
    """Judge a commit as a pull request; what is told of it is inert."""
    head = head or place.world.commit(files)
    pull = PullRequest(1, place.world.tip, head, Owner(login, 1), own)
    found = answers.check(Repository(place.world.origin), pull)
    text = answers.markdown(found)
    assert text.isascii()
    assert tempfile.gettempdir() not in text
    assert not set("<@") & set("".join(text.split("`")[::2]))
    assert bool(found.total) == bool(found.problems)
    return found


def rules(found: Review) -> list[str]:
    return [problem.rule for problem in found.problems]


@pytest.mark.parametrize("what", PULLS)
def test_a_pull_request_breaks_the_rules_of_each_of_its_files(
    unchanged: Place, what: str
) -> None:
    files, wanted = {}, dict[str, set[str]]()
    login, changes = PULLS[what].get("login", "mallory"), PULLS[what].items()
    for path, (value, *broken) in (change for change in changes if change[0] != "login"):
        path = path[1:] if path[0] == "/" else f"annotations/{path}"
        files[path] = unchanged.file(path, value)
        if broken:
            wanted[answers.shown(path)] = {*broken}
    found, by_path = judged(unchanged, files, login), dict[str, set[str]]()
    for problem in found.problems:
        by_path.setdefault(problem.path, set()).add(problem.rule)
    assert (by_path, found.applies) == (wanted, True)
    accepted = answers.markdown(found).startswith("## These annotations can be accepted\n")
    assert accepted == (not wanted)
    assert wanted or not found.notes


# ---- histories -----------------------------------------------------------------------------------


def test_answers_of_a_batch_stay_once_it_is_closed(place: Place) -> None:
    [problem] = judged(place, {f"{STANCE}/bob.tsv": None}, "bob").problems
    assert (problem.rule, "Ask a maintainer" in problem.found) == ("ANN-BATCH-CLOSED", True)


def test_a_pull_request_without_annotations_is_none_of_its_business(place: Place) -> None:
    found = judged(place, {"README.md": b"x"})
    assert (found.total, found.applies) == (0, False)
    assert "changes nothing below `annotations/`" in answers.markdown(found)


def test_a_branch_is_judged_by_its_merge_with_what_came_meanwhile(place: Place) -> None:
    head = place.world.commit(place.answers("mallory"))
    place.world.push(place.answers("zoe"))
    found = judged(place, {}, head=head)
    assert (found.total, found.applies) == (0, True)
    closing = organisers.closing_content(sound(place.workplace, "c1"), [])
    place.world.push({CLOSING: closing})
    assert rules(judged(place, {}, head=head)) == ["ANN-BATCH-CLOSED"]


def test_a_branch_that_conflicts_is_refused(place: Place) -> None:
    head = place.world.commit({f"{CSK}/ann.tsv": b"1"})
    place.world.push({f"{CSK}/ann.tsv": b"2"})
    assert rules(judged(place, {}, "ann", head=head)) == ["PR-CONFLICT"]


def test_a_batch_that_is_changed_with_the_answers_does_not_judge_them(
    place: Place, tmp_path: Path
) -> None:
    path, items = "annotations/batches/c3.json", json.loads(json.dumps(batch("c1")))["items"]
    place.world.push({path: json.dumps(batch("c1", batch="c3", items=items)).encode()})
    items[1]["premise"] = "Dogs bark."
    changed = json.dumps(batch("c1", batch="c3", items=items)).encode()
    (tmp_path / "batches").mkdir()
    (tmp_path / "batches/c3.json").write_bytes(changed)
    there = Place(place.world, Workplace(tmp_path)).answers("mallory", "annotations/csk/c3")
    assert rules(judged(place, {path: changed, **there})) == ["ANN-MIXED", "ANN-BATCH-CHANGED"]


def test_what_the_main_branch_took_back_does_not_come_again_by_the_same_branch(
    place: Place,
) -> None:
    head = place.world.commit({**place.answers("mallory"), PEOPLE: b"{}\n"})
    place.world.push({PEOPLE: b"{}\n"})
    assert rules(judged(place, {}, head=head)) == ["ANN-MIXED"]


def test_a_flood_of_files_is_not_read_and_the_first_faults_are_shown(place: Place) -> None:
    found = judged(place, {f"annotations/csk/c{number}/mallory.tsv": b"x"
                           for number in range(90, 90 + answers.MOST_FILES + 1)})
    assert found.problems[0].rule == "ANN-MANY"
    assert len(found.problems) == 50 < found.total
    assert f"The first 50 of {found.total} are shown." in answers.markdown(found)
    assert f"c{90 + answers.MOST_FILES}" not in str(found.lines)


def test_a_person_who_is_marked_as_simulated_hands_nothing_in(place: Place) -> None:
    place.world.push({PEOPLE: b"mallory: {simulated: yes}\n"})
    assert rules(judged(place, place.answers("mallory"))) == ["ANN-SIMULATED"]


def test_a_branch_of_the_repository_itself_may_change_anything(place: Place) -> None:
    found = judged(place, {CLOSING: b"x", "README.md": b"x", f"{CSK}/zoe.csv": b"x"}, own=True)
    assert (found.total, found.notes, found.applies) == (0, [], True)


def test_a_main_branch_with_a_faulty_form_is_not_the_annotators_fault(place: Place) -> None:
    place.world.push({"annotations/forms/x.yaml": b"kind: [\n"})
    with pytest.raises(DataError, match=r"x\.yaml"):
        judged(place, place.answers("mallory"))


def test_the_lines_of_the_workflow_check_a_pull_request_by_the_program_of_its_base(
    place: Place, seed: Path, tmp_path: Path,
) -> None:
    (tmp_path / "whole").mkdir()
    world = World.of(seed, tmp_path / "whole")
    old = place.world.repository()
    world.push({entry.path: old.blob(entry.oid, 10**7)
                for entry in old.tree(old.commit("origin/main"), "annotations")})
    evil = {"scorer/__init__.py": b"raise SystemExit(0)\n",
            ".github/workflows/annotations.yml": b"on: push\n"}
    number = world.open({**place.answers("zoe"), **evil})
    event = world.event(number, user={"id": 1, "login": "mallory"})
    ran = Runner(world, processes=True).job("annotations.yml", "annotations", event)
    assert ran.codes == [2]
    assert "::error file=annotations/csk/c1/zoe.tsv,line=1,col=1,title=ANN-AUTHOR::" in ran.log
    assert "ANN-AUTHOR" in ran.summary
    assert "ANN-MIXED" in ran.summary
    own = world.event(number, user={"id": 1, "login": "mallory"})
    own["pull_request"]["head"]["repo"] = own["pull_request"]["base"]["repo"] = {"id": 7}
    assert Runner(world).job("annotations.yml", "annotations", own).codes == [0]
