"""G-BERTScore with a made-up encoder, and with the real one where it can be had."""

import numpy as np
import pytest

from scorer.core.errors import NotMeasured
from scorer.metrics.bertscore import bertscore_f1, g_bertscore
from scorer.models.known import ENCODERS
from scorer.models.registry import Models
from tests.fakes import LetterEncoder


def test_special_tokens_weigh_nothing_but_may_be_matched_with() -> None:
    special, word, other = np.eye(3, dtype=np.float32)
    candidate = np.stack([special, word, special])
    reference = np.stack([special, other, special])
    assert bertscore_f1(candidate, reference) == 0
    leaning = np.stack([special, (special + word) / np.sqrt(2).astype(np.float32), special])
    assert bertscore_f1(leaning, reference) == 0  # recall of `other` is 0 whatever the precision
    assert bertscore_f1(leaning, candidate) == pytest.approx(np.sqrt(0.5))


def test_a_token_that_is_unlike_every_other_counts_zero_and_never_less() -> None:
    special, word = np.eye(2, dtype=np.float32)
    candidate, reference = np.stack([special, word, special]), np.stack([word, -word, word])
    assert bertscore_f1(reference, candidate) == 0


def test_an_empty_sentence_scores_zero() -> None:
    special = np.eye(2, dtype=np.float32)
    assert bertscore_f1(special, special) == 0


def test_edges_are_matched_by_the_encoders_similarity() -> None:
    encoder = LetterEncoder()
    predicted = ["ants; be; cats", "dogs"]
    [score] = g_bertscore([(predicted, [["dogs", "apes; be; cows"]])], encoder=encoder)
    assert score.value == score.parts["precision"] == score.parts["recall"] == 1
    [score] = g_bertscore([(["dogs"], [["dogs", "ants"]])], encoder=encoder)
    assert score.parts == {"precision": 1, "recall": 1 / 2}
    assert score.value == 2 / 3


def test_each_sentence_is_encoded_once_a_call() -> None:
    encoder = LetterEncoder()
    g_bertscore([(["a", "b", "a"], [["b", "c"], ["a"]])] * 5, encoder=encoder)
    assert sorted(encoder.asked) == ["a", "b", "c"]


def test_similarities_are_rounded_so_that_batches_cannot_change_a_result() -> None:
    encoder = LetterEncoder()
    [score] = g_bertscore([(["a b c"], [["a x y"]])], encoder=encoder)
    assert score.value == round(1 / 3, 6)


@pytest.mark.models
def test_the_embedded_encoder_has_the_pinned_weights_and_does_not_depend_on_batches() -> None:
    pytest.importorskip("torch")
    encoders = Models()
    try:
        encoder = encoders("minilm-l6")
    except NotMeasured as reason:
        pytest.skip(str(reason))
    assert encoders.tag("minilm-l6") == f"encoder:minilm-l6-L6-{ENCODERS['minilm-l6'].weights[:12]}"
    sentences = ["trains; causes; smoke", "a", "", "trains; causes; less smoke; " * 200]
    together = encoder.embed(sentences)
    apart = [Models()("minilm-l6").embed([sentence])[0] for sentence in sentences]
    for first, second in zip(together, apart, strict=True):
        assert first.shape == second.shape
        assert np.abs(first - second).max() < 1e-5
        assert np.linalg.norm(first, axis=1) == pytest.approx(1, abs=1e-5)
    assert len(together[2]) == 2  # the two special tokens
    assert len(together[3]) == 512  # truncated at the model's length
