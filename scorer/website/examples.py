"""The pages of a split's examples and the files that their script fetches: a view in, files out.

What systems made of an example is rendered once and used twice: the first two cards stand in the
page, all of them in shards, SHARD examples in a file. Shards are gzip in themselves, because hosts
compress what they send but not what they store, and cards are nine parts markup.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment

from scorer.metrics.catalogue import METRICS
from scorer.submission import null_name
from scorer.website.keeping.incremental import Kept
from scorer.website.layouts.layout import ROOT_FROM_SHELL, Shell, squeezed
from scorer.website.pages import PER_PAGE, index_name
from scorer.website.records import Entry, SplitView
from scorer.website.render import trusted
from scorer.website.views.base import Stage
from scorer.website.views.registry import kind_of

SHARD = 20
"""Examples in one file of predictions or of graphs."""


class File(NamedTuple):
    """One file of the site, which is made only if somebody reads it."""

    path: str
    """Below the site's root."""
    source: str
    """A digest of what it is made from; empty where nothing is kept."""
    read: Callable[[], bytes]


class Chunk:
    """Up to SHARD examples of a split; what is drawn of them is drawn when it is asked for."""

    def __init__(self, view: SplitView, place: int, stage: Callable[[Any, int], Stage]) -> None:
        self.view = view
        self.kind = kind_of(view.board)
        self.place = place
        self.items = slice(place * SHARD, min((place + 1) * SHARD, len(view.golds)))
        self.golds = view.golds[self.items]
        self._stage = stage

    @cached_property
    def stages(self) -> dict[int, Stage]:
        """By the number of the example."""
        return {number: self._stage(gold, number)
                for number, gold in enumerate(self.golds, self.items.start + 1)}

    def stand(self, memory: bytes) -> None:
        """Go on from where the rows so far have come to, if an earlier build made these."""
        for number, found in unpacked(memory).items() if memory else ():
            self.stages[int(number)].recall(found)

    def file(self, name: str) -> str:
        """Where the shard of a system, or of gold, is."""
        return f"data/{self.view.board.id}/{self.view.name}/{name}/{self.place}.shard"


@dataclass(frozen=True)
class Drawn:
    """What is drawn of one system in a chunk, once it is asked for."""

    key: str
    make: Callable[[], bytes]

    @cached_property
    def content(self) -> bytes:
        """The shard, after its length, and what it and those before it did to later rows."""
        return self.make()

    def shard(self) -> bytes:
        """The file that a page's script fetches."""
        return self.content[8:self._end]

    @property
    def memory(self) -> bytes:
        """What this row and those before it did to later ones; empty if nothing is kept."""
        return self.content[self._end:]

    @property
    def _end(self) -> int:
        return 8 + int.from_bytes(self.content[:8], "big")


@dataclass(frozen=True)
class _Common:
    """What is the same for all examples of a split."""

    entries: Sequence[tuple[Entry, str]]
    """In the order of drawing, each with a digest of what its cards always say."""
    fixed: Mapping[str, Any]
    about: str
    """A digest of the split and its board."""
    framed: str
    """The same, and of what stands around an example."""


