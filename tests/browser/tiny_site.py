"""A made board of four items with hostile text in every field that a stranger writes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import yaml

from scorer.boards.submission import Meta
from scorer.core.reading.schema import described
from scorer.core.records import ItemResult, ItemScore
from scorer.models import judge_card as cards
from scorer.models.judge_card import Bin, Card, Evaluation, Margin, Preference
from scorer.models.registry import Models
from scorer.scoring.results import files as results
from scorer.scoring.submissions import Scorer
from tests import case_files
from tests.people_world import World, ask_everything, fool_a_model
from tests.values import metric_value

ROOT = Path(__file__).resolve().parents[2]

_WRITTEN = case_files.expanded(case_files.read("strangers.yaml"))
_PAYLOADS = _WRITTEN["payloads"]
SCRIPT, IMAGE, LINK, TEMPLATE, CLOSE, QUOTE, MARKS = PAYLOADS = tuple(_PAYLOADS.values())[:7]
HEBREW, MANY = _PAYLOADS["HEBREW"], _PAYLOADS["MANY"]


def filled(value: Any) -> Any:
    """With payloads in place of their names."""
    if isinstance(value, str):
        return re.sub(r"\$([A-Z]+)", lambda name: str(_PAYLOADS[name[1]]), value)
    if isinstance(value, list):
        return list(map(filled, value))
    if isinstance(value, dict):
        return {filled(key): filled(inner) for key, inner in value.items()}
    return value


GOLD: Sequence[Sequence[str]] = filled(_WRITTEN["gold"])
PREDICTIONS: dict[tuple[str, str], list[str]] = {
    (team, system): filled(graphs) for name, graphs in _WRITTEN["predictions"].items()
    for team, _, system in [name.partition("/")]}
APART = frozenset({"withdrawn", "anonymous_until", "prompt"})
"""The first two would hide the row's rest; the form of a prompt's name holds no payload."""
SLY: dict[str, Any] = filled(_WRITTEN["sly"])
SLY |= {name: f"{IMAGE} {SCRIPT} {HEBREW} canary-{name}"
        for name, field in described(Meta)["properties"].items()
        if field.get("type") == "string" and name not in SLY and name not in APART}
PLAIN: dict[str, Any] = _WRITTEN["plain"]
STATUS: dict[str, Any] = filled(_WRITTEN["status"])


def board_pages(site: Any) -> Iterator[Any]:
    """The pages of every board, which a build makes group by group."""
    from scorer.site.pages import page_groups

    for pages in page_groups(site):
        yield from pages()


def rendered(site: Any, *paths: str) -> dict[str, str]:
    """The bodies of pages of a site, by their addresses: of all, if none is named."""
    from scorer.site.pages import site_pages
    from scorer.site.reading.repository import SiteRepository

    pages = site_pages(site, SiteRepository())
    return bodies(page for page in (*pages, *board_pages(site))
                  if not paths or page.path in paths)


def bodies(pages: Iterable[Any]) -> dict[str, str]:
    """The bodies of pages, by their addresses."""
    from scorer.site.render import environment

    templates = environment(ROOT / "templates")
    return {page.path: templates.get_template(page.template).render(page.names) for page in pages}


def text(html: str) -> str:
    """What a reader sees, with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def example_files(view: Any, repository: str = "") -> dict[str, bytes]:
    """The pages of a split's examples, in a layout that holds nothing else, and their shards."""
    from scorer.site import pages
    from scorer.site.render import environment
    from scorer.site.theme import SLOT, TITLE, PageLayout

    layout = PageLayout(f"<title>{TITLE}</title>{SLOT}")
    return {path: content for numbers in pages.portions(view)
            for path, content in pages.example_files(
                environment(ROOT / "templates"), view, numbers, layout, repository)}


