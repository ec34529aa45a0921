"""Annotators' files and batches: what is read, what is refused, by which rule, with which exit.

Files and their faults stand in ``cases/annotations``, the sentences in ``cases/messages.yaml``.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulate_annotators import escaped, file_of
from scorer.cli import main
from scorer.core.errors import Problem
from scorer.people import organisers, sheets
from scorer.people.records import Origin
from scorer.people.sheets import MOST_BYTES, TEXTS, warns
from scorer.people.validate import CheckedFile, Workplace, check_file
from tests.annotation_world import CSK_ROWS, Ran, cases, close, handed_in, made, put, sheet, sound

CSK = sheet("csk", "c1", *CSK_ROWS)
FILES: Mapping[str, Any] = cases("files")
BATCHES = {(part, name): case for part, of in cases("batches").items() for name, case in of.items()}
"""Faulty files about a batch: of the batch itself, of its closing, of its key."""
OTHER_KEY = organisers.key_content({"zz": Origin(source="x")}, {"seed": "1"})


def rules(checked: CheckedFile) -> list[str]:
    """The line and rule of each fault."""
    return [f"{fault.line} {fault.rule}" for fault in sorted(checked.kept)]


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return made(tmp_path)


@pytest.fixture
def scorer(place: Workplace, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command of ``scorer annotations`` on the folder, in this process."""

    def run(*arguments: str) -> Ran:
        return Ran(main(["annotations", *arguments, f"--annotations={place.folder}"]),
                   *capsys.readouterr())

    return run


def test_a_file_becomes_answers_by_item_and_is_written_as_it_is_read(place: Workplace) -> None:
    text = sheet("csk", "c1", "a1\t1\ty\ty\tone\\ntwo\\\\\t1\t14\t-2\t\ttab\\there",
                 "b2\t2\tn\t\t\t\t\t\t\t")
    file = put(place, "csk/c1/ann.tsv", text)
    found = check_file(place, file).annotation
    assert found.answers == {
        "a1": {"q1": "1", "q2": "y", "q3": "y", "q3_1": "one\ntwo\\", "q4": "1", "q5": ("1", "4"),
               "q6": ("-", "2")},
        "b2": {"q1": "2", "q2": "n"}}
    assert found.comments == {"a1": "tab\there"}
    assert file_of(place.forms["csk"], sound(place, "c1"), found) == file.read_bytes()


def test_the_sample_of_the_specification_survives_reading(
    place: Workplace, vectors: Path
) -> None:
    content = (vectors / "human" / "csk_sample.tsv").read_bytes()
    faults = sheets.SheetFaults("x")
    sheet_ = sheets.read(content, place.forms["csk"], faults)
    assert faults.lines() == []
    rows = content.decode().split("\n")[7:-1]
    assert ["\t".join(map(escaped, line.cells.values())) for line in sheet_.rows] == rows


@pytest.mark.claim("Files of annotators are refused with every fault, its line and what it is.")
@pytest.mark.parametrize("name", FILES)
def test_a_file_tells_what_is_wrong_with_it(place: Workplace, name: str) -> None:
    case = FILES[name]
    checked = check_file(place, handed_in(place, case), author=case.get("author"), handed_in=True)
    assert rules(checked) == case["faults"]
    accepted = all(warns(fault.partition(" ")[2]) for fault in case["faults"])
    assert bool(checked.annotation or checked.rulings) == accepted


@pytest.mark.parametrize("row", ["\u00e9" * 46, "a1\t" + "\\q" * 45], ids=["items", "escapes"])
def test_as_many_rows_as_fit_are_judged_in_bounded_words(place: Workplace, row: str) -> None:
    text = sheet("csk", "c1", *[row] * 10_000)
    assert 900_000 < len(text.encode()) < MOST_BYTES
    checked = check_file(place, put(place, "csk/c1/ann.tsv", text))
    assert checked.errors >= 10_000
    assert len("\n".join(map(str, checked.lines()))) < 10_000


def test_nothing_but_a_regular_file_is_opened(place: Workplace, tmp_path: Path) -> None:
    file = put(place, "csk/c1/bob.tsv", CSK).with_name("ann.tsv")
    for to in ("/etc/passwd", "bob.tsv", "."):
        file.symlink_to(to)
        assert rules(check_file(place, file)) == ["1 ANN-LINK"]
        file.unlink()
    os.mkfifo(file)
    assert rules(check_file(place, file)) == ["1 ANN-LINK"]
    (tmp_path / "ann.tsv").write_text(CSK, "utf-8")
    (place.folder / "verify").mkdir()
    (place.folder / "verify/v1").symlink_to(tmp_path)
    assert rules(check_file(place, place.folder / "verify/v1/ann.tsv")) == ["1 ANN-LINK"]


def test_files_of_the_host_are_no_annotators_to_change(place: Workplace) -> None:
    key = place.folder / "batches/v1.key.json"
    assert rules(check_file(place, key, author="ann")) == ["1 ANN-MIXED"]


def test_roles_given_later_leave_answers_that_are_there_as_they_are(place: Workplace) -> None:
    put(place, "csk/c1/ann.tsv", CSK)
    (place.folder / "annotators.yml").write_text("ann: {active: no}\nzoe: {roles: [csk]}\n")
    assert [one.annotator for one in place.annotations(sound(place, "c1"))] == ["ann"]


