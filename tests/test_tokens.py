"""The tokens of BLEU against a record of spaCy, those of ROUGE against rouge_score itself."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score.tokenize import tokenize

from scorer.metrics.tokens import edge_tokens, ngrams, rouge_tokens

RECORD = json.loads((Path(__file__).parent / "fixtures/tokens/spacy.json").read_text("utf-8"))
STEMMER = PorterStemmer()
WORDS = "cats running is a of pet; capable généreux 3rd U.S. İstanbul x_y happily; ; - was; has"


@pytest.mark.claim("Edges are cut into the tokens that spaCy makes of them.")
@pytest.mark.parametrize(("sentence", "tokens"), RECORD["cases"])
def test_edge_tokens_are_those_of_spacy(sentence: str, tokens: list[str]) -> None:
    assert edge_tokens(sentence) == tokens


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab; \t\u00a0\u2003é")))
def test_edge_tokens_keep_every_character_but_blanks(sentence: str) -> None:
    tokens = edge_tokens(sentence)
    assert "".join(tokens).replace(" ", "") == sentence.replace(" ", "")
    assert all(tokens)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text())
def test_rouge_tokens_are_those_of_rouge_score(sentence: str) -> None:
    assert rouge_tokens(sentence) == tokenize(sentence, STEMMER)


def test_rouge_tokens_are_those_of_rouge_score_on_made_up_edges() -> None:
    chance = random.Random(3)
    for _ in range(500):
        sentence = " ".join(chance.choices(WORDS.split(), k=chance.randint(0, 9)))
        assert rouge_tokens(sentence) == tokenize(sentence, STEMMER)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9),
       st.integers(1, 4))
def test_the_intersection_of_ngrams_is_the_clipped_overlap(
    ours: list[str], theirs: list[str], n: int
) -> None:
    def counted(tokens: list[str]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    overlap = sum((counted(ours) & counted(theirs)).values())
    assert len(ngrams(ours, n) & ngrams(theirs, n)) == overlap
    assert len(ngrams(ours, n)) == max(0, len(ours) - n + 1)
