"""Cards of judges from folders. A card that does not fit is left out with a warning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from scorer.core.errors import DataError
from scorer.models import judge_card as cards
from scorer.models.judge_card import Card
from scorer.scoring.judging import Judges, KnownJudge
from scorer.site.text import slug

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
            card = cards.read(path.parent)
            if not slug(card.judge):
                raise DataError(f"{path}: a judge without a name; make it with scorer judge "
                                "evaluate")
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
