"""How the items of a task are shown: what every page asks of an example view.

A view is a class in ``views/<name>/view.py``, with the page's templates beside it:

- ``example.html`` and ``card.html``: an item with its gold, what one system made of it;
- ``legend.html``: how to read both;
- ``rules.html``: what an answer has to be, for the page about a board;
- ``statistics.html``: a system's answers as a whole;
- ``dataset.html``, where there is more to say of a board's data than of every board's;

and the scripts of the checker page that know its task in ``check/``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from markupsafe import Markup

from scorer.boards import Board, boards_folder, load
from scorer.boards.golds import needed_golds
from scorer.core.rules import CATALOGUE
from scorer.site.boards.anatomy import Gate, RuleCount
from scorer.site.browsing import facets
from scorer.site.browsing.facets import GoldFacet, PairFacet, SystemFacet, of_gold
from scorer.site.records import BoardView, Entry, SplitView
from scorer.tasks.labelled import RIGHT, WRONG


class WorkedItem(NamedTuple):
    """A board that comes with the program, and answers to some of its items or like ones."""

    board: Board
    golds: Sequence[Any]
    """The first is explained; a metric of a whole split sees all."""
    predictions: Sequence[Any]
    texts: tuple[tuple[str, str], ...]
    """Names of the texts and what they say."""
    label: tuple[str, ...] = ()
    """What was predicted, in a line that every metric begins with, where that is a label."""
    gates: tuple[str, ...] = ()
    """How the answer passes the gates, a line each."""
    drawings: tuple[tuple[str, Markup], ...] = ()
    """Captions and graphs, gold first."""


def practice(name: str) -> tuple[Board, tuple[Any, ...]]:
    """A practice board, and the gold of its items, which come with the program."""
    board = load(name, boards_folder())
    return board, needed_golds(board, "dev", board.folder).items


class ShownExample(ABC):
    """One item of a split: everything that the parts of its page share."""

    def __init__(self, settings: Any, gold: Any, row: int) -> None:
        self.settings = settings
        self.gold = gold
        self.row = row
        """From 1."""

    @abstractmethod
    def context(self) -> Mapping[str, Any]:
        """What ``example.html`` shows of the item and its gold."""

    @abstractmethod
    def card(self, entry: Entry) -> Mapping[str, Any]:
        """What ``card.html`` shows of a system that has predictions for the split."""


class Confusion(NamedTuple):
    """A system's labels as a whole."""

    labels: tuple[str, ...]
    taken: Mapping[str, str]
    """Every prediction that is counted, and what its column is called."""
    counts: Mapping[str, Mapping[str, int]]
    """Items by gold and by predicted label."""
    parts: tuple[tuple[str, Any], ...] = ()
    """What else is counted, with the words that people read."""


class Listed(NamedTuple):
    """One item in a list of examples."""

    texts: tuple[str, ...]
    tag: str | None
    """A word beside them, such as the label."""


