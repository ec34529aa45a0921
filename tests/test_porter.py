"""The stemmer against nltk's own, on words of ours and on made-up ones."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from scorer.metrics.porter import stem
from tests.fuzz_helpers import thorough

NLTK = PorterStemmer()
TESTS = Path(__file__).parent
SUFFIXES = """
ational tional enci anci izer abli bli alli entli eli ousli ization ation ator alism iveness fulness
ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able
ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize e ll y ies ied eed ed ing ss sses s
at bl iz yed ying ay ey bly ly
"""
IRREGULAR = "flies dies died spied enjoy fly by geology nationally innings PROCEED"
"""Words that nltk stems otherwise than the paper says."""


def made_up_words(count: int) -> list[str]:
    """Seeded letters followed by up to three suffixes the algorithm knows."""
    chance, suffixes = random.Random(7), SUFFIXES.split()
    return ["".join(chance.choices("aeiouybcdlstzwx1rng", k=chance.randint(0, 5)))
            + "".join(chance.choices(suffixes, k=chance.randint(0, 3))) for _ in range(count)]


def test_words_have_nltks_stem() -> None:
    boards = "\n".join(path.read_text(encoding="utf-8-sig")
                       for path in (TESTS.parent / "boards").rglob("*.tsv"))
    words = {*(TESTS / "fixtures/tokens/words.txt").read_text("utf-8").split(), *IRREGULAR.split(),
             *re.findall("[a-z0-9]+", boards.lower()), *made_up_words(10_000), ""}
    assert len(words) > 5_000
    assert [word for word in sorted(words) if stem(word) != NLTK.stem(word)] == []


@pytest.mark.claim("Any word has the stem that nltk gives it.")
@thorough(500)
@given(st.text(st.characters(exclude_characters="*", exclude_categories=["Cs"]), max_size=12))
def test_any_text_has_nltks_stem(word: str) -> None:
    assert stem(word) == NLTK.stem(word)


def test_a_very_long_word_takes_no_more_than_a_moment() -> None:
    assert stem("y" * 100_000 + "ational") == NLTK.stem("y" * 100_000 + "ational")
