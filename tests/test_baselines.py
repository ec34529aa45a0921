"""Reference rows: what each is, and that the committed ones are what the program writes."""

from dataclasses import replace
from pathlib import Path

import pytest

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.core.errors import NotMeasured
from scorer.core.graph import Graph
from scorer.models.registry import Models
from scorer.scoring import reference
from scorer.scoring.submissions import open_submission
from scorer.tasks.graphs.baselines import BASELINES
from scorer.tasks.graphs.graph_items import Gold

ROOT = Path(__file__).parent.parent
PRACTICE = boards.load("explagraphs-practice")
NO_HOME = Path("no-such-home")


def items(split: str) -> tuple[Gold, ...]:
    return read_golds(PRACTICE, split, PRACTICE.folder / "data" / f"{split}.tsv").items


ROWS = [(board, name) for board in ("explagraphs-practice", "anli-practice", "anlg-practice",
                                    "graph-stance-practice", "explained-practice")
        for name, baseline in boards.load(board).task.baselines.items()
        if any(reference.applicable(boards.load(board), baseline, split)
               for split in boards.load(board).splits)]
NEED_SKLEARN = ("nearest-neighbour", "text-only", "relations-only", "texts-and-graph",
                "shuffled-relations", "other-graph", "flipped-negations", "word-overlap")


loaded = Models()
"""Each encoder is loaded once."""


def no_model(name: str) -> None:
    raise AssertionError(f"{name} was asked for")


@pytest.mark.claim("Every reference row is what the program writes from the gold.")
@pytest.mark.parametrize(("board", "name"), [
    pytest.param(*row, marks=[pytest.mark.models] if boards.load(row[0]).task.baselines[
        row[1]].encoder else []) for row in ROWS])
def test_the_committed_rows_are_what_the_program_writes(
    board: str, name: str, tmp_path: Path
) -> None:
    described = boards.load(board)
    baseline = described.task.baselines[name]
    if name in NEED_SKLEARN or baseline.encoder:
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    models = loaded if baseline.encoder else no_model
    try:
        folder = reference.write_baseline(described, baseline, ("dev", "test"), NO_HOME, tmp_path,
                                          models)
    except NotMeasured as reason:
        pytest.skip(str(reason))
    committed = ROOT / "submissions" / board / "reference" / name
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in committed.iterdir()
    }


def test_a_row_applies_where_the_board_has_what_it_is_made_of() -> None:
    assert reference.applicable(PRACTICE, BASELINES["second-gold"], "test")
    assert not reference.applicable(PRACTICE, BASELINES["second-gold"], "dev")
    unlabelled = replace(PRACTICE, settings=replace(PRACTICE.settings, labels=None))
    row = BASELINES["majority-template"]
    assert reference.applicable(PRACTICE, row, "dev")
    assert not reference.applicable(unlabelled, row, "dev")


def test_the_null_of_a_submission_is_a_row_of_its_own(tmp_path: Path) -> None:
    sent = open_submission(ROOT / "submissions" / PRACTICE.id / "reference" / "edited-gold")
    folder = reference.write_null_of(PRACTICE, sent, reference.null_of(PRACTICE, sent, NO_HOME),
                                     tmp_path)
    assert folder.name == "null-of-reference-edited-gold"
    null = (folder / "predictions.dev.tsv").read_bytes()
    of_gold = ROOT / "submissions" / PRACTICE.id / "reference" / "null" / "predictions.dev.tsv"
    assert null == of_gold.read_bytes()  # the labels are gold's


def test_systems_with_the_same_labels_share_one_null() -> None:
    others = [open_submission(ROOT / "submissions" / PRACTICE.id / "reference" / system)
              for system in ("gold", "edited-gold", "nearest-neighbour")]
    found = [sent.system for sent, _ in reference.distinct_nulls(PRACTICE, others, NO_HOME)]
    assert found == ["gold", "nearest-neighbour"]


def test_texts_without_a_common_word_have_no_nearest_neighbour() -> None:
    ids = [Gold((name,), None, (Graph("(a; is a; b)"),)) for name in ("5a8b57f2", "5a8c7595")]
    with pytest.raises(NotMeasured, match="no text shares a word with one of train"):
        BASELINES["nearest-neighbour"].predict(PRACTICE.settings, ids[:1], ids[1:])


@pytest.mark.parametrize(("board", "title"), [
    ("explagraphs", "Null graph, gold stance"),
    ("copa-sse", "Null graph, gold answer"),
    ("r4c", "Null graph"),
])
def test_a_row_names_the_label_that_its_board_asks_for(board: str, title: str) -> None:
    settings = boards.load(board).settings
    assert BASELINES["null"].said_of(settings)[0] == title
    for row in BASELINES.values():
        if row.fits(settings) and "stance" not in title:
            assert "stance" not in " ".join(row.said_of(settings)).lower(), row.name