def copy_pages(folder: Path) -> None:
    """Our hand-written pages, templates and settings of the theme."""
    for name in ("site", "templates"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copyfile(ROOT / "mkdocs.yml", folder / "mkdocs.yml")


def copy_boards(folder: Path, *boards: str) -> None:
    """Some boards of this checkout with what is committed of their submissions and results."""
    for place in (f"{top}/{board}" for top in ("boards", "results", "submissions")
                  for board in boards):
        if (ROOT / place).is_dir():
            shutil.copytree(ROOT / place, folder / place)


def make_root(folder: Path) -> Path:
    """A checkout with one board, its data, three scored submissions, our pages and templates."""
    copy_pages(folder)
    board = add_board(
        folder, "tiny", GOLD, title=f"Tiny {IMAGE}", summary=f"Made for tests. {SCRIPT}",
        metrics=["SA", "StCA", "G-ROUGE-L", "GED"], ranking=["StCA"], splits={
            "dev": {"file": "dev.tsv", "rows": len(GOLD), "gold": "public"},
            "test": {"rows": 9, "gold": "reported"}})
    write_yaml(board / "published.yaml", filled(_WRITTEN["published"]))
    for (team, system), graphs in PREDICTIONS.items():
        known = SLY if team == "sly-team" else PLAIN | {"system": f"{team} {system}"}
        labels = [gold[2] for gold in GOLD]
        if team == "sly-team":
            labels[1] = "support"
        add_submission(folder, "tiny", team, system, known, map("\t".join, zip(
            labels, graphs, strict=True)))
    score_all(folder)
    return folder


def add_board(folder: Path, name: str, rows: Iterable[Sequence[str]], *,
              like: str = "explagraphs-practice", **changes: Any) -> Path:
    """Add a board with these rows of gold in its split dev, otherwise like one of ours."""
    lines = ["\t".join(row) for row in rows]
    board = yaml.safe_load((ROOT / "boards" / like / "board.yaml").read_text("utf-8"))
    board |= {"id": name, "title": name.capitalize(), "practice": False,
              "summary": "Made for tests.", "splits": {
                  "dev": {"file": "dev.tsv", "rows": len(lines), "gold": "public"}}} | changes
    place = folder / "boards" / name
    (place / "data").mkdir(parents=True)
    write_yaml(place / "board.yaml", board)
    write_lines(place / "data" / "dev.tsv", lines)
    return place


def add_submission(folder: Path, board: str, team: str, system: str, known: Mapping[str, Any],
                   lines: Iterable[str]) -> None:
    """Add what a team sends to a board, with predictions of its split dev."""
    place = folder / "submissions" / board / team / system
    place.mkdir(parents=True)
    write_yaml(place / "submission.yaml", known)
    write_lines(place / "predictions.dev.tsv", lines)


# ---- judges --------------------------------------------------------------------------------------

SECA, EA = "5eca" * 16, "ea" * 32
"""Digests of the two made judges' weights."""
JUDGE_PAGE = "judges/seca-sly-script-window-pwned-1-script/"


def make_judged_root(folder: Path, card: Card | None = None) -> Path:
    """The same checkout with made numbers of two judges; the card of SeCA's is hostile, unfit."""
    make_root(folder)
    path = folder / "boards" / "tiny" / "board.yaml"
    board = yaml.safe_load(path.read_text("utf-8"))
    board |= {"metrics": ["SA", "StCA", "SeCA", "G-ROUGE-L", "GED", "EA"],
              "ranking": ["SeCA", "StCA"]}
    write_yaml(path, board)
    judge_all(folder)
    cards.write(card or hostile_card(), folder / "home" / "judges" / "seca")
    cards.write(ea_card(), folder / "home" / "judges" / "ea")
    return folder


def make_asked_root(folder: Path) -> Path:
    """The same with what people said in every text of a stranger; the board has no verdicts."""
    make_judged_root(folder)
    said = [*PAYLOADS, MANY, HEBREW]
    ask_everything(World(folder), said, "fair-team/chains", "tiny", "train")
    fool_a_model(folder, said, "stance-1")
    return folder


def judge_all(folder: Path, seca: str = SECA, ea: str = EA, only: str = "*/*") -> None:
    """Put SeCA and EA into every result: better for fair-team than StCA would have it."""
    for path in sorted((folder / "results" / "tiny").glob(f"{only}/dev.json")):
        result = results.read(path)
        items = tuple(_judged(item) for item in result.items)
        metrics = dict(result.metrics)
        for name, weights in (("SeCA", seca), ("EA", ea)):
            value = {"fair-team": 0.75, "sly-team": 0.25}.get(result.team, 0.5)
            metrics[name] = metric_value(
                value, parts={"decided": value} if name == "EA" else {}, passed=value,
                n=len(items), n_passed=2, null=0.5,
                signature=f"{name}|order:depth-first|judge:{name.lower()}-T128-steady-"
                          f"{weights[:12]}|board:tiny-1.0",
            )
        results.write(result.replace(metrics=metrics, items=items), folder / "results")


def _judged(item: ItemResult) -> ItemResult:
    passed = item.verdict.annotation == "struct_correct"
    own = {"SeCA": ItemScore(0.0), "EA": ItemScore(0.5 if passed else 0.0)}
    return replace(item, scores={**item.scores, **own})


def seca_card(
    natural: int = 90, gold: int = 90, nulls: int = 2, n: int = 100, foreign: int = 5,
    negated: int = 9, preferred: int = 90, low: float = 0.01, dev_gold: int = 90, **changes: Any
) -> Card:
    """A card whose sets have ``n`` graphs each; fit as it stands."""
    evaluations = (
        Evaluation(cards.GOLD, "Final graphs.", {"support": {"support": gold, "counter": n - gold}},
                   0.25, (Bin(n, 0.75, gold),), {"support": {"support": n // 2}}),
        Evaluation(cards.DEV_GOLD, "Dev's graphs.",
                   {"support": {"support": dev_gold, "counter": n - dev_gold}}),
        Evaluation(cards.NATURAL, "Sent back.",
                   {"incorrect": {"incorrect": natural, "support": n - natural}}),
        *(Evaluation(name, "Say nothing.", {"counter": {"counter": right, "incorrect": n - right}})
          for name, right in (*((name, nulls) for name in cards.NULL_SETS),
                              (cards.SHUFFLED, foreign), (cards.OTHER, foreign),
                              (cards.NEGATED, negated))),
    )
    margin = Margin(0.75, 0.7, low, 0.09, {"support": (60, 20), "counter": (40, 20)}, 130, 1000, 17)
    card = Card("seca", "small", SECA, ("support", "counter", "incorrect"), 128,
                **_WRITTEN["card"], evaluations=evaluations,
                rearranged=Preference(100, preferred, 0), margin=margin, baseline={"features": 82})
    return replace(card, **changes)


def ea_card() -> Card:
    """A card of a judge that knows no incorrect graphs."""
    gold = Evaluation(cards.GOLD, "Final graphs.", {"support": {"support": 9, "counter": 1}})
    return seca_card(judge="ea", name="", weights=EA, labels=("support", "counter"),
                     evaluations=(gold,))


def hostile_card() -> Card:
    """An unfit judge that calls every null correct, with a payload wherever text may stand."""
    card = seca_card(nulls=98)
    odd = Evaluation(f"set {SCRIPT}", f"about {IMAGE} {TEMPLATE}",
                     {CLOSE: {QUOTE: 3, "support": 1}}, 0.5, (Bin(4, 0.5, 1),))
    return replace(card, **filled(_WRITTEN["hostile_card"]), evaluations=(*card.evaluations, odd))


def part_of_checkout(folder: Path, *boards: str) -> Path:
    """A checkout with some of our boards, as they are."""
    for top in ("boards", "results", "submissions"):
        (folder / top).mkdir(parents=True)
        for board in boards:
            if (ROOT / top / board).is_dir():
                (folder / top / board).symlink_to(ROOT / top / board)
    return folder


def score_all(folder: Path) -> None:
    """Score every submission below a folder into its ``results``."""
    scorer = Scorer(Models(allowed=False), home=folder / "home", boards_folder=folder / "boards")
    for path in sorted((folder / "submissions").glob("*/*/*")):
        for result in scorer.score(path):
            results.write(result, folder / "results")


def write_yaml(path: Path, value: object) -> None:
    """A YAML file, its versions in quotes as our strict reader wants them."""
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=10_000)
    path.write_text(text.replace("'1.0'", '"1.0"'), "utf-8")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """A text file of these lines."""
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
