"""The stemmer against nltk's own, on words of ours and on made-up ones."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from scorer.metrics.porter import WORDS_KEPT, stem

NLTK = PorterStemmer()
BOARDS = Path(__file__).parent.parent / "boards"

# English words, written down for this test.
WORDS = Path(__file__).parent / "fixtures" / "tokens" / "words.txt"
SUFFIXES = """
ational tional enci anci izer abli bli alli entli eli ousli ization ation ator alism iveness fulness
ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able
ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize e ll y ies ied eed ed ing ss sses s
at bl iz yed ying ay ey bly ly
"""


def made_up_words(count: int, seed: int) -> list[str]:
    """Seeded letters followed by up to three suffixes the algorithm knows."""
    chance = random.Random(seed)
    suffixes = SUFFIXES.split()
    return ["".join(chance.choices("aeiouybcdlstzwx1rng", k=chance.randint(0, 5)))
            + "".join(chance.choices(suffixes, k=chance.randint(0, 3))) for _ in range(count)]


def board_words() -> list[str]:
    """The words of every board in the checkout."""
    texts = (path.read_text(encoding="utf-8-sig") for path in sorted(BOARDS.rglob("*.tsv")))
    return sorted({word for text in texts for word in re.findall("[a-z0-9]+", text.lower())})


def different_from_nltk(words: list[str]) -> list[tuple[str, str, str]]:
    stems = [(word, stem(word), NLTK.stem(word)) for word in words]
    return [found for found in stems if found[1] != found[2]]


@pytest.mark.parametrize(("words", "least"), [
    (lambda: WORDS.read_text("utf-8").split(), 700), (board_words, 700),
    (lambda: made_up_words(10_000, seed=7), 10_000),
], ids=["English words", "words of the boards", "made-up words"])
def test_words_have_nltks_stem(words: Callable[[], list[str]], least: int) -> None:
    found = words()
    assert len(found) >= least
    assert different_from_nltk(found) == []


@pytest.mark.claim("Any word has the stem that nltk gives it.")
@settings(derandomize=True, max_examples=500, deadline=None)
@given(st.text(st.characters(exclude_characters="*", exclude_categories=["Cs"]), max_size=12))
def test_any_text_has_nltks_stem(word: str) -> None:
    assert stem(word) == NLTK.stem(word)


@pytest.mark.parametrize(("word", "expected"), [
    ("flies", "fli"), ("dies", "die"), ("died", "die"), ("spied", "spi"), ("enjoy", "enjoy"),
    ("fly", "fli"), ("by", "by"), ("geology", "geolog"), ("nationally", "nation"),
    ("innings", "inning"), ("PROCEED", "proceed"), ("", ""),
])
def test_nltks_departures_from_the_paper_are_kept(word: str, expected: str) -> None:
    assert stem(word) == expected == NLTK.stem(word)


def test_a_very_long_word_takes_no_more_than_a_moment() -> None:
    assert stem("y" * 100_000 + "ational") == NLTK.stem("y" * 100_000 + "ational")


def test_the_stems_remembered_are_bounded() -> None:
    assert stem.cache_info().maxsize == WORDS_KEPT
