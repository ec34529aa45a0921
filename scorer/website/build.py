"""From a checkout and a home folder to a finished site. The only writer.

1. Hand-written pages and one empty page per generated page in the navigation are staged.
2. mkdocs with Material turns these few pages into shells (in a process of its own).
3. Bodies rendered by our own templates are put into the shells; the thousands of examples are
   stamped from one shell of the same depth. So nothing of a submission or a data set is ever read
   as Markdown, and the theme could be replaced by changing one command.

The same input gives the same bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, Template

from scorer.errors import DataError
from scorer.fields import table as field_table
from scorer.files import json_bytes
from scorer.graph import concepts
from scorer.submission import META
from scorer.website import interactive, states
from scorer.website.diff import MEANINGS, SYMBOLS
from scorer.website.example import Card, Stage, default_pair, marked_text
from scorer.website.page import Page
from scorer.website.pages import PER_PAGE, home_context, index_columns, index_name, pages
from scorer.website.read import read_site
from scorer.website.render import environment, trusted
from scorer.website.shell import (
    ROOT_FROM_SHELL,
    SHELL,
    SLOT,
    TITLE,
    Shell,
    mended,
    squeezed,
)
from scorer.website.table import tables_of
from scorer.website.table_files import csv_text, document
from scorer.website.views import Entry, SiteView, SplitView

STAGE = "_build"
SHARD = 20
"""Examples in one file of predictions or of graphs."""
NAVIGATION = [
    {"Home": "index.md"},
    {"Leaderboards": "boards/index.md"},
    {"Examples": "examples/index.md"},
    {"Metrics": [{"Columns": "metrics/index.md"}, {"How sure": "metrics/statistics/index.md"},
                 {"Judges": "judges/index.md"}]},
    {"Submit": [{"How to submit": "submit/index.md"}, {"Rules": "submit/rules/index.md"},
                {"Submissions": states.PAGE + "index.md"}]},
    {"Downloads": "downloads/index.md"},
    {"About": "about.md"},
]
"""Few entries: the navigation stands on every page. A page that is not made is left out."""


@dataclass(frozen=True)
class BuildReport:
    """What was made."""

    pages: int
    examples: int
    files: int
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.pages} pages and {self.examples} examples in {self.files} files"


def build(root: Path, out: Path, *, home: Path, cards: Sequence[Path] = (),
          status: Mapping[str, Any] | None = None) -> BuildReport:
    """Build the site of a checkout into ``out``, which is emptied first.

    ``cards`` are folders of judges' cards besides those of the home folder and our own. ``status``
    is what ``scorer ci status`` prints: with it there is a page of all submissions and their
    states. Raises DataError if that is malformed or the theme cannot be built.
    """
    return _Build(root.resolve(), out.resolve(), home.resolve(), cards, status).run()


class _Build:
    """One run: the views, the templates and the places."""

    def __init__(self, root: Path, out: Path, home: Path, cards: Sequence[Path],
                 status: Mapping[str, Any] | None) -> None:
        self.root = root
        self.out = out
        self.stage = out.parent / STAGE
        self.site: SiteView = read_site(root, home, cards)
        self.status = status
        if status is not None:
            self.site = replace(self.site, states=states.read(status))
        self.tables = tables_of(self.site)
        self.templates: Environment = environment(root / "templates")
        self.files = 0

    def run(self) -> BuildReport:
        generated = list(pages(self.site, self.tables))
        self._stage(generated)
        shells = self._start_mkdocs()
        bodies = {page.path: self._body(page) for page in generated}
        fragments = self._fragments()
        self._wait_for_mkdocs(shells)
        for page in generated:
            self._write_page(page, bodies[page.path])
        self._fill_slots(fragments)
        examples = sum(self._examples(view) for view in self._views())
        self._data()
        self._finish()
        return BuildReport(len(generated), examples, self.files, self.site.warnings)

    def _views(self) -> Iterator[SplitView]:
        return (view for board in self.site.boards for view in board.splits)

    # ---- the theme -------------------------------------------------------------------------

    def _stage(self, generated: Iterable[Page]) -> None:
        shutil.rmtree(self.stage, ignore_errors=True)
        docs = self.stage / "docs"
        shutil.copytree(self.root / "site", docs)
        shutil.copyfile(interactive.script(), docs / "assets" / "vis-network.min.js")
        for path, title in self._shell_pages(generated):
            place = docs / (path + "index.md")
            place.parent.mkdir(parents=True, exist_ok=True)
            head = f"title: {json.dumps(title)}\nhide: [navigation, toc]\nsearch: {{exclude: true}}"
            place.write_text(f"---\n{head}\n---\n{SLOT}\n", "utf-8")
        config = self.stage / "mkdocs.yml"
        config.write_text(yaml.safe_dump(self._config(), sort_keys=False), "utf-8")

    @staticmethod
    def _shell_pages(generated: Iterable[Page]) -> Iterator[tuple[str, str]]:
        yield SHELL, TITLE
        # The theme writes titles as they are, so they are escaped before it sees them.
        yield from ((page.path, escape(page.title)) for page in generated if page.nav)

    def _config(self) -> dict[str, Any]:
        version = f"scorer {self.site.version}"
        made = f"commit {self.site.commit[:12]}, {version}" if self.site.commit else version
        return {
            "INHERIT": str(self.root / "mkdocs.yml"),
            "docs_dir": str(self.stage / "docs"),
            "site_dir": str(self.out),
            "theme": {"custom_dir": str(self.root / "templates" / "theme")},
            "copyright": f"Made by Whyboard from {made}.",
            "nav": NAVIGATION if self.site.states else _without(states.PAGE, NAVIGATION),
            "not_in_nav": SHELL + "index.md",
        }

    def _start_mkdocs(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet",
                   "--config-file", str(self.stage / "mkdocs.yml")]
        settings = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "0"}
        return subprocess.Popen(command,  # noqa: S603  # our own interpreter, our own words
                                env=os.environ | settings,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def _wait_for_mkdocs(self, process: subprocess.Popen[bytes]) -> None:
        said, _ = process.communicate()
        if process.returncode:
            raise DataError(f"mkdocs could not build the site:\n{said.decode(errors='replace')}")

    # ---- pages -----------------------------------------------------------------------------

    def _body(self, page: Page) -> str:
        return self.templates.get_template(page.template).render(
            page.context, root=page.root)

    def _write_page(self, page: Page, body: str) -> None:
        if page.nav:
            place = self.out / page.path / "index.html"
            html = mended(place.read_text("utf-8"))
            self._write(page.path + "index.html", html.replace(SLOT, body))
        else:
            shell = self.shell.within(page.section).moved(page.path.count("/"))
            self._write(page.path + "index.html", shell.page(page.title, body))

    @cached_property
    def shell(self) -> Shell:
        """The page of the theme that examples and systems are stamped from."""
        return Shell(squeezed(mended((self.out / SHELL / "index.html").read_text("utf-8"))))

    def _fragments(self) -> dict[str, tuple[str, dict[str, Any]]]:
        home = home_context(self.site, self.tables)
        showcase = home["showcase"]
        home |= {"showcase_texts": [], "showcase_card": None}
        if showcase is not None:
            home["showcase_card"] = showcase.stage.gold_cards()[0]
            home["showcase_texts"] = marked_texts(showcase.stage)
        boards = {"boards": self.site.boards}
        return {
            "home-hero": ("home-hero.html", home),
            "home-finding": ("home-finding.html", home),
            "home-tops": ("home-tops.html", home),
            "fields": ("fields.html", {"fields": field_table(META)}),
            "columns": ("columns.html", boards),
            "licences": ("licences.html", boards),
        }

    def _fill_slots(self, fragments: Mapping[str, tuple[str, dict[str, Any]]]) -> None:
        """Put fragments into the hand-written pages, where ``<div data-wb="name">`` stands."""
        for source in sorted((self.root / "site").rglob("*.md")):
            relative = source.relative_to(self.root / "site")
            folder = relative.parent if relative.stem == "index" else relative.with_suffix("")
            name = (folder / "index.html").as_posix()
            html = mended((self.out / name).read_text("utf-8"))
            root = "../" * (len(Path(name).parts) - 1)
            for slot, (template, context) in fragments.items():
                for mark in (f'<div data-wb="{slot}"></div>',
                             f'<div data-wb="{slot}"><h1>Whyboard</h1></div>'):
                    if mark in html:
                        text = self.templates.get_template(template).render(
                            context, root=root)
                        html = html.replace(mark, text)
            if "data-wb=" in html:
                raise DataError(f"{source}: a slot that nothing fills; choose one of: "
                                + ", ".join(fragments))
            self._write(name, html)

    # ---- examples --------------------------------------------------------------------------

    def _examples(self, view: SplitView) -> int:
        """Pages, predictions and graphs of one split."""
        if not view.golds:
            return 0
        fixed = self._fixed_parts(view)
        template = self.templates.get_template("example.html")
        shell = self.shell.within("examples")
        pair = default_pair(view)
        shards: dict[str, dict[int, Any]] = {entry.slug: {} for entry in view.comparable}
        shards["gold"] = {}
        for number, gold in enumerate(view.golds, 1):
            stage = Stage(view.board.settings, gold, number, view.judges)
            golds = stage.gold_cards()
            shards["gold"][number] = {"net": golds[0].network}
            for entry in view.comparable:
                card = stage.card(entry)
                shards[entry.slug][number] = {"html": self._card(card, view), "net": card.network}
            cards = [
                {"key": entry.key, "html": trusted(shards[entry.slug][number]["html"])}
                for entry in pair
            ]
            body = template.render(fixed, stage=stage, golds=golds, cards=cards,
                                   texts=marked_texts(stage),
                                   index_name=index_name((number - 1) // PER_PAGE))
            title = f"Example {number}, {view.board.title} {view.name}"
            self._write(f"{view.path}{number}/index.html", shell.page(title, squeezed(body)))
        for name, entries in shards.items():
            self._write_shards(f"data/{view.board.id}/{view.name}/{name}/", entries)
        return len(view.golds)

    def _card(self, card: Card, view: SplitView) -> str:
        return squeezed(self._card_template.render(
            card=card, view=view, root=ROOT_FROM_SHELL, label_name=label_name(view)))

    @cached_property
    def _card_template(self) -> Template:
        return self.templates.get_template("card.html")

    def _fixed_parts(self, view: SplitView) -> dict[str, Any]:
        """What is the same on every page of a split, rendered once."""
        systems = view.comparable
        legend = self.templates.get_template("legend.html").render(
            texts=view.board.settings.texts, systems=systems, symbols=SYMBOLS, meanings=MEANINGS)
        chosen = [entry.key for entry in default_pair(view)]
        chooser = ""
        if len(systems) > 1:
            chooser = self.templates.get_template("chooser.html").render(
                entries=systems, chosen=chosen)
        return {"view": view, "root": ROOT_FROM_SHELL, "label_name": label_name(view),
                "legend": trusted(legend), "chooser": trusted(chooser)}

    def _write_shards(self, folder: str, entries: Mapping[int, Any]) -> None:
        shards: dict[int, dict[int, Any]] = {}
        for number, entry in entries.items():
            shards.setdefault((number - 1) // SHARD, {})[number] = entry
        for place, shard in shards.items():
            self._write(f"{folder}{place}.json", _json(shard))

    # ---- data ------------------------------------------------------------------------------

    def _data(self) -> None:
        for view in self._views():
            folder = f"data/{view.board.id}/{view.name}/"
            if view.golds:
                self._write(f"{folder}index.json", _json(index_columns(view)))
            if view.entries or view.reported:
                table = self.tables[view.path]
                self._write(f"{folder}leaderboard.csv", csv_text(table))
                self._write(f"{folder}leaderboard.json", _json(document(table), indent=1))
            for entry in view.entries:
                self._copy_results(view, entry, f"{folder}{entry.slug}/")
        if self.status is not None:
            self._write_bytes("data/status.json", json_bytes(self.status))
        for judge in self.site.judges.known:
            self._write_bytes(f"data/{judge.path}card.json", judge.source.read_bytes())

    def _copy_results(self, view: SplitView, entry: Entry, folder: str) -> None:
        for source, name in result_files(view, entry):
            if source.is_file():
                self._write_bytes(folder + name, source.read_bytes())

    # ---- the end ---------------------------------------------------------------------------

    def _finish(self) -> None:
        shutil.rmtree(self.out / SHELL.partition("/")[0])
        (self.out / "sitemap.xml.gz").unlink(missing_ok=True)
        found = sorted(path.parent.relative_to(self.out).as_posix()
                       for path in self.out.rglob("index.html"))
        base = _site_url()
        lines = [f"<url><loc>{escape(base + ('' if p == '.' else p + '/'))}</loc></url>"
                 for p in found]
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        self._write("sitemap.xml", "\n".join([f'{head}<urlset xmlns="{space}">', *lines,
                                              "</urlset>\n"]))
        self.files = sum(path.is_file() for path in self.out.rglob("*"))

    def _write(self, path: str, text: str) -> None:
        self._write_bytes(path, text.encode())

    def _write_bytes(self, path: str, content: bytes) -> None:
        place = self.out / path
        try:
            place.write_bytes(content)
        except FileNotFoundError:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def marked_texts(stage: Stage) -> list[dict[str, Any]]:
    """The input texts of an item with the concepts of its first gold graph marked."""
    names = concepts(stage.golds[0])
    kinds = {name: stage.kinds_of(names)[name] for name in names}
    return [
        {"name": text.name, "marked": marked_text(content, kinds)}
        for text, content in zip(stage.settings.texts, stage.gold.texts, strict=True)
    ]


def label_name(view: SplitView) -> str:
    """What the label is called on this board."""
    labels = view.board.settings.labels
    return labels.name if labels is not None else "label"


def result_files(view: SplitView, entry: Entry) -> list[tuple[Path, str]]:
    """The files of an entry that are offered, and their names; items only if committed."""
    found = [(entry.result_path, "result.json")]
    if entry.committed and entry.predictions:
        found.append((entry.result_path.with_name(f"{view.name}.items.jsonl"), "items.jsonl"))
        found.append((entry.folder / f"predictions.{view.name}.tsv", "predictions.tsv"))
    return found


def _without(path: str, navigation: list[Any]) -> list[Any]:
    """The navigation without the entry that leads to a page."""
    return [{name: _without(path, to) if isinstance(to, list) else to}
            for entry in navigation for name, to in entry.items() if to != path + "index.md"]


def _site_url() -> str:
    """Where the site will be, from the environment; else where ``make demo`` serves it."""
    return os.environ.get("WHYBOARD_SITE_URL", "http://127.0.0.1:8000").rstrip("/") + "/"


def _json(value: Any, indent: int | None = None) -> str:
    separators = (",", ":") if indent is None else None
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent,
                      separators=separators) + "\n"

