"""What a signature says, its short form, what tells two apart, and what may be ranked together."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.boards import boards_folder, known_boards, load
from scorer.boards.golds import GoldId
from scorer.core.errors import DataError, UsageError
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS
from scorer.models.known import ENCODERS, JUDGES, MACHINES, Machine
from scorer.models.registry import KNOWN, Models
from scorer.scoring.evaluate import Session
from scorer.scoring.results.signature import (
    KEYS,
    comparable_groups,
    difference,
    parts,
    short,
)
from tests.values import metric_value

ROOT = Path(__file__).resolve().parent.parent
LONG = ("G-BLEU|bleu:nltk-sentence-4gram|smooth:none|tok:spacy-infix-semicolon|match:hungarian|"
        "board:explagraphs-1.0|golds:1|gold:1b7e069501cf|scorer:0.1.0")
THE_OTHERS = GoldId("0" * 64, 1, against="others")
COMMITTED = sorted({
    value["signature"] for path in (ROOT / "results").glob("*/*/*/*.json")
    for value in json.loads(path.read_bytes()).get("metrics", {}).values() if "signature" in value})


def value(signature: str, number: float | None = 0.5) -> MetricValue:
    return metric_value(number, signature=signature)


def test_the_parts_of_a_signature_join_to_it_again() -> None:
    assert len(COMMITTED) > 10
    for signature in COMMITTED:
        metric, *rest = parts(signature).items()
        assert "|".join([metric[1], *(f"{key}:{said}" for key, said in rest)]) == signature


@pytest.mark.parametrize("text", [
    "", "G-BLEU", "|match:exact", "SA|match", "SA|match:", "SA|:exact", "SA|match:a|match:b",
    "SA||match:exact", short(LONG)])
def test_what_is_no_long_signature_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(DataError, match=r"expected METRIC\|key:value\|\.\.\. with each key once"):
        parts(text)


def test_a_short_form_keeps_every_value_under_a_short_key_and_ends_in_the_digest() -> None:
    digits = hashlib.sha256(LONG.encode()).hexdigest()[:8]
    assert short(LONG) == (
        "G-BLEU|b:nltk-sentence-4gram|s:none|t:spacy-infix-semicolon|m:hungarian|"
        f"bd:explagraphs-1.0|#:1|g:1b7e069501cf|v:0.1.0|{digits}")
    assert short("X|colour:red").startswith("X|colour:red|"), "a key of no table"


def test_every_key_that_the_program_writes_has_a_short_one_of_its_own() -> None:
    written = set()
    for board in map(load, known_boards(boards_folder())):
        session = Session(board, lambda name: None,
                          lambda name: KNOWN[name].tag("0" * 64, Machine()))
        for metric in board.metrics:
            written |= set(parts(session.signature(metric, THE_OTHERS))) - {"metric"}
    for info in METRICS.values():
        written |= {part.partition(":")[0] for part in info.signature}
    assert written == set(KEYS)
    shorts = [word.short for word in KEYS.values()]
    assert len(set(shorts)) == len(shorts)
    assert not set(shorts) & set(KEYS)


WORD = st.text("abcdefghij-.0123456789", min_size=1, max_size=8)
SIGNATURES = st.builds(
    lambda metric, pairs: "|".join([metric, *(f"{key}:{said}" for key, said in pairs.items())]),
    WORD, st.dictionaries(st.sampled_from(sorted(KEYS)), WORD, min_size=1))


@pytest.mark.claim("Every measured value is in exactly one group of equal signatures.")
@given(st.dictionaries(st.integers(), st.tuples(SIGNATURES, st.none() | st.floats(0, 1))))
def test_groups_hold_every_measured_value_once_with_its_equals(
    given: dict[int, tuple[str, float | None]],
) -> None:
    values = {name: value(*said) for name, said in given.items()}
    groups = comparable_groups(values)
    wanted: dict[str, list[int]] = {}
    for name, one in values.items():
        if one.value is not None:
            wanted.setdefault(one.signature, []).append(name)
    assert {signature: [*members] for signature, members in groups} == wanted
    assert len(groups) == len(wanted)
    sizes = [len(members) for _, members in groups]
    assert sizes == sorted(sizes, reverse=True)


def test_the_largest_group_comes_first_and_unsigned_values_stand_alone() -> None:
    other = LONG.replace("0.1.0", "0.2.0")
    values = {"a": value(""), "b": value(other), "c": value(LONG), "d": value(LONG, None),
              "e": value(LONG), "f": value("")}
    assert comparable_groups(values) == [
        (LONG, ("c", "e")), ("", ("a",)), (other, ("b",)), ("", ("f",))]


@given(SIGNATURES, SIGNATURES)
def test_a_difference_names_each_part_of_which_there_are_two_values(one: str, other: str) -> None:
    first, second = parts(one), parts(other)
    assert {*difference(one, other)} == {
        f"{key}: {first.get(key, 'not stated')} / {second.get(key, 'not stated')}"
        for key in first | second if first.get(key) != second.get(key)}
    assert (short(one) == short(other)) == (one == other)


# ---- models ------------------------------------------------------------------------------------


def test_another_device_is_refused() -> None:
    with pytest.raises(UsageError, match="no device 'tpu'; choose one of: cpu, cuda"):
        Models(device="tpu")


def test_a_signature_says_how_a_judge_was_run_and_of_an_encoder_only_what_is_unusual() -> None:
    digest = "abcdef123456" + "0" * 52
    for model, tags in (
        (JUDGES["seca"], ("judge:seca-T128-steady-abcdef123456",
                          "judge:seca-T128-padded-abcdef123456")),
        (ENCODERS["minilm-l6"], ("encoder:minilm-l6-L6-abcdef123456",
                                 "encoder:minilm-l6-L6-padded-abcdef123456"))):
        assert tags == tuple(model.tag(digest, machine) for machine in MACHINES)
