"""People's answers to items: from the source's own file to a document, a row and a page."""

import json
import re
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards import Board
from scorer.boards.item_files import LabelCounts, read_answers
from scorer.cli import main
from scorer.core.errors import DataError
from scorer.core.files import sha256
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.people.documents import SurenessDocument
from scorer.people.sureness import document
from scorer.scoring.results import files as results
from scorer.site.reading.read import read_site
from scorer.site.records import SiteView
from tests import case_files
from tests.pages import check_pages
from tests.people_world import flat
from tests.test_board_import import RECIPE, board, lines
from tests.values import made_result, metric_value

ROOT = Path(__file__).resolve().parent.parent
CASE = case_files.read("answered.yaml")
RECORDS = CASE["records"]
Fails = Callable[..., None]


def answered_board(folder: Path, records: Any = RECORDS) -> None:
    content = lines(records)
    (folder / "facts.jsonl").write_bytes(content)
    split = {"file": "dev.tsv", "rows": 8, "gold": "public", "golds": 3,
             "answers": CASE["answers"]}
    board(folder, content, **{"splits": {"dev": split}, "import": [RECIPE, CASE["import"]]})


def at(place: Path, *words: str) -> list[str]:
    """A command on its boards and data."""
    return [*words, "--boards", str(place / "boards"), "--home", str(place / "home")]


