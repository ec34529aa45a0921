"""The judges that come with the program: small, whole, and what their cards say they are."""

import json
from pathlib import Path

import pytest

from scorer import boards
from scorer.lab.training import evaluate
from scorer.lab.training.edits import DEV, read_items
from scorer.models import judge_card as cards
from scorer.models import sources
from scorer.models.judge_card import Card
from scorer.models.known import ENCODERS, JUDGES
from scorer.models.registry import Models

ROOT = Path(__file__).resolve().parent.parent
CARDS = cards.find([cards.EMBEDDED])


def test_every_judge_has_an_embedded_default() -> None:
    assert {info.source for info in JUDGES.values()} == {f"adapter:{card.name}" for card in CARDS}


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_an_embedded_judge_is_small_and_of_the_pinned_base(card: Card) -> None:
    folder = cards.EMBEDDED / card.name
    assert sum(path.stat().st_size for path in folder.iterdir()) < 10**6
    assert sources.digest(f"adapter:{card.name}") == card.weights
    assert card.base["weights"] == ENCODERS["minilm-l6"].weights
    assert card.labels == JUDGES[card.judge].labels


@pytest.mark.claim("The SeCA judge that comes with the program is not fit to rank, and the "
                   "documents say so.")
def test_the_embedded_seca_judge_is_not_fit_as_readme_and_decision_say() -> None:
    [card] = [card for card in CARDS if card.judge == "seca"]
    assert card.fitness is not None
    assert not card.fitness.fit


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_committed_results_are_by_the_embedded_judges(card: Card) -> None:
    for path in sorted((ROOT / "results").glob("*/*/*/*.json")):
        models = json.loads(path.read_bytes()).get("models", {})
        if card.judge in models:
            assert models[card.judge].endswith(card.weights[:12]), path


@pytest.mark.claim("The judges that come with the program answer as their cards say.")
@pytest.mark.models
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_the_judge_answers_dev_as_its_card_says(card: Card, data: Path) -> None:
    dev = read_items(data / "explagraphs" / DEV)
    sets = (evaluate.ea_sets([], dev) if card.judge == "ea"
            else evaluate.seca_sets([], dev, boards.load("explagraphs")))
    judge = Models()(card.judge)
    for name, about, pairs, expected in sets:
        if name in (cards.DEV_GOLD, cards.NULL):
            kept = card.evaluation(name)
            assert kept is not None
            assert evaluate.evaluation(name, about, judge.labels, expected,
                                       judge.probabilities(pairs)).confusion == kept.confusion
