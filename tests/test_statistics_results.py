"""What a result says about how sure its values are."""

import json
from dataclasses import replace

import jsonschema
import pytest

from scorer import boards
from scorer.boards.golds import GoldId, Golds
from scorer.core.files import json_bytes
from scorer.core.graph import Graph
from scorer.core.reading.schema import schema_of
from scorer.core.records import ItemScore
from scorer.core.results import PredictionsFile, Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.evaluate import Session
from scorer.scoring.results import files as results
from scorer.scoring.summary import summarise
from scorer.statistics import intervals
from scorer.tasks.graphs.graph_items import Gold, Prediction
from tests.fakes import LetterEncoder

CHAIN = Graph("(trains; causes; smoke)(smoke; part of; flights)(flights; has property; short)")
RIGHT, WRONG = Prediction("support", CHAIN), Prediction("counter", CHAIN)
ID = GoldId("0" * 64, 1)


ONE, OTHER = (Gold((belief, "trains cause less smoke"), "support", (CHAIN,))
              for belief in ("trains should replace short flights",
                             "short flights should replace trains"))


def evaluated(
    golds: list[Gold], answers: list[Prediction], gold_id: GoldId = ID, with_null: bool = True
) -> Result:
    encoder = LetterEncoder()
    session = Session(boards.load("explagraphs-practice"), lambda name: encoder,
                      lambda name: f"encoder:{name}-fake")
    return session.evaluate(Golds.of(golds, gold_id), answers, split="dev", with_null=with_null)


def test_every_measured_value_has_an_interval_that_fits_its_kind() -> None:
    found = evaluated([ONE, OTHER] * 20, [RIGHT, WRONG] * 20).metrics
    methods = {name: value.interval.method for name, value in found.items()}
    assert methods.pop("SA") == methods.pop("StCA") == "wilson"
    assert set(methods.values()) == {"t"}
    assert found["StCA"].interval == intervals.proportion(20, 40)
    assert found["StCA"].passed.interval is None
    assert found["GED"].passed.interval.note == "fewer than 30 items passed"
    sure = evaluated([ONE] * 40, [RIGHT] * 40).metrics
    assert sure["StCA"].interval == intervals.proportion(40, 40)
    assert sure["GED"].interval == intervals.none("every item has the same score")


def test_items_of_one_belief_are_one_cluster_whatever_its_case() -> None:
    shouted = replace(ONE, texts=(ONE.texts[0].upper(), ONE.texts[1]))
    board = boards.load("explagraphs-practice")
    assert len({board.task.cluster(gold) for gold in (ONE, OTHER, shouted)}) == 2
    found = evaluated([ONE, OTHER, shouted], [RIGHT, WRONG, RIGHT]).metrics["SA"]
    # residuals 1/3, 1/3 and -2/3; sums by belief 2/3 and -2/3; G / (G - 1) = 2
    assert found.clusters == 2
    assert found.clustered_se == pytest.approx((2 * 2 * 4 / 9) ** 0.5 / 3, abs=1e-6)
    assert evaluated([ONE, ONE], [RIGHT, WRONG]).metrics["SA"].clustered_se is None


def test_a_value_is_tested_against_its_own_null() -> None:
    found = evaluated([ONE] * 40, [RIGHT] * 40).metrics
    assert found["G-BLEU"].versus_null.better
    assert found["GED"].versus_null.better  # lower
    assert (found["SA"].versus_null.p, found["SA"].versus_null.better) == (1, False)
    assert found["StCA"].versus_null.test == "mcnemar"
    alone = evaluated([ONE] * 4, [RIGHT] * 4, with_null=False).metrics
    assert {value.versus_null for value in alone.values()} == {None}


def test_hidden_gold_leaves_no_trace_of_how_items_differ() -> None:
    found = evaluated([ONE, OTHER], [RIGHT, WRONG], replace(ID, public=False))
    for value in found.metrics.values():
        assert (value.interval, value.passed.interval, value.clustered_se, value.clusters,
                value.versus_null) == (None, None, None, 0, None)


def test_what_a_judge_says_has_an_interval_over_items_only() -> None:
    scores = [ItemScore(float(n % 3 == 0)) for n in range(120)]
    judged = [one._replace(parts=dict.fromkeys(METRICS["SeCA"].parts, 0.0)) for one in scores]
    found = summarise(METRICS["SeCA"], judged, [True] * 120, range(120))
    assert found.interval.note.startswith("items only")
    assert found.passed.interval.note.startswith("items only")
    assert (found.interval.method, found.passed.interval.method) == ("wilson", "bootstrap")
    assert summarise(METRICS["SA"], scores, [True] * 120, range(120)).interval.note == ""


@pytest.fixture
def document() -> dict:
    found = evaluated([ONE, OTHER] * 20, [RIGHT, WRONG] * 20)
    found = found.replace(predictions=PredictionsFile(sha256="a" * 64, rows=40), key="b" * 64,
                          team="t", system="s")
    return json.loads(json_bytes(found.to_json()))


def test_intervals_are_in_the_file_and_come_back_the_same(document: dict) -> None:
    jsonschema.validate(document, schema_of(Result, ""))
    reach = 1.959964 / 2 / (40 + 1.959964**2) ** 0.5  # Wilson's of 20 of 40, around .5
    assert document["metrics"]["StCA"]["interval"] == {
        "low": round(0.5 - reach, 6), "high": round(0.5 + reach, 6), "method": "wilson",
        "note": "", "level": 0.95}
    assert set(document["metrics"]["StCA"]["versus_null"]) == {"p", "better", "test"}
    assert results.from_json(document).to_json() == document


def test_the_schema_refuses_a_value_without_its_interval(document: dict) -> None:
    ged = document["metrics"]["GED"]
    for name in ("interval", "clustered_se", "clusters", "null"):
        document["metrics"]["GED"] = {key: value for key, value in ged.items() if key != name}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, schema_of(Result, ""))
