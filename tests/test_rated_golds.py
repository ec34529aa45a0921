"""Metrics beside people's ratings of gold answers: from files to a table and a document."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards.item_files import read_ratings
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from scorer.models.registry import Models
from scorer.people.documents import MetaResults
from scorer.people.metric_agreement import (
    BEST,
    OTHERS,
    GoldAnswer,
    counted,
    read,
    scored,
)
from scorer.scoring.evaluate import Session
from scorer.scoring.submissions import Scorer
from tests import case_files
from tests.people_world import flat
from tests.test_board_import import RECIPE, board, lines

COMMITTED = Path(__file__).parent.parent / "results" / "copa-sse" / "metric-agreement.json"
COLUMN = {"name": "ratings", "each": "why", "highest_first": "mean", "field": "said",
          "form": "listing"}
RATINGS = {"to": "dev-ratings.tsv", "source": {"file": "facts.jsonl", "format": "jsonl"},
           "columns": [COLUMN]}
WORDS = ("rain", "wet ground", "clouds", "umbrella", "puddle", "storm")


def answers(item: int) -> list[dict[str, Any]]:
    """Four answers to one item, of one to four edges: the longer, the higher three people rate it,
    in half of the items."""
    made = []
    for size in range(1, 5):
        edges = [[WORDS[(item + at) % 6], "Causes", WORDS[(item + at + size) % 6]]
                 for at in range(size)]
        mean = size if item % 2 else 1 + (size * 7 + item) % 4
        made.append({"mean": mean, "said": [max(1, mean - 1), mean, min(5, mean + 1)],
                     "edges": edges})
    return made


RECORDS: Any = tuple({"id": item, "fact": f"The ground {WORDS[item % 6]}.", "right": item % 2,
                 "why": answers(item)} for item in range(8))


def rated_board(folder: Path, records: Any = RECORDS, to: str = "dev-ratings.tsv") -> list[str]:
    """The command that fetches the files of a board of eight rated items."""
    content = lines(records)
    (folder / "facts.jsonl").write_bytes(content)
    split = {"file": "dev.tsv", "rows": 8, "gold": "public", "golds": 4,
             "ratings": {"file": "dev-ratings.tsv", "lowest": 1, "highest": 5}}
    more: dict[str, Any] = {"metrics": ["SA", "G-ROUGE-2", "G-BERTScore", "GED"],
                            "splits": {"dev": split}, "import": [RECIPE, RATINGS | {"to": to}]}
    path = board(folder, content, **more).folder / "board.yaml"
    path.write_text(path.read_text("utf-8").replace("most_graphs: 3", "most_graphs: 4"), "utf-8")
    return ["data", "fetch", "facts", *where(folder), "--from", str(folder)]


def where(place: Path) -> list[str]:
    return ["--boards", str(place / "boards"), "--home", str(place / "home")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the fetched data."""
    folder = tmp_path_factory.mktemp("rated")
    assert main(rated_board(folder)) == 0
    return folder


# ---- the file ------------------------------------------------------------------------------


def ratings_of(place: Path, path: Path, *counts: int) -> Any:
    return read_ratings(boards.load("facts", place / "boards"), "dev", path, counts)


def test_ratings_come_in_the_order_of_the_gold_answers(place: Path, tmp_path: Path) -> None:
    path = place / "home" / "data" / "facts" / "dev-ratings.tsv"
    # The source has the shortest answer first, gold and ratings the best.
    assert path.read_text("utf-8").splitlines()[1] == "3 | 4 | 5\t2 | 3 | 4\t1 | 2 | 3\t1 | 1 | 2"
    assert ratings_of(place, path, *[4] * 8)[1] == ((3, 4, 5), (2, 3, 4), (1, 2, 3), (1, 1, 2))
    (tmp_path / "ratings.tsv").write_text("-\t4\n1|2.5\n", "utf-8")  # nobody rated the first answer
    assert ratings_of(place, tmp_path / "ratings.tsv", 2, 1) == (((), (4,)), ((1, 2.5),))


@pytest.mark.parametrize(("content", "fault"), case_files.read("answered.yaml")["ratings"])
def test_ratings_that_do_not_fit_the_gold_are_told_with_their_place(
    place: Path, tmp_path: Path, content: str, fault: str
) -> None:
    (tmp_path / "ratings.tsv").write_text(content, "utf-8")
    with pytest.raises(DataError, match=re.escape(f"ratings.tsv:{fault}")):
        ratings_of(place, tmp_path / "ratings.tsv", 2, 1)


def test_an_import_to_a_file_that_nothing_names_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"an import to other\.tsv; expected the file of a "
                                              "split, of its ratings or its answers"):
        rated_board(tmp_path, to="other.tsv")


# ---- metrics beside them ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def session(place: Path) -> Session:
    scorer = Scorer(Models(allowed=False), place / "home", place / "boards", ("G-ROUGE-2", "GED"))
    return scorer.session(boards.load("facts", place / "boards"))


