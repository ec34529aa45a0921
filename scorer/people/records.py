"""The records of annotation: a form and its questions, a batch with its key and closing, answers.

What a form, a batch, a key and a closing consist of is at the same time the format of their files,
which are read by these annotations, as ``board.yaml`` is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from scorer.core.reading.values import (
    Choice,
    Integer,
    Internal,
    Items,
    Link,
    Optional,
    Slug,
    Text,
    YesNo,
    fault,
    shown,
)
from scorer.core.records import Edge
from scorer.tasks.graphs.graph_items import GraphRules, InputText

CHOICE, CHOICES, TRIPLETS, TEXT, GRAPH = "choice", "choices", "triplets", "text", "graph"
ANSWERS = (CHOICE, CHOICES, TRIPLETS, TEXT, GRAPH)
"""Kinds of answers: one value; a set of values; a value for each triplet; text; a graph."""
CHOSEN = (CHOICE, CHOICES, TRIPLETS)
"""Those that are chosen from values."""
LABEL = "label"
"""A field of an item that is one of some labels, and the question that asks for one."""
COUNTS = "counts"
FIELDS = (TEXT, LABEL, GRAPH, TRIPLETS, "number", COUNTS)
"""Kinds of what an item holds."""
NOMINAL, ORDINAL = "nominal", "ordinal"
OPEN, CLOSED = "open", "closed"
ORIGINS = ("premise", "conclusion", "both", "neither")
"""Which text a concept of a triplet comes from."""
NOT_ASKED = "-"
"""What a file has for a triplet that is not asked about."""
COMMENT = "comment"
MOST_COMMENT = 2000
"""Characters of a comment."""
MOST_TRIPLETS = 40
LONGEST_TEXT, LONGEST_CONCEPT = 2000, 200
"""Characters of a text of an item, and of a part of a triplet that a program lists."""
BATCH_NAME = Text(60, r"[a-z0-9]+(?:-[a-z0-9]+)*", "1 to 60 of a-z, 0-9 and inner hyphens")
LOGIN = Text(39, r"[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}",
             "a GitHub login in lower-case letters")
GOLD = "gold"
"""The system of what the gold file says."""
LABELS, ALL = "labels", "all"
"""What a key says of labels: which were chosen, or that all were."""
_RULE = Text(40, r"[A-Z]+-W(?:-[A-Z0-9]+)+", "the id of a rule, such as CSK-W-Q4-POS")
_Name = Annotated[str, BATCH_NAME]
_Login = Annotated[str, LOGIN]
_Digest = Annotated[str, Text(64, "[0-9a-f]{64}", "a SHA-256")]
_Id = Annotated[str, Text(20, r"[a-z][a-z0-9_]*", "a short lower-case name")]
_Key = Annotated[str, Text(30, r"[A-Za-z0-9][A-Za-z0-9_-]*", "a short word or digit")]
_Flag = Annotated[bool, YesNo()]
_Values = Annotated[Mapping[_Id, Annotated[tuple[_Key, ...], Items(1, 20)]], Items(1, 10)]


@dataclass(frozen=True)
class Value:
    """One answer that may be chosen."""

    key: Annotated[_Key, "What files hold and keys on the page choose."]
    text: Annotated[str, Text(200), "What it says."]
    unsure: Annotated[_Flag, "Whether it says that the annotator cannot tell: a missing "
                      "vote for agreement, counted apart."] = False


@dataclass(frozen=True, kw_only=True)
class When:
    """The condition under which a question is asked: tests of earlier answers.

    A question that is not asked has no answer, whatever a file says, so a test of it fails. A test
    of a question about triplets holds if it does for one of them; of such a question by another
    about triplets it says which triplets that is asked about.
    """

    all: Annotated[_Values, "Questions with answers, all of which must be given."]
    because: Annotated[str, Text(100), "Why it is asked, as messages say; `{triplet}` stands for "
                       "the first such triplet."]
    otherwise: Annotated[str, Text(100), "Why it is not asked."]


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question of a form; its id is the name of its column."""

    id: Annotated[_Id, "The question's name and its column's."]
    label: Annotated[str, Text(20), "What messages call it."]
    text: Annotated[str, Text(500), "The question."]
    help: Annotated[str, Text(3000, lines=True), "What annotators may read beside it."] = ""
    answer: Annotated[str, Choice(ANSWERS), "The kind of answer."]
    values: Annotated[tuple[Value, ...], Items(0, 30), "What may be chosen, in order."] = ()
    topics: Annotated[_Flag, "Whether the batch's topics may be chosen too."] = False
    scale: Annotated[str, Choice((NOMINAL, ORDINAL)), "Whether the order of the values means "
                     "something: `nominal` or `ordinal`."] = NOMINAL
    when: Annotated[Optional[When], "When it is asked. Leave out for always."] = None
    recalls: Annotated[_Id, "An earlier question whose answer is shown beside it."] = ""
    most: Annotated[int, Integer(1, 20_000), "Most characters of a text."] = 4000
    most_words: Annotated[int | None, Integer(1, 1000), "Most words of a text: what stands between "
                          "spaces and line ends. Leave out for no limit."] = None
    value_rule: Annotated[str, Choice(("EG-LABEL",)), "The rule that a wrong value breaks, if not "
                          "the form's own."] = ""
    asked_rule: Annotated[str, Choice(("EG-REASON",)), "The rule that an answer breaks that is "
                          "missing or should not be there, if not the form's own."] = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The values of its own, without a batch's topics."""
        return tuple(value.key for value in self.values)

    @property
    def unsure(self) -> frozenset[str]:
        """The values that say that the annotator cannot tell."""
        return frozenset(value.key for value in self.values if value.unsure)


