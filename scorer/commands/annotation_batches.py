"""What commands that make batches for annotators share: names, writing, and telling of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.annotations.making import Made


def check_name(name: str) -> None:
    """Raise UsageError unless a batch can be called so."""
    from scorer.annotations import batches
    from scorer.errors import UsageError, excerpt

    if not batches.is_name(name):
        raise UsageError(f"batch {excerpt(name)}: write 1 to 60 of a-z, 0-9 and inner hyphens")


def write_made(annotations: Path, made: Made) -> None:
    """Write batches and their keys, and tell of them."""
    from scorer.annotations import batches, keys, making
    from scorer.errors import counted

    making.write(annotations, made)
    for note in made.notes:
        print(note)
    for batch, _, _ in made.batches:
        print(f"{batches.path_of(annotations, batch.name)}: {counted(len(batch.items), 'item')}, "
              f"{counted(batch.needed, 'annotator')} each, SHA-256 {batch.sha256[:12]}...")
        print(f"{keys.path_of(annotations, batch.name)}: where each item comes from; annotators "
              "must not look")