def test_an_answer_is_scored_against_all_others_of_its_item_or_against_the_best(
    place: Path, session: Session
) -> None:
    golds, rated, _ = read(session.board, "dev", place / "home")
    answers, result = scored(session, "dev", golds, rated, OTHERS)
    assert answers == [GoldAnswer(row, at) for row in range(1, 9) for at in range(4)]
    assert "golds:3|against:others" in result.metrics["GED"].signature
    others, beside = scored(session, "dev", golds, rated, BEST)
    # The order of gold is that of the ratings, so the best of each item stands first.
    assert others == [GoldAnswer(row, at) for row in range(1, 9) for at in range(1, 4)]
    assert "golds:1|against:best" in beside.metrics["GED"].signature
    # By hand: the second answer of the first item by itself against the first.
    task, gold = session.board.task, golds.items[0]
    alone = session.item(1, task.keep_golds(gold, [0]), task.gold_predictions(gold)[1])
    assert beside.items[0].scores == alone.scores
    # An answer that nobody rated is not the best, however low the others are.
    low = [((), (-2.0,), (-1.0, -2.0), ()), *rated[1:]]
    assert scored(session, "dev", golds, low, BEST)[0][:2] == [GoldAnswer(1, 1), GoldAnswer(2, 1)]


def test_length_and_words_of_the_texts_are_counted_beside_metrics(
    place: Path, session: Session
) -> None:
    golds, _, _ = read(session.board, "dev", place / "home")
    parts, words, overlap = counted(session.board, golds.items).values()
    # Item 2 is odd, so its longest answer is the best: four edges, (puddle; causes; clouds) and
    # so on, of which only "wet" and "ground" stand in "The ground wet ground."
    assert (parts[2, 0], parts[2, 3]) == (4, 1)
    longest = re.findall(r"\w+", golds.items[1].graphs[0].text)
    assert words[2, 0] == len(longest)
    assert overlap[2, 0] == len({*longest} & {"the", "wet", "ground"}) / len({*longest})


def test_the_command_shows_ratings_and_counts_and_what_is_not_measured(
    place: Path, tmp_path: Path, prints: Callable[..., str]
) -> None:
    run = ["meta", "--board", "facts", *where(place), "--models", "no"]
    table = prints(*run)
    for words in ("facts-dev: 32 gold answers of 8 items, 96 ratings",
                  "a metric could reach", "parts", "overlap", "given parts and words",
                  "against all others", "against the best", "G-ROUGE-2",
                  "G-BERTScore is not measured: model roberta-large was not asked for"):
        assert words in table
    assert main([*run, "--json", str(tmp_path / "meta.json")]) == 0
    written = json.loads((tmp_path / "meta.json").read_text("utf-8"))
    results = MetaResults.model_validate(written)
    assert results.to_json() == written
    others = results.rated["facts-dev"].against_others
    assert others["G-BERTScore"].within is None
    assert others["SA"].within is not None
    assert (others["SA"].within.spearman.value, others["SA"].within.spearman.note) == (
        None, "no variation")


def test_what_can_not_be_measured_is_refused(
    place: Path, tmp_path: Path, fails: Callable[..., None]
) -> None:
    run = ["meta", *where(shutil.copytree(place, tmp_path / "place")), "--models", "no", "--board"]
    ratings = tmp_path / "place" / "home" / "data" / "facts" / "dev-ratings.tsv"
    fails(2, "has ratings of its gold answers for dev", *run, "facts", "--split", "train")
    for row in ("-\t-\t-\t-\n", "4\t-\t-\t-\n"):
        ratings.write_text(row * 8, "utf-8")
        fails(3, "facts dev: no item has two rated answers", *run, "facts")
    ratings.unlink()
    fails(3, "ratings not on this machine; run: scorer data fetch facts", *run, "facts")
    fails(2, "", "meta", "--board", "explagraphs-practice")


@pytest.fixture(scope="module")
def copa(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with COPA-SSE's dev split and its ratings."""
    home = tmp_path_factory.mktemp("copa")
    source = data / "outside" / "copa-sse"
    assert main(["data", "fetch", "copa-sse", "--from", str(source), "--home", str(home)]) == 0
    return home


@pytest.mark.whole
def test_copa_sse_has_the_ratings_that_its_authors_publish(copa: Path) -> None:
    """Counted in dev-explained.jsonl by: jq '[."human-explanations"[]."filtered-ratings"[]] |
    length' (summed), and the same of its explanations."""
    _, rated, _ = read(boards.load("copa-sse"), "dev", copa)
    assert sum(map(len, rated)) == 6579
    assert sum(len(marks) for item in rated for marks in item) == 41717
    means = [[sum(marks) / len(marks) for marks in item] for item in rated]
    assert all(item == sorted(item, reverse=True) for item in means)


@pytest.mark.whole
@pytest.mark.claim("Committed figures on people's ratings are those of a fresh run.")
def test_committed_figures_are_those_of_a_fresh_run(
    copa: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`scorer meta --board copa-sse --json results/copa-sse/metric-agreement.json` wrote them; here
    one metric of the dev split is measured again."""
    capsys.readouterr()
    assert main(["meta", "--board", "copa-sse", "--metrics", "G-ROUGE-2",
                 "--models", "no", "--json", "-", "--home", str(copa)]) == 0
    report = capsys.readouterr()
    assert "copa-sse test is not at hand, so left out" in report.err
    fresh = json.loads(report.out)["rated"]["copa-sse-dev"]
    kept = json.loads(COMMITTED.read_text("utf-8"))["rated"]["copa-sse-dev"]
    for against in ("against_others", "against_best"):
        kept[against] = {"G-ROUGE-2": kept[against]["G-ROUGE-2"]}
    assert flat(fresh) == pytest.approx(flat(kept), abs=2e-6)


def test_committed_figures_are_of_their_board() -> None:
    board = boards.load("copa-sse")
    for key, one in MetaResults.read(COMMITTED.read_bytes()).rated.items():
        gold = board.splits[key.removeprefix("copa-sse-")].sha256
        assert one.differs(board.version, gold, None) == ""
