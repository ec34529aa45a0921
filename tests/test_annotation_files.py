"""Annotators' files and batches: what is read, what is refused, in which words, with which exit."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from scorer.cli import main
from scorer.people import batches, sheets
from scorer.people.records import Origin
from scorer.people.rules import MOST_BYTES, TEXTS
from scorer.people.validate import CheckedFile, Workplace, check_file
from tests.annotation_world import CSK_ROWS, ITEMS, Ran, batch, close, keyed, made, put, sheet

CSK = sheet("csk", "c1", *CSK_ROWS)
SHEBANG = "\u202e"


def found(place: Workplace, path: str, text: str | bytes, **how: Any) -> CheckedFile:
    """What is found in one file that is handed in."""
    return check_file(place, put(place, path, text), handed_in=True, **how)


def lines(checked: CheckedFile) -> list[str]:
    """What a person reads, without the path."""
    return [str(one).replace(f"{checked.faults.path}:", "", 1) for one in checked.faults.lines()]


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return made(tmp_path)


@pytest.fixture
def scorer(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process."""

    def run(*arguments: str) -> Ran:
        return Ran(main(arguments), *capsys.readouterr())

    return run


def test_a_sound_file_becomes_answers_by_item(place: Workplace) -> None:
    checked = found(place, "csk/c1/ann.tsv", CSK, author="Ann")
    assert lines(checked) == []
    assert checked.annotation is not None
    assert checked.annotation.answers == {
        "a1": {"q1": "1", "q2": "y", "q3": "y", "q3_1": "Pets are at home.", "q4": "1",
               "q5": ("1", "4"), "q6": ("-", "2")},
        "b2": {"q1": "2", "q2": "n"}}
    assert checked.annotation.comments == {"a1": "fine"}


@pytest.mark.parametrize("text", [CSK.replace("\n", "\r\n"), CSK.rstrip("\n"),
                                  CSK.replace("b2\t", "\n\nb2\t") + "\n\n"])
def test_line_ends_and_empty_lines_do_not_matter(place: Workplace, text: str) -> None:
    assert lines(found(place, "csk/c1/ann.tsv", text)) == []


def test_a_file_is_written_as_it_is_read(place: Workplace) -> None:
    text = sheet("csk", "c1", "a1\t1\ty\ty\tone\\ntwo\\\\\t1\t14\t-2\t\ttab\\there",
                 "b2\t2\tn\t\t\t\t\t\t\t")
    checked = found(place, "csk/c1/ann.tsv", text)
    assert checked.annotation is not None
    assert checked.annotation.answers["a1"]["q3_1"] == "one\ntwo\\"
    sound = place.batch("c1")[0]
    assert sound is not None
    again = sheets.content(place.forms["csk"], sound, checked.annotation)
    assert again == (place.folder / "csk/c1/ann.tsv").read_bytes()


def test_the_sample_of_the_specification_survives_reading(
    place: Workplace, vectors: Path
) -> None:
    content = (vectors / "human" / "csk_sample.tsv").read_bytes()
    faults = sheets.SheetFaults("x")
    sheet_ = sheets.read(content, place.forms["csk"], faults)
    assert sheet_ is not None
    assert faults.lines() == []
    rows = content.decode().split("\n")[7:-1]
    assert ["\t".join(map(sheets.escaped, line.cells.values())) for line in sheet_.lines] == rows


# Every fault in one pass, in the words of the specification. A name, a path, a file, what is said.

