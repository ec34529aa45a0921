"""Every page: views in, (path, title, template, context) out; a worked example of each metric; and
the examples of a split with the files that their script fetches: a view in, files out. Pure.

Examples are drawn in portions, each by itself, so that several processes can draw at once. What
systems made of one is rendered once and used twice: the first two cards stand in the page, all of
them in shards, SHARD examples in a file. Shards are gzip in themselves, because hosts compress what
they send but not what they store, and cards are nine parts markup.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, Template
from markupsafe import Markup

from scorer.core.errors import DataError
from scorer.core.rules import CATALOGUE, Rule
from scorer.metrics.base import Arithmetic
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.leaderboard.about import official
from scorer.site.boards import board_pages
from scorer.site.boards.compare_pages import compare_pages
from scorer.site.boards.leaderboard_page import leaderboard_page
from scorer.site.boards.system_page import system_pages
from scorer.site.browsing import annotating, browser, checker
from scorer.site.home import BoardSummary
from scorer.site.judge_pages import judge_pages
from scorer.site.outputs import FEED, File, compact_json, taken_of_board
from scorer.site.page import COMPARE, LEADERBOARD, PLOTS, Page, header
from scorer.site.people.figures import column_notes
from scorer.site.people.pages import METRICS as PEOPLE_METRICS
from scorer.site.people.pages import people_pages
from scorer.site.reading.repository import SiteRepository
from scorer.site.reading.rows import BLOCK
from scorer.site.reading.states import MEANINGS, PAGE
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.site.render import trusted
from scorer.site.text import slug
from scorer.site.theme import ROOT_FROM_LAYOUT, PageLayout, minify
from scorer.site.views.base import ShownExample, WorkedItem
from scorer.site.views.registry import VIEWS, view_of
from scorer.statistics import FEWEST

PER_PAGE = 500
"""Examples on one page of an index."""


def site_pages(site: SiteView, repository: SiteRepository) -> Iterator[Page]:
    """Every page that is not of one board; all that the navigation leads to are among them."""
    yield Page("boards/", "Leaderboards", "boards.html",
               {"summaries": [BoardSummary(board) for board in site.boards]}, nav=True)
    yield Page("examples/", "Examples", "examples-overview.html",
               {"boards": site.boards}, nav=True)
    yield Page("metrics/", "Metrics", "metrics.html",
               {"metrics": list(METRICS.values()), "judges": site.judges}, nav=True)
    yield Page("metrics/statistics/", "Statistics", "statistics.html",
               {"fewest": FEWEST}, nav=True)
    notes = column_notes(site)
    for metric in METRICS.values():
        yield Page(f"metrics/{slug(metric.id)}/", metric.title, "metric.html", {
            "metric": metric, "judges": site.judges,
            "used": [board for board in site.boards if metric.id in board.board.metrics],
            "people_said": notes.get(metric.id), "people_page": PEOPLE_METRICS,
            "worked": partial(worked, metric)})
    yield from judge_pages(site)
    yield Page(PAGE, "Submissions", "submissions.html", {
        "states": site.states, "meanings": MEANINGS,
        "boards": {board.board.id: board.board.title for board in site.boards},
        "entries": {(view.board.id, entry.team, entry.system, view.name): entry
                    for view in site.splits for entry in view.entries},
    }, nav=True)
    yield checker.page(site)
    yield from _annotation_pages(site, repository)
    yield from people_pages(site)
    yield Page("submit/rules/", "Rules", "rules.html", {"families": _families()}, nav=True)
    yield Page("downloads/", "Downloads", "downloads.html",
               {"boards": site.boards, "warnings": site.warnings, "feed": FEED,
                "taken_of_board": taken_of_board}, nav=True)


def _annotation_pages(site: SiteView, repository: SiteRepository) -> Iterator[Page]:
    batches = site.annotations
    asking = [*annotating.pages(batches.open, repository),
              *annotating.adjudication_pages(batches.closed, repository)]
    yield from asking
    yield from annotating.pages(batches.closed, repository)
    yield annotating.list_page(
        batches, {page.path for page in asking}, {board.board.id for board in site.boards})


Pages = Callable[[], Iterator[Page]]
"""Pages of a board that one process makes."""


def page_groups(site: SiteView) -> Iterator[Pages]:
    """The pages of every board, those that take long in groups of their own."""
    notes = column_notes(site)
    for board in site.boards:
        scored = [view for view in board.splits if view.has_rows]
        parts = {view.name: [
            LEADERBOARD, *([COMPARE] if view.document.pairs else []),
            *([PLOTS] if board_pages.drawable(view.document) else [])] for view in scored}
        groups = [partial(system_pages, board, site),
                  *(partial(compare_pages, board, view) for view in scored),
                  partial(board_pages.data_pages, board),
                  partial(_bare_pages, board, site.boards, notes, parts)]
        for pages in groups:
            yield partial(_headed, board, parts, pages)


def _headed(board: BoardView, parts: Mapping[str, Sequence[str]], pages: Pages) -> Iterator[Page]:
    return (replace(page, header=header(board, parts, page.path)) for page in pages())


def _bare_pages(board: BoardView, boards: Sequence[BoardView], notes: Mapping[str, str],
                parts: Mapping[str, Sequence[str]]) -> Iterator[Page]:
    yield board_pages.about_page(board)
    yield browser.page(board, boards)
    yield board_pages.changes_page(board)
    for view in board.splits:
        if view.has_rows:
            yield leaderboard_page(board, view, notes)
        if PLOTS in parts.get(view.name, ()):
            yield board_pages.plot_page(board, view)
        yield from _index_pages(board, view)
    yield from board_pages.prompt_pages(board)


def index_name(number: int) -> str:
    """The folder of one page of an index of examples."""
    return "examples" if number == 0 else f"examples-{number + 1}"


def _index_pages(board: BoardView, view: SplitView) -> Iterator[Page]:
    listed = view_of(board.board).listed
    starts = range(0, len(view.golds), PER_PAGE)
    for number, start in enumerate(starts):
        chosen = view.golds[start : start + PER_PAGE]
        context = {
            "board": board.board, "view": view,
            "rows": [(start + i + 1, listed(gold))
                     for i, gold in enumerate(chosen)],
            "number": number, "names": [index_name(i) for i in range(len(starts))],
            "ranges": [(s + 1, min(s + PER_PAGE, len(view.golds))) for s in starts],
        }
        title = f"{board.board.title}: {view.name} examples"
        yield Page(f"{view.path}{index_name(number)}/", title, "examples.html", context)


def _families() -> list[tuple[str, str, list[Rule]]]:
    titles = {
        "TSV": "Files: bytes, lines, columns",
        "META": "submission.yaml and the folder",
        "PR": "Pull requests",
        "EG": "Explanation graphs",
        "ART": "aNLI and aNLG",
    }
    families: dict[str, list[Rule]] = {}
    for rule in CATALOGUE.values():
        families.setdefault(rule.id.partition("-")[0], []).append(rule)
    return [(name, titles.get(name, name), rules) for name, rules in families.items()]


# ---- worked examples -----------------------------------------------------------------------------


def worked(metric: MetricInfo) -> tuple[WorkedItem, Arithmetic] | None:
    """The example of a metric: an item, and the lines of the metric below those of its task.

    None if this version does not compute it or nobody wrote one. Raises DataError if these lines
    give another value than the metric, or a gate stops the item.
    """
    item = next((item for item in _items()
                 if metric.id in {use.metric for use in item.board.task.metrics}), None)
    if item is None:
        return None
    task = item.board.task
    use = task.use(metric.id)
    annotation = task.verdict(item.golds[0], item.predictions[0]).annotation
    if use.gate and annotation != use.gate:
        raise DataError(f"the worked example of {metric.id} is {annotation}, not {use.gate}")
    seen = [use.select(gold, prediction)
            for gold, prediction in zip(item.golds, item.predictions, strict=True)]
    arithmetic = metric.worked(seen, **use.options(task.settings))
    if arithmetic is None:
        return None
    gates = item.gates if metric.id == task.gate_metric else ()
    return item, arithmetic._replace(steps=(*item.label, *gates, *arithmetic.steps))


@cache
def _items() -> tuple[WorkedItem, ...]:
    return tuple(item for view in VIEWS.values() if (item := view.worked_item()) is not None)


# ---- examples --------------------------------------------------------------------------------

SHARD = 20
"""Examples in one file of predictions."""


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
    legend, page, card = (templates.select_template(shown_by.template(part))
                          for part in ("legend", "example", "card"))
    legend_html = trusted(minify(legend.render(shown_by.legend(view), root=ROOT_FROM_LAYOUT)))
    # The oldest first: a later row never moves what stands. Reference rows come with the board.
    entries = sorted(view.comparable, key=lambda entry: (
        entry.kind != "reference", entry.date, entry.key))
    first = [entry.key for entry in default_pair(view)]
    for start in range(numbers.start, numbers.stop, SHARD):
        examples = {
            number: shown_by.example(view.board.settings, view.golds[number - 1], number)
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
           examples: Mapping[int, ShownExample]) -> dict[int, Markup]:
    """What a system made of some examples, by their numbers."""
    read = view.people.votes.get(entry.key) if view.people else None
    votes = {graph.item: graph for graph in read.read if graph.votes} if read else {}
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
    return gzip.compress(compact_json(value), 6, mtime=0)
