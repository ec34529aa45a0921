"""Pull requests of annotators, as real git objects: whose files, which batches, and what else."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.annotations import keys
from scorer.annotations.forms import SHIPPED
from scorer.annotations.keys import Origin
from scorer.annotations.rules import MOST_BYTES
from scorer.annotations.validate import Workplace
from scorer.ci import answers, runner
from scorer.ci.answers import Answered, Author
from scorer.ci.git import Repository
from scorer.errors import DataError
from tests.annotation_world import CSK_ROWS, SHA, batch, made, sheet
from tests.ci_world import Runner, World, git
from tests.fuzz_helpers import RUNNER_COMMAND

pytestmark = pytest.mark.slow
CSK, STANCE = "annotations/csk/c1", "annotations/stance/s1"
BATCH, KEY = "annotations/batches/c1.json", "annotations/batches/v1.key.json"
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
        git(origin, "commit-tree", tree, given=b"Start\n"))
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


def judged(place: Place, files: dict[str, Any], login: str = "mallory", *,
           on_behalf: bool = False, head: str | None = None) -> Answered:
    """Judge a commit as a pull request; what is told of it is inert."""
    folder = place.world.folder / "judged"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    head = head or place.world.commit(files)
    found = answers.check(Repository(place.world.origin), place.world.tip, head,
                          Author(login, on_behalf), folder)
    text = answers.markdown(found)
    assert text.isascii()
    assert str(folder) not in text
    assert not set("<@") & set("".join(text.split("`")[::2]))
    assert bool(found.total) == bool(found.problems)
    return found


def rules(found: Answered) -> list[str]:
    return [problem.rule for problem in found.problems]


def closed(place: Place) -> bytes:
    return json.dumps(batch("c1", status="closed")).encode()


# ---- what is accepted ----------------------------------------------------------------------


def test_an_annotator_hands_in_a_file_of_their_own(place: Place) -> None:
    found = judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory")}, "Mallory")
    assert (found.total, found.answers, found.mixed, found.notes) == (0, 1, False, [])
    assert answers.markdown(found).startswith("## 1 file of answers can be accepted\n")


def test_an_annotator_changes_and_takes_back_a_file_of_an_open_batch(place: Place) -> None:
    changed = place.answers("ann", "csk", "c1", "b2\t2\tn", CSK_ROWS[0])
    assert judged(place, {f"{CSK}/ann.tsv": changed}, "ann").total == 0
    assert judged(place, {f"{CSK}/ann.tsv": None}, "ann").total == 0


def test_a_pull_request_without_annotations_is_none_of_its_business(place: Place) -> None:
    found = judged(place, {"README.md": b"x"})
    assert (found.total, found.answers, found.own) == (0, 0, 0)
    assert "changes nothing below `annotations/`" in answers.markdown(found)


def test_a_branch_from_before_other_answers_were_merged_is_judged_by_the_merge(
    place: Place,
) -> None:
    mine = place.world.commit({f"{CSK}/mallory.tsv": place.answers("mallory")})
    place.world.push({f"{CSK}/zoe.tsv": place.answers("zoe")})
    found = judged(place, {}, head=mine)
    assert (found.total, found.answers) == (0, 1)


def test_answers_to_a_batch_that_was_closed_meanwhile_are_refused(place: Place) -> None:
    mine = place.world.commit({f"{CSK}/mallory.tsv": place.answers("mallory")})
    place.world.push({BATCH: closed(place)})
    assert rules(judged(place, {}, head=mine)) == ["ANN-BATCH-CLOSED"]


def test_maintainers_close_a_batch_and_make_a_new_one(place: Place) -> None:
    new = json.dumps(batch("c1", batch="c2")).encode()
    found = judged(place, {BATCH: closed(place), "annotations/batches/c2.json": new}, "ann")
    assert (found.total, found.own, found.mixed) == (0, 2, False)
    assert [note.rule for note in found.notes] == ["ANN-MIXED", "ANN-MIXED"]


def test_a_closed_batch_with_answers_does_not_open_again(place: Place) -> None:
    place.world.push({BATCH: closed(place)})
    again = {BATCH: json.dumps(batch("c1")).encode()}
    assert rules(judged(place, again)) == ["ANN-BATCH-CLOSED"]
    assert judged(place, again, on_behalf=True).total == 0


# ---- what is refused -----------------------------------------------------------------------

Files = Callable[[Place], dict[str, Any]]
REFUSED: dict[str, tuple[Files, list[str]]] = {
    "another's file is changed": (lambda p: {f"{CSK}/ann.tsv": p.answers("ann", "csk", "c1",
                                                                        CSK_ROWS[1])},
                                  ["ANN-AUTHOR"]),
    "another's file is new": (lambda p: {f"{CSK}/zoe.tsv": p.answers("zoe")}, ["ANN-AUTHOR"]),
    "another's file is deleted": (lambda p: {f"{CSK}/ann.tsv": None}, ["ANN-AUTHOR"]),
    "another's file is deleted after closing": (
        lambda p: {f"{STANCE}/bob.tsv": None}, ["ANN-AUTHOR", "ANN-BATCH-CLOSED"]),
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
    "a link as the folder": (lambda p: {"annotations/csk/c2": ("120000", b"c1")}, ["ANN-LINK"]),
    "a link as the batch": (lambda p: {"annotations/batches/c2.json": ("120000", b"c1.json")},
                            ["ANN-LINK"]),
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
    "items of a batch with answers": (
        lambda p: {BATCH: json.dumps(batch("c1", needed=1)).encode()}, ["ANN-BATCH-CHANGED"]),
    "a batch with answers is deleted": (lambda p: {BATCH: None}, ["ANN-BATCH-CHANGED"]),
    "a faulty batch": (lambda p: {"annotations/batches/c2.json": b"{}"}, ["META-VALUE"]),
    "a key that is none": (lambda p: {KEY: b"[]"}, ["META-VALUE"]),
    "a faulty form": (lambda p: {"annotations/forms/x.yaml": b"[]\n"}, ["META-VALUE"]),
    "faulty names of people": (lambda p: {PEOPLE: b"ann: {roles: x}\n"}, ["META-VALUE"]),
    "a role for oneself": (
        lambda p: {PEOPLE: b"zoe: {roles: [csk]}\nmallory: {roles: [csk]}\n",
                   f"{CSK}/zoe.tsv": p.answers("zoe")}, ["ANN-AUTHOR"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_changes_are_refused(case: str, place: Place) -> None:
    files, wanted = REFUSED[case]
    assert rules(judged(place, files(place))) == wanted


def test_a_batch_that_is_changed_with_the_answers_does_not_judge_them(place: Place) -> None:
    changed = batch("c1", batch="c3")
    place.world.push({"annotations/batches/c3.json": json.dumps(changed).encode()})
    changed["items"][1]["premise"] = "Dogs bark."
    files = place.world.folder / "other"
    (files / "batches").mkdir(parents=True)
    (files / "batches" / "c3.json").write_text(json.dumps(changed))
    mine = Place(place.world, Workplace(files)).answers("mallory", "csk", "c3")
    found = judged(place, {"annotations/batches/c3.json": json.dumps(changed).encode(),
                           "annotations/csk/c3/mallory.tsv": mine})
    assert rules(found) == ["ANN-BATCH-CHANGED"]
    assert found.mixed


def test_a_key_of_a_batch_with_answers_stays_as_it_is(place: Place) -> None:
    key = json.loads(git(place.world.origin, "show", f"main:{KEY}"))
    key["items"]["a1"]["system"] = "mallory/one"
    changed = {KEY: json.dumps(key).encode()}
    found = judged(place, changed)
    assert rules(found) == []
    assert [note.rule for note in found.notes] == ["ANN-MIXED"]
    place.world.push({"annotations/verify/v1/zoe.tsv": place.answers(
        "zoe", "verify", "v1", "a1\tsupport", "b2\tsupport")})
    assert rules(judged(place, changed)) == ["ANN-BATCH-CHANGED"]
    assert rules(judged(place, {KEY: None})) == ["ANN-BATCH-CHANGED"]


def test_a_key_that_is_changed_is_drawn_again(place: Place) -> None:
    key = json.loads(git(place.world.origin, "show", f"main:{KEY}"))
    key["sampled"] = {"labels": "all"}
    found = answers.check(
        Repository(place.world.origin), place.world.tip,
        place.world.commit({KEY: json.dumps(key).encode()}), Author("ann"), place.world.folder,
        lambda form, batch, key: f"{batch.name} {key.sampled}")
    assert [(one.path, one.found) for one in found.problems] == [
        (KEY, "v1 {'labels': 'all'}")]


def test_a_new_batch_is_drawn_again_and_told_once(place: Place) -> None:
    new = {BATCH.replace("c1", "c9"): json.dumps(batch("c1", batch="c9")).encode(),
           KEY.replace("v1", "c9"): keys.content({
               item: Origin(source="b-dev:1", system="team/one") for item in ("a1", "b2")}, {})}
    found = answers.check(
        Repository(place.world.origin), place.world.tip, place.world.commit(new), Author("ann"),
        place.world.folder, lambda form, batch, key: f"{form.kind} {batch.name} {len(key.origins)}")
    assert [(one.path, one.found) for one in found.problems] == [
        ("annotations/batches/c9.key.json", "csk c9 2")]


def test_a_key_that_turns_merged_answers_into_faulty_ones_is_refused(place: Place) -> None:
    key = git(place.world.origin, "show", f"main:{KEY}").encode()
    votes = {f"annotations/verify/v1/{who}.tsv": place.answers(
        who, "verify", "v1", "a1\tsupport", "b2\tsupport") for who in ("ann", "zoe")}
    place.world.push({KEY: None, **votes})
    found = judged(place, {KEY: key})
    assert [(one.rule, one.path) for one in found.problems] == [("ANN-BATCH-CHANGED", KEY)]
    assert "1 file merged before" in found.problems[0].found
    assert judged(place, {KEY: key}, on_behalf=True).total == 0


def test_a_form_that_turns_merged_answers_into_faulty_ones_is_refused(place: Place) -> None:
    form = (SHIPPED / "stance.yaml").read_text("utf-8").replace("kind: stance", "kind: view", 1)
    form = form.replace("folder: stance", "folder: view", 1)
    asked = json.dumps({**batch("s1", batch="w1", kind="view"), "status": "open"}).encode()
    path = place.world.folder / "view/annotations"
    (path / "forms").mkdir(parents=True)
    (path / "batches").mkdir()
    (path / "forms/view.yaml").write_text(form, "utf-8")
    (path / "batches/w1.json").write_bytes(asked)
    rows = Place(place.world, Workplace(path)).answers("ann", "stance", "w1", "a1\tsupport")
    place.world.push({"annotations/forms/view.yaml": form.encode(),
                      "annotations/batches/w1.json": asked, "annotations/view/w1/ann.tsv": rows})
    name = "annotations/forms/view.yaml"
    assert judged(place, {name: form.replace("title: ", "title: My ", 1).encode()}).total == 0
    newer = form.replace("guideline: stance-1", "guideline: stance-2").encode()
    for changed in (newer, None):
        found = judged(place, {name: changed})
        assert [(one.rule, one.path) for one in found.problems] == [("ANN-BATCH-CHANGED", name)]


def test_answers_with_other_files_are_a_mixed_pull_request(place: Place) -> None:
    found = judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory"), "README.md": b"x",
                           "scorer/x.py": b"x"})
    assert (found.total, found.answers, found.others, found.mixed) == (0, 1, 2, True)
    assert [note.path for note in found.notes] == ["README.md"]
    assert "mixed pull request: beside answers it changes 2 other files" in answers.markdown(found)


def test_a_branch_that_conflicts_is_refused(place: Place) -> None:
    mine = place.world.commit({f"{CSK}/ann.tsv": b"1"})
    place.world.push({f"{CSK}/ann.tsv": b"2"})
    assert rules(judged(place, {}, "ann", head=mine)) == ["PR-CONFLICT"]


def test_many_faulty_files_are_counted_and_fifty_told(place: Place) -> None:
    found = judged(place, {f"{CSK}/z{number}.tsv": b"x" for number in range(60)})
    assert len(found.problems) == 50
    assert found.total == 60 * (1 + 6 + 1)  # another's name, six header lines, the columns
    assert "The first 50 of 480 are shown." in answers.markdown(found)


# ---- what maintainers may do ---------------------------------------------------------------


def test_the_label_on_behalf_skips_who_the_author_is(place: Place) -> None:
    new = {f"{CSK}/zoe.tsv": place.answers("zoe")}
    assert judged(place, new, on_behalf=True).total == 0
    assert judged(place, {f"{STANCE}/bob.tsv": None}, on_behalf=True).total == 0
    assert rules(judged(place, {f"{CSK}/zoe.tsv": place.answers("bob")}, on_behalf=True)) == [
        "ANN-ANNOTATOR"]
    assert rules(judged(place, {f"{STANCE}/zoe.tsv": place.answers("zoe", "stance", "s1")},
                        on_behalf=True)) == ["ANN-BATCH-CLOSED"]


def test_nobody_hands_in_answers_as_a_simulated_annotator(place: Place) -> None:
    files = {f"{CSK}/simulated-1.tsv": place.answers("simulated-1")}
    assert rules(judged(place, files, "simulated-1")) == ["ANN-SIMULATED"]
    assert rules(judged(place, files, "mallory")) == ["ANN-AUTHOR"]
    assert judged(place, files, on_behalf=True).total == 0
    place.world.push({PEOPLE: b"mallory: {simulated: yes}\n"})
    assert rules(judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory")})) == [
        "ANN-SIMULATED"]


def test_simulated_answers_do_not_become_a_person_s(place: Place) -> None:
    place.world.push({PEOPLE: b"ann: {simulated: yes}\nzoe: {simulated: yes}\n"})
    for changed in (b"bob: {active: no}\n", None):
        found = judged(place, {PEOPLE: changed})
        assert (rules(found), "ann" in found.problems[0].found) == (["ANN-SIMULATED"], True)
    assert judged(place, {PEOPLE: b"ann: {simulated: yes}\n"}).total == 0
    assert judged(place, {PEOPLE: None}, on_behalf=True).total == 0
    gone = {PEOPLE: None, f"{CSK}/ann.tsv": None, f"{STANCE}/ann.tsv": None}
    assert "ANN-SIMULATED" not in rules(judged(place, gone))


def test_a_person_s_answers_do_not_become_simulated(place: Place) -> None:
    marked = {PEOPLE: b"ann: {simulated: yes}\nnew: {simulated: yes}\n"}
    found = judged(place, marked)
    assert [(one.rule, '"ann"' in one.found) for one in found.problems] == [("ANN-SIMULATED", True)]
    assert judged(place, marked, on_behalf=True).total == 0


def test_a_login_that_was_renamed_is_moved_by_maintainers_though_the_batch_is_closed(
    place: Place,
) -> None:
    files = {f"{STANCE}/bob.tsv": None, f"{STANCE}/rob.tsv": place.answers("rob", "stance", "s1")}
    assert judged(place, files, on_behalf=True).total == 0
    assert "ANN-AUTHOR" in rules(judged(place, files))


def test_who_opened_a_pull_request_is_read_off_its_event() -> None:
    pull = {"user": {"login": "Octo-Cat"}, "labels": [{"name": "x"}, {"name": "on-behalf"}]}
    assert answers.author({"action": "opened", "pull_request": pull}) == Author("Octo-Cat", True)
    assert answers.author({"pull_request": {"labels": "on-behalf"}}) == Author("")


@pytest.mark.parametrize(("event", "counts"), [
    ({"action": "labeled", "label": {"name": "on-behalf"}}, True),
    ({"action": "labeled", "label": {"name": "x"}}, False),
    ({"action": "unlabeled", "label": {"name": "on-behalf"}}, False),
    ({"action": "synchronize"}, False), ({"action": "edited"}, False), ({}, False)])
def test_a_label_vouches_for_no_commit_that_came_after_it(
    event: dict[str, Any], counts: bool
) -> None:
    pull = {"user": {"login": "mallory"}, "labels": [{"name": "on-behalf"}]}
    assert answers.author({**event, "pull_request": pull}) == Author("mallory", counts, not counts)


def test_a_main_branch_with_a_faulty_form_is_not_the_annotators_fault(place: Place) -> None:
    place.world.push({"annotations/forms/x.yaml": b"kind: [\n"})
    with pytest.raises(DataError, match=r"x\.yaml"):
        judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory")})


@pytest.mark.parametrize(("broken", "mend"), [
    ({"forms/one.yaml": "one", "forms/two.yaml": "two"}, {"forms/two.yaml": None}),
    ({"annotators.yml": "zoe: {}\nann: {}\nzoe: {}\n"}, {"annotators.yml": b"zoe: {}\n"})])
def test_what_two_pull_requests_broke_together_a_third_may_mend(
    place: Place, broken: dict[str, str], mend: dict[str, bytes | None]
) -> None:
    # Each form is sound alone, and each added a line for zoe; merged, nobody can hand in.
    form = (SHIPPED / "stance.yaml").read_text("utf-8").replace("folder: stance", "folder: same", 1)
    place.world.push({f"annotations/{name}": (
        form.replace("kind: stance", f"kind: {text}", 1) if name.startswith("forms/") else text
    ).encode() for name, text in broken.items()})
    with pytest.raises(DataError) as refused:
        judged(place, {f"{CSK}/mallory.tsv": place.answers("mallory")})
    assert str(refused.value).startswith(f"annotations/{[*broken][-1]}:")
    found = judged(place, {f"annotations/{name}": text for name, text in mend.items()})
    assert (found.total, [note.rule for note in found.notes]) == (0, ["ANN-MIXED"])


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
    evil = {"scorer/ci/answers.py": b"def run(*_): raise SystemExit(0)\n",
            ".github/workflows/annotations.yml": b"on: push\n"}
    number = world.open({f"{CSK}/zoe.tsv": place.answers("zoe"), **evil})
    event = world.event(number, user={"id": 1, "login": "mallory"})
    ran = Runner(world).job("annotations.yml", "annotations", event)
    assert ran.codes == [2]
    assert "::error file=annotations/csk/c1/zoe.tsv,line=1,col=1,title=ANN-AUTHOR::" in ran.log
    assert "ANN-AUTHOR" in ran.summary
    assert "mixed pull request" in ran.summary
    event = world.event(number, user={"id": 1, "login": "mallory"},
                        labels=[{"name": "on-behalf"}])
    ran = Runner(world).job("annotations.yml", "annotations", {"action": "synchronize", **event})
    assert ran.codes == [2]
    assert "put it on again" in ran.summary
    event |= {"action": "labeled", "label": {"name": "on-behalf"}}
    assert Runner(world).job("annotations.yml", "annotations", event).codes == [0]
    huge = world.open({f"{CSK}/mallory.tsv": b"x" * 30_000_000})
    event = world.event(huge, user={"id": 1, "login": "mallory"})
    assert "ANN-SIZE" in Runner(world).job("annotations.yml", "annotations", event).log