# ---- batches -------------------------------------------------------------------------------------


def problems_of(place: Workplace, part: str, case: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with a file about batch c1 once a case has changed it."""
    if part == "closing":
        close(place.folder, "c1")
    path = organisers.path_of(place.folder, "c1", {
        "batch": ".json", "closing": ".closed.json", "key": ".key.json"}[part])
    whole = json.loads(OTHER_KEY if part == "key" else path.read_bytes())
    changes = {name: value for name, value in case.items() if name != "rule"}
    if "item" in changes:
        changes["items"] = [{**whole["items"][0], **changes.pop("item")}]
    path.write_text(changes.get("text", json.dumps({**whole, **changes})), "utf-8")
    return [*check_file(Workplace(place.folder), path).problems]


@pytest.mark.parametrize(("part", "name"), BATCHES)
def test_a_batch_a_closing_or_a_key_that_is_faulty_is_refused(
    place: Workplace, part: str, name: str
) -> None:
    case = BATCHES[part, name]
    assert problems_of(place, part, case)[0].rule == case["rule"]
    if part == "batch":
        answers = check_file(place, put(place, "csk/c1/ann.tsv", CSK))
        assert "1 ANN-BATCH" in rules(answers)


def test_closing_a_batch_keeps_its_answers_and_any_other_change_does_not(place: Workplace) -> None:
    file = put(place, "csk/c1/ann.tsv", CSK)
    close(place.folder, "c1", "ann")

    def found(**more: Any) -> list[str]:
        return rules(check_file(Workplace(place.folder), file, **more))

    assert found() == []
    assert found(handed_in=True) == ["1 ANN-BATCH-CLOSED"]
    close(place.folder, "c1")
    assert found() == ["1 ANN-W-LATE"]
    path = organisers.path_of(place.folder, "c1")
    path.write_text(path.read_text("utf-8").replace("Cats are", "Cats were"), "utf-8")
    assert found() == ["1 ANN-BATCH"]
    organisers.path_of(place.folder, "c1", organisers.CLOSED_SUFFIX).unlink()
    assert found() == ["1 ANN-BATCH-CHANGED"]


# ---- the command ---------------------------------------------------------------------------------


def test_the_command_checks_a_folder_or_a_file_and_says_how_far_it_is(
    place: Workplace, scorer: Any
) -> None:
    file = put(place, "csk/c1/ann.tsv", CSK)
    files = len(place.every_path())
    assert scorer("validate") == (0, f"{files} files are sound\n", "")
    assert scorer("validate", str(file))[:2] == (
        0, "annotations/csk/c1/ann.tsv: 2 answers, no faults\n")
    rows = [line.split() for line in scorer("status").out.splitlines()]
    assert ["c1", "csk", "open", "2", "0", "3", "1", "2"] in rows
    file.write_text(file.read_text("utf-8").replace("\t1\t14", "\t9\t14"), "utf-8")
    ran = scorer("validate")
    assert (ran.code, ran.out) == (2, f"{files - 1} files are sound\n")
    fault, last = ran.err.splitlines()
    assert fault.startswith("annotations/csk/c1/ann.tsv:8: CSK-VALUE ")
    assert last == "NOT accepted: 1 error"


def test_the_exit_code_is_that_of_whoever_is_at_fault(place: Workplace, scorer: Any) -> None:
    file = str(put(place, "csk/c1/ann.tsv", CSK.replace("\t1\t14", "\t9\t14")))
    assert scorer("validate", file, "--author", "ann").code == 2
    assert scorer("validate", str(place.folder / "no.tsv")).code == 2
    assert scorer("validate", "/etc/passwd").code == 2
    organisers.path_of(place.folder, "c1").write_text("{", "utf-8")
    assert scorer("validate").code == 3
    put(place, "forms/own.yaml", "schema: 2\n")
    ran = scorer("validate", file)
    assert (ran.code, "forms/own.yaml:1" in ran.err) == (3, True)


def test_a_fault_of_a_key_is_told_once(place: Workplace, scorer: Any) -> None:
    batch, key = (place.folder / f"batches/c1{end}" for end in (".json", ".key.json"))
    close(place.folder, "c1")
    key.write_bytes(OTHER_KEY)
    for named in ((), (str(key), str(batch))):
        ran = scorer("validate", *named)
        assert (ran.code, (ran.out + ran.err).count("a key with SHA-256")) == (3, 1)
        assert ran.err.endswith("NOT accepted: 1 error\n")


def test_every_rule_of_annotators_is_broken_by_a_case() -> None:
    here = Path(__file__).parent
    texts = "\n".join(path.read_text("utf-8") for path in (
        *here.glob("test_*.py"), *(here / "cases" / "annotations").iterdir()))
    # A host's form may break these by its own letters; ours come to the same lines by CSK-.
    rules = {name.partition(" ")[0] for name in TEXTS
             if not name.startswith(("ANN-NEG-", "ANN-TRIPLET-"))}
    assert not {rule for rule in rules if rule not in texts}