OPEN = "1: ANN-ITEM-MISSING 1 of 2 items have no answer: b2."
FAULTS: dict[str, tuple[str, str | bytes, list[str]]] = {
    "nothing": ("csk/c1/ann.tsv", "", ["1: ANN-EMPTY The file contains no answers."]),
    "no rows": ("csk/c1/ann.tsv", sheet("csk", "c1"),
                ["7: ANN-EMPTY The file contains no answers."]),
    "a name of two parts": ("csk/ann.tsv", CSK, [
        "1: ANN-PATH File name must be annotations/{kind}/{batch}/{annotator}.tsv, got "
        "annotations/csk/ann.tsv."]),
    "an upper-case login": ("csk/c1/Ann.tsv", CSK, [
        "1: ANN-PATH File name must be annotations/{kind}/{batch}/{annotator}.tsv, got "
        "annotations/csk/c1/Ann.tsv."]),
    "a key among answers": ("csk/c1/c1.key.json", "{}", [
        "1: ANN-PATH File name must be annotations/{kind}/{batch}/{annotator}.tsv, got "
        "annotations/csk/c1/c1.key.json."]),
    "a program": ("csk/c1/run.sh", "rm -rf /", [
        "1: ANN-PATH File name must be annotations/{kind}/{batch}/{annotator}.tsv, got "
        "annotations/csk/c1/run.sh."]),
    "latin-1": ("csk/c1/ann.tsv", CSK.encode().replace(b"fine", b"caf\xe9"), [
        "8: ANN-ENCODING File is not UTF-8 text (byte {byte})."]),
    "UTF-16": ("csk/c1/ann.tsv", CSK.encode("utf-16"), [
        "1: ANN-ENCODING File is not UTF-8 text (byte 1)."]),
    "a byte too many": ("csk/c1/ann.tsv", b"x" * (MOST_BYTES + 1), [
        "1: ANN-SIZE File has 1000001 bytes; the limit is 1000000."]),
    "a byte order mark": ("csk/c1/ann.tsv", "\ufeff" + CSK, [
        "1: TSV-BOM a byte order mark; expected plain UTF-8; save as UTF-8 without BOM."]),
    "a NUL": ("csk/c1/ann.tsv", CSK.replace("fine", "fi\0ne"), [
        OPEN.replace("b2", "a1"),
        "8: TSV-CONTROL the character U+0000; expected printable text; remove it, or save UTF-16 "
        "as UTF-8."]),
    "text that turns round": ("csk/c1/ann.tsv", CSK.replace("fine", f"{SHEBANG}enif"), [
        OPEN.replace("b2", "a1"),
        "8: TSV-INVISIBLE the character U+202E; expected visible text; remove the character."]),
    "an escape sequence": ("csk/c1/ann.tsv", CSK.replace("fine", "\x1b[31mred"), [
        OPEN.replace("b2", "a1"),
        "8: TSV-CONTROL the character U+001B; expected printable text; remove the character."]),
    "no header": ("csk/c1/ann.tsv", CSK.split("#exported")[1].partition("\n")[2], [
        *(f'1: ANN-HEADER Header line "#{key}" is missing.' for key in (
            "annotator", "batch", "batch_sha256", "exported", "format")), "  1 more ANN-HEADER"]),
    "a header twice": ("csk/c1/ann.tsv", CSK.replace("#guideline", "#batch\tc1\n#guideline"), [
        '4: ANN-HEADER Header line "#batch" is out of order.']),
    "a header too many": ("csk/c1/ann.tsv", CSK.replace("#guideline", "#seed\t1\n#guideline"), [
        '4: ANN-HEADER Header line "#seed" is unknown.']),
    "headers in another order": ("csk/c1/ann.tsv", "#annotator\tann\n" + CSK.replace(
        "#annotator\tann\n", ""), [
            *(f'{number}: ANN-HEADER Header line "#{key}" is out of order.' for number, key in (
                (2, "format"), (3, "batch"), (4, "batch_sha256"), (5, "guideline")))]),
    "another format": ("csk/c1/ann.tsv", CSK.replace("csk-annotations/1", "csk-annotations/2"), [
        '1: ANN-FORMAT Unknown format "csk-annotations/2"; expected "csk-annotations/1" for this '
        "folder."]),
    "another guideline": ("csk/c1/ann.tsv", CSK.replace("csk-1", "csk-0"), [
        '1: ANN-GUIDELINE The header says guideline "csk-0"; the batch has "csk-1".']),
    "a batch that is not there": ("csk/c9/ann.tsv", CSK.replace("c1", "c9"), [
        '1: ANN-BATCH Batch "c9" does not exist.']),
    "a batch of another form": ("csk/v1/ann.tsv", CSK.replace("c1", "v1"), [
        '1: ANN-BATCH Batch "v1" does not match the folder "csk".']),
    "another batch in the header": ("csk/c1/ann.tsv", sheet("csk", "../../c9", *CSK_ROWS), [
        '1: ANN-BATCH Batch "../../c9" does not match the folder "c1".']),
    "a batch that changed": ("csk/c1/ann.tsv", CSK.replace("{sha}", "0" * 64), [
        "1: ANN-BATCH-CHANGED The batch file has changed since this page was opened (sha256 "
        "000000000000, now {now}). Reload the page, check your answers and export again."]),
    "a closed batch": ("stance/s1/ann.tsv", sheet("stance", "s1", "a1\tsupport", "b2\tcounter"), [
        '1: ANN-BATCH-CLOSED Batch "s1" is closed; new files are not accepted.']),
    "a training batch": ("stance/t1/ann.tsv", sheet("stance", "t1", "a1\tsupport"), [
        '1: ANN-BATCH-TRAINING Batch "t1" is for training; its answers are not handed in.']),
    "somebody else's file": ("csk/c1/ann.tsv", CSK.replace("annotator\tann", "annotator\tbob"), [
        '1: ANN-ANNOTATOR The header says "bob" but the file is named "ann.tsv".']),
    "a day that is none": ("csk/c1/ann.tsv", CSK.replace("2026-11-21", "2026-02-30"), [
        '1: ANN-EXPORTED "2026-02-30T03:50:00Z" is no time in UTC such as 2026-11-21T03:50:00Z.']),
    "columns twice": ("csk/c1/ann.tsv", CSK.replace("item\tq1", "item\tq1\tq1"), [
        "7: ANN-COLUMNS Expected the columns item, q1, q2, q3, q3_1, q4, q5, q6, q7, comment, got "
        "item, q1, q1, q2, q3, q3_1, q4, q5, q6, q7, comment."]),
    "cells too many": ("csk/c1/ann.tsv", CSK.replace("fine", "fine\tmore"), [
        OPEN.replace("b2", "a1"), "8: ANN-CELLS Row has 11 cells; at most 10 are allowed."]),
    "an item of another batch": ("csk/c1/ann.tsv", CSK.replace("b2\t", "z9\t"), [
        OPEN, '9: ANN-ITEM-UNKNOWN Item "z9" is not in the batch.']),
    "an item twice": ("csk/c1/ann.tsv", CSK.replace("b2\t2", "a1\t2"), [
        OPEN, '9: ANN-ITEM-DUP Item "a1" appears twice (first in line 8).']),
    "an unknown escape": ("csk/c1/ann.tsv", CSK.replace("fine", r"\x41"), [
        OPEN.replace("b2", "a1"), r'8: ANN-ESCAPE Unknown escape "\x" in column comment.']),
    "a long comment": ("csk/c1/ann.tsv", CSK.replace("fine", "a" * 2001), [
        "8: ANN-TEXT comment has 2001 characters; the limit is 2000."]),
    "a formula for an answer": ("csk/c1/ann.tsv", CSK.replace("b2\t2", "b2\t=1+1"), [
        '9: CSK-VALUE q1: "=1+1" is not one of 1, 2, x.']),
    "a graph of one's own": ("verify/v1/ann.tsv", sheet("verify", "v1", "a1\tsupport",
                                                       "b2\tsupport"), [
        "8: EG-SELF-VERIFY ann wrote (a version of) the graph of item a1 and must not verify it."]),
    "rulings on an open batch": ("adjudication/c1.tsv", sheet(
        "adjudication", "c1", "a1\tt02\tq5\t4\tedge-case"), [
            '1: ANN-BATCH-OPEN Batch "c1" is open; only closed batches are adjudicated.']),
}


