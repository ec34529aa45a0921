"""What the site reads of annotations: batches, numbers, and what it leaves out."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.people import batches
from scorer.people.aggregation import aggregated
from scorer.people.records import Origin
from scorer.people.validate import Workplace
from scorer.people.verdicts import in_folder, rules_of
from scorer.site.reading.people import read_annotations
from scorer.site.reading.read import read_site
from scorer.site.reading.reader import SiteReader
from scorer.site.records import Annotations
from tests.annotation_world import close
from tests.people_world import World

VOTES = {"a": "SSS", "b": "SIC", "c": "III"}
LABELS = {"a": "SSS", "b": "SNC", "c": "NNN"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path)
    found.labels("open-1", "stance", LABELS, status="open")
    found.labels("closed-1", "verify", VOTES, origins={
        item: Origin(source=f"tiny-dev:{row}", system="fair-team/chains", label="support")
        for row, item in enumerate(VOTES, 1)})
    return found


def read(world: World) -> tuple[Annotations, list[str]]:
    """What is read without a board, and the warnings."""
    reader = SiteReader(world.folder.parent, world.folder.parent / "home")
    return read_annotations(reader, [], "abcdef1"), reader.warnings


def test_open_batches_say_how_far_they_are_and_closed_ones_what_was_said(world: World) -> None:
    found, warnings = read(world)
    assert not warnings
    [batch] = found.open
    assert (batch.batch.name, batch.coverage and batch.coverage.answers) == ("open-1", 9)
    [closed] = found.closed
    assert [one.annotator for one in closed.annotations] == ["ann", "ben", "cleo"]
    assert closed.origins["a"].system == "fair-team/chains"


def test_the_numbers_are_those_that_the_command_writes(world: World) -> None:
    found, _ = read(world)
    wanted = aggregated(Workplace(world.folder), in_folder(world.folder / "none"),
                        lambda _: rules_of(None), "abcdef1")
    assert found.results is not None
    assert found.results.to_json() == wanted.to_json()
    votes = found.results.verdicts["tiny-dev"].systems["fair-team/chains"].votes
    assert (votes.value, votes.n) == (4 / 9, 9)


def test_a_repository_without_annotations_says_nothing(tmp_path: Path) -> None:
    assert read_annotations(SiteReader(tmp_path, tmp_path), [], None) == Annotations()


def test_a_faulty_batch_or_key_is_left_out_alone(world: World) -> None:
    world.labels("closed-2", "stance", LABELS)
    batches.path_of(world.folder, "closed-1", batches.KEY_SUFFIX).write_text("{", "utf-8")
    batches.path_of(world.folder, "open-1").write_text('{"kind": "none"}', "utf-8")
    found, warnings = read(world)
    assert [one.batch.name for one in found.closed] == ["closed-2"]
    assert found.results is not None
    assert set(found.results.labels) == {"closed-2"}
    assert not found.open
    assert [name in text for name, text in zip(
        ("closed-1.key.json", "open-1.json"), warnings, strict=True)] == [True, True]


def test_an_annotators_file_with_errors_is_left_out_and_named(world: World) -> None:
    file = world.folder / "verify/closed-1/ben.tsv"
    file.write_text(file.read_text("utf-8").replace("\tsupport", "\tmaybe"), "utf-8")
    found, warnings = read(world)
    assert [one.annotator for one in found.closed[0].annotations] == ["ann", "cleo"]
    assert warnings == ["annotations/verify/closed-1/ben.tsv: counted when batch closed-1 closed, "
                        "and is not there as it was"]
    close(world.folder, "closed-1", "ann", "ben", "cleo")
    assert read(world)[1] == ["annotations/verify/closed-1/ben.tsv: 1 error, so it counts nowhere; "
                              "run: scorer annotations validate"]


def test_a_faulty_form_or_list_of_people_never_stops_the_site(world: World) -> None:
    people = world.folder / "annotators.yml"
    people.write_text("ann: [", "utf-8")
    found, warnings = read(world)
    assert (len(found.open), found.closed, found.results) == (1, (), None)
    assert "annotators.yml" in warnings[0]
    people.unlink()
    (world.folder / "forms").mkdir()
    (world.folder / "forms/mine.yaml").write_text("kind: other", "utf-8")
    found, warnings = read(world)
    assert found == Annotations()
    assert "mine.yaml" in warnings[0]


def test_people_read_the_results_that_the_site_shows(world: World, tmp_path: Path) -> None:
    from tests.browser.tiny_site import make_root

    root = make_root(tmp_path / "root")
    shutil.copytree(world.folder, root / "annotations")
    site = read_site(root, root / "home")
    assert site.annotations.results is not None
    one = site.annotations.results.verdicts["tiny-dev"].systems["fair-team/chains"]
    [entry] = [one for one in site.boards[0].splits[0].entries if one.system == "chains"]
    assert one.all_items is not None
    assert one.all_items.items == len(entry.result.items)
