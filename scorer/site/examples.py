"""The pages of a split's examples and the files that their script fetches: a view in, files out.

Examples are drawn in portions, each by itself, so that several processes can draw at once.

What systems made of an example is rendered once and used twice: the first two cards stand in the
page, all of them in shards, SHARD examples in a file. Shards are gzip in themselves, because hosts
compress what they send but not what they store, and cards are nine parts markup.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment
from markupsafe import Markup

from scorer.site.layouts.layout import ROOT_FROM_LAYOUT, PageLayout, minify
from scorer.site.pages import PER_PAGE, index_name
from scorer.site.reading.rows import BLOCK
from scorer.site.records import Entry, SplitView, official
from scorer.site.render import trusted
from scorer.site.views.base import ShownExample
from scorer.site.views.registry import view_of

SHARD = 20
"""Examples in one file of predictions."""


File = tuple[str, bytes]
"""A path below the site's root, and what is there."""


class Portion(NamedTuple):
    """Some examples of a split."""

    view: SplitView
    numbers: range
    """Of the examples, from 1."""
    legend: Markup


@dataclass(frozen=True)
class ExampleDrawer:
    """Draws the examples of one split after the other."""

    templates: Environment
    repository: str = ""
    """Address of the repository whose issues take disputes; "" if it is not known."""

    def portions(self, view: SplitView) -> Iterator[Portion]:
        """Every example of a split."""
        shown_by = view_of(view.board)
        legend = trusted(minify(self.templates.select_template(
            shown_by.template("legend")).render(shown_by.legend(view), root=ROOT_FROM_LAYOUT)))
        for start in range(0, len(view.golds), BLOCK):
            stop = min(start + BLOCK, len(view.golds))
            yield Portion(view, range(start + 1, stop + 1), legend)

    def files(self, portion: Portion, layout: PageLayout) -> Iterator[File]:
        """The pages of a portion, stamped from a layout, and its shards."""
        made = view_of(portion.view.board).examples(portion.view)
        for start in range(portion.numbers.start, portion.numbers.stop, SHARD):
            numbers = range(start, min(start + SHARD, portion.numbers.stop))
            yield from self._draw(portion, {number: made(portion.view.golds[number - 1], number)
                                            for number in numbers}, layout)

    def _draw(self, portion: Portion, examples: Mapping[int, ShownExample[Any]],
              layout: PageLayout) -> Iterator[File]:
        """Up to SHARD examples, by their numbers."""
        view, shown_by = portion.view, view_of(portion.view.board)
        folder, shard = f"data/{view.board.id}/{view.name}/", min(examples) // SHARD
        template = self.templates.select_template(shown_by.template("card"))
        shown: dict[str, dict[int, Markup]] = {entry.key: {} for entry in default_pair(view)}
        # The oldest first: a later row never moves what stands. Reference rows come with the board.
        for entry in sorted(view.comparable, key=lambda entry: (
                entry.kind != "reference", entry.about.date, entry.key)):
            cards: dict[int, Mapping[str, str]] = {}
            votes = view.people.graphs(entry.key) if view.people else {}
            simulated = bool(votes and view.people and view.people.simulated_of(entry.key))
            for number, example in examples.items():
                html = minify(template.render(
                    card=example.card(entry), view=view, root=ROOT_FROM_LAYOUT,
                    said=votes.get(number), simulated=simulated))
                cards[number] = {"html": html}
                if entry.key in shown:
                    shown[entry.key][number] = trusted(html)
            yield f"{folder}{entry.slug}/{shard}.shard", packed(cards)
        for number, example in examples.items():
            both = [{"key": key, "html": html[number]} for key, html in shown.items()]
            title = f"Example {number}, {view.board.title} {view.name}"
            page = layout.page(title, self._body(portion, number, example, both))
            yield f"{view.path}{number}/index.html", page.encode()

    def _body(self, portion: Portion, number: int, example: ShownExample[Any],
              cards: Sequence[Mapping[str, str]]) -> str:
        view = portion.view
        template = self.templates.select_template(view_of(view.board).template("example"))
        return minify(template.render(
            example.context(), view=view, root=ROOT_FROM_LAYOUT, legend=portion.legend, row=number,
            cards=cards, index_name=index_name((number - 1) // PER_PAGE),
            report=self._report(view, number)))

    def _report(self, view: SplitView, row: int) -> str:
        """The form for a gold item that looks wrong, with the item filled in."""
        if not self.repository:
            return ""
        item = f"{view.board.id} {view.name} {row}"
        query = {"template": "gold-dispute.yml", "title": f"Gold: {item}", "item": item}
        return f"{self.repository}/issues/new?{urlencode(query)}"


def default_pair(view: SplitView) -> list[Entry]:
    """The two systems shown first: the best that is not a reference row, and its own null.

    A preview is shown first only where there is nothing else.
    """
    open_entries = official(view.comparable)
    ceilings = ("gold", "second-gold", "shuffled-gold")
    plain = [e for e in open_entries if e.system not in ceilings or e.kind != "reference"]
    systems = [e for e in plain if e.kind != "reference"] or plain
    if not systems:
        return open_entries[:2]
    first = systems[0]
    nulls = [e for e in plain if e.key == first.null_key(view.board)]
    others = [e for e in [*nulls, *plain, *open_entries] if e.key != first.key]
    return [first, *others[:1]]


def packed(value: Any) -> bytes:
    """JSON, compressed; the same value gives the same bytes."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 6, mtime=0)