@pytest.mark.claim("Files of annotators are refused with every fault, its line and what it is.")
@pytest.mark.parametrize("case", FAULTS)
def test_a_file_tells_what_is_wrong_with_it(place: Workplace, case: str) -> None:
    path, text, wanted = FAULTS[case]
    name = Path(path).stem if path.startswith("adjudication") else ""
    file = put(place, path, text, name)
    checked = check_file(place, file, handed_in=True)
    sound = place.batch("c1")[0]
    assert sound is not None
    content = file.read_bytes()
    byte = str(content.find(b"\xe9") + 1)
    assert lines(checked) == [one.replace("{now}", sound.sha256[:12]).replace("{byte}", byte)
                              for one in wanted]
    notes = all(one.split(" ")[1] in ("TSV-BOM", "ANN-ITEM-MISSING") for one in wanted)
    assert (checked.annotation is not None) == notes


def test_formulas_and_markup_in_a_comment_are_text(place: Workplace) -> None:
    text = CSK.replace("fine", '=HYPERLINK("http://x")<script>alert(1)</script>::error::')
    checked = found(place, "csk/c1/ann.tsv", text)
    assert checked.annotation is not None
    assert checked.annotation.comments["a1"].startswith("=HYPERLINK")


def test_a_fault_of_every_row_is_told_once(place: Workplace) -> None:
    text = sheet("stance", "s1", "a1\tyes", "b2\tyes")
    file = put(place, "stance/s1/ann.tsv", text)
    close(place.folder, "s1", "ann")
    assert lines(check_file(Workplace(place.folder), file)) == [
        '8: EG-LABEL "yes" is not one of support, counter, neutral. (in all 2 rows)']


