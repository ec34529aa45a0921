"""People's answers to items: from the source's own file to a document, a row and a page."""

import json
import re
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.boards.item_files import LabelCounts, read_answers
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from scorer.core.files import sha256
from scorer.people import people
from scorer.people.documents import SurenessDocument
from scorer.people.sureness import SystemScores, document, entropies
from tests.people_world import flat
from tests.test_board_import import RECIPE, board, lines

ROOT = Path(__file__).resolve().parent.parent
WORDS = ("rain", "wind", "frost", "sun", "fog", "snow", "hail", "dew")
SAID = ((9, 1), (2, 8), (5, 5), (6, 4), (10, 0), (3, 7), (0, 10), (4, 6))
"""How many of ten people say yes and no; gold is yes and no in turn."""
RECORDS = tuple(
    {"id": row, "fact": f"There was {word}.", "right": 1 - row % 2,
     "why": [{"mean": 1, "edges": [[word, "Causes", "wet ground"]]}],
     "people": [*said], "most": "yes" if said[0] >= said[1] else "no"}
    for row, (word, said) in enumerate(zip(WORDS, SAID, strict=True)))
ANSWERS = {"to": "dev-answers.tsv", "source": {"file": "facts.jsonl", "format": "jsonl"},
           "columns": [{"name": "fact", "field": "fact"}, {"name": "yes", "field": "people.0"},
                       {"name": "no", "field": "people.1"}, {"name": "most", "field": "most"}]}
DESCRIBED = {"file": "dev-answers.tsv", "title": "Ten Say", "by": "Nobody 2020",
             "source": {"title": "Ten Say", "url": "https://example.org/ten"},
             "licence": "CC BY-NC 4.0."}


def answered_board(folder: Path, records: Any = RECORDS, **changed: Any) -> Any:
    content = lines(records)
    (folder / "facts.jsonl").write_bytes(content)
    split = {"file": "dev.tsv", "rows": 8, "gold": "public", "golds": 3, "answers": DESCRIBED}
    return board(folder, content, **{"splits": {"dev": split}, "import": [RECIPE, ANSWERS],
                                     **changed})


