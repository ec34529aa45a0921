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
from functools import cached_property, partial
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment

from scorer.metrics.catalogue import METRICS
from scorer.submission import null_name
from scorer.website.incremental import Kept
from scorer.website.kinds import Stage, kind_of
from scorer.website.pages import PER_PAGE, index_name
from scorer.website.render import trusted
from scorer.website.shell import ROOT_FROM_SHELL, Shell, squeezed
from scorer.website.views import Entry, SplitView

SHARD = 20
"""Examples in one file of predictions or of graphs."""
MOST_OTHERS = 12
"""Further systems that a page without scripts leads to by name."""

File = tuple[str, bytes]
"""A path below the site's root, and what is in it."""


class Chunk:
    """Up to SHARD examples of a split; what is drawn of them is drawn when it is asked for."""

    def __init__(self, view: SplitView, place: int, stage: Callable[[Any, int], Stage]) -> None:
        self.view = view
        self.kind = kind_of(view.board)
        self.place = place
        self.items = slice(place * SHARD, min((place + 1) * SHARD, len(view.golds)))
        self.golds = view.golds[self.items]
        self._stage = stage
        self._memory = b""
        """What the rows so far did to later ones, if these were drawn by an earlier build."""

    @cached_property
    def stages(self) -> dict[int, Stage]:
        """By the number of the example."""
        return {number: self._stage(gold, number)
                for number, gold in enumerate(self.golds, self.items.start + 1)}

    def restored(self, found: bytes) -> bytes:
        """The shard that stands in what was made of a system, whose memory counts from now on."""
        start = 8 + int.from_bytes(found[:8], "big")
        self._memory = found[start:]
        return found[8:start]

    def stand(self) -> None:
        """Go on from where the rows so far have come to."""
        if self._memory:
            for number, memory in unpacked(self._memory).items():
                self.stages[int(number)].recall(memory)

    def file(self, name: str) -> str:
        """Where the shard of a system, or of gold, is."""
        return f"data/{self.view.board.id}/{self.view.name}/{name}/{self.place}.shard"


@dataclass(frozen=True)
class Examples:
    """Makes the files of one split after the other."""

    templates: Environment
    shell: Shell
    repository: str = ""
    """Address of the repository whose issues take disputes; "" if it is not known."""
    kept: Kept = field(default_factory=Kept)
    code: str = ""
    """Digest of what makes pages, where files are kept."""

    def files(self, view: SplitView) -> Iterator[File]:
        """Every page and every shard of a split."""
        fixed = self._fixed_parts(view)
        # The oldest first: a later row never moves what stands.
        entries = sorted(view.comparable, key=lambda entry: (entry.date, entry.key))
        board = view.board
        stage = kind_of(board).stages(view)
        about = self.kept.key(self.code, board.id, board.title, board.attribution, board.settings,
                              view.name, len(view.golds), self.repository)
        for place in range(-(-len(view.golds) // SHARD)):
            yield from self._chunk(Chunk(view, place, stage), entries, fixed, about)

    def _chunk(self, chunk: Chunk, entries: Sequence[Entry], fixed: dict[str, Any], about: str
               ) -> Iterator[File]:
        """The files of some examples."""
        key = self.kept.key(about, chunk.place, chunk.golds)
        shards = {}
        if chunk.kind.scripted:
            shards["gold"] = self.kept.get(self.kept.key("gold", key), lambda: packed({
                number: stage.data(None) for number, stage in chunk.stages.items()}))
        # A row's cards may depend on those before it, so its key holds theirs.
        of_entries = {}
        for entry in entries:
            key = of_entries[entry.key] = self._entry_key(key, chunk, entry)
            found = self.kept.get(key, partial(self._drawn, chunk, entry))
            shards[entry.slug] = chunk.restored(found)
        pair = default_pair(chunk.view)
        page_key = self.kept.key("pages", key, about, fixed["legend"], self.shell.html,
                                 fixed["unnamed"],
                                 [(one.slug, one.title) for one in fixed["others"]],
                                 [of_entries[one.key] for one in pair])
        pages = self.kept.get(page_key, lambda: packed(self._pages(chunk, shards, pair, fixed)))
        for number, page in unpacked(pages).items():
            yield f"{chunk.view.path}{number}/index.html", page.encode()
        for name, content in shards.items():
            yield chunk.file(name), content

    def _entry_key(self, before: str, chunk: Chunk, entry: Entry) -> str:
        judges = chunk.view.judges
        return self.kept.key(
            before, entry.key, entry.title, entry.kind, entry.predictions[chunk.items],
            entry.result.items[chunk.items],
            [judges.behind(entry.result, metric) for metric in METRICS])

    def _drawn(self, chunk: Chunk, entry: Entry) -> bytes:
        """The shard of a system, after its length, and what it did to later rows."""
        chunk.stand()
        template = self.templates.get_template(f"{chunk.kind.name}/card.html")
        examples = {}
        for number, stage in chunk.stages.items():
            card = stage.card(entry)
            html = template.render(card=card, view=chunk.view, root=ROOT_FROM_SHELL)
            examples[number] = {"html": squeezed(html), **stage.data(card)}
        shard = packed(examples)
        memory = {number: found for number, stage in chunk.stages.items()
                  if (found := stage.memory()) is not None}
        kept = packed(memory) if self.kept.folder and memory else b""
        return len(shard).to_bytes(8, "big") + shard + kept

    def _pages(self, chunk: Chunk, shards: Mapping[str, bytes], pair: Sequence[Entry],
               fixed: dict[str, Any]) -> dict[int, str]:
        shown = {entry.key: unpacked(shards[entry.slug]) for entry in pair}
        template = self.templates.get_template(f"{chunk.kind.name}/example.html")
        view, pages = chunk.view, {}
        for number, stage in chunk.stages.items():
            cards = [{"key": key, "html": trusted(examples[str(number)]["html"])}
                     for key, examples in shown.items()]
            body = template.render(
                {**fixed, **stage.context()}, row=number, cards=cards,
                index_name=index_name((number - 1) // PER_PAGE), report=self._report(view, number))
            title = f"Example {number}, {view.board.title} {view.name}"
            pages[number] = self.shell.page(title, squeezed(body))
        return pages

    def _fixed_parts(self, view: SplitView) -> dict[str, Any]:
        """What is the same on every page of a split."""
        systems = view.comparable
        kind = kind_of(view.board)
        legend = self.templates.get_template(f"{kind.name}/legend.html").render(kind.legend(view))
        first = {entry.key for entry in default_pair(view)}
        others: list[Entry] = [entry for entry in systems if entry.key not in first]
        return {"view": view, "root": ROOT_FROM_SHELL, "legend": trusted(squeezed(legend)),
                "others": others[:MOST_OTHERS], "unnamed": len(others[MOST_OTHERS:])}

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