@pytest.mark.parametrize("row", ["a1\ty", "", "a1\t" + "\\q" * 20, "\u00e9" * 40])
def test_as_many_rows_as_fit_are_judged_in_bounded_words(place: Workplace, row: str) -> None:
    head = sheet("csk", "c1")
    text = head + f"{row}\n" * ((MOST_BYTES - len(head) - 100) // (len(row.encode()) + 1))
    checked = found(place, "csk/c1/ann.tsv", text)
    assert checked.faults.errors
    assert len("\n".join(lines(checked))) < 10_000


def test_rows_are_read_up_to_a_number_that_no_batch_needs(place: Workplace) -> None:
    checked = found(place, "csk/c1/ann.tsv", sheet("csk", "c1") + "a1\n" * 10_001)
    assert lines(checked) == ["10008: ANN-ROWS File has 10001 rows; at most 10000 are read."]


def test_nothing_but_a_regular_file_is_opened(place: Workplace, tmp_path: Path) -> None:
    put(place, "csk/c1/bob.tsv", CSK.replace("ann", "bob"))
    file = place.folder / "csk/c1/ann.tsv"
    for to in ("/etc/passwd", "bob.tsv", "."):
        file.symlink_to(to)
        assert lines(check_file(place, file)) == [
            "1: ANN-LINK annotations/csk/c1/ann.tsv is a link or no regular file. Commit the file "
            "itself."]
        file.unlink()
    os.mkfifo(file)
    assert lines(check_file(place, file))[0].startswith("1: ANN-LINK")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "ann.tsv").write_text(CSK, "utf-8")
    (place.folder / "verify").mkdir()
    (place.folder / "verify/v1").symlink_to(outside)
    found = lines(check_file(place, place.folder / "verify/v1/ann.tsv"))
    assert found[0].startswith("1: ANN-LINK")


def test_a_pull_request_changes_files_of_its_author_alone(place: Workplace) -> None:
    assert lines(found(place, "csk/c1/ann.tsv", CSK, author="mallory")) == [
        '1: ANN-AUTHOR The pull request was opened by "mallory"; it may only change files named '
        "mallory.tsv."]
    key = check_file(place, place.folder / "batches/v1.key.json", author="ann")
    assert lines(key) == [
        "1: ANN-MIXED annotations/batches/v1.key.json is not an annotator's to change: a pull "
        "request with answers holds its author's own answers and nothing else."]


def test_nobody_says_what_a_pair_of_their_own_does(place: Workplace) -> None:
    path = batches.path_of(place.folder, "s2")
    path.write_text(json.dumps(batch("s1", batch="s2")), "utf-8")
    keyed(place.folder, "s2", {
        "a1": Origin(source="w:1", authors=("ann",)), "b2": Origin(source="w:2")})
    votes = sheet("stance", "s2", "a1\tsupport", "b2\tneutral")
    assert lines(found(place, "stance/s2/ann.tsv", votes)) == [
        "8: ANN-SELF ann wrote item a1 and must not judge it."]
    assert lines(found(place, "stance/s2/bob.tsv", votes.replace("\tann\n", "\tbob\n"))) == []


def test_a_person_does_not_hand_in_answers_under_a_simulated_login(place: Workplace) -> None:
    file = CSK.replace("\tann\n", "\tsimulated-1\n")
    assert lines(found(place, "csk/c1/simulated-1.tsv", file)) == []
    assert lines(found(place, "csk/c1/simulated-1.tsv", file, author="simulated-1")) == [
        '1: ANN-SIMULATED "simulated-1" is the name of a simulated annotator; a person may not '
        "hand in answers under it."]


