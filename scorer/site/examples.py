"""The pages of a split's examples and the files that their script fetches: a view in, files out.

Examples are drawn in portions, each by itself, so that several processes can draw at once.

What systems made of an example is rendered once and used twice: the first two cards stand in the
page, all of them in shards, SHARD examples in a file. Shards are gzip in themselves, because hosts
compress what they send but not what they store, and cards are nine parts markup.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, Template
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


def portions(view: SplitView) -> Iterator[range]:
    """The numbers of all examples of a split, from 1, a portion each."""
    for start in range(1, len(view.golds) + 1, BLOCK):
        yield range(start, min(start + BLOCK, len(view.golds) + 1))


def example_files(templates: Environment, view: SplitView, numbers: range, layout: PageLayout,
                  repository: str = "") -> Iterator[File]:
    """The pages of a portion, stamped from a layout, and its shards.

    ``repository``: address of the one whose issues take disputes; empty if it is not known.
    """
    shown_by, folder = view_of(view.board), f"data/{view.board.id}/{view.name}/"
    made = shown_by.examples(view)
    legend, page, card = (templates.select_template(shown_by.template(part))
                          for part in ("legend", "example", "card"))
    legend_html = trusted(minify(legend.render(shown_by.legend(view), root=ROOT_FROM_LAYOUT)))
    # The oldest first: a later row never moves what stands. Reference rows come with the board.
    entries = sorted(view.comparable, key=lambda entry: (
        entry.kind != "reference", entry.about.date, entry.key))
    first = [entry.key for entry in default_pair(view)]
    for start in range(numbers.start, numbers.stop, SHARD):
        examples = {number: made(view.golds[number - 1], number)
                    for number in range(start, min(start + SHARD, numbers.stop))}
        shown: dict[str, Mapping[int, Markup]] = {}
        for entry in entries:
            cards = _cards(card, view, entry, examples)
            if entry.key in first:
                shown[entry.key] = cards
            yield (f"{folder}{entry.slug}/{start // SHARD}.shard",
                   packed({number: {"html": html} for number, html in cards.items()}))
        for number, example in examples.items():
            report = ""
            if repository:  # the form for a gold item that looks wrong, with the item filled in
                item = f"{view.board.id} {view.name} {number}"
                query = {"template": "gold-dispute.yml", "title": f"Gold: {item}", "item": item}
                report = f"{repository}/issues/new?{urlencode(query)}"
            body = minify(page.render(
                example.context(), view=view, root=ROOT_FROM_LAYOUT, legend=legend_html, row=number,
                cards=[{"key": key, "html": shown[key][number]} for key in first],
                index_name=index_name((number - 1) // PER_PAGE), report=report))
            title = f"Example {number}, {view.board.title} {view.name}"
            yield f"{view.path}{number}/index.html", layout.page(title, body).encode()


def _cards(template: Template, view: SplitView, entry: Entry,
           examples: Mapping[int, ShownExample[Any]]) -> dict[int, Markup]:
    """What a system made of some examples, by their numbers."""
    votes = view.people.graphs(entry.key) if view.people else {}
    simulated = bool(votes and view.people and view.people.simulated_of(entry.key))
    return {number: trusted(minify(template.render(
        card=example.card(entry), view=view, root=ROOT_FROM_LAYOUT,
        said=votes.get(number), simulated=simulated))) for number, example in examples.items()}


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