class ExampleView(ABC):
    """How the items of one task are shown; settings, gold and predictions are its own records."""

    name: ClassVar[str]
    """Of its folder."""
    shared: ClassVar[str] = ""
    """A folder of templates that several views have; those of its own folder come first."""
    answers: ClassVar[str]
    """What systems make of items, as a plural."""
    golds: ClassVar[str]
    """What an item can have several of, as a plural."""
    between: ClassVar[str] = ": "
    """Between the columns of an answer that stands in one line."""
    null: ClassVar[str] = ""
    """What an answer that says nothing is; empty where there is no such thing."""
    front_page: ClassVar[bool] = False
    """Whether the front page takes its example from such boards."""
    rule_prefix: ClassVar[str]
    """What the ids of the task's rules begin with."""
    checker_script: ClassVar[str]
    """The procedure of the checker page: ``check/<name>.js``."""
    checker_metrics: ClassVar[tuple[str, ...]] = ()
    """Metrics that the checker page can count against public gold: no model, no references."""

    def template(self, part: str) -> list[str]:
        """Where its template of a part, such as ``card``, may be; the first that is there counts.
        """
        return [f"{folder}/{part}.html" for folder in (self.name, self.shared) if folder]

    # ---- an item -----------------------------------------------------------------------------

    @abstractmethod
    def example(self, settings: Any, gold: Any, row: int) -> ShownExample:
        """An item of a board with these settings; rows count from 1."""

    @abstractmethod
    def listed(self, gold: Any) -> Listed:
        """An item in a list."""

    def line(self, board: Board, prediction: Any) -> str:
        """A prediction as one line of text."""
        columns = board.task.write_prediction(prediction)
        return self.between.join(columns[:len(board.task.prediction_columns)])

    def gold_lines(self, board: Board, gold: Any) -> list[str]:
        """Gold answers in the same form; the label where an answer is nothing else."""
        lines = [self.line(board, one) for one in board.task.gold_predictions(gold)]
        return lines or [str(board.task.gold_contents(gold)[0].label)]

    def legend(self, split: SplitView) -> Mapping[str, Any]:
        """What ``legend.html`` needs."""
        return {}

    def front_page_row(self, golds: Sequence[Any]) -> int:
        """The zero-based place of the item that the front page shows."""
        return 0

    def worked_item(self) -> WorkedItem | None:
        """What the worked examples of the task's metrics explain, if anything."""
        return None

    # ---- a system and a board ----------------------------------------------------------------

    def gates(self, split: SplitView, entry: Entry) -> Iterable[Gate]:
        """How far a system's items came: how many are right; none where its result does not say,
        as where gold is hidden."""
        counts = entry.result.counts
        if RIGHT not in counts:
            return []
        return [Gate("items of the split", counts["items"], 0, "", ""),
                Gate("right", counts[RIGHT], counts[WRONG], facets.annotated(split, entry, RIGHT),
                     facets.annotated(split, entry, WRONG))]

    def broken_rules(self, split: SplitView, entry: Entry, strict: bool) -> Iterable[RuleCount]:
        """Rules that a system broke, or, if ``strict``, that were diagnosed beside its score."""
        return ()

    def statistics(self, split: SplitView, entry: Entry) -> object:
        """What ``statistics.html`` shows of a system; None if nothing can be told."""
        return None

    @abstractmethod
    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        """What the page about the data needs besides what every board has."""

    # ---- the example browser -----------------------------------------------------------------

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        """What stands before the text of each input column in a list, mostly nothing.

        None for an id, which a search finds and no list shows.
        """
        return [""] * len(board.task.input_columns)

    def gold_facets(self, board: BoardView) -> Sequence[GoldFacet]:
        """Of all systems together and of gold, in the order they are shown."""
        golds = [gold for split in board.splits for gold in split.golds]
        return [*self.difficulty(board), *of_gold(board, board.board.task.partitions(golds))]

    def right(self, board: Board) -> str:
        """What an answer is that passes every gate, to follow "Right:"."""
        return "passed every gate"

    def annotations(self, board: Board) -> Mapping[str, str]:
        """How people read annotations that are not plain words."""
        return {}

    def difficulty(self, board: BoardView) -> Sequence[GoldFacet]:
        """How hard examples are for all systems together."""
        return facets.agreement(board, self.right(board.board))

    def system_facets(self, board: BoardView) -> Sequence[SystemFacet]:
        """What one system made of the examples."""
        return facets.verdicts(board, self.annotations(board.board))

    def pair_facets(self, board: BoardView) -> Sequence[PairFacet]:
        """Which of two systems does better; the first leads from an example to the next."""
        return [facets.gate_pair(board, self.right(board.board)), *facets.score_pair(board)]

    # ---- the checker page --------------------------------------------------------------------

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """Numbers and names that the page's procedure goes by, ready for JSON."""
        return {}

    def checker_rules(self, board: Board) -> Sequence[str]:
        """Ids of the task's rules that predictions may break."""
        return [rule for rule in CATALOGUE if rule.startswith(self.rule_prefix)]