def fetch(place: Path) -> list[str]:
    return at(place, "data", "fetch", "facts", "--from", str(place))


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the fetched data of a board of eight items that ten people answered."""
    folder = tmp_path_factory.mktemp("fetched")
    answered_board(folder)
    assert main(fetch(folder)) == 0
    return folder


@pytest.fixture
def place(fetched: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(fetched, tmp_path, dirs_exist_ok=True))


def facts(place: Path) -> Board:
    return boards.load("facts", place / "boards")


# ---- the file ----------------------------------------------------------------------------------

TEXTS = [(one["fact"],) for one in RECORDS]


def test_answers_come_beside_the_items_that_they_are_of(fetched: Path) -> None:
    path = facts(fetched).answers_file("dev", fetched / "home")
    assert path is not None
    assert path.read_text("utf-8").splitlines()[2] == "There was frost.\t5\t5\tyes"
    assert read_answers(facts(fetched), "dev", path, TEXTS) == LabelCounts(
        ("yes", "no"), tuple(tuple(one["people"]) for one in RECORDS),
        tuple(one["most"] for one in RECORDS))


@pytest.mark.parametrize(("rows", "fault"), CASE["refused"])
def test_answers_that_do_not_fit_the_split_are_refused_with_their_place(
    fetched: Path, tmp_path: Path, rows: list[str], fault: str
) -> None:
    path = tmp_path / "answers.tsv"
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    with pytest.raises(DataError, match=re.escape(f"answers.tsv:{fault}")):
        read_answers(facts(fetched), "dev", path, TEXTS[:2])


def test_fetching_refuses_answers_that_do_not_fit(tmp_path: Path, fails: Fails) -> None:
    answered_board(tmp_path, [{**RECORDS[0], "people": [0, 0]}, *RECORDS[1:]])
    fails(3, "dev-answers.tsv:1:17 TSV-ANSWERS nobody's answer", *fetch(tmp_path))


# ---- the document and the command --------------------------------------------------------------


def probabilities(place: Path, *values: float) -> Path:
    """The file of a system that gives each item the same, fetched as others.yaml says."""
    content = json.dumps([{"said": "yes", "graph": "(a; b; c)", "p": values}] * 8).encode()
    (place / "theirs.json").write_bytes(content)
    [source] = CASE["others"]["sources"]
    files = [source["files"][0] | {"sha256": sha256(content)}]
    (place / "boards" / "facts" / "others.yaml").write_text(json.dumps(
        CASE["others"] | {"sources": [source | {"files": files}]}), "utf-8")
    assert main(fetch(place)) == 0
    return place / "home/data/facts/third-party/odd.dev.probabilities.tsv"


def test_the_document_holds_aggregates_of_people_and_systems(place: Path) -> None:
    probabilities(place, .5, .5)
    right = [1, 1, 0, 0, 1, 1, 0, 0]
    metric = str(facts(place).label_metric)
    results.write(made_result(
        "facts", "1.0", facts(place).task.name, "dev",
        {"items": 8, "broken": {}, "strict": {}}, {metric: metric_value(.5, n=8)},
        [ItemResult(row, Verdict("struct_correct"), {metric: ItemScore(float(score))})
         for row, score in enumerate(right, 1)], team="t", system="s"), place / "results")
    report = document(facts(place), "dev", place / "home", place / "results")
    crowd = report.people
    assert crowd is not None
    # Gold is yes, no, yes, ...: 9 + 8 + 5 + 4 + 10 + 7 + 0 + 6 of 80.
    assert (crowd.items, crowd.answers, crowd.right, crowd.raters) == (8, 80, 49, [10, 10])
    assert crowd.one.value == 49 / 80
    # By the source's word for the tie: right in rows 1, 2, 3, 5, 6 and 8.
    assert crowd.majority.value == 6 / 8
    assert (crowd.majorities[-1].people, crowd.majorities[-1].right.value) == (10, 5.5 / 8)
    assert report.systems["t/s"].whole.value == 4 / 8
    even = report.probabilities["odd"]
    # Half for both: yes, the first, is predicted; .25 + .25 each.
    assert (even.accuracy.value, even.ece, even.brier.value) == (.5, 0, .5)
    assert even.jensen_shannon is not None
    assert SurenessDocument.model_validate(report.to_json()) == report
    assert "There was" not in json.dumps(report.to_json())


@pytest.mark.parametrize(("last", "fault"), CASE["improbable"])
def test_probabilities_that_do_not_fit_the_split_are_refused_with_their_place(
    place: Path, last: str, fault: str
) -> None:
    path = probabilities(place, .5, .5)
    path.write_text("0.5\t0.5\n" * 7 + last, "utf-8")
    with pytest.raises(DataError, match=f"odd.dev.probabilities.tsv:{fault}"):
        document(facts(place), "dev", place / "home", place)


def test_the_command_writes_and_shows_how_sure_people_are(
    place: Path, prints: Callable[..., str]
) -> None:
    probabilities(place, .5, .5)
    meta = at(place, "meta", "--board", "facts", "--answers", "--results", str(place))
    table = prints(*meta)
    for words in ("80 answers to 8 items, 49 of them gold's", "1 tied", "majority of 10 .750 [",
                  "Krippendorff's alpha", "odd"):
        assert words in re.sub(" +", " ", table)
    assert SurenessDocument.read(prints(*meta, "--json", "-").encode()) == document(
        facts(place), "dev", place / "home", place)


def test_the_command_says_what_is_missing(place: Path, fails: Fails) -> None:
    data, split = place / "home" / "data" / "facts", ["--board", "facts", "--split", "dev"]
    fails(2, "--answers goes with --board NAME", *at(place, "meta", "--answers"))
    (data / "dev-answers.tsv").unlink()
    fails(3, "run: scorer data fetch facts", *at(place, "meta", "--answers", "--board", "facts"))
    fails(3, "people's answers not on this machine; run: scorer data fetch facts",
          *at(place, "meta", "--answers", *split))
    (data / "dev.tsv").unlink()
    fails(3, "dev.tsv is not on this machine; run: scorer data fetch facts",
          *at(place, "meta", "--answers", *split))


# ---- pages -------------------------------------------------------------------------------------


def site_of(place: Path) -> SiteView:
    """The site of a checkout with the document of its board."""
    pytest.importorskip("jinja2")
    written = place / "results" / "facts" / "sureness.dev.json"
    if not written.is_file():
        assert main(at(place, "meta", "--board", "facts", "--answers", "--json", str(written))) == 0
    return read_site(place, place / "home")


def test_people_stand_beside_systems_and_on_pages_of_their_own(place: Path) -> None:
    site = site_of(place)
    assert not [one for one in site.warnings if "sureness" in one]
    check_pages(site, "answered")


def test_the_page_says_how_far_probabilities_can_be_believed(place: Path) -> None:
    probabilities(place, .9, .1)
    check_pages(site_of(place), "answered, with probabilities")
    (place / "boards" / "facts" / "others.yaml").unlink()
    check_pages(site_of(place), "answered, of a system that is gone")


@pytest.mark.parametrize(("changed", "fault"), [
    ({"board_version": "9"}, "of board version '9'; the board has 1.0"),
    ({"gold_sha256": "00" * 32}, "of gold 000000000000...; the board has"),
    ({"people": 1}, "people")])
def test_figures_of_another_board_or_gold_are_left_out_with_a_warning(
    place: Path, changed: dict[str, Any], fault: str
) -> None:
    site_of(place)
    path = place / "results" / "facts" / "sureness.dev.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changed), "utf-8")
    site = site_of(place)
    assert site.boards[0].splits[0].sure is None
    assert any(fault in one and "scorer meta --board facts --answers --split dev" in one
               for one in site.warnings), site.warnings


# ---- the real thing ----------------------------------------------------------------------------

COMMITTED = ROOT / "results" / "anli"


@pytest.fixture(scope="module")
def anli(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with aNLI's dev and test and ChaosNLI's answers, by the program's doors."""
    if not (data / "people").is_dir():
        pytest.skip(f"{data / 'people'} is not there")
    home = tmp_path_factory.mktemp("anli") / "home"
    source = home.parent / "source"
    source.mkdir()
    for path in (*(data / "art").glob("*.*"), *(data / "art" / "third-party").iterdir(),
                 data / "people" / "chaosNLI_alphanli.jsonl"):
        (source / path.name).write_bytes(path.read_bytes())
    assert main(["data", "fetch", "anli", "--from", str(source), "--home", str(home)]) == 0
    return home