@dataclass(frozen=True)
class Examples:
    """Makes the files of one split after the other."""

    templates: Environment
    shell: Shell
    repository: str = ""
    """Address of the repository whose issues take disputes; "" if it is not known."""
    kept: Kept = field(default_factory=Kept)

    def files(self, view: SplitView) -> Iterator[File]:
        """Every page and every shard of a split."""
        fixed = self._fixed_parts(view)
        # The oldest first: a later row never moves what stands. Reference rows come with the board.
        entries = sorted(view.comparable,
                         key=lambda entry: (entry.kind != "reference", entry.date, entry.key))
        board = view.board
        stage = kind_of(board).stages(view)
        about = self.kept.key(board.id, board.title, board.attribution, board.settings,
                              view.name, len(view.golds), view.digest, self.repository)
        common = _Common(
            [(entry, self._known(view, entry)) for entry in entries], fixed, about,
            self.kept.key("pages", about, fixed["legend"], self.shell.html))
        for place in range(-(-len(view.golds) // SHARD)):
            yield from self._chunk(Chunk(view, place, stage), common)

    def _known(self, view: SplitView, entry: Entry) -> str:
        """A digest of what cards say of a system whatever the example, and of its result's file."""
        judges = [view.judges.behind(entry.result, metric) for metric in METRICS]
        return self.kept.key(entry.key, entry.title, entry.kind, entry.digest, judges)

    def _chunk(self, chunk: Chunk, common: _Common) -> Iterator[File]:
        """The files of some examples."""
        golds = chunk.view.digest or chunk.golds
        gold = self.kept.key("gold", common.about, chunk.place, golds)
        drawn = self._rows(chunk, common, gold)
        pair = {entry.key: drawn[entry.key] for entry in default_pair(chunk.view)}
        key = self.kept.key(common.framed, gold, [row.key for row in pair.values()])
        self.kept.use(key)
        if chunk.kind.scripted:
            self.kept.use(gold)
            yield File(chunk.file("gold"), gold, partial(self.kept.get, gold, lambda: packed({
                number: stage.data(None) for number, stage in chunk.stages.items()})))
        for entry, _ in common.entries:
            yield File(chunk.file(entry.slug), drawn[entry.key].key, drawn[entry.key].shard)

        @cache
        def pages() -> dict[str, str]:
            if not self.kept.folder:  # packing takes as long as drawing
                return self._pages(chunk, pair, common.fixed)
            made: dict[str, str] = unpacked(self.kept.get(
                key, lambda: packed(self._pages(chunk, pair, common.fixed))))
            return made

        def page(number: int) -> bytes:
            return pages()[str(number)].encode()

        for number in range(chunk.items.start + 1, chunk.items.stop + 1):
            yield File(f"{chunk.view.path}{number}/index.html", key, partial(page, number))

    def _rows(self, chunk: Chunk, common: _Common, gold: str) -> dict[str, Drawn]:
        """What is drawn of each system, by its key."""
        rows: dict[str, Drawn] = {}
        before: Drawn | None = None
        # A row's cards may depend on those before it, so a key holds what these say.
        said = gold
        for entry, known in common.entries:
            told = entry.result.provenance.get("predictions", {}).get("sha256")
            said = self.kept.key(said, told or entry.predictions[chunk.items])
            key = self.kept.key(said, known,
                                "" if entry.digest else entry.result.items[chunk.items])
            self.kept.use(key)
            before = rows[entry.key] = Drawn(key, partial(
                self.kept.get, key, partial(self._drawn, chunk, entry, before)))
        return rows

    def _drawn(self, chunk: Chunk, entry: Entry, before: Drawn | None) -> bytes:
        """The shard of a system, after its length, and what it did to later rows."""
        if before is not None:
            chunk.stand(before.memory)
        template = self.templates.get_template(f"{chunk.kind.name}/card.html")
        examples = {}
        for number, stage in chunk.stages.items():
            card = stage.card(entry)
            html = template.render(card=card, view=chunk.view, root=ROOT_FROM_SHELL)
            examples[number] = {"html": squeezed(html), **stage.data(card)}
        shard = packed(examples)
        memory = {number: found for number, stage in chunk.stages.items()
                  if self.kept.folder and (found := stage.memory()) is not None}
        return len(shard).to_bytes(8, "big") + shard + (packed(memory) if memory else b"")

    def _pages(self, chunk: Chunk, pair: Mapping[str, Drawn], fixed: Mapping[str, Any]
               ) -> dict[str, str]:
        shown = {key: unpacked(row.shard()) for key, row in pair.items()}
        template = self.templates.get_template(f"{chunk.kind.name}/example.html")
        view, pages = chunk.view, {}
        for number, stage in chunk.stages.items():
            cards = [{"key": key, "html": trusted(examples[str(number)]["html"])}
                     for key, examples in shown.items()]
            body = template.render(
                {**fixed, **stage.context()}, row=number, cards=cards,
                index_name=index_name((number - 1) // PER_PAGE), report=self._report(view, number))
            title = f"Example {number}, {view.board.title} {view.name}"
            pages[str(number)] = self.shell.page(title, squeezed(body))
        return pages

    def _fixed_parts(self, view: SplitView) -> dict[str, Any]:
        """What is the same on every page of a split."""
        kind = kind_of(view.board)
        legend = self.templates.get_template(f"{kind.name}/legend.html").render(kind.legend(view))
        return {"view": view, "root": ROOT_FROM_SHELL, "legend": trusted(squeezed(legend))}

    def _report(self, view: SplitView, row: int) -> str:
        """The form for a gold item that looks wrong, with the item filled in."""
        if not self.repository:
            return ""
        item = f"{view.board.id} {view.name} {row}"
        query = {"template": "gold-dispute.yml", "title": f"Gold: {item}", "item": item}
        return f"{self.repository}/issues/new?{urlencode(query)}"


def default_pair(view: SplitView) -> list[Entry]:
    """The two systems shown first: the best that is not a reference row, and its own null."""
    open_entries = view.comparable
    ceilings = ("gold", "second-gold", "shuffled-gold")
    plain = [e for e in open_entries if e.system not in ceilings or e.kind != "reference"]
    systems = [e for e in plain if e.kind != "reference"] or plain
    if not systems:
        return open_entries[:2]
    first = systems[0]
    null = null_name(first.team, first.system)
    nulls = [e for e in plain if e.system == null]
    others = [e for e in [*nulls, *plain, *open_entries] if e.key != first.key]
    return [first, *others[:1]]


def unpacked(content: bytes) -> Any:
    """What ``packed`` was given; numbers that were names are text."""
    return json.loads(gzip.decompress(content))


def packed(value: Any) -> bytes:
    """JSON, compressed; the same value gives the same bytes."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 6, mtime=0)