@dataclass(frozen=True)
class ItemField:
    """One thing that an item of a batch holds."""

    name: Annotated[_Id, "The key in the batch."]
    title: Annotated[str, Text(60), "What annotators read above it."]
    kind: Annotated[str, Choice(FIELDS), "`text`, `label` (one of its values), `graph` (a "
                    "bracketed string), `triplets`, `number` or `counts` (numbers by value)."]
    values: Annotated[tuple[_Key, ...], Items(0, 20), "The labels that there may "
                      "be."] = ()
    says: Annotated[Mapping[_Key, Annotated[str, Text(80)]], Items(0, 20),
                    "What annotators read instead of a label."] = field(default_factory=dict)
    optional: Annotated[_Flag, "Whether an item may lack it."] = False
    source: Annotated[str, Text(60), "The column of a board's items or predictions that it is made "
                      "of, if another than its name."] = ""


@dataclass(frozen=True, kw_only=True)
class Caution:
    """What annotators should look at again; it refuses nothing."""

    rule: Annotated[str, _RULE, "Its id."]
    text: Annotated[str, Text(200), "What is said. `{q4}` stands for an answer, `{n}` for how many "
                    "triplets have the answers of `all`."]
    all: Annotated[_Values, "Answers that must be given."] = field(default_factory=dict)
    none: Annotated[_Values, "Answers of which none may be given."] = field(default_factory=dict)
    later: Annotated[tuple[_Id, ...], Items(2, 2), "Two questions: the first one's "
                     "answer comes later in the order of values than the second one's."] = ()


@dataclass(frozen=True)
class GraphAnswers:
    """What a graph must be that annotators write."""

    texts: Annotated[tuple[InputText, ...], Items(1, 5), "The item's texts, and how many concepts "
                     "must occur in each."]
    rules: Annotated[GraphRules, "What makes a graph structurally correct."]
    reminders: Annotated[tuple[Annotated[str, Text(200)], ...], Items(0, 10),
                         "What annotators must tick before a graph is done; no file has it."] = ()


MAJORITY, ANSWER, DISAGREEMENT, WRITTEN = "majority", "answer", "disagreement", "written"