def where(place: Path) -> list[str]:
    return ["--boards", str(place / "boards"), "--home", str(place / "home")]


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the fetched data of a board of eight items that ten people answered."""
    folder = tmp_path_factory.mktemp("fetched")
    answered_board(folder)
    assert main(["data", "fetch", "facts", *where(folder), "--from", str(folder)]) == 0
    return folder


@pytest.fixture
def place(fetched: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(fetched, tmp_path, dirs_exist_ok=True))


def texts(place: Path) -> tuple[Any, list[Any]]:
    told = boards.load("facts", place / "boards")
    path = told.data_file("dev", place / "home")
    assert path is not None
    return told, [one.texts for one in read_golds(told, "dev", path).items]


# ---- the file ----------------------------------------------------------------------------------


def test_answers_come_beside_the_items_that_they_are_of(place: Path) -> None:
    told, items = texts(place)
    path = told.answers_file("dev", place / "home")
    assert path.read_text("utf-8").splitlines()[2] == "There was frost.\t5\t5\tyes"
    named = ("yes", "no", "yes", "yes", "yes", "no", "no", "no")
    assert read_answers(told, "dev", path, items) == LabelCounts(("yes", "no"), SAID, named)


def row(at: int, *more: str) -> str:
    return "\t".join([f"There was {WORDS[at]}.", *more]) + "\n"


WHOLE = [row(at, *map(str, said)) for at, said in enumerate(SAID)]


@pytest.mark.parametrize(("content", "said"), [
    ([WHOLE[1], WHOLE[0], *WHOLE[2:]],
     ":1:1 TSV-ANSWERS 'There was wind.'; expected 'There was rain.', as in row 1 of the split"),
    (WHOLE[:-1], ":1:1 TSV-ANSWERS 7 rows; expected 8, one an item"),
    ([*WHOLE, WHOLE[0]], ":1:1 TSV-ANSWERS 9 rows; expected 8, one an item"),
    ([*WHOLE[:3], row(3, "6", "-4"), *WHOLE[4:]],
     ":4:18 TSV-ANSWERS '-4'; expected a number of people"),
    ([*WHOLE[:3], row(3, "1000", "4"), *WHOLE[4:]],
     ":4:16 TSV-ANSWERS '1000'; expected a number of people, 999 at most"),
    ([*WHOLE[:3], row(3, "6.0", "4"), *WHOLE[4:]], ":4:16 TSV-ANSWERS '6.0'; expected a number"),
    ([*WHOLE[:3], row(3, "0", "0"), *WHOLE[4:]],
     ":4:16 TSV-ANSWERS nobody's answer; expected one person's at least"),
    ([*WHOLE[:3], row(3, "6"), *WHOLE[4:]], ":4:1 TSV-COLUMNS"),
    ([*WHOLE[:3], row(3, "6", "4", "no"), *WHOLE[4:]],
     ":4:20 TSV-ANSWERS 'no'; expected the most frequent answer, yes"),
    ([*WHOLE[:3], row(3, "6", "4", "yes"), *WHOLE[4:]],
     ":1:1 TSV-ANSWERS no majority's label; expected one in every row, or in none"),
])
def test_answers_that_do_not_fit_the_split_are_refused_with_their_place(
    fetched: Path, tmp_path: Path, content: list[str], said: str
) -> None:
    told, items = texts(fetched)
    path = tmp_path / "answers.tsv"
    path.write_text("".join(content), "utf-8")
    with pytest.raises(DataError) as found:
        read_answers(told, "dev", path, items)
    assert f"answers.tsv{said}" in str(found.value)


def test_fetching_refuses_answers_in_another_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = lines(RECORDS[::-1])
    (tmp_path / "answers.jsonl").write_bytes(other)
    recipe = ANSWERS | {"source": {"file": "answers.jsonl", "format": "jsonl"}}
    files = [{"path": name, "url": "https://example.org/f", "sha256": sha256(content),
              "title": "Facts"} for name, content in (("facts.jsonl", lines(RECORDS)),
                                                      ("answers.jsonl", other))]
    answered_board(tmp_path, **{"import": [RECIPE, recipe], "downloads": files})
    assert main(["data", "fetch", "facts", *where(tmp_path), "--from", str(tmp_path)]) == 3
    assert ("dev-answers.tsv:1:1 TSV-ANSWERS 'There was dew.'; expected 'There was rain.', as in "
            "row 1 of the split") in capsys.readouterr().err


def test_a_board_without_labels_takes_no_answers(tmp_path: Path) -> None:
    source = ROOT / "boards" / "anlg-practice" / "board.yaml"
    folder = tmp_path / "anlg-practice"
    folder.mkdir()
    told = source.read_text("utf-8")
    changed = re.sub(r"(?m)^  dev: \{", f"  dev: {{answers: {json.dumps(DESCRIBED)}, ", told)
    assert changed != told
    (folder / "board.yaml").write_text(changed, "utf-8")
    with pytest.raises(SubmissionError, match="people's answers to dev; expected a board that asks "
                                              "for a label"):
        boards.load(folder)


# ---- the document and the command --------------------------------------------------------------


def probabilities(place: Path, system: str, values: list[tuple[float, float]]) -> Path:
    """The file of a system's probabilities, fetched as others.yaml says."""
    content = json.dumps([{"said": "yes", "graph": "(a; b; c)", "p": one}
                          for one in values]).encode()
    (place / "theirs.json").write_bytes(content)
    file = {"path": "theirs.json", "to": "theirs.json", "title": "A", "sha256": sha256(content)}
    (place / "boards" / "facts" / "others.yaml").write_text(json.dumps({
        "sources": [{"repository": "a/b", "commit": "0" * 40, "licence": "MIT", "files": [file]}],
        "forms": [{"name": "json", "source": {"format": "json"}, "probabilities": ["p.0", "p.1"],
                   "columns": [{"name": "label", "field": "said"},
                               {"name": "graph", "field": "graph"}]}],
        "systems": [{"system": system, "title": "X", "by": "Y", "what": "authors",
                     "date": "2026-01", "description": "An x.", "saw_dev_gold": "no",
                     "splits": {"dev": {"file": "theirs.json", "form": "json"}}}]}), "utf-8")
    assert main(["data", "fetch", "facts", *where(place), "--from", str(place)]) == 0
    return (place / "home" / "data" / "facts" / "third-party"
            / f"{system}.dev.probabilities.tsv")


