"""Adversaries of the filter: regressions on the difference of two hypotheses' features.

Any other is a function from pairs to the plausibility of every hypothesis
(:class:`scorer.systems.filtering.Adversary`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.encoders import Encoder
    from scorer.systems.filtering import Adversary

STRENGTH = 1.0
"""Inverse of the regression's regularisation; not tuned."""
DIGITS = 5
"""Vectors are rounded, so that a machine's last digits decide nothing."""


class Candidate(NamedTuple):
    """A hypothesis and what it is to explain."""

    context: tuple[str, ...]
    text: str


def words(candidates: Sequence[Candidate]) -> Adversary:
    """Words of the hypothesis alone, and pairs of them: what artefacts of writing are made of."""
    from sklearn.feature_extraction.text import CountVectorizer

    reader = CountVectorizer(binary=True, ngram_range=(1, 2), min_df=2, tokenizer=str.split,
                             token_pattern=None)
    return _regression(reader.fit_transform([one.text for one in candidates]).astype("float64"))


def encoded(candidates: Sequence[Candidate], encoder: Encoder) -> Adversary:
    """The mean vector of the context, ``[SEP]`` and the hypothesis, by a fixed encoder."""
    import numpy as np

    texts = [f"{' '.join(one.context)} [SEP] {one.text}" for one in candidates]
    means = [vectors.mean(axis=0, dtype=np.float64).round(DIGITS)
             for start in range(0, len(texts), 256)
             for vectors in encoder.embed(texts[start : start + 256])]
    return _regression(np.array(means))


def _regression(features: Any) -> Adversary:
    """Logistic regression of which of two is plausible; ``features`` has a row a hypothesis."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    stack = _stack_of(features)

    def learned(plausible: NDArray[np.intp], implausible: NDArray[np.intp]) -> NDArray[np.float64]:
        difference = features[plausible] - features[implausible]
        count = len(plausible)
        model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=1000)
        # A pair and the same exchanged: neither place is preferred.
        model.fit(stack([difference, -difference]), np.repeat([1, 0], count))
        found: NDArray[np.float64] = np.asarray(features @ model.coef_[0], np.float64)
        return found

    return learned


def _stack_of(features: Any) -> Callable[[Sequence[Any]], Any]:
    import numpy as np
    from scipy import sparse

    def sparsely(parts: Sequence[Any]) -> Any:
        return sparse.vstack(parts, format="csr")

    return sparsely if sparse.issparse(features) else np.concatenate