@dataclass(frozen=True)
class WrittenItem:
    """An item that annotators write: its texts, and the label that it is to have."""

    label: Annotated[_Key, "The label; or a field of the item that has it."]
    texts: Annotated[Mapping[_Id, _Id], Items(1, 5),
                     "The questions whose answers are its texts, by the names that the texts get."]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """How a form's batches are made of answers to another form."""

    kind: Annotated[_Name, "The other form."]
    takes: Annotated[str, Choice((MAJORITY, ANSWER, DISAGREEMENT, WRITTEN)),
                     "`majority`: items with a label in `keep`; `answer`: the graph that was "
                     "written; `disagreement`: graphs of which voters do not say the item's label; "
                     "`written`: the items that annotators wrote."]
    keep: Annotated[tuple[_Key, ...], Items(0, 20), "Labels with which items go "
                    "on."] = ()
    named: Annotated[_Id, "The field that gets the label."] = "label"


@dataclass(frozen=True, kw_only=True)
class Form:
    """A question form: what is shown of an item, what is asked, which answers there are."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    kind: Annotated[_Name, "Its name; batches name it."]
    folder: Annotated[_Name, "The folder below annotations/ for answers."]
    format: Annotated[str,
                      Text(60, r"[a-z0-9-]+/[0-9]+",
                           "a name and a number, such as csk-annotations/1"),
                      "The format of annotators' files."]
    guideline: Annotated[_Name, "The version of its questions; files name it."]
    title: Annotated[str, Text(80), "What people read."]
    about: Annotated[str, Text(2000, lines=True), "What annotators do, in their words."]
    source: Annotated[Optional[Link], "Guidelines to read."] = None
    needed: Annotated[int, Integer(1, 100), "Annotators of an item, unless a batch says otherwise."]
    rules: Annotated[str, Choice(("ANN", "CSK")), "What the ids of its rules begin with."] = "ANN"
    most_items: Annotated[int, Integer(1, 500), "Most items of a batch."] = 200
    labels: Annotated[tuple[Annotated[str, Text(40)], ...], Items(0, 20),
                      "The gold labels whose items batches are made of, unless others are asked "
                      "for; none: all."] = ()
    item: Annotated[tuple[ItemField, ...], Items(0, 20), "What an item holds, in the order in "
                    "which it is shown."] = ()
    hidden_until: Annotated[Mapping[_Id, _Id], Items(0, 10),
                            "What of an item is shown only when a question is "
                            "answered."] = field(default_factory=dict)
    questions: Annotated[tuple[Question, ...], Items(1, 30), "The questions, in the order of the "
                         "columns."]
    warnings: Annotated[tuple[Caution, ...], Items(0, 20), "Warnings about answers that may be "
                        "slips."] = ()
    graph: Annotated[Optional[GraphAnswers], "What a graph must be, where a question asks for "
                     "one."] = None
    readings: Annotated[Mapping[Annotated[str, Text(60)], Annotated[str, Text(60)]], Items(0, 500),
                        "How a relation of a graph is read between two concepts, where its name "
                        "alone makes no sentence: `is`, or `is|are` for one and for "
                        "many."] = (field(default_factory=dict))
    before: Annotated[_Id, "The field with the graph that an answer changes."] = ""
    label: Annotated[_Id, "The field with the label that a written graph is to have."] = ""
    written: Annotated[tuple[WrittenItem, ...], Items(0, 10), "Items that an answer makes."] = ()
    after: Annotated[tuple[Stage, ...], Items(0, 10), "Forms of which `make-batch --from-batch` "
                     "makes batches of this one."] = ()
    not_by_author: Annotated[str, Choice(("EG-SELF-VERIFY", "EG-SELF-REFINE", "ANN-SELF")),
                             "The rule that an annotator breaks who wrote the item, or a version "
                             "of its graph."] = ""
    adjudicates: Annotated[_Flag, "Whether it settles answers to a closed batch of another "
                           "form: one file a batch, a row a unit."] = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of annotators' files."""
        return ("item", *(question.id for question in self.questions), COMMENT)

    @cached_property
    def by_id(self) -> Mapping[str, Question]:
        """The questions by their ids."""
        return {question.id: question for question in self.questions}

    def path(self, batch: str, annotator: str) -> str:
        """Where an annotator's file lies in the repository."""
        if self.adjudicates:
            return f"annotations/{self.folder}/{batch}.tsv"
        return f"annotations/{self.folder}/{batch}/{annotator}.tsv"


