"""G-BERTScore with a made-up encoder, and with the real one where it can be had."""

from pathlib import Path

import numpy as np
import pytest

from scorer.metrics.bertscore import bertscore_f1, g_bertscore
from scorer.models.known import Machine
from scorer.models.sources import find
from tests.fakes import LetterEncoder


def test_special_tokens_weigh_nothing_but_may_be_matched_with() -> None:
    special, word, other = np.eye(3, dtype=np.float32)
    candidate = np.stack([special, word, special])
    reference = np.stack([special, other, special])
    assert bertscore_f1(candidate, reference) == 0
    leaning = np.stack([special, (special + word) / np.sqrt(2).astype(np.float32), special])
    assert bertscore_f1(leaning, reference) == 0  # recall of `other` is 0 whatever the precision
    assert bertscore_f1(leaning, candidate) == pytest.approx(np.sqrt(0.5))
    # Unlike every other, a token counts 0 and never less.
    leaning, unlike = np.stack([word] * 3), np.stack([special, word, -word, special])
    assert bertscore_f1(unlike, leaning) == pytest.approx(2 / 3)
    assert bertscore_f1(leaning, unlike) == pytest.approx(2 / 3)
    assert bertscore_f1(np.stack([special, special]), candidate) == 0  # an empty sentence


def test_edges_are_matched_by_the_encoders_similarity() -> None:
    encoder = LetterEncoder()
    predicted = ["ants; be; cats", "dogs"]
    [score] = g_bertscore([(predicted, [["dogs", "apes; be; cows"]])], encoder=encoder)
    assert score.value == score.parts["precision"] == score.parts["recall"] == 1
    [score] = g_bertscore([(["dogs"], [["dogs", "ants"]])], encoder=encoder)
    assert score.parts == {"precision": 1, "recall": 1 / 2}
    assert score.value == 2 / 3
    assert len(encoder.asked) == 5, "each sentence of a call once"


def test_similarities_are_rounded_so_that_batches_cannot_change_a_result() -> None:
    encoder = LetterEncoder()
    [score] = g_bertscore([(["a b c"], [["a x y"]])], encoder=encoder)
    assert score.value == round(1 / 3, 6)


@pytest.mark.models
def test_an_encoder_has_a_vector_for_every_token(tmp_path: Path) -> None:
    from scorer.models.transformers_encoder import TransformersEncoder
    from tests.tiny_judges import tiny_encoder

    encoder = TransformersEncoder(find(str(tiny_encoder(tmp_path))), 2, Machine())
    texts = ["Tom missed the bus.", "", " Ann ran. ", "ran " * 600]
    tokens, vectors = encoder.tokens(texts), encoder.embed(texts)
    assert [len(one) for one in tokens] == [len(one) for one in vectors] == [7, 2, 5, 512]
