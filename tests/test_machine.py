"""Which devices there are, and how signatures call them."""

import pytest

from scorer.core.errors import UsageError
from scorer.models.known import ENCODERS, JUDGES, MACHINES
from scorer.models.registry import Models


def test_another_device_is_refused():
    with pytest.raises(UsageError, match="no device 'tpu'; choose one of: cpu, cuda"):
        Models(device="tpu")


def test_a_signature_says_how_a_judge_was_run_and_of_an_encoder_only_what_is_unusual():
    digest = "abcdef123456" + "0" * 52
    for model, tags in (
        (JUDGES["seca"], ("judge:seca-T128-steady-abcdef123456",
                          "judge:seca-T128-padded-abcdef123456")),
        (ENCODERS["minilm-l6"], ("encoder:minilm-l6-L6-abcdef123456",
                                 "encoder:minilm-l6-L6-padded-abcdef123456"))):
        assert tags == tuple(model.tag(digest, machine) for machine in MACHINES)
