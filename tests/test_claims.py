"""docs/verified.md says what the tests prove, and nothing else."""

import re

import pytest

from tests.claims import AREAS, PAGE, Claim, collect, page

FIRST = Claim("Numbers are what they were.", "tests/test_ged.py::test_a", ("models",))
SECOND = Claim("Nobody reads a hidden label.", "tests/test_hidden.py::test_b")


def test_the_page_is_what_the_tests_claim() -> None:
    assert page(collect()) == PAGE.read_text("utf-8")  # else: make docs


def test_claims_stand_in_their_area_with_their_test_and_what_it_needs() -> None:
    told = page([SECOND, FIRST])
    assert told.endswith(
        "\n## Numbers\n\n- Numbers are what they were.\n  [`test_a`](../tests/test_ged.py), needs "
        "models\n\n## Hidden gold\n\n- Nobody reads a hidden label.\n"
        "  [`test_b`](../tests/test_hidden.py)\n")


@pytest.mark.parametrize(("claim", "words"), [
    (FIRST._replace(test="tests/test_new.py::test_a"), "has a claim and no area"),
    (FIRST._replace(sentence="numbers"), "a claim is a sentence: 'numbers'"),
    (FIRST._replace(sentence="Numbers are what they were"), "a claim is a sentence"),
    (FIRST._replace(test="tests/test_ged.py::test_b"), "claimed by tests/test_ged.py::test_a too"),
])
def test_a_claim_that_helps_no_reader_is_refused(claim: Claim, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        page([FIRST, claim])


def test_a_file_has_one_area() -> None:
    stems = [stem for area in AREAS.values() for stem in area]
    assert len(set(stems)) == len(stems)
