"""The data of a board as files of the site: Parquet, Croissant, and what makes a dataset of the Hub
a benchmark. Only what ``scorer export hub`` writes too, and only where Parquet can be written.
"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.boards.exporting import hub, items, parquet
from scorer.boards.exporting.croissant import croissant
from scorer.site.records import BoardView

CROISSANT, EVAL_YAML = "croissant.json", "eval.yaml"


def splits_given(view: BoardView) -> list[str]:
    """The splits whose items are given away; none if one of those could not be read."""
    given = {one.name: one for one in view.splits if not items.why_not(view.board, one.name)}
    readable = all(one.golds or one.inputs for one in given.values())
    return [*given] if readable and parquet.there() else []


def dataset_paths(view: BoardView) -> dict[str, str]:
    """Path below the site's root -> what a link calls it."""
    place, splits = f"data/{view.board.id}/", splits_given(view)
    paths = {f"{place}{split}.parquet": f"{split} (Parquet)" for split in splits}
    return paths | ({place + CROISSANT: "Croissant", place + EVAL_YAML: "eval.yaml"}
                    if splits else {})


def dataset_files(site_url: str, view: BoardView) -> Iterator[tuple[str, bytes]]:
    """Every file by its path. Addresses in the metadata are whole, so that they can be fetched."""
    if not splits_given(view):
        return
    board, place = view.board, f"data/{view.board.id}/"
    known = items.items_of(board)
    files = hub.parquet_files(board, known)
    paths = {split: f"{place}{split}.parquet" for split in files}
    yield from ((paths[split], content) for split, content in files.items())
    yield place + CROISSANT, croissant(
        board, known, {split: (site_url + paths[split], content)
                       for split, content in files.items()},
        url=f"{site_url}boards/{board.id}/data/")
    yield place + EVAL_YAML, hub.eval_yaml(board, known)
