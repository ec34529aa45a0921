"""What the site reads of annotations: batches, numbers, and what it leaves out."""

from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.people import batches
from scorer.people.aggregation import aggregated
from scorer.people.records import Origin
from scorer.people.validate import Workplace
from scorer.people.verdicts import in_folder, rules_of
from scorer.site.reading.people import read_annotations
from scorer.site.reading.reader import SiteReader
from scorer.site.records import Annotations
from tests.annotation_world import close
from tests.people_world import World, fool_a_model

VOTES = {"a": "SSS", "b": "SIC", "c": "III"}
LABELS = {"a": "SSS", "b": "SNC", "c": "NNN"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.labels("open-1", "stance", LABELS, status="open")
    made.labels("closed-1", "verify", VOTES, origins={
        item: Origin(source=f"tiny-dev:{row}", system="fair-team/chains", label="support")
        for row, item in enumerate(VOTES, 1)})
    return made


def read(world: World) -> tuple[Annotations, list[str]]:
    """What is read without a board, and the warnings."""
    reader = SiteReader(world.folder.parent, world.folder.parent / "home")
    return read_annotations(reader, [], "abcdef1"), reader.warnings


def annotators(answers: Annotations) -> list[str]:
    """Whose answers to the closed batch count."""
    return [one.annotator for one in answers.closed[0].annotations]


def test_open_batches_say_how_far_they_are_and_closed_ones_what_was_said(world: World) -> None:
    answers, warnings = read(world)
    assert not warnings
    [batch] = answers.open
    assert (batch.batch.name, batch.coverage and batch.coverage.answers) == ("open-1", 9)
    [closed] = answers.closed
    assert annotators(answers) == ["ann", "ben", "cleo"]
    assert closed.origins["a"].system == "fair-team/chains"
    # The numbers are those that the command writes: of nine votes four are right.
    assert answers.results is not None
    assert answers.results.to_json() == aggregated(
        Workplace(world.folder), in_folder(world.folder / "none"), lambda _: rules_of(None),
        "abcdef1").to_json()
    votes = answers.results.verdicts["tiny-dev"].systems["fair-team/chains"].votes
    assert (votes.value, votes.n) == (4 / 9, 9)


def test_a_repository_without_annotations_says_nothing(tmp_path: Path) -> None:
    assert read_annotations(SiteReader(tmp_path, tmp_path), [], None) == Annotations()


def test_a_faulty_batch_or_key_is_left_out_alone(world: World) -> None:
    world.labels("closed-2", "stance", LABELS)
    batches.path_of(world.folder, "closed-1", batches.KEY_SUFFIX).write_text("{", "utf-8")
    batches.path_of(world.folder, "open-1").write_text('{"kind": "none"}', "utf-8")
    answers, [key, batch] = read(world)
    assert ([one.batch.name for one in answers.closed], answers.open) == (["closed-2"], ())
    assert answers.results is not None
    assert set(answers.results.labels) == {"closed-2"}
    assert "closed-1.key.json" in key
    assert "open-1.json" in batch


def test_an_annotators_file_with_errors_is_left_out_and_named(world: World) -> None:
    file = world.folder / "verify/closed-1/ben.tsv"
    file.write_text(file.read_text("utf-8").replace("\tsupport", "\tmaybe"), "utf-8")
    answers, warnings = read(world)
    assert annotators(answers) == ["ann", "cleo"]
    assert warnings == ["annotations/verify/closed-1/ben.tsv: counted when batch closed-1 closed, "
                        "and is not there as it was"]
    close(world.folder, "closed-1", "ann", "ben", "cleo")
    assert read(world)[1] == ["annotations/verify/closed-1/ben.tsv: 1 error, so it counts nowhere; "
                              "run: scorer annotations validate"]


def test_a_faulty_form_document_or_list_of_people_never_stops_the_site(world: World) -> None:
    fool_a_model(world.folder.parent, [], "closed-1", system=3)
    answers, [document] = read(world)
    assert (len(answers.closed), answers.hamlet) == (1, None)
    assert document.startswith("results/human/hamlet.json: system")
    people = world.folder / "annotators.yml"
    people.write_text("ann: [", "utf-8")
    answers, [who] = read(world)
    assert (len(answers.open), answers.closed, answers.results) == (1, (), None)
    assert "annotators.yml" in who
    people.unlink()
    (world.folder / "forms").mkdir()
    (world.folder / "forms/mine.yaml").write_text("kind: other", "utf-8")
    answers, [form] = read(world)
    assert answers == Annotations()
    assert "mine.yaml" in form
