"""Metrics beside people's ratings of gold answers: from files to a table and a document."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import kendalltau, spearmanr

from scorer import boards
from scorer.cli import main
from scorer.models.registry import Models
from scorer.people.documents import MetaResults
from scorer.people.metric_agreement import (
    BEST,
    OTHERS,
    GoldAnswer,
    _against,
    agreements_with_ratings,
    counted,
    read,
    scored,
)
from scorer.scoring.submissions import Scorer
from tests.people_world import flat
from tests.test_board_import import RECIPE, board, lines
from tests.test_ratings import RATINGS

ROOT = Path(__file__).resolve().parent.parent
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


RECORDS = tuple({"id": item, "fact": f"The ground {WORDS[item % 6]}.", "right": item % 2,
                 "why": answers(item)} for item in range(8))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A home folder with the fetched data of a board of eight rated items."""
    content = lines(RECORDS)
    (tmp_path / "facts.jsonl").write_bytes(content)
    split = {"file": "dev.tsv", "rows": 8, "gold": "public", "golds": 4,
             "ratings": {"file": "dev-ratings.tsv", "lowest": 1, "highest": 5}}
    more: dict[str, Any] = {"metrics": ["SA", "G-ROUGE-2", "G-BERTScore", "GED"],
                            "splits": {"dev": split}, "import": [RECIPE, RATINGS]}
    told = board(tmp_path, content, **more)
    path = told.folder / "board.yaml"
    path.write_text(path.read_text("utf-8").replace("most_graphs: 3", "most_graphs: 4"), "utf-8")
    assert main(["data", "fetch", "facts", *where(tmp_path), "--from", str(tmp_path)]) == 0
    return tmp_path


def where(place: Path) -> list[str]:
    return ["--boards", str(place / "boards"), "--home", str(place / "home")]


def session(place: Path, metrics: Sequence[str] = ()) -> Any:
    scorer = Scorer(Models(allowed=False), place / "home", place / "boards", tuple(metrics))
    return scorer.session(boards.load("facts", place / "boards"))


def test_an_answer_is_scored_against_all_others_of_its_item_or_against_the_best(
    place: Path
) -> None:
    asked = session(place, ["G-ROUGE-2", "GED"])
    golds, rated = read(asked.board, "dev", place / "home")
    whole, result = scored(asked, "dev", golds, rated, OTHERS)
    assert whole == [GoldAnswer(row, at) for row in range(1, 9) for at in range(4)]
    assert "golds:3|against:others" in result.metrics["GED"].signature
    others, beside = scored(asked, "dev", golds, rated, BEST)
    # The order of gold is that of the ratings, so the best of each item stands first.
    assert others == [GoldAnswer(row, at) for row in range(1, 9) for at in range(1, 4)]
    assert "golds:1|against:best" in beside.metrics["GED"].signature
    # By hand: the second answer of the first item by itself against the first.
    task = asked.board.task
    gold = golds.items[0]
    alone = asked.item(1, task.keep_golds(gold, [0]), task.gold_predictions(gold)[1])
    assert beside.items[0].scores == alone.scores


def test_figures_equal_those_of_scipy(place: Path) -> None:
    asked = session(place, ["G-ROUGE-2", "GED"])
    golds, rated = read(asked.board, "dev", place / "home")
    found = agreements_with_ratings(asked, "dev", golds, rated, "0" * 64)
    assert (found.items, found.answers, found.ratings) == (8, 32, 96)
    people = [[sum(given) / 3 for given in item] for item in rated]
    _, result = scored(asked, "dev", golds, rated, OTHERS)
    for name, sign in (("G-ROUGE-2", 1), ("GED", -1)):
        one = found.against_others[name].within
        # To nine digits: what differs by less is a tie here, and none for scipy.
        scores = [round(sign * item.scores[name].value, 9) for item in result.items]
        assert one is not None
        tau = [kendalltau(scores[4 * row : 4 * row + 4], people[row]).statistic
               for row in range(8)]
        defined = [value for value in tau if value == value]
        assert one.tau_b.value == pytest.approx(sum(defined) / len(defined))
        assert one.tau_b.n == len(defined)
        assert one.overall.value == pytest.approx(
            spearmanr(scores, [value for item in people for value in item]).statistic)


def test_length_and_words_of_the_texts_are_counted_beside_metrics(place: Path) -> None:
    asked = session(place)
    golds, _ = read(asked.board, "dev", place / "home")
    parts, words, overlap = counted(asked.board, golds.items).values()
    # Item 2 is odd, so its longest answer is the best: four edges, (puddle; causes; clouds) and
    # so on, of which only "wet" and "ground" stand in "The ground wet ground."
    assert (parts["1"][2], parts["4"][2]) == (4, 1)
    text = golds.items[1].graphs[0].text
    told = text.replace("(", " ").replace(")", " ").replace(";", " ").split()
    assert words["1"][2] == len(told)
    assert overlap["1"][2] == len({*told} & {"the", "wet", "ground"}) / len({*told})


