"""A submission's folder: names, files, and submission.yaml as strangers write it.

Numbers in comments are rows of the list of hostile submissions in ``test_hostile_rows.py``.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import submission
from scorer.boards.submission import RESERVED, Meta, Submission
from scorer.core.errors import UsageError
from scorer.core.reading import schema
from tests import case_files
from tests.fuzz_helpers import assert_fit_for_a_log

GOOD = """\
system: Chain of thought
team: A team
date: 2026-01-31
description: Asks a model twice.
training_data: None.
saw_dev_gold: no
"""


CASES = case_files.expanded(case_files.read("metadata.yaml"))


def with_line(line: str) -> str:
    return GOOD + line + "\n"


def replaced(name: str, value: str | None) -> str:
    """The good metadata with another value, or without the field."""
    lines = GOOD.splitlines(keepends=True)
    place = next(at for at, line in enumerate(lines) if line.startswith(f"{name}:"))
    lines[place] = "" if value is None else f"{name}: {value}\n"
    return "".join(lines)


def text_of(case: dict[str, Any]) -> str:
    """The metadata of a case."""
    if "with" in case:
        [(name, value)] = case["with"].items()
        return replaced(name, value)
    return case.get("whole") or with_line(case["line"])


META_FAULTS: dict[str, tuple[str, str]] = {
    name: (text_of(case), case["at"]) for name, case in CASES.items()}
"""Metadata with a fault, and where it is."""


def folder_of(tmp_path: Path, *, team: str = "a-team", system: str = "a-system",
              meta: str | None = GOOD, **files: str) -> Path:
    """A submission's folder with some files; ``predictions_dev_tsv="..."`` names one."""
    folder = tmp_path / "submissions" / "explagraphs-practice" / team / system
    folder.mkdir(parents=True)
    if meta is not None:
        (folder / "submission.yaml").write_text(meta, "utf-8")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, "utf-8")
    return folder


def faults(folder: Path, *, reserved: bool = False) -> list[str]:
    """What is wrong with a folder, without the folder's path."""
    sent, problems = submission.read(folder, reserved=reserved)
    assert (sent is None) == bool(problems)
    said = [str(problem).removeprefix(str(folder)) for problem in problems]
    assert_fit_for_a_log("\n".join(said))
    return said


def meta_faults(text: str) -> list[str]:
    made, problems = schema.load(Meta, text.encode(), "m")
    assert (made is None) == bool(problems)
    return [str(problem) for problem in problems]


# ---- folders -------------------------------------------------------------------------------


def test_a_good_folder_is_read(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, predictions_test_tsv="x", predictions_dev_tsv="x")
    sent, problems = submission.read(folder)
    assert problems == []
    assert sent == Submission(
        "explagraphs-practice", "a-team", "a-system",
        Meta("Chain of thought", "A team", "2026-01-31", "Asks a model twice.", "None.", False),
        folder, ("dev", "test"),
    )
    assert sent.predictions("dev") == folder / "predictions.dev.tsv"
    assert sent.kind == "scored"


ALLOWED = "expected submission.yaml and predictions.<split>.tsv"


def test_what_is_missing_is_told_at_once(tmp_path: Path) -> None:
    assert faults(folder_of(tmp_path, meta=None)) == [
        f":1:1 META-FILE no submission.yaml; {ALLOWED}; run `scorer new` for a template",
        f":1:1 META-FILE no predictions file; {ALLOWED}; add predictions.dev.tsv",
    ]


@pytest.mark.parametrize(("name", "advice"), [
    ("predictions.tsv", "rename or remove it; the splits are train, dev, test"),
    ("predictions.dev.TSV", "rename or remove it; the splits are train, dev, test"),
    ("predictions.dev.tsv ", "rename or remove it; the splits are train, dev, test"),
    ("predictions.dev.tsv\n", "rename or remove it; the splits are train, dev, test"),
    ("predictions.dev.tsv.gz", "unpack it: gunzip FILE.gz"),
    *((name, "remove it") for name in ("$(x).tsv", ".gitattributes", "x" * 255, "\u202eyaml"))])
def test_any_other_file_is_refused_and_its_name_shown_in_ascii(
    name: str, advice: str, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, predictions_dev_tsv="x")
    (folder / name).touch()
    [said] = faults(folder)
    assert said.startswith(":1:1 META-FILE '")
    assert said.endswith(f"; {ALLOWED}; {advice}")


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:  # row 40
    folder = folder_of(tmp_path, predictions_dev_tsv="x")
    try:
        (folder / os.fsdecode(b"\xff.tsv")).touch()
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    assert faults(folder) == [f":1:1 META-FILE '\\udcff.tsv'; {ALLOWED}; remove it"]


@pytest.mark.claim("A symbolic link in a submission is never followed.")
def test_a_link_is_never_followed(tmp_path: Path) -> None:  # row 36
    secret = tmp_path / "secret"
    secret.write_text("system: s3cret\nunknown: s3cret\n")
    folder = folder_of(tmp_path, meta=None)
    (folder / "submission.yaml").symlink_to(secret)
    (folder / "predictions.dev.tsv").symlink_to(secret)
    said = faults(folder)
    assert said == [
        f":1:1 META-FILE '{name}' is no regular file; expected a regular file; "
        "commit the file itself" for name in ("predictions.dev.tsv", "submission.yaml")
    ]
    assert submission.splits_in(folder) == ()


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:  # row 37
    folder = folder_of(tmp_path)
    (folder / "predictions.dev.tsv").mkdir()
    (folder / "more").mkdir()
    assert [said.partition(";")[0] for said in faults(folder)] == [
        ":1:1 META-FILE 'more'", ":1:1 META-FILE 'predictions.dev.tsv' is no regular file"]