def test_the_document_holds_aggregates_of_people_and_systems(place: Path) -> None:
    probabilities(place, "even", [(.5, .5)] * 8)
    told, _ = texts(place)
    found = document(told, "dev", place / "home", {"t/s": SystemScores([1, 1, 0, 0, 1, 1, 0, 0],
                                                                       "ab" * 32)})
    said = found.people
    assert said is not None
    # Gold is yes, no, yes, ...: 9 + 8 + 5 + 4 + 10 + 7 + 0 + 6 of 80.
    assert (said.items, said.answers, said.right, said.raters) == (8, 80, 49, [10, 10])
    assert said.one.value == 49 / 80
    # By the source's word for the tie: right in rows 1, 2, 3, 5, 6 and 8.
    assert said.majority.value == 6 / 8
    assert said.majorities[-1].people == 10
    assert said.majorities[-1].right.value == 5.5 / 8
    assert found.systems["t/s"].whole.value == 4 / 8
    even = found.probabilities["even"]
    # Half for both: yes, the first, is predicted; .25 + .25 each.
    assert (even.accuracy.value, even.ece, even.brier.value) == (.5, 0, .5)
    assert even.jensen_shannon is not None
    assert SurenessDocument.model_validate(found.to_json()) == found
    assert "There was" not in json.dumps(found.to_json())


def test_without_probabilities_the_document_says_so(place: Path) -> None:
    told, _ = texts(place)
    found = document(told, "dev", place / "home", {})
    assert (found.probabilities, found.systems) == ({}, {})
    assert found.probabilities_note == "no system's probabilities for this split are at hand"


@pytest.mark.parametrize(("content", "said"), [
    ("0.5\t0.5\n" * 7, ":8:1 TSV-ROWS 7 rows; expected 8, one an item"),
    ("0.5\t0.5\n" * 7 + "0.5\t0.4\n", ":8:1 TSV-PROBABILITIES '0.5 0.4'; expected numbers"),
    ("0.5\t0.5\n" * 7 + "1.5\t-0.5\n", ":8:1 TSV-PROBABILITIES '1.5 -0.5'; expected numbers"),
    ("0.5\t0.5\n" * 7 + "0\tnan\n", ":8:1 TSV-PROBABILITIES '0 nan'; expected numbers"),
    ("0.5\t0.5\n" * 7 + "1\n", ":8:1 TSV-COLUMNS"),
])
def test_probabilities_that_do_not_fit_the_split_are_refused_with_their_place(
    place: Path, content: str, said: str
) -> None:
    path = probabilities(place, "odd", [(.5, .5)] * 8)
    path.write_text(content, "utf-8")
    told, _ = texts(place)
    with pytest.raises(DataError) as found:
        document(told, "dev", place / "home", {})
    assert f"odd.dev.probabilities.tsv{said}" in str(found.value)