def test_the_command_shows_ratings_and_counts_and_what_is_not_measured(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    run = ["meta", "--board", "facts", *where(place), "--models", "no"]
    assert main(run) == 0
    told = capsys.readouterr().out
    assert "facts-dev: 32 gold answers of 8 items, 96 ratings" in told
    for words in ("people among themselves", "parts", "overlap", "given parts and words",
                  "against all others", "against the best", "G-ROUGE-2"):
        assert words in told
    assert "G-BERTScore is not measured: model roberta-large was not asked for" in told
    assert main([*run, "--json", str(place / "meta.json")]) == 0
    written = json.loads((place / "meta.json").read_text("utf-8"))
    found = MetaResults.model_validate(written)
    assert found.to_json() == written
    rated = found.rated["facts-dev"]
    assert rated.against_others["G-BERTScore"].within is None
    sa = rated.against_others["SA"].within
    assert sa is not None
    assert (sa.spearman.value, sa.spearman.note) == (None, "no variation")
    assert main([*run, "--split", "train"]) == 2
    assert "has ratings of its gold answers for dev" in capsys.readouterr().err


def test_an_answer_that_nobody_rated_is_not_the_best_however_low_the_others_are() -> None:
    item = ((), (-2.0,), (-1.0, -2.0))
    assert [_against(item, at, BEST) for at in (1, 2)] == [[2], []]


@pytest.mark.parametrize("row", ["-\t-\t-\t-\n", "4\t-\t-\t-\n"])
def test_ratings_that_tell_no_answers_apart_are_a_fault_of_the_data(
    place: Path, capsys: pytest.CaptureFixture[str], row: str
) -> None:
    path = place / "home" / "data" / "facts" / "dev-ratings.tsv"
    path.write_text(row * 8, "utf-8")
    assert main(["meta", "--board", "facts", *where(place), "--models", "no"]) == 3
    assert "facts dev: no item has two rated answers" in capsys.readouterr().err


def test_ratings_that_are_not_at_hand_are_a_fault_of_the_data(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "home" / "data" / "facts" / "dev-ratings.tsv").unlink()
    assert main(["meta", "--board", "facts", *where(place)]) == 3
    assert "ratings not on this machine; run: scorer data fetch facts" in capsys.readouterr().err
    assert main(["meta", "--board", "explagraphs-practice"]) == 2


@pytest.fixture(scope="module")
def copa(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with COPA-SSE's dev split and its ratings."""
    home = tmp_path_factory.mktemp("copa")
    source = data / "outside" / "copa-sse"
    assert main(["data", "fetch", "copa-sse", "--from", str(source), "--home", str(home)]) == 0
    return home


def test_copa_sse_has_the_ratings_that_its_authors_publish(copa: Path) -> None:
    """Counted in dev-explained.jsonl by: jq '[."human-explanations"[]."filtered-ratings"[]] |
    length' (summed), and the same of its explanations."""
    _, found = read(boards.load("copa-sse"), "dev", copa)
    assert sum(len(item) for item in found) == 6579
    assert sum(len(given) for item in found for given in item) == 41717
    means = [[sum(given) / len(given) for given in item] for item in found]
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
    told = capsys.readouterr()
    assert "copa-sse test is not at hand, so left out" in told.err
    fresh = json.loads(told.out)["rated"]["copa-sse-dev"]
    path = ROOT / "results" / "copa-sse" / "metric-agreement.json"
    kept = json.loads(path.read_text("utf-8"))["rated"]["copa-sse-dev"]
    for against in ("against_others", "against_best"):
        kept[against] = {"G-ROUGE-2": kept[against]["G-ROUGE-2"]}
    assert flat(fresh) == pytest.approx(flat(kept), abs=2e-6)


def test_committed_figures_are_of_their_board_as_it_is() -> None:
    board = boards.load("copa-sse")
    path = ROOT / "results" / "copa-sse" / "metric-agreement.json"
    for key, one in MetaResults.read(path.read_bytes()).rated.items():
        gold = board.splits[key.removeprefix("copa-sse-")].sha256
        assert one.differs(board.version, gold, None) == ""
        assert one.differs("9", gold, None).endswith("; the board has 9")
        assert one.differs(board.version, "00" * 32, None).endswith(
            "; the board has 000000000000...")


def test_committed_figures_are_numbers_without_any_text_of_the_data() -> None:
    found = json.loads((ROOT / "results" / "copa-sse" / "metric-agreement.json").read_text("utf-8"))
    assert MetaResults.model_validate(found).to_json() == found
    known = ("", "higher", "lower", "bootstrap", "none", "no variation", "parts", "words",
             "metric-agreement/1")
    told = {one for name, one in flat(found).items() if isinstance(one, str) and one not in known
            and not name.endswith(("_sha256", ".board_version"))}
    assert all("roberta-large" in one for one in told), told