def test_roles_are_kept_where_the_host_gives_any(place: Workplace) -> None:
    put(place, "annotators.yml", "ann: {roles: [verify]}\ncleo: {active: no}\n")
    vote = sheet("verify", "v1", "b2\tsupport", annotator="bob")
    assert "1: EG-ROLE bob is not listed with role \"verify\" in annotators.yml." in lines(
        found(place, "verify/v1/bob.tsv", vote))
    idle = found(place, "csk/c1/cleo.tsv", CSK.replace("\tann\n", "\tcleo\n"))
    assert "1: EG-ROLE cleo is not listed with role \"csk\" in annotators.yml." in lines(idle)
    assert lines(found(place, "csk/c1/ann.tsv", CSK)) == []


def test_roles_given_later_leave_answers_that_are_there_as_they_are(place: Workplace) -> None:
    put(place, "csk/c1/ann.tsv", CSK)
    put(place, "annotators.yml", "ann: {active: no}\nzoe: {roles: [csk]}\n")
    sound = place.batch("c1")[0]
    assert sound is not None
    assert [one.annotator for one in place.annotations(sound)] == ["ann"]


@pytest.mark.parametrize(("row", "wanted"), [
    ("a1\t\tlabel\tsupport\tedge-case\tclose", []),
    ("a1\tt01\tlabel\tsupport\tother", ['8: ANN-VALUE unit: "t01" is not one of nothing.']),
    ("a1\t\tlabel\tyes\tother", ['8: ANN-VALUE value: "yes" is not one of support, counter, '
                                 "neutral."]),
    ("a1\t\tq5\tyes\tother", ['8: ANN-VALUE question: "q5" is not one of label.']),
    ("z9\t\tlabel\tsupport\tother", ['8: ANN-ITEM-UNKNOWN Item "z9" is not in the batch.']),
])
def test_rulings_settle_units_of_a_closed_batch(
    place: Workplace, row: str, wanted: list[str]
) -> None:
    file = put(place, "adjudication/s1.tsv", sheet("adjudication", "s1", row), "s1")
    checked = check_file(place, file)
    assert lines(checked) == wanted
    assert len(checked.rulings) == (not wanted)


def test_who_settles_what_they_answered_is_told_of_it(place: Workplace) -> None:
    put(place, "stance/s1/ann.tsv", sheet("stance", "s1", "a1\tsupport"), "s1")
    close(place.folder, "s1", "ann")
    rows = ("a1\t\tlabel\tcounter\tother", "b2\t\tlabel\tcounter\tother")
    file = put(place, "adjudication/s1.tsv", sheet("adjudication", "s1", *rows), "s1")
    checked = check_file(Workplace(place.folder), file)
    assert lines(checked) == [
        "8: ANN-W-OWN ann settles item a1 and answered it too. Let somebody else settle it."]
    assert len(checked.rulings) == 2


# Batches.

