"""Cards of judges from folders. A card that does not fit is left out with a warning."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scorer.errors import DataError
from scorer.models import judge_card as cards
from scorer.models.judge_card import Card
from scorer.website.judges.judging import Judges, KnownJudge
from scorer.website.text import slug

MOST_NAME = 60
"""Characters of a judge's name in its address."""


def places(given: Sequence[Path], home: Path) -> list[Path]:
    """Files of cards: those in named folders, of the home folder, and those that come with us."""
    folders = [*given, home / "judges", cards.embedded()]
    return list(dict.fromkeys(path for folder in folders for path in cards_in(folder)))


def cards_in(folder: Path) -> list[Path]:
    """The file of a card in a folder, and those in the folders below it."""
    own = folder / cards.FILE
    return [*([own] if own.is_file() else []), *sorted(folder.glob(f"*/{cards.FILE}"))]


def read_judges(files: Iterable[Path], warn: Callable[[str], None]) -> Judges:
    """Every judge with a sound card, in order of metric and name; the first card of one counts."""
    found: dict[tuple[str, str], tuple[Card, Path]] = {}
    for path in files:
        try:
            card = sound(cards.read(path.parent), path)
        except DataError as fault:
            warn(str(fault))
            continue
        first, other = found.setdefault((card.judge, card.weights), (card, path))
        if first != card:
            warn(f"{path}: another card of the judge of {other}, which is shown")
    ordered = sorted(found.values(), key=lambda one: (one[0].judge != "seca", one[0].judge,
                                                      one[0].name, one[0].weights))
    return Judges(tuple(_with_paths(ordered)))


def _with_paths(ordered: Sequence[tuple[Card, Path]]) -> Iterator[KnownJudge]:
    taken: set[str] = set()
    for card, source in ordered:
        name = slug(card.name)[:MOST_NAME].strip("-") or card.weights[:12]
        judge = slug(card.judge)
        place = name if name.startswith(f"{judge}-") else f"{judge}-{name}"
        if place in taken:
            place = f"{place}-{card.weights[:12]}"
        taken.add(place)
        yield KnownJudge(card, f"judges/{place}/", source)


# ---- whether a card can be shown -----------------------------------------------------------------


def sound(card: Card, path: Path) -> Card:
    """The card, if every value is of its kind. Raises DataError that names the first that is not.

    Anyone can write a card; nothing in it may stop the site.
    """
    for what, fine in _checks(card):
        if not fine:
            raise DataError(f"{path}: {what} is not what a judge's card has there; "
                            "make it with scorer judge evaluate")
    return card


def _checks(card: Any) -> Iterator[tuple[str, bool]]:
    yield "judge", isinstance(card.judge, str) and bool(slug(card.judge))
    yield "name", isinstance(card.name, str)
    yield "weights", isinstance(card.weights, str) and bool(
        re.fullmatch(r"[0-9a-f]{64}", card.weights))
    yield "labels", bool(card.labels) and all(isinstance(label, str) for label in card.labels)
    yield "most_tokens", _count(card.most_tokens)
    for name in ("base", "data", "training"):
        yield name, isinstance(getattr(card, name), Mapping)
    for number, one in enumerate(card.evaluations, 1):
        yield f"evaluation {number}", _sound_evaluation(one)


def _sound_evaluation(one: Any) -> bool:
    return (
        isinstance(one.name, str) and isinstance(one.about, str)
        and isinstance(one.confusion, Mapping)
        and all(isinstance(row, Mapping) and all(map(_count, row.values()))
                for row in one.confusion.values())
        and (one.brier is None or _number(one.brier))
        and all(map(_sound_bin, one.bins))
    )


def _sound_bin(part: Any) -> bool:
    return (_count(part.n) and _count(part.right) and part.right <= part.n
            and _number(part.sure) and 0 <= part.sure <= 1)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: Any) -> bool:
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and math.isfinite(value))