@pytest.mark.whole
def test_answers_to_anli_give_the_figures_of_their_source(anli: Path) -> None:
    """1,369 of 1,532 majorities and 128,566 of 153,200 answers are gold's, counted by
    `jq -s 'map(select(.majority_label == .old_label)) | length'` and
    `jq -s 'map(.label_count[.old_label - 1]) | add'` of chaosNLI_alphanli.jsonl."""
    crowd = document(boards.load("anli"), "dev", anli, anli).people
    assert crowd is not None
    assert (crowd.items, crowd.answers, crowd.raters) == (1532, 153200, [100, 100])
    assert (crowd.right, crowd.one.value) == (128566, 128566 / 153200)
    assert (crowd.majority.value, crowd.tied) == (1369 / 1532, 8)


@pytest.mark.whole
@pytest.mark.claim("Committed figures on people's answers are those of a fresh run.")
def test_committed_figures_of_people_are_those_of_a_fresh_run(anli: Path) -> None:
    """`scorer meta --board anli --answers --split dev --json results/anli/sureness.dev.json`"""
    kept = SurenessDocument.read((COMMITTED / "sureness.dev.json").read_bytes())
    fresh = document(boards.load("anli"), "dev", anli, anli)
    assert flat(fresh.to_json() | {"systems": {}}) == pytest.approx(
        flat(kept.to_json() | {"systems": {}}), abs=1e-9)


RIGHT = {"deberta-v3-large": 2770, "roberta-large": 2553, "bilstm": 1578, "fasttext": 1603,
         "fasttext-hypotheses-only": 1578}
"""Of the five: how many of 3,059 labels are right."""


@pytest.mark.whole
@pytest.mark.claim("Committed figures on systems' probabilities are those of a fresh run.")
def test_committed_calibration_is_that_of_a_fresh_run(anli: Path) -> None:
    """`scorer meta --board anli --answers --split test --json results/anli/sureness.test.json`"""
    fresh = document(boards.load("anli"), "test", anli, anli)
    kept = SurenessDocument.read((COMMITTED / "sureness.test.json").read_bytes())
    assert flat(fresh.to_json()) == pytest.approx(flat(kept.to_json()), abs=1e-9)
    assert {system: one.accuracy.value for system, one in kept.probabilities.items()} == {
        system: right / 3059 for system, right in RIGHT.items()}


@pytest.mark.parametrize("split", ["dev", "test"])
def test_committed_figures_are_of_their_board_and_hold_nothing_but_aggregates(split: str) -> None:
    board_ = boards.load("anli")
    kept = SurenessDocument.read((COMMITTED / f"sureness.{split}.json").read_bytes())
    assert kept.differs(board_.version, board_.splits[split].sha256, None) == ""
    # Far fewer numbers than items: nobody's answer and no item's count can be among them.
    assert len(flat(kept.to_json())) < board_.splits[split].rows


def test_committed_accuracies_by_sureness_are_those_of_the_rows() -> None:
    kept = SurenessDocument.read((COMMITTED / "sureness.dev.json").read_bytes())
    assert kept.people is not None
    for key, one in kept.systems.items():
        row = json.loads((COMMITTED / key / "dev.json").read_text("utf-8"))
        assert one.predictions_sha256 == row["predictions"]["sha256"]
        assert one.whole.value == pytest.approx(row["counts"]["right"] / 1532)
        right = sum(Fraction(bin_.value or 0).limit_denominator(bin_.n) * bin_.n
                    for bin_ in one.bins)
        assert right == row["counts"]["right"]
        assert [bin_.n for bin_ in one.bins] == [bin_.items for bin_ in kept.people.bins]
