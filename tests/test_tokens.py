"""The tokens of BLEU against a record of spaCy, those of ROUGE against rouge_score itself."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score.tokenize import tokenize

from scorer.metrics.bleu import edge_tokens, ngrams
from scorer.metrics.rouge import rouge_tokens
from tests.fuzz_helpers import thorough

RECORD = json.loads((Path(__file__).parent / "fixtures/tokens/spacy.json").read_text("utf-8"))
STEMMER = PorterStemmer()
WORDS = "cats running is a of pet; capable généreux 3rd U.S. İstanbul x_y happily; ; - was; has"
EDGES = st.lists(st.sampled_from(WORDS.split()), max_size=9).map(" ".join)


@pytest.mark.claim("Edges are cut into the tokens that spaCy makes of them.")
def test_edge_tokens_are_those_of_spacy():
    for sentence, tokens in RECORD["cases"]:
        assert edge_tokens(sentence) == tokens, sentence
    assert len(RECORD["cases"]) == 244


@thorough(300)
@given(st.text() | EDGES)
def test_rouge_tokens_are_those_of_rouge_score(sentence):
    assert rouge_tokens(sentence) == tokenize(sentence, STEMMER)


@thorough(200)
@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9),
       st.integers(1, 4))
def test_the_intersection_of_ngrams_is_the_clipped_overlap(ours, theirs, n):
    one, other = (Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
                  for tokens in (ours, theirs))
    assert len(ngrams(ours, n) & ngrams(theirs, n)) == (one & other).total()
    assert len(ngrams(ours, n)) == max(0, len(ours) - n + 1)
