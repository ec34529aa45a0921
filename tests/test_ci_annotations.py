"""Pull requests of annotators, as real git objects: whose files, which batches, and what else."""

import json
import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from scorer.core.errors import DataError
from scorer.people import batches
from scorer.people.records import CountedFile, Origin
from scorer.people.rules import MOST_BYTES
from scorer.people.validate import Workplace
from scorer.pipeline.ci import answers, runner
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.owners import Owner
from scorer.pipeline.ci.review import Review
from scorer.pipeline.ci.validate import PullRequest
from tests.annotation_world import CSK_ROWS, SHA, batch, made, sheet
from tests.ci_world import Runner, World, git, good
from tests.fuzz_helpers import RUNNER_COMMAND

pytestmark = pytest.mark.slow
CSK, STANCE = "annotations/csk/c1", "annotations/stance/s1"
BATCH, KEY = "annotations/batches/c1.json", "annotations/batches/v1.key.json"
CLOSING = "annotations/batches/c1.closed.json"
PEOPLE = "annotations/annotators.yml"


class Place:
    """A repository with batches, a key and three files of answers, and its digests."""

    def __init__(self, world: World, workplace: Workplace) -> None:
        self.world, self.workplace = world, workplace

    def answers(self, who: str, kind: str = "csk", name: str = "c1", *rows: str,
                **changed: str) -> bytes:
        """A sound file, unless something is changed."""
        rows = rows or (CSK_ROWS if kind == "csk" else ("a1\tsupport", "b2\tneutral"))
        found, _ = self.workplace.batch(name)
        assert found is not None
        return sheet(kind, name, *rows, annotator=who, **changed).replace(
            SHA, found.sha256).encode()


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
    place.world.push({
        **files, "README.md": b"A board.\n", f"{CSK}/ann.tsv": place.answers("ann"),
        **{f"{STANCE}/{who}.tsv": place.answers(who, "stance", "s1") for who in ("ann", "bob")}})
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


def closing_of(place: Place, name: str = "c1") -> bytes:
    """What closes a batch without answers."""
    batch, _ = place.workplace.batch(name)
    assert batch is not None
    return batches.closing_content(batch, [])


# ---- what is accepted ----------------------------------------------------------------------


def test_an_annotator_hands_in_a_file_of_their_own(place: Place) -> None:
    found = judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory")}, "Mallory")
    assert (found.total, found.applies, found.notes) == (0, True, [])
    assert answers.markdown(found).startswith("## These annotations can be accepted\n")


def test_an_annotator_changes_and_takes_back_a_file_of_an_open_batch(place: Place) -> None:
    changed = place.answers("ann", "csk", "c1", "b2\t2\tn", CSK_ROWS[0])
    assert judged(place, {f"{CSK}/ann.tsv": changed}, "ann").total == 0
    assert judged(place, {f"{CSK}/ann.tsv": None}, "ann").total == 0


def test_a_pull_request_without_annotations_is_none_of_its_business(place: Place) -> None:
    found = judged(place, {"README.md": b"x"})
    assert (found.total, found.applies) == (0, False)
    assert "changes nothing below `annotations/`" in answers.markdown(found)


def test_a_branch_from_before_other_answers_were_merged_is_judged_by_the_merge(
    place: Place,
) -> None:
    mine = place.world.commit({f"{CSK}/mallory.tsv": place.answers("mallory")})
    place.world.push({f"{CSK}/zoe.tsv": place.answers("zoe")})
    found = judged(place, {}, head=mine)
    assert (found.total, found.applies) == (0, True)


def test_answers_to_a_batch_that_was_closed_meanwhile_are_refused(place: Place) -> None:
    mine = place.world.commit({f"{CSK}/mallory.tsv": place.answers("mallory")})
    place.world.push({CLOSING: closing_of(place)})
    assert rules(judged(place, {}, head=mine)) == ["ANN-BATCH-CLOSED"]


# ---- what is refused -----------------------------------------------------------------------

