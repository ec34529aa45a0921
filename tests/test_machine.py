"""Which devices and precisions there are, and how signatures call them."""

import pytest

from scorer.core.errors import UsageError
from scorer.models.known import ENCODERS, JUDGES, Machine
from scorer.models.registry import Models


@pytest.mark.parametrize(("device", "dtype", "words"), [
    ("tpu", "float32", "no device 'tpu'; choose one of: cpu, cuda"),
    ("cuda", "int8", "no precision 'int8'; choose one of: float32, bfloat16, float16"),
    ("cpu", "bfloat16", "bfloat16 needs a GPU; choose --device cuda, or float32")])
def test_other_devices_and_precisions_are_refused(device, dtype, words):
    with pytest.raises(UsageError, match=words):
        Models(device=device, dtype=dtype)


def test_a_signature_says_how_a_judge_was_run_and_of_an_encoder_only_what_is_unusual():
    digest = "abcdef123456" + "0" * 52
    for model, tags in (
        (JUDGES["seca"], ("judge:seca-T128-steady-abcdef123456",
                          "judge:seca-T128-padded-abcdef123456",
                          "judge:seca-T128-bfloat16-padded-abcdef123456")),
        (ENCODERS["minilm-l6"], ("encoder:minilm-l6-L6-abcdef123456",
                                 "encoder:minilm-l6-L6-padded-abcdef123456",
                                 "encoder:minilm-l6-L6-bfloat16-padded-abcdef123456"))):
        assert tags == tuple(model.tag(digest, machine) for machine in (
            Machine(), Machine("cuda"), Machine("cuda", "bfloat16")))
