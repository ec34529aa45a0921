"""The pages of a split's examples and the files that their script fetches: a view in, files out.

What systems made of an example is rendered once and used twice: the first two cards stand in the
page, all of them in shards, SHARD examples in a file. Shards are gzip in themselves, because hosts
compress what they send but not what they store, and cards are nine parts markup.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment

from scorer.submission import null_name
from scorer.website.layouts.layout import ROOT_FROM_LAYOUT, PageLayout, minify
from scorer.website.pages import PER_PAGE, index_name
from scorer.website.records import Entry, SplitView
from scorer.website.render import trusted
from scorer.website.views.base import Example
from scorer.website.views.registry import view_of

SHARD = 20
"""Examples in one file of predictions or of graphs."""


File = tuple[str, bytes]
"""A path below the site's root, and what is there."""


@dataclass(frozen=True)
class Examples:
    """Makes the files of one split after the other."""

    templates: Environment
    layout: PageLayout
    repository: str = ""
    """Address of the repository whose issues take disputes; "" if it is not known."""

    def files(self, view: SplitView) -> Iterator[File]:
        """Every page and every shard of a split."""
        fixed = self._fixed_parts(view)
        made = view_of(view.board).examples(view)
        for start in range(0, len(view.golds), SHARD):
            examples = {number: made(gold, number) for number, gold
                        in enumerate(view.golds[start : start + SHARD], start + 1)}
            yield from self._shards_and_pages(view, examples, fixed)

    def _shards_and_pages(self, view: SplitView, examples: Mapping[int, Example[Any]],
                          fixed: Mapping[str, Any]) -> Iterator[File]:
        """The files of up to SHARD examples, by their numbers."""
        example_view, place = view_of(view.board), min(examples) // SHARD
        folder = f"data/{view.board.id}/{view.name}/"
        if example_view.gold_data:
            yield f"{folder}gold/{place}.shard", packed(
                {number: example.data(None) for number, example in examples.items()})
        template = self.templates.get_template(f"{example_view.name}/card.html")
        pair = default_pair(view)
        shown: dict[str, dict[int, str]] = {}
        # The oldest first: a later row never moves what stands. Reference rows come with the board.
        for entry in sorted(view.comparable, key=lambda entry: (
                entry.kind != "reference", entry.date, entry.key)):
            cards: dict[int, Mapping[str, Any]] = {}
            for number, example in examples.items():
                card = example.card(entry)
                html = template.render(card=card, view=view, root=ROOT_FROM_LAYOUT)
                cards[number] = {"html": minify(html), **example.data(card)}
            if entry in pair:
                shown[entry.key] = {number: str(card["html"]) for number, card in cards.items()}
            yield f"{folder}{entry.slug}/{place}.shard", packed(cards)
        for number, example in examples.items():
            both = [{"key": entry.key, "html": trusted(shown[entry.key][number])} for entry in pair]
            yield f"{view.path}{number}/index.html", self._page(view, number, example, both, fixed)

    def _page(self, view: SplitView, number: int, example: Example[Any],
              cards: Sequence[Mapping[str, str]], fixed: Mapping[str, Any]) -> bytes:
        template = self.templates.get_template(f"{view_of(view.board).name}/example.html")
        body = template.render(
            {**fixed, **example.context()}, row=number, cards=cards,
            index_name=index_name((number - 1) // PER_PAGE), report=self._report(view, number))
        title = f"Example {number}, {view.board.title} {view.name}"
        return self.layout.page(title, minify(body)).encode()

    def _fixed_parts(self, view: SplitView) -> dict[str, Any]:
        """What is the same on every page of a split."""
        example_view = view_of(view.board)
        template = self.templates.get_template(f"{example_view.name}/legend.html")
        legend = template.render(example_view.legend(view))
        return {"view": view, "root": ROOT_FROM_LAYOUT, "legend": trusted(minify(legend))}

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


def packed(value: Any) -> bytes:
    """JSON, compressed; the same value gives the same bytes."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 6, mtime=0)