Files = Callable[[Place], dict[str, Any]]
REFUSED: dict[str, tuple[Files, list[str]]] = {
    "another's file is changed": (lambda p: {f"{CSK}/ann.tsv": p.answers("ann", "csk", "c1",
                                                                        CSK_ROWS[1])},
                                  ["ANN-AUTHOR"]),
    "another's file is new": (lambda p: {f"{CSK}/zoe.tsv": p.answers("zoe")}, ["ANN-AUTHOR"]),
    "another's file is deleted": (lambda p: {f"{CSK}/ann.tsv": None}, ["ANN-AUTHOR"]),
    "another's file is deleted after closing": (
        lambda p: {f"{STANCE}/bob.tsv": None}, ["ANN-AUTHOR"]),
    "another's file gets one's own name": (
        lambda p: {f"{CSK}/ann.tsv": None, f"{CSK}/mallory.tsv": p.answers("ann")},
        ["ANN-AUTHOR", "ANN-ANNOTATOR"]),
    "another's file becomes a folder": (
        lambda p: {f"{CSK}/ann.tsv": None, f"{CSK}/ann.tsv/mallory.tsv": p.answers("mallory")},
        ["ANN-AUTHOR", "ANN-PATH"]),
    "another's name in one's own file": (
        lambda p: {f"{CSK}/mallory.tsv": p.answers("ann")}, ["ANN-ANNOTATOR"]),
    "the batch is closed": (
        lambda p: {f"{STANCE}/mallory.tsv": p.answers("mallory", "stance", "s1")},
        ["ANN-BATCH-CLOSED"]),
    "an older batch": (lambda p: {f"{CSK}/mallory.tsv": p.answers("mallory", batch_sha256="0" * 64)
                                  }, ["ANN-BATCH-CHANGED"]),
    "a batch of training": (
        lambda p: {"annotations/stance/t1/mallory.tsv": p.answers(
            "mallory", "stance", "t1", "a1\tsupport")}, ["ANN-BATCH-TRAINING"]),
    "no such batch": (lambda p: {"annotations/csk/c9/mallory.tsv": p.answers("mallory")},
                      ["ANN-BATCH", "ANN-BATCH"]),
    "a megabyte and a byte": (lambda p: {f"{CSK}/mallory.tsv": b"x" * (MOST_BYTES + 1)},
                              ["ANN-SIZE"]),
    "bytes that are no text": (lambda p: {f"{CSK}/mallory.tsv": b"\xff\xfe"}, ["ANN-ENCODING"]),
    "a symbolic link": (lambda p: {f"{CSK}/mallory.tsv": ("120000", b"ann.tsv")}, ["ANN-LINK"]),
    "a link out of the repository": (
        lambda p: {f"{CSK}/mallory.tsv": ("120000", b"/etc/passwd")}, ["ANN-LINK"]),
    "a link as the folder": (lambda p: {"annotations/csk/c2": ("120000", b"c1")}, ["ANN-PATH"]),
    "a link as the batch": (lambda p: {"annotations/batches/c2.json": ("120000", b"c1.json")},
                            ["ANN-MIXED"]),
    "a submodule": (lambda p: {f"{CSK}/mallory.tsv": ("160000", "1" * 40)}, ["ANN-LINK"]),
    "another kind of file": (lambda p: {f"{CSK}/mallory.csv": b"x"}, ["ANN-PATH"]),
    "an upper-case name": (lambda p: {f"{CSK}/Mallory.tsv": p.answers("mallory")}, ["ANN-PATH"]),
    "a folder that looks alike": (
        lambda p: {"Annotations/csk/c1/mallory.tsv": p.answers("mallory")}, ["ANN-PATH"]),
    "a name that commands": (lambda p: {"annotations/csk/c1/::error::x\n::.tsv": b"x"},
                             ["ANN-PATH"]),
    "a name that is no text": (lambda p: {"annotations/csk/c1/\udcff.tsv": b"x"}, ["ANN-PATH"]),
    "rulings of an annotator": (
        lambda p: {"annotations/adjudication/s1.tsv": p.answers(
            "mallory", "adjudication", "s1", "a1\t\tlabel\tsupport\tannotator-error")},
        ["ANN-AUTHOR"]),
    "items of a batch": (lambda p: {BATCH: json.dumps(batch("c1", needed=1)).encode()},
                         ["ANN-MIXED"]),
    "a batch is deleted": (lambda p: {BATCH: None}, ["ANN-MIXED"]),
    "a batch is closed": (lambda p: {CLOSING: closing_of(p)}, ["ANN-MIXED"]),
    "a closed batch is opened": (lambda p: {CLOSING.replace("c1", "s1"): None}, ["ANN-MIXED"]),
    "a batch of one's own": (
        lambda p: {BATCH.replace("c1", "c9"): json.dumps(batch("c1", batch="c9")).encode()},
        ["ANN-MIXED"]),
    "a key before the maintainers' own": (
        lambda p: {KEY.replace("v1", "c1"): batches.key_content({}, {})}, ["ANN-MIXED"]),
    "a key is changed": (lambda p: {KEY: b"[]"}, ["ANN-MIXED"]),
    "a form": (lambda p: {"annotations/forms/x.yaml": b"[]\n"}, ["ANN-MIXED"]),
    "names of people": (lambda p: {PEOPLE: b"ann: {simulated: yes}\n"}, ["ANN-MIXED"]),
    "the readme": (lambda p: {"annotations/README.md": b"x"}, ["ANN-MIXED"]),
    "answers with something else": (
        lambda p: {f"{CSK}/mallory.tsv": p.answers("mallory"), "scorer/x.py": b"x"},
        ["ANN-MIXED"]),
    "an executable file": (lambda p: {f"{CSK}/mallory.tsv": ("100755", p.answers("mallory"))},
                           ["ANN-LINK"]),
    "answers under a simulated name": (
        lambda p: {f"{CSK}/simulated-1.tsv": p.answers("simulated-1")}, ["ANN-AUTHOR"]),
    "a role for oneself": (
        lambda p: {PEOPLE: b"zoe: {roles: [csk]}\nmallory: {roles: [csk]}\n",
                   f"{CSK}/zoe.tsv": p.answers("zoe")}, ["ANN-MIXED", "ANN-AUTHOR"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_changes_are_refused(case: str, unchanged: Place) -> None:
    files, wanted = REFUSED[case]
    assert rules(judged(unchanged, files(unchanged))) == wanted


def test_answers_of_a_batch_stay_once_it_is_closed(place: Place) -> None:
    [problem] = judged(place, {f"{STANCE}/bob.tsv": None}, "bob").problems
    assert (problem.rule, "Ask a maintainer" in problem.found) == ("ANN-BATCH-CLOSED", True)


def test_a_batch_that_is_changed_with_the_answers_does_not_judge_them(place: Place) -> None:
    changed = deepcopy(batch("c1", batch="c3"))
    place.world.push({"annotations/batches/c3.json": json.dumps(changed).encode()})
    changed["items"][1]["premise"] = "Dogs bark."
    files = place.world.folder / "other"
    (files / "batches").mkdir(parents=True)
    (files / "batches" / "c3.json").write_text(json.dumps(changed))
    mine = Place(place.world, Workplace(files)).answers("mallory", "csk", "c3")
    found = judged(place, {"annotations/batches/c3.json": json.dumps(changed).encode(),
                           "annotations/csk/c3/mallory.tsv": mine})
    assert rules(found) == ["ANN-MIXED", "ANN-BATCH-CHANGED"]


def test_what_the_main_branch_took_back_does_not_come_again_by_the_same_branch(
    place: Place,
) -> None:
    head = place.world.commit({f"{CSK}/mallory.tsv": place.answers("mallory"), PEOPLE: b"{}\n"})
    place.world.push({PEOPLE: b"{}\n"})
    assert rules(judged(place, {}, head=head)) == ["ANN-MIXED"]


def test_a_submission_with_answers_is_refused(place: Place) -> None:
    found = judged(place, {**good("mallory"), f"{CSK}/mallory.tsv": place.answers("mallory")})
    assert {*rules(found)} == {"ANN-MIXED"}


def test_a_branch_that_conflicts_is_refused(place: Place) -> None:
    mine = place.world.commit({f"{CSK}/ann.tsv": b"1"})
    place.world.push({f"{CSK}/ann.tsv": b"2"})
    assert rules(judged(place, {}, "ann", head=mine)) == ["PR-CONFLICT"]


def test_many_faults_are_counted_and_fifty_told(place: Place) -> None:
    found = judged(place, {f"{CSK}/z{number}.tsv": b"x" for number in range(60)})
    assert (len(found.problems), found.total) == (50, 60)
    assert "The first 50 of 60 are shown." in answers.markdown(found)


def test_a_flood_of_files_is_not_read(place: Place) -> None:
    found = judged(place, {f"annotations/csk/c{number}/mallory.tsv": b"x"
                           for number in range(90, 90 + answers.MOST_FILES + 1)})
    assert found.problems[0].rule == "ANN-MANY"
    assert f"{CSK[:-1]}{90 + answers.MOST_FILES}" not in {one.path for one in found.problems}


def test_a_person_who_is_marked_as_simulated_hands_nothing_in(place: Place) -> None:
    place.world.push({PEOPLE: b"mallory: {simulated: yes}\n"})
    assert rules(judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory")})) == [
        "ANN-SIMULATED"]


# ---- maintainers' own pull requests --------------------------------------------------------


def test_maintainers_close_batches_make_others_and_bring_answers_of_others(place: Place) -> None:
    new = json.dumps(batch("c1", batch="c2")).encode()
    files = {CLOSING: closing_of(place), BATCH.replace("c1", "c2"): new, "README.md": b"x",
             "annotations/csk/c2/zoe.tsv": Place(place.world, _with(place, "c2", new)).answers(
                 "zoe", "csk", "c2")}
    found = judged(place, files, own=True)
    assert (found.total, [note.rule for note in found.notes]) == (0, ["ANN-W-LATE"] * 3)


def _with(place: Place, name: str, content: bytes) -> Workplace:
    """A folder with one batch alone."""
    folder = place.world.folder / "alone"
    (folder / "batches").mkdir(parents=True)
    (folder / f"batches/{name}.json").write_bytes(content)
    return Workplace(folder)


MISTAKES: dict[str, tuple[Files, str, str]] = {
    "another item under answers": (
        lambda p: {BATCH: json.dumps(batch("c1", needed=1)).encode()}, "ANN-BATCH-CHANGED", ""),
    "a batch without its answers": (lambda p: {BATCH: None}, "ANN-BATCH", ""),
    "a faulty batch": (lambda p: {"annotations/batches/c2.json": b"{}"}, "META-FIELD", ""),
    "a faulty key": (lambda p: {KEY: b"[]"}, "META-VALUE", ""),
    "a key that is not the batch's": (
        lambda p: {KEY: batches.key_content({item: Origin(source="b-dev:9") for item in (
            "a1", "b2")}, {batches.SEED: "1"})}, "META-VALUE", "a key with SHA-256"),
    "answers that counted are gone": (
        lambda p: {CLOSING: batches.closing_content(p.workplace.batch("c1")[0], [  # type: ignore[union-attr]
            CountedFile("gone", "0" * 64)])}, "META-VALUE", "answers of gone"),
    "a faulty form": (lambda p: {"annotations/forms/x.yaml": b"[]\n"}, "META-VALUE", ""),
    "faulty names of people": (lambda p: {PEOPLE: b"ann: {roles: x}\n"}, "META-VALUE", ""),
    "a link": (lambda p: {f"{CSK}/zoe.tsv": ("120000", b"ann.tsv")}, "ANN-LINK", ""),
    "another kind of file": (lambda p: {f"{CSK}/zoe.csv": b"x"}, "ANN-PATH", ""),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_honest_mistakes_of_maintainers_are_found(unchanged: Place, case: str) -> None:
    files, rule, text = MISTAKES[case]
    found = judged(unchanged, files(unchanged), own=True)
    assert any(one.rule == rule and text in one.found for one in found.problems)


def test_a_main_branch_with_a_faulty_form_is_not_the_annotators_fault(place: Place) -> None:
    place.world.push({"annotations/forms/x.yaml": b"kind: [\n"})
    with pytest.raises(DataError, match=r"x\.yaml"):
        judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory")})


# ---- the workflow itself -------------------------------------------------------------------


def test_faults_stand_beside_their_lines(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ("a1\t1\ty\t::error::x\t", "b2\t2\tn")
    found = judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory", "csk", "c1", *rows)})
    capsys.readouterr()
    runner.annotate(found.problems)
    told = capsys.readouterr().out.splitlines()
    assert told
    assert all(line.startswith(f"::error file={CSK}/mallory.tsv,line=8,col=1,title=CSK-")
               for line in told)
    assert all(";" not in line[-2:] for line in told), "no empty parts"
    assert not [line for line in told if RUNNER_COMMAND.search(line[2:])]


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
    number = world.open({f"{CSK}/zoe.tsv": place.answers("zoe"), **evil})
    event = world.event(number, user={"id": 1, "login": "mallory"})
    ran = Runner(world, processes=True).job("annotations.yml", "annotations", event)
    assert ran.codes == [2]
    assert "::error file=annotations/csk/c1/zoe.tsv,line=1,col=1,title=ANN-AUTHOR::" in ran.log
    assert "ANN-AUTHOR" in ran.summary
    assert "ANN-MIXED" in ran.summary
    own = world.event(number, user={"id": 1, "login": "mallory"})
    own["pull_request"]["head"]["repo"] = own["pull_request"]["base"]["repo"] = {"id": 7}
    assert Runner(world).job("annotations.yml", "annotations", own).codes == [0]