BAD: dict[str, tuple[str | dict[str, Any], str]] = {
    "no JSON": ("{", "Expecting property name"),
    "a key twice": ('{"batch": "c1", "batch": "c2"}', "the key 'batch' a second time"),
    "no form": ({"kind": "essay"}, "kind 'essay'"),
    "a form without batches": ({"kind": "adjudicate"}, "kind 'adjudicate'"),
    "another name": ({"batch": "c2"}, "batch c2"),
    "another format": ({"format": "annotation-batch/2"}, "'annotation-batch/2'"),
    "another guideline": ({"guideline": "csk-2"}, "guideline csk-2"),
    "a number as text": ({"needed": "3"}, "needed: '3'; expected a whole number from 1"),
    "a system's name": ({"items": [{**ITEMS["c1"][2][0], "system": "t5"}]}, "unknown field"),
    "no premise": ({"items": [{"id": "a", "conclusion": "c", "triplets": []}]}, "no text 'pre"),
    "votes for a text": ({"items": [{**ITEMS["c1"][2][0], "premise": {"a": 1}}]},
                         "item a1: no text 'premise'"),
    "a triplet of two": ({"items": [{**ITEMS["c1"][2][0], "triplets": [{"c1": "a"}]}]},
                         "expected a triplet"),
    "an item twice": ({"items": [ITEMS["c1"][2][0]] * 2}, "item a1 2 times"),
    "text that turns round": ({"items": [{**ITEMS["c1"][2][0], "premise": "a\u202eb"}]},
                              "'premise': the character U+202E"),
    "no topics": ({"topics": []}, "0 topics"),
    "answers for all to see": ({"items": [{**ITEMS["c1"][2][1], "answer": {"q1": "1"}}]},
                               "expected right answers in a training batch"),
    "a training without answers": ({"training": True}, "answer: q1 must be answered"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_faulty_batch_is_refused(place: Workplace, case: str) -> None:
    bad, said = BAD[case]
    text = bad if isinstance(bad, str) else json.dumps(batch("c1", **bad))
    path = batches.path_of(place.folder, "c1")
    path.write_text(text, "utf-8")
    problems = check_file(place, path).problems
    assert said in "\n".join(map(str, problems))
    answers = put(place, "csk/c1/ann.tsv", CSK)
    assert any("has faults of its own" in one for one in lines(check_file(place, answers)))


def test_a_batch_is_written_as_it_is_read(place: Workplace) -> None:
    for name in ITEMS:
        read, problems = place.batch(name)
        assert not problems
        assert read is not None
        text = json.dumps(batches.document(place.forms[read.kind], read))
        assert json.loads(text) == {**batch(name), **(
            {"key_sha256": read.key_sha256} if read.key_sha256 else {})}


def test_closing_a_batch_keeps_its_answers_and_any_other_change_does_not(place: Workplace) -> None:
    file = put(place, "csk/c1/ann.tsv", CSK)
    close(place.folder, "c1", "ann")

    def rules(**more: Any) -> list[str]:
        return [one.rule for one in check_file(Workplace(place.folder), file, **more).faults.kept]

    assert rules() == []
    assert rules(handed_in=True) == ["ANN-BATCH-CLOSED"]
    close(place.folder, "c1")
    assert lines(check_file(Workplace(place.folder), file)) == [
        '1: ANN-W-LATE Batch "c1" closed without this file as it is; it counts nowhere.']
    path = batches.path_of(place.folder, "c1")
    path.write_text(path.read_text("utf-8").replace("Cats are", "Cats were"), "utf-8")
    assert rules() == ["ANN-BATCH"]
    batches.path_of(place.folder, "c1", batches.CLOSED_SUFFIX).unlink()
    assert rules() == ["ANN-BATCH-CHANGED"]


CLOSINGS: dict[str, tuple[dict[str, Any], str]] = {
    "of another batch": ({"batch": "s1"}, "the closing of another batch, or of other bytes"),
    "of other bytes": ({"batch_sha256": "0" * 64}, "the closing of another batch, or of other byt"),
    "without a digest": ({"answers": [{"annotator": "ann"}]}, "sha256"),
    "of a file that is gone": ({"answers": [{"annotator": "bob", "sha256": "0" * 64}]},
                               "scorer annotations withdraw c1 bob"),
}


@pytest.mark.parametrize("case", CLOSINGS)
def test_a_closing_that_does_not_fit_its_batch_is_told(place: Workplace, case: str) -> None:
    changed, said = CLOSINGS[case]
    close(place.folder, "c1")
    path = batches.path_of(place.folder, "c1", batches.CLOSED_SUFFIX)
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **changed}), "utf-8")
    [problem] = check_file(Workplace(place.folder), path).problems
    assert said in str(problem)


OTHER_KEY = batches.key_content({"zz": Origin(source="x")}, {batches.SEED: "1"})


def test_a_key_that_does_not_fit_its_batch_is_told(place: Workplace) -> None:
    path = place.folder / "batches/c1.key.json"
    path.write_bytes(OTHER_KEY)
    assert "a key with SHA-256" in str(check_file(place, path).problems[0])
    path.write_bytes(OTHER_KEY.replace(b'"source"', b'"secret": "x", "source"'))
    assert "unknown field" in str(check_file(place, path).problems[0])


# The command.