@dataclass(frozen=True)
class Topic:
    """A topic that a question of a batch may be answered with."""

    key: Annotated[str, Text(2, r"[1-9][0-9]?", "a number from 1 to 99"), "What annotators choose."]
    text: Annotated[str, Text(300), "The topic."]


_ITEM = ("id", "nodes", "answer", "why")
"""What an item has whatever its form names."""


def _as_record(value: Any) -> Any:
    """An item as its file has it, where what its form names stands beside the rest: lists are
    triplets, mappings are votes by value."""
    if not isinstance(value, dict):
        return value
    fields = {name: raw for name, raw in value.items() if name not in _ITEM}
    return {**{name: value[name] for name in _ITEM if name in value},
            "texts": {name: str(raw) if type(raw) is int else raw for name, raw in fields.items()
                      if not isinstance(raw, list | dict)},
            "triplets": [_edge(triplet) for part in fields.values() if isinstance(part, list)
                         for triplet in part],
            "counts": {name: raw for name, raw in fields.items() if isinstance(raw, dict)}}


def _edge(value: Any) -> Edge:
    if not isinstance(value, dict) or {*value} != {"c1", "rel", "c2"} or not all(
            isinstance(text, str) for text in value.values()):
        raise fault(shown(value), "write c1, rel and c2, each a text", "a triplet")
    return Edge(value["c1"], value["rel"], value["c2"])


@dataclass(frozen=True)
class Item:
    """One item of a batch."""

    id: Annotated[_Name, "Its id, which says nothing of where it comes from."]
    texts: Annotated[Mapping[_Id, Annotated[str, Text(LONGEST_TEXT)]],
                     "Texts, labels, numbers and graphs (as bracketed strings), by field."]
    triplets: Annotated[tuple[Edge, ...], Items(0, MOST_TRIPLETS), "Its triplets."] = ()
    nodes: Annotated[Mapping[str, Annotated[str, Choice(ORIGINS)]],
                     "Which text a concept comes from."] = field(default_factory=dict)
    counts: Annotated[Mapping[str, Mapping[str, int]], "Votes by value, by field."] = field(
        default_factory=dict)
    answer: Annotated[Mapping[str, Annotated[str, Text(4000, lines=True)]],
                      "In training: the right answers by question."] = field(default_factory=dict)
    why: Annotated[str, Text(1000), "In training: why they are right."] = ""

    @property
    def triplet_ids(self) -> tuple[str, ...]:
        """``t01``, ``t02`` ... in the batch's order."""
        return tuple(f"t{number:02}" for number in range(1, len(self.triplets) + 1))


@dataclass(frozen=True)
class CountedFile:
    """A file of answers that counts in a closed batch."""

    annotator: Annotated[_Login, "Whose it is."]
    sha256: Annotated[_Digest, "The digest of its bytes."]


@dataclass(frozen=True)
class Closing:
    """What closes a batch, as its file has it."""

    format: Annotated[str, Choice(("annotation-closing/1",)), "The format."]
    batch: Annotated[_Name, "The batch's name; equals the file's."]
    batch_sha256: Annotated[_Digest, "The digest of the batch."]
    answers: Annotated[tuple[CountedFile, ...], Items(0, 2000), "The files that count, in order."]

    @property
    def logins(self) -> frozenset[str]:
        """Whose files count."""
        return frozenset(answer.annotator for answer in self.answers)


