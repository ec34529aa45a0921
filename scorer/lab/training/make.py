"""Making a judge: train it, load it as everyone will, measure it, write its card."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer import boards
from scorer.core.errors import DataError
from scorer.core.files import sha256_file
from scorer.lab.folders import machine, versions
from scorer.lab.training import counts, evaluate, examples
from scorer.lab.training.edits import DEV, REFINEMENT, RELEASED, TRAIN
from scorer.models import endpoint
from scorer.models import judge_card as cards
from scorer.models.judge_card import Card
from scorer.models.known import JUDGES
from scorer.models.registry import Models
from scorer.models.sources import ADAPTER, FOR_BASE, adapter_digest, locate, weights_digest

if TYPE_CHECKING:
    from scorer.lab.training.train import TrainingSettings

BOARD = "explagraphs"
LICENCE = ("ExplaGraphs: MIT (repository) or CC BY-SA 4.0 (web page); released negatives: MIT "
           "(github swarnaHub/ExplagraphGen). No row of them is part of the judge's files.")

SMALL_EPOCH = {"paraphrase": 75, "unlinked": 75, "incoherent": 150, "scrambled": 100,
               examples.PERTURBED: 100, examples.FLIPPED: 300, examples.OTHER: 300,
               examples.NEGATED: 300, examples.REARRANGED: 150, examples.NULL: 200}
"""Examples of the made kinds in one epoch, so that people's graphs are most of what is seen."""


def train(
    judge: str, base: str, data: Path, out: Path, settings: TrainingSettings, *, command: str,
    start: Path | None = None,
) -> Card:
    """Train a judge into ``out`` and return its card, which is written there too.

    ``base`` is a model's source, ``data`` a folder with the board's files, ``start`` the folder of
    an adapter of the same base that training starts from. A run that was killed
    goes on where it was. Raises DataError for files that are missing, NotMeasured for the base.
    """
    from scorer.lab.training.train import JudgeLearner

    info = JUDGES[judge]
    if judge == "seca":
        counts.trees()  # before hours of training
    folder = locate(base, advice=FOR_BASE)
    parts = examples.parted(examples.examples_of(judge, data, settings.seed), settings.seed)
    weights = start / ADAPTER if start is not None else None
    if weights is not None:
        if not weights.is_file():
            raise DataError(f"{weights}: no such file; --start names an adapter's folder")
        settings = settings.model_copy(update={"start": sha256_file(weights)})
    learner = JudgeLearner(
        folder, info.labels, settings, parts["train"],
        [part for part in parts["stopping"] if part.kind in examples.STOPPING],
        partial(evaluate.stopping_score, info.labels), weights)
    epochs = learner.fit(out / "state")
    learner.save(out, base)
    base_digest = weights_digest(folder)
    card = Card(
        judge=judge, name=out.resolve().name,
        weights=adapter_digest(base_digest, out) if settings.rank else weights_digest(out),
        labels=info.labels, most_tokens=settings.most_tokens,
        base={"source": base, "weights": base_digest},
        data={"files": _digests(judge, data), "licence": LICENCE, "examples": {
            part: dict(Counter(example.kind for example in group))
            for part, group in parts.items()}},
        training={
            "settings": settings.to_json(),
            "epochs": [epoch.to_json() for epoch in epochs],
            "best": max(epochs, key=lambda epoch: epoch.score).number,
            "seconds": round(sum(epoch.seconds for epoch in epochs)),
            "machine": machine(), "versions": versions(), "command": command,
        },
    )
    cards.write(card, out)  # a judge is loaded by its card
    card = _measured(card, f"adapter:{out}" if settings.rank else str(out), data)
    cards.write(card, out)
    shutil.rmtree(out / "state", ignore_errors=True)
    return card


def measure(judge: str, source: str, data: Path, out: Path, *, seed: int, command: str,
            cache: Path | None = None) -> Card:
    """Measure any judge, such as the authors', and write its card into ``out``.

    Its training data are not known here, so it may have seen what it is measured on; the card
    says so. ``cache``: a file in which answers are kept. Raises NotMeasured if the judge cannot be
    loaded or does not answer.
    """
    folder = None if source.startswith(endpoint.PREFIX) else locate(source)
    if folder is not None and (folder / cards.FILE).is_file():
        card = cards.read(folder)
        # An adapter's weights are compared when it is loaded.
        if not source.startswith("adapter:") and card.weights != weights_digest(folder):
            raise DataError(f"{source}: its {cards.FILE} is of other weights ({card.weights[:12]}"
                            "...); remove it, or put the right one beside the weights")
        if card.may_have_seen:
            card = replace(card, data={**card.data, "files": _digests(judge, data)})
        else:
            _require_its_files(card, source, data)
    else:
        info = JUDGES[judge]
        if folder is None:
            behind = endpoint.read(source, judge)
            weights, most_tokens, base = behind.digest, 0, behind.facts()
        else:
            weights, most_tokens, base = weights_digest(folder), info.most_tokens, {}
        card = Card(
            judge=judge, name=out.resolve().name, weights=weights,
            labels=info.labels, most_tokens=most_tokens, base=base,
            data={"files": _digests(judge, data), "licence": LICENCE},
            training={"settings": {"seed": seed}, "measured with": command,
                      "note": "Not trained here: it may have seen the graphs it is measured on."},
        )
    if card.judge != judge:
        raise DataError(f"{source} is a judge for {card.judge}; expected one for {judge}")
    card = _measured(card, source, data, cache)
    cards.write(card, out)
    return card


def _require_its_files(card: Card, source: str, data: Path) -> None:
    """Raises DataError for data that the judge's training did not part."""
    known, recorded = _digests(card.judge, data), card.data.get("files")
    for name in (TRAIN, REFINEMENT, DEV):
        wanted = recorded.get(name) if isinstance(recorded, Mapping) else None
        if wanted is not None and wanted != known.get(name):
            raise DataError(f"{data / name} is not the file that {source} was made with, so what "
                            "was held out is not known; name the folder with that one by --data")


def _measured(card: Card, source: str, data: Path, cache: Path | None = None) -> Card:
    """The card with its figures; a SeCA judge's beside those of the counts baseline.

    Raises DataError if the card does not say what parted the beliefs.
    """
    settings = card.training.get("settings")
    seed = settings.get("seed") if isinstance(settings, Mapping) else None
    if type(seed) is not int:
        raise DataError(f"the card of {card.name} names no seed, so what was held out is not "
                        "known; remove the card to measure the judge as one of unknown training")
    parts = examples.parted(examples.examples_of(card.judge, data, seed), seed)
    questions = evaluate.questions(card.judge, data, parts, seed, boards.load(BOARD))
    baseline = evaluate.counts_baseline(parts) if card.judge == "seca" else None
    judge = Models({card.judge: source}, cache=cache)(card.judge)
    return evaluate.measured(card, judge, questions, baseline)


def _digests(judge: str, data: Path) -> dict[str, str]:
    names = [TRAIN, DEV]
    if judge == "seca":
        names += [REFINEMENT, f"{RELEASED}.source", f"{RELEASED}.neg_target"]
    return {name: sha256_file(data / name) for name in names if (data / name).is_file()}