def test_the_command_checks_a_folder_and_says_how_far_it_is(place: Workplace, scorer: Any) -> None:
    file = put(place, "csk/c1/ann.tsv", CSK)
    folder = f"--annotations={place.folder}"
    ran = scorer("annotations", "validate", folder)
    assert (ran.code, ran.out, ran.err) == (0, f"{sound(place)} files are sound\n", "")
    ran = scorer("annotations", "validate", str(file), folder)
    assert (ran.code, ran.out) == (0, "annotations/csk/c1/ann.tsv: 2 answers, no faults\n")
    ran = scorer("annotations", "status", folder, "--json", "-")
    row = next(one for one in json.loads(ran.out) if one["batch"] == "c1")
    assert (row["annotators"], row["answers"], row["finished"]) == (1, 2, 0)


def sound(place: Workplace) -> int:
    """How many files of a folder without faults are checked."""
    return len(Workplace(place.folder).every_path())


def test_a_fault_is_not_hidden_by_sound_files(place: Workplace, scorer: Any) -> None:
    put(place, "csk/c1/ann.tsv", CSK.replace("\t1\t14", "\t9\t14"))
    ran = scorer("annotations", "validate", f"--annotations={place.folder}")
    assert (ran.code, ran.out) == (2, f"{sound(place) - 1} files are sound\n")
    fault, last = ran.err.splitlines()
    assert fault.startswith("annotations/csk/c1/ann.tsv:8: CSK-VALUE ")
    assert last == "NOT accepted: 1 error"


def test_the_command_refuses_with_the_exit_code_of_whoever_is_at_fault(
    place: Workplace, scorer: Any
) -> None:
    folder = f"--annotations={place.folder}"
    file = put(place, "csk/c1/ann.tsv", CSK.replace("\t1\t14", "\t9\t14"))
    ran = scorer("annotations", "validate", str(file), folder, "--author", "ann")
    assert ran.code == 2
    assert ran.err.endswith("NOT accepted: 1 error\n")
    ran = scorer("annotations", "validate", str(file), folder, "--format", "github")
    assert ran.out.startswith(
        "::error file=annotations/csk/c1/ann.tsv,line=8,col=1,title=CSK-VALUE::")
    assert scorer("annotations", "validate", str(place.folder / "no.tsv"), folder).code == 2
    assert scorer("annotations", "validate", "/etc/passwd", folder).code == 2
    batches.path_of(place.folder, "c1").write_text("{", "utf-8")
    assert scorer("annotations", "validate", folder).code == 3
    put(place, "forms/own.yaml", "schema: 2\n")
    ran = scorer("annotations", "validate", str(file), folder)
    assert (ran.code, "forms/own.yaml:1" in ran.err) == (3, True)


@pytest.mark.parametrize("how", ["text", "github"])
def test_a_fault_of_a_key_is_told_once(place: Workplace, scorer: Any, how: str) -> None:
    batch, key = (place.folder / f"batches/c1{end}" for end in (".json", ".key.json"))
    key.write_bytes(OTHER_KEY)
    ran = scorer("annotations", "validate", str(key), str(batch),
                 f"--annotations={place.folder}", "--format", how)
    assert (ran.code, (ran.out + ran.err).count("a key with SHA-256")) == (3, 1)
    assert ran.err.endswith("NOT accepted: 1 error\n")
    assert "no faults" not in ran.out


def test_a_workflow_command_cannot_be_smuggled_in(place: Workplace, scorer: Any) -> None:
    row = CSK.replace("a1\t1", "a1\t%0A::error::x")
    file = put(place, "csk/c1/ann.tsv", row)
    ran = scorer("annotations", "validate", str(file), f"--annotations={place.folder}",
                 "--format", "github")
    assert "%250A" in ran.out
    assert all(line.startswith(("::error file=", "::warning file=", "annotations/"))
               for line in ran.out.splitlines())


def test_every_rule_of_files_is_broken_by_a_case_here() -> None:
    source = Path(__file__).read_text("utf-8")
    rules = {name.partition(" ")[0] for name in TEXTS if name.startswith("ANN-")}
    elsewhere = {rule for rule in rules if rule.split("ANN-")[1].split("-")[0] in (
        "VALUE", "MISSING", "SKIPPED", "TRIPLET", "NEG", "WORDS", "MANY")}
    assert all(f" {rule}" in source for rule in rules - elsewhere)