@dataclass(frozen=True)
class Batch:
    """Items to be answered by ``needed`` annotators each, in this order."""

    name: Annotated[_Name, Field(alias="batch"), "Its name; equals the file's."]
    kind: Annotated[_Name, "The form's name."]
    guideline: Annotated[_Name, "The version of the form's questions."]
    needed: Annotated[int, Integer(1, 100), "Annotators that an item needs."]
    items: Annotated[tuple[Annotated[Item, BeforeValidator(_as_record)], ...],
                     Items(1, 500, alike=True), "The items."]
    sha256: Internal[str] = ""
    """Of the file's bytes."""
    topics: Annotated[tuple[Topic, ...], Items(0, 99), "Topics to choose from."] = ()
    training: Annotated[_Flag, "Whether annotators learn on it and hand nothing in."] = False
    board: Annotated[Slug, "The board whose items they are, if any."] = ""
    licence: Annotated[str, Text(200), "The licence of answers; annotators agree to it."] = ""
    key_sha256: Annotated[_Digest, "The digest of its key, if it has one."] = ""
    closing: Internal[Closing | None] = None
    """Which answers count; None while it is open."""
    format: Annotated[str, Choice(("annotation-batch/1",)), "The format."] = "annotation-batch/1"

    @property
    def status(self) -> str:
        """``open`` or ``closed``."""
        return OPEN if self.closing is None else CLOSED

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """The items by their ids."""
        return {item.id: item for item in self.items}


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where one item comes from."""

    source: Annotated[str, Text(200), "Board, split and row, `explagraphs-dev:151`; batch and "
                      "item, `collect-1:a1b2c3d4`; or file and line, `pairs.tsv:12`."]
    system: Annotated[str, Text(120), "The submission, `team/system`, or `gold`."] = ""
    authors: Annotated[tuple[_Login, ...], Items(0, 20),
                       "Annotators who wrote a version of its graph."] = ()
    label: Annotated[str, Text(40), "The gold label, where the item must not tell it."] = ""
    predictions: Annotated[_Digest, "The digest of the predictions that people read."] = ""
    topic: Annotated[str, Text(300), "What it is about, where a file of texts says so."] = ""


@dataclass(frozen=True)
class Key:
    """Where the items of a batch come from, and how they were chosen."""

    format: Annotated[str, Choice(("annotation-key/1",)), "The format."] = "annotation-key/1"
    sampled: Annotated[Mapping[Annotated[str, Text(60)], Annotated[str, Text(300)]], Items(0, 20),
                       "How items were chosen, in words."] = field(default_factory=dict)
    items: Annotated[Mapping[_Name, Origin], Items(0, 1000), "By item."] = field(
        default_factory=dict)

    @property
    def chosen(self) -> str:
        """Why its items are no random sample of what could be judged; empty if they are one."""
        labels = self.sampled.get(LABELS, "not said which")
        return "" if labels == ALL else f"its items have chosen labels: {labels}"


Answers = Mapping[str, str | tuple[str, ...]]
"""What one annotator says of one item, by question; questions that were not asked are absent.

A choice, a text and a graph (as a bracketed string) are one string. Several values are a tuple. So
is a value for each triplet, in the batch's order; it is NOT_ASKED where the triplet was not asked.
"""


@dataclass(frozen=True)
class Annotation:
    """One annotator's file on one batch."""

    annotator: str
    exported: str
    """UTC, ``2026-11-21T03:50:00Z``; used for order alone."""
    answers: Mapping[str, Answers]
    """By item."""
    comments: Mapping[str, str] = field(default_factory=dict)
    """By item; items without one are absent."""


@dataclass(frozen=True)
class Ruling:
    """What a maintainer decided where annotators of a closed batch disagree."""

    item: str
    unit: str
    """The triplet, or empty for a question about the whole item."""
    question: str
    value: str
    reason: str
    comment: str = ""
    by: str = ""
    """Whom the file names."""