@pytest.mark.parametrize("name", ["TeamA", "-team", "t\u00ebam", "a" * 41, "a b", "a--b"])
def test_a_folder_name_must_be_a_slug(name: str, tmp_path: Path) -> None:  # row 41
    for place in ("team", "system"):
        folder = folder_of(tmp_path / place, **{place: name}, predictions_dev_tsv="x")
        [said] = faults(folder)
        assert said.startswith(f":1:1 META-SLUG the {place} '")


def test_reserved_teams_are_the_maintainers(tmp_path: Path) -> None:  # row 47
    for team in RESERVED:
        folder = folder_of(tmp_path, team=team, predictions_dev_tsv="x")
        [said] = faults(folder)
        assert said.startswith(f":1:1 META-SLUG the reserved team '{team}'; ")
        assert faults(folder, reserved=True) == []
    # Rows of anonymous teams are called so.
    folder = folder_of(tmp_path, team="anonymous", predictions_dev_tsv="x")
    assert "META-SLUG the reserved team 'anonymous'" in faults(folder, reserved=True)[0]


def test_what_is_no_folder_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder; name submissions/<board>/<team>"):
        submission.read(tmp_path / "none")
    assert submission.read(Path("/"))[0] is None


# ---- submission.yaml -----------------------------------------------------------------------


def words_of(name: str) -> list[str]:
    """What is said of the metadata of a case, without the file's name."""
    return [said.removeprefix("m:") for said in meta_faults(META_FAULTS[name][0])]


@pytest.mark.parametrize("name", META_FAULTS)
def test_one_fault_of_metadata_is_told_where_it_is(name: str) -> None:
    [said] = words_of(name)
    assert said.startswith(f"{META_FAULTS[name][1]} ")
    assert_fit_for_a_log(said)


def test_a_name_is_text_whatever_it_looks_like() -> None:
    for value in ("3.10", "no", "null", "2026-01-31", "'<script>alert(1)</script>'", "'{{ 7*7 }}'",
                  "'${{ secrets.X }}'", "'=HYPERLINK(1)'", "'[x](javascript:alert(1))'", "../.."):
        made, problems = schema.load(Meta, replaced("system", value).encode(), "m")
        assert problems == []
        assert made.system == value.strip("'")


def test_every_fault_of_metadata_is_told_at_once(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, team="Team", meta="team: ''\nnonsense: x\ndate: today\n")
    assert [said.split(" ")[:2] for said in faults(folder)] == [
        [":1:1", "META-SLUG"], [":1:1", "META-FILE"],
        *[["/submission.yaml:1:1", "META-FIELD"]] * 4, ["/submission.yaml:1:7", "META-VALUE"],
        ["/submission.yaml:2:1", "META-FIELD"], ["/submission.yaml:3:7", "META-VALUE"]]


def test_a_split_that_the_board_does_not_have_is_told_with_those_it_has(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, predictions_dev_tsv="x")
    (folder / "predictions.validation.tsv").write_text("x")
    _, problems = submission.read(folder, splits=("dev", "test"))
    assert [one.advice for one in problems] == ["rename or remove it; the splits are dev, test"]


def test_only_maintainers_say_that_a_system_was_trained_here(tmp_path: Path) -> None:
    meta = f"{GOOD}tags:\n- {submission.CONSTRAINED}\n- {submission.TRAINED_HERE}\n"
    assert faults(folder_of(tmp_path, predictions_dev_tsv="x", meta=meta)) == [
        "/submission.yaml:9:3 META-VALUE the tag 'trained here', which only the board's "
        "maintainers give; expected any of: constraints enforced in decoding; remove the tag"]
    ours = folder_of(tmp_path, team=submission.OWN, predictions_dev_tsv="x", meta=meta)
    assert faults(ours, reserved=True) == []


def test_a_huge_file_is_refused_and_not_read_to_its_end(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, predictions_dev_tsv="x")
    with (folder / "submission.yaml").open("ab") as file:
        file.truncate(300 * 1024 * 1024)
    [said] = faults(folder)
    assert said.startswith("/submission.yaml:1:1 META-YAML more than 65536 bytes; ")


# ---- the template --------------------------------------------------------------------------


def test_the_template_says_everything_and_leaves_what_only_the_submitter_knows() -> None:
    text = submission.template("my-system", "my-team")
    for name, field in schema.described(Meta)["properties"].items():
        offered = name != "withdrawn"
        assert (f"{name}:" in text) == offered
        assert (field["description"] in text) == offered
    assert [said.split(" ")[2] for said in meta_faults(text)] == [
        "date:", "description:", "training_data:", "saw_dev_gold:"]
    for name in ("no", "1e5"):  # whatever the names look like
        text = submission.template(name, name)
        for field, value in (("date", "2026-01"), ("description", "x"), ("training_data", "x"),
                             ("saw_dev_gold", "no")):
            text = text.replace(f"\n{field}:\n", f"\n{field}: {value}\n")
        made, problems = schema.load(Meta, text.encode(), "m")
        assert problems == []
        assert (made.system, made.team) == (name, name)


def test_a_team_is_named_from_its_day_on() -> None:
    meta, problems = schema.load(Meta, with_line("anonymous_until: 2027-02-01").encode(), "m")
    assert not problems
    assert [meta.anonymous(day) for day in ("2027-01-31", "2027-02-01", None)] == [
        True, False, True]