def test_the_command_writes_and_shows_how_sure_people_are(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probabilities(place, "even", [(.5, .5)] * 8)
    run = ["meta", "--board", "facts", "--answers", *where(place), "--results", str(place)]
    assert main(run) == 0
    told = capsys.readouterr().out
    for words in ("80 answers to 8 items, 49 of them gold's", "1 tied", "majority of 10",
                  "Krippendorff's alpha", "No system here has the scores of single items.", "even"):
        assert words in told
    assert main([*run, "--json", str(place / "sure.json")]) == 0
    board_, _ = texts(place)
    assert SurenessDocument.read((place / "sure.json").read_bytes()) == document(
        board_, "dev", place / "home", {})


def test_the_command_says_what_is_missing(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["meta", "--answers", *where(place)]
    assert main(run) == 2
    assert "--answers goes with --board NAME" in capsys.readouterr().err
    (place / "home" / "data" / "facts" / "dev-answers.tsv").unlink()
    assert main([*run, "--board", "facts"]) == 3
    assert "run: scorer data fetch facts" in capsys.readouterr().err
    assert main([*run, "--board", "facts", "--split", "dev"]) == 3
    said = capsys.readouterr().err
    assert "people's answers not on this machine; run: scorer data fetch facts" in said
    (place / "home" / "data" / "facts" / "dev.tsv").unlink()
    assert main([*run, "--board", "facts", "--split", "dev"]) == 3
    assert "gold not on this machine; run: scorer data fetch facts" in capsys.readouterr().err


# ---- pages -------------------------------------------------------------------------------------


def shown(root: Path, path: str) -> tuple[str, list[str]]:
    """What a reader sees of a page, and what was left out of the site."""
    pytest.importorskip("jinja2")
    from scorer.site.reading.read import read_site
    from tests.browser.tiny_site import rendered, text

    site = read_site(root, root / "home")
    return "".join(map(text, rendered(site, path).values())), list(site.warnings)


def written(place: Path) -> Path:
    """A checkout with the document of its board."""
    assert main(["meta", "--board", "facts", "--answers", *where(place), "--json",
                 str(place / "results" / "facts" / "sureness.dev.json")]) == 0
    return place


@pytest.fixture
def site_root(place: Path) -> Path:
    return written(place)


def test_people_stand_beside_systems_and_have_no_rank(site_root: Path) -> None:
    found, warnings = shown(site_root, "boards/facts/dev/")
    assert not [one for one in warnings if "sureness" in one]
    assert "People , never ranked. CC BY-NC 4.0. Ten Say" in found
    for said in ("One person ○ Nobody 2020 61.3", "Majority of 3 people",
                 "Majority of 10 people ○ Nobody 2020 75.0"):
        assert said in found


def test_a_page_says_how_sure_people_are_and_the_overview_begins_with_it(site_root: Path) -> None:
    found, _ = shown(site_root, "human/sureness/")
    assert "80 answers to 8 items" in found
    assert "Majority of 10 people human 75.0" in found
    assert "No calibration: no system's probabilities for this split are at hand." in found
    found, _ = shown(site_root, "human/")
    assert ("Facts dev labels of items (Ten Say) 8 80 one person gives gold's label 61.3 % of the "
            "time, the majority 75.0 %") in found


def test_the_page_says_how_far_probabilities_can_be_believed(place: Path) -> None:
    # Yes with .9 each time: right in four of eight, in the bin above 13/15 up to 14/15.
    probabilities(place, "bold", [(.9, .1)] * 8)
    root = written(place)
    found, _ = shown(root, "human/sureness/")
    # |.5 - .9|, and (.1^2 + .1^2 + .9^2 + .9^2) / 2 over both kinds of items.
    assert "system accuracy, % mean confidence, % ECE \u2193 Brier \u2193" in found
    assert "X 50.0 21.5 to 78.5 90.0 0.400 0.820" in found
    assert ("Reliability of X confidence items mean confidence, % accuracy, % 0.87 to 0.93 8 90.0 "
            "50.0") in found
    # A system that others.yaml no longer names is not shown.
    (root / "boards" / "facts" / "others.yaml").unlink()
    assert "Reliability of" not in shown(root, "human/sureness/")[0]


@pytest.mark.parametrize(("changed", "said"), [
    ({"board_version": "9"}, "of board version '9'; the board has 1.0"),
    ({"gold_sha256": "00" * 32}, "of gold 000000000000...; the board has"),
    ({"split": "test"}, "of facts test"),
    ({"people": 1}, "people"),
])
def test_figures_of_another_board_or_gold_are_left_out_with_a_warning(
    site_root: Path, changed: dict[str, Any], said: str
) -> None:
    path = site_root / "results" / "facts" / "sureness.dev.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changed), "utf-8")
    found, warnings = shown(site_root, "human/sureness/")
    assert found == ""
    assert any(said in one and "scorer meta --board facts --answers --split dev" in one
               for one in warnings), warnings


def test_answers_that_a_program_wrote_are_of_practice_boards_alone() -> None:
    folder = ROOT / "annotations"
    known, _ = people.read(folder)
    practice = {one.id for one in boards.load_all(ROOT / "boards") if one.practice}
    written = {path.parent.name for path in folder.glob("*/*/*.tsv")
               if people.is_simulated(known, path.stem)}
    told = [json.loads((folder / "batches" / f"{name}.json").read_text("utf-8"))
            for name in written]
    # What annotators write from nothing is of no board.
    assert {one["board"] for one in told if "board" in one} == practice & {
        "explagraphs-practice", "anli-practice", "anlg-practice"}


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


def test_answers_to_anli_give_the_figures_of_their_source(anli: Path) -> None:
    """1,369 of 1,532 majorities and 128,566 of 153,200 answers are gold's, counted by
    `jq -s 'map(select(.majority_label == .old_label)) | length'` and
    `jq -s 'map(.label_count[.old_label - 1]) | add'` of chaosNLI_alphanli.jsonl."""
    found = document(boards.load("anli"), "dev", anli, {})
    said = found.people
    assert said is not None
    assert (said.items, said.answers, said.raters) == (1532, 153200, [100, 100])
    assert (said.right, said.one.value) == (128566, 128566 / 153200)
    assert said.majority.value == 1369 / 1532
    assert (round(said.one.value or 0, 4), round(said.majority.value, 4)) == (.8392, .8936)
    assert said.tied == 8


def test_items_fall_into_the_bins_that_the_authors_print(anli: Path) -> None:
    """Five quantiles of the entropies: src/notebook/binned_plot.ipynb of easonnie/ChaosNLI at
    f358e23, read there, prints these edges and numbers of items."""
    told = boards.load("anli")
    path, gold = told.answers_file("dev", anli), told.data_file("dev", anli)
    assert path is not None
    assert gold is not None
    items = [one.texts for one in read_golds(told, "dev", gold).items]
    values = entropies(np.array(read_answers(told, "dev", path, items).counts))
    edges = np.quantile(values, np.linspace(0, 1, 6))
    # The notebook prints six decimals, cut or rounded: .141441 for .1414405.
    assert edges == pytest.approx([0, .141441, .242292, .436470, .760168, 1], abs=1e-6)
    assert np.histogram(values, edges)[0].tolist() == [282, 273, 340, 325, 312]


@pytest.mark.claim("Committed figures on people's answers are those of a fresh run.")
def test_committed_figures_of_people_are_those_of_a_fresh_run(anli: Path) -> None:
    """`scorer meta --board anli --answers --split dev --json results/anli/sureness.dev.json`"""
    kept = SurenessDocument.read((COMMITTED / "sureness.dev.json").read_bytes())
    fresh = document(boards.load("anli"), "dev", anli, {})
    assert flat(fresh.to_json() | {"systems": {}}) == pytest.approx(
        flat(kept.to_json() | {"systems": {}}), abs=1e-9)


RIGHT = {"deberta-v3-large": 2770, "roberta-large": 2553, "bilstm": 1578, "fasttext": 1603,
         "fasttext-hypotheses-only": 1578}
"""Of the five: how many of 3,059 labels are right."""


@pytest.mark.claim("Committed figures on systems' probabilities are those of a fresh run.")
def test_committed_calibration_is_that_of_a_fresh_run(anli: Path) -> None:
    """`scorer meta --board anli --answers --split test --json results/anli/sureness.test.json`"""
    fresh = document(boards.load("anli"), "test", anli, {})
    kept = SurenessDocument.read((COMMITTED / "sureness.test.json").read_bytes())
    assert flat(fresh.to_json()) == pytest.approx(flat(kept.to_json()), abs=1e-9)
    assert {system: one.accuracy.value for system, one in kept.probabilities.items()} == {
        system: right / 3059 for system, right in RIGHT.items()}


@pytest.mark.parametrize("split", ["dev", "test"])
def test_committed_figures_are_of_their_board_and_hold_nothing_but_aggregates(split: str) -> None:
    told = boards.load("anli")
    path = COMMITTED / f"sureness.{split}.json"
    found = SurenessDocument.read(path.read_bytes())
    assert found.differs(told.version, told.splits[split].sha256, None) == ""
    assert found.differs("9", None, None).endswith("; the board has 9")
    assert json.loads(path.read_text("utf-8")) == found.to_json()
    # Far fewer numbers than items: nobody's answer and no item's count can be among them.
    assert len(flat(found.to_json())) < told.splits[split].rows


def test_committed_accuracies_by_sureness_are_those_of_the_rows() -> None:
    found = SurenessDocument.read((COMMITTED / "sureness.dev.json").read_bytes())
    said = found.people
    assert said is not None
    for key, one in found.systems.items():
        row_ = json.loads((COMMITTED / key / "dev.json").read_text("utf-8"))
        assert one.predictions_sha256 == row_["predictions"]["sha256"]
        assert one.whole.value == pytest.approx(row_["counts"]["right"] / 1532)
        right = sum(Fraction(bin_.value or 0).limit_denominator(bin_.n) * bin_.n
                    for bin_ in one.bins)
        assert right == row_["counts"]["right"]
        assert [bin_.n for bin_ in one.bins] == [bin_.items for bin_ in said.bins]
