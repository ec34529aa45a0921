"""Exports: every file is read back by a real parser, with hostile text in every foreign field."""

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from scorer import boards
from scorer.boards import exporting
from scorer.core.reading.values import Link
from scorer.metrics.catalogue import METRICS
from scorer.site.exports import (
    LONGEST,
    Publisher,
    badge,
    bibtex,
    eval_results,
    every_eval_ever,
    leaderboard_csv,
    leaderboard_tex,
    pairs_csv,
    results_csv,
    row_badge,
    task_id,
    values,
)
from scorer.site.outputs import (
    MOST_NEWS,
    NEVER,
    News,
    atom,
    dataset_files,
    newest,
    row_files,
    row_news,
    sitemap,
    taken_of_board,
    timestamp,
)
from scorer.site.reading.read import read_site
from scorer.site.reading.states import read as read_states
from scorer.site.records import Entry, SiteView, SplitView
from scorer.site.text import latex, one_line, slug, xml
from tests.browser.tiny_site import HEBREW, PAYLOADS, ROOT, STATUS, part_of_checkout
from tests.values import described

URL = "https://example.org/whyboard/"
PUBLISHER = Publisher("Whyboard", URL, 1_767_225_600)
SVG = "{http://www.w3.org/2000/svg}"
ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
ANY = st.text(st.characters(codec=None), max_size=60) | st.sampled_from([*PAYLOADS, HEBREW, "\x00"])


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    """Committed boards, as they are: one whose data are others', and two of ours."""
    root = part_of_checkout(tmp_path_factory.mktemp("real") / "root", "explagraphs",
                            "explagraphs-practice", "anlg-practice")
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def explagraphs(real: SiteView) -> SplitView:
    return next(view for view in real.leaderboards if view.path == "boards/explagraphs/dev/")


@pytest.fixture(scope="module")
def known(tiny_site: SiteView) -> SplitView:
    return tiny_site.boards[0].splits[0]


@pytest.fixture(scope="module")
def sly(known: SplitView) -> Entry:
    return next(entry for entry in known.entries if entry.team == "sly-team")


def every_row(*sites: SiteView) -> Iterator[tuple[SplitView, Entry]]:
    for site in sites:
        for known in site.leaderboards:
            yield from ((known, entry) for entry in known.entries)


def parsed(content: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(content.decode())  # noqa: S314  # our own output


# ---- the data of a board -------------------------------------------------------------------------


@pytest.mark.skipif(not exporting.has_parquet(), reason="pyarrow is not installed")
def test_the_site_gives_away_what_the_command_exports_and_no_more(real: SiteView) -> None:
    given = {view.board.id: dict(dataset_files(URL, view)) for view in real.boards}
    for view in real.boards:
        assert [*given[view.board.id]] == [*taken_of_board(view)]
    assert not given.pop("explagraphs")
    for name, files in given.items():
        place, exported = f"data/{name}/", exporting.dataset_files(boards.load(name))
        assert files
        for path, content in files.items():
            file = path.removeprefix(place)
            if file == "croissant.json":
                assert json.loads(content)["distribution"][0]["contentUrl"].startswith(URL + place)
            else:
                assert content == exported.get(file, exported.get(f"data/{file}"))


def test_nothing_is_given_away_where_a_split_cannot_be_read_or_without_pyarrow(
    real: SiteView, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = next(one for one in real.boards if one.board.id == "anlg-practice")
    broken = replace(view, splits=(replace(view.splits[0], golds=()), *view.splits[1:]))
    assert (taken_of_board(broken), [*dataset_files(URL, broken)]) == ({}, [])
    monkeypatch.setattr(exporting, "has_parquet", lambda: False)
    assert taken_of_board(view) == {}


# ---- words ---------------------------------------------------------------------------------------


@given(ANY)
def test_any_text_is_one_line_that_every_format_can_hold(text: str) -> None:
    assert not re.search("[\x00-\x1f\x7f\u2028\u202e\ud800-\udfff]", one_line(text))
    assert parsed(f'<a b="{xml(text)}">{xml(text)}</a>'.encode()).get("b") == one_line(text, 2000)


@given(ANY)
def test_no_text_is_a_command_of_latex(text: str) -> None:
    made = latex(text)
    words = re.sub(r"\\text(backslash|braceleft|braceright|asciitilde|asciicircum|less|greater|bar)"
                   r"\{\}|\\[#$%&_]", "", made)
    assert not re.search(r"[\\{}#$%&_~^<>|\"]", words)
    assert made.count("{") == made.count("}")


# ---- tables --------------------------------------------------------------------------------------


def read(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def cell(number: float | None) -> str:
    return "" if number is None else repr(number)


def test_csv_has_the_rows_and_numbers_of_the_document(explagraphs: SplitView) -> None:
    rows, lines = explagraphs.document.rows, read(leaderboard_csv(explagraphs))
    assert [*lines[0]][:11] == ["key", "title", "by", "kind", "rank_first", "rank_last", "SA",
                                "SA low", "SA high", "SA null", "SA lift"]
    published = [f"published/{source.id}/{number}" for source in explagraphs.sources
                 for number, _ in enumerate(source.values, start=1)]
    assert [line["key"] for line in lines] == [*(row.key for row in rows), *published]
    for row, line in zip(rows, lines, strict=False):
        assert line["kind"] == row.kind
        assert (line["rank_first"], line["rank_last"]) == (
            tuple(map(str, row.rank)) if row.rank else ("", ""))
        for name, value in row.values.items():
            found = (line[name], *(line[f"{name} {what}"] for what in ("low", "high", "null",
                                                                       "lift")))
            assert found == tuple(map(cell, (value.v, *(value.ci or (None, None)), value.null,
                                             value.lift)))


def test_results_have_a_line_a_value_over_all_boards(real: SiteView) -> None:
    known = real.leaderboards
    lines = read(results_csv(known))
    measured = [value for one in known for row in one.document.rows
                for value in row.values.values() if value.v is not None]
    printed = sum(len(row.values) for one in known for row in one.document.published)
    assert len(lines) == len(measured) + printed
    assert [*lines[0]] == ["board", "split", "row", "title", "kind", "column", "value", "low",
                           "high", "null", "lift", "p_vs_null", "n", "rank_first", "rank_last"]
    assert {line["kind"] for line in lines} == {"scored", "third-party", "reference", "published"}
    assert sorted(line["p_vs_null"] for line in lines if line["p_vs_null"]) == sorted(
        repr(value.vs_null.p) for value in measured if value.vs_null)


def test_pairs_have_counts_and_p_of_every_two_rows(explagraphs: SplitView) -> None:
    pairs, lines = explagraphs.document.pairs, read(pairs_csv([explagraphs]))
    assert pairs
    first, *others = [line for line in lines if line["column"] == pairs.by]
    assert 1 + len(others) == len(pairs.rows) * (len(pairs.rows) - 1) // 2
    assert [first["a"], first["b"]] == pairs.rows[:2]
    assert [int(first["a_only"]), int(first["b_only"]), float(first["p"])] == pairs.tri[0][:3]
    close = explagraphs.document.close["GED"].tri
    ged = [line for line in lines if line["column"] == "GED"]
    assert [(line["a_only"], line["b_only"], line["p"], line["p_holm"]) for line in ged] == [
        (cell(first), cell(second), cell(p), "") for *_, p, first, second in close]


def with_titles(known: SplitView, titles: Sequence[str]) -> SplitView:
    """The first rows called otherwise."""
    names = [*titles, *(entry.title for entry in known.entries[len(titles):])]
    return replace(known, entries=tuple(
        described(entry, title=title, by=title)
        for entry, title in zip(known.entries, names, strict=False)))


@pytest.mark.claim("No cell of a downloaded table is a formula.")
@given(st.lists(ANY | st.sampled_from(["a;=1+1", "a\t=1", "x| @y", '";"=1', "\uff1d1", "a;\n=1"]),
                min_size=1, max_size=4), st.sampled_from(",;\t|"))
def test_no_cell_is_a_formula_whatever_separates_cells(
    known: SplitView, texts: list[str], separator: str
) -> None:
    changed = with_titles(known, texts)
    for content in (leaderboard_csv(changed), results_csv([changed]), pairs_csv([changed])):
        for line in csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator):
            for text in line:
                start = text.strip(' "')
                assert re.match(r"-[0-9.]", start) or not start.startswith(
                    tuple("=+-@\uff1d\uff0b\uff0d\uff20")), text


@pytest.mark.parametrize("text", ["null", "NA", "None", "nan", "N/A"])
def test_no_name_is_a_missing_value_to_pandas(known: SplitView, text: str) -> None:
    pandas = pytest.importorskip("pandas")
    changed = with_titles(known, [text] * 3)
    for content in (leaderboard_csv(changed), results_csv([changed])):
        titles = pandas.read_csv(io.BytesIO(content))["title"]
        assert (titles == f"'{text}").sum() >= 3
        assert not titles.isna().any()


def tex_rows(known: SplitView) -> list[str]:
    """The lines of a LaTeX table without its head; each has a cell for each column."""
    lines = [line for line in leaderboard_tex(known).decode().splitlines()
             if line.endswith("\\\\")]
    columns = [column for column in known.document.columns if not column.unmeasured]
    assert {len(re.split(r"(?<!\\)&", line)) for line in lines} == {2 + len(columns)}
    return lines[1:]


def test_a_latex_table_has_a_line_for_each_row_and_marks_the_top(explagraphs: SplitView) -> None:
    assert len(tex_rows(explagraphs)) == len(explagraphs.document.rows)
    text = leaderboard_tex(explagraphs).decode()
    top = sum(value.top is not None for row in explagraphs.document.rows
              for value in row.values.values())
    assert text.count("\\textbf{") == top > 0
    order = [text.index(mark) for mark in ("\\toprule", "\\midrule", "\\bottomrule", "\\end{tab")]
    assert order == sorted(order)


@given(st.lists(ANY | st.sampled_from(["[2pt]", "*", " [x"]), min_size=3, max_size=3))
def test_no_name_breaks_a_latex_table(known: SplitView, texts: list[str]) -> None:
    rows = tex_rows(with_titles(known, texts))
    assert len(rows) == 3
    for line in rows:
        assert not re.search(r"(?<!\\)[%#_]", line)
        assert not line.lstrip().startswith(("[", "*"))


# ---- Every Eval Ever -----------------------------------------------------------------------------

REQUIRED = {
    "log": {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata",
            "model_info", "eval_library", "evaluation_results"},
    "sample": {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id",
               "interaction_type", "input", "answer_attribution", "evaluation"},
}
"""What schema 0.2.2 asks for, where its files are not at hand."""


def made(known: SplitView, entry: Entry) -> tuple[Any, list[Any]]:
    """A row's log and samples."""
    log, samples = every_eval_ever(PUBLISHER, known, entry, samples=True)
    return json.loads(log), [json.loads(line) for line in samples.decode().split("\n")[:-1]]


def test_every_row_keeps_to_the_published_schema(tiny_site: SiteView, real: SiteView) -> None:
    """The schemas are not ours to carry."""
    folder = Path(os.environ.get("WHYBOARD_EEE") or "no-folder")
    if not folder.is_dir():
        pytest.skip("no published schema of Every Eval Ever (WHYBOARD_EEE names its folder: "
                    "every_eval_ever/schemas of github evaleval/every_eval_ever)")
    log, sample = (jsonschema.Draft7Validator(json.loads((folder / f"{name}.schema.json")
                                                         .read_text("utf-8")))
                   for name in ("eval", "instance_level_eval"))
    count = 0
    for known, entry in every_row(tiny_site, real):
        document, lines = made(known, entry)
        log.validate(document)
        count += len(lines)
        for line in lines:
            sample.validate(line)
    assert count > 100


def test_a_log_says_what_the_schema_asks_for(known: SplitView, sly: Entry) -> None:
    log, _ = made(known, sly)
    assert set(log) == REQUIRED["log"] | {"detailed_evaluation_results"}
    assert log["retrieved_timestamp"] == "1767225600"
    assert all(isinstance(value, str) for value in log["model_info"]["additional_details"].values())
    found = {one["evaluation_result_id"]: one for one in log["evaluation_results"]}
    row = {name: value for name, value in known.row(sly).values.items() if value.v is not None}
    assert [*found] == [f"tiny.dev.{slug(name)}" for name in row]
    for one, (name, value) in zip(found.values(), row.items(), strict=True):
        assert one["metric_config"]["lower_is_better"] == (name == "GED")
        assert one["score_details"]["score"] == value.v
        assert json.loads(one["score_details"]["details"]["null"]) == value.null
        interval = {"confidence_interval": {
            "lower": value.ci[0], "upper": value.ci[1], "confidence_level": 0.95,
            "method": value.method}} if value.ci else {}
        assert one["score_details"]["uncertainty"] == {"num_samples": value.n, **interval}


def test_samples_fan_out_and_belong_to_their_log(known: SplitView, sly: Entry) -> None:
    log, lines = made(known, sly)
    detail = log["detailed_evaluation_results"]
    assert detail["total_rows"] == len(lines) == len(known.golds) * 2, "SA and StCA"
    assert re.fullmatch(r"data/whyboard-tiny/sly-team/payloads/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"
                        r"-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl", detail["file_path"])
    for line in lines:
        assert REQUIRED["sample"] <= set(line)
        assert line["evaluation_id"] == log["evaluation_id"]
        assert line["model_id"] == log["model_info"]["id"]
    for metric in ("SA", "StCA"):
        right = [line["evaluation"]["is_correct"] for line in lines
                 if line["evaluation_result_id"] == f"tiny.dev.{metric.lower()}"]
        assert sum(right) / len(right) == sly.result.metrics[metric].value


def test_samples_are_given_only_where_data_and_submission_are_committed(
    known: SplitView, sly: Entry
) -> None:
    name = "every-eval-ever.samples.jsonl"
    assert name in row_files(known, sly)
    for view, entry in ((replace(known, committed=False), sly),
                        (known, replace(sly, committed=False)),
                        (replace(known, golds=()), sly)):
        found = row_files(view, entry)
        assert name not in found
        assert b"detailed_evaluation_results" not in found["every-eval-ever.json"](PUBLISHER)


# ---- the Hub -------------------------------------------------------------------------------------


def test_hub_results_are_one_entry_a_metric_and_nothing_else(
    known: SplitView, sly: Entry
) -> None:
    found = yaml.safe_load(eval_results(URL, known, sly))
    measured = {name: value for name, value in sly.result.metrics.items()
                if value.value is not None}
    for one, (name, value) in zip(found, measured.items(), strict=True):
        assert one == {
            "dataset": {"id": "OWNER/tiny", "task_id": task_id("dev", name)}, "value": value.value,
            "date": "2026-01-31", "source": {  # a text, as the format has it
                "url": f"{URL}boards/tiny/systems/sly-team--payloads/",
                "name": one_line(f"{sly.title} on {known.board.title}")},
            "notes": value.signature}
    assert eval_results(URL, known, sly).startswith(b"# The board names no dataset of the Hub")
    link = Link("Data", "https://huggingface.co/datasets/lab/graphs")
    view = replace(known, board=replace(known.board, links=(link,)))
    assert {one["dataset"]["id"] for one in yaml.safe_load(eval_results(URL, view, sly))} == {
        "lab/graphs"}
    month = yaml.safe_load(eval_results(URL, known, described(sly, date="2026-01")))
    assert "date" not in month[0], "only a month is known"


def test_hub_results_are_read_by_the_hub_s_own_program(known: SplitView, sly: Entry) -> None:
    hub_program = pytest.importorskip("huggingface_hub")
    entries = yaml.safe_load(eval_results(URL, known, sly))
    found = hub_program.eval_result_entries_to_yaml(hub_program.parse_eval_result_entries(entries))
    assert found == entries, "nothing is lost and nothing is added"


def test_every_task_that_a_row_names_is_one_of_the_dataset(real: SiteView) -> None:
    named = 0
    for view in real.boards:
        given = exporting.items_of(view.board)
        listed = yaml.safe_load(exporting.eval_yaml(view.board, given))["tasks"]
        tasks = {task["id"] for task in listed}
        for split in view.splits if given else ():
            for entry in split.entries:
                ids = {one["dataset"]["task_id"]
                        for one in yaml.safe_load(eval_results(URL, split, entry))}
                assert ids <= tasks
                named += len(ids)
    assert named


# ---- citations -----------------------------------------------------------------------------------

_BIBTEX = re.compile(r"@misc\{(?P<key>[a-z0-9-]+),\n(?P<fields>(?:  [a-z]+ = \{.*\},\n)+)\}\n")


def test_bibtex_is_one_entry_with_balanced_braces(known: SplitView, sly: Entry) -> None:
    text = bibtex(URL, known, sly).decode()
    match = _BIBTEX.match(text)
    assert match is not None
    assert match["key"] == "whyboard-tiny-dev-sly-team-payloads"
    fields = dict(re.findall(r"  ([a-z]+) = \{(.*)\},\n", match["fields"]))
    assert list(fields) == ["title", "author", "year", "howpublished", "note"]
    assert fields["year"] == "2026"
    for value in fields.values():
        depth = 0
        for char in value:
            depth += {"{": 1, "}": -1}.get(char, 0)
            assert depth >= 0
        assert depth == 0
    assert text.rstrip().endswith(known.board.citation.strip())


# ---- the badge -----------------------------------------------------------------------------------


@given(ANY, ANY)
def test_a_badge_is_a_drawing_of_two_texts_and_nothing_else(left: str, right: str) -> None:
    root = parsed(badge(left, right))
    assert {element.tag for element in root.iter()} <= {
        f"{SVG}{name}" for name in ("svg", "title", "rect", "g", "text")}
    assert not [name for element in root.iter() for name in element.attrib
                if name.startswith("on") or "href" in name]
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert texts == [one_line(left, LONGEST), one_line(right, LONGEST)]
    widths = [float(rect.get("width", "")) for rect in root.iter(f"{SVG}rect")]
    assert float(root.get("width", "")) == sum(widths)


def test_a_badge_shows_the_number_that_orders_the_board(known: SplitView) -> None:
    best, by = known.document.rows[0], known.document.order.by
    assert by
    title = parsed(row_badge(known, best)).findtext(f"{SVG}title") or ""
    assert f"{by} {values(known.document, best)[by]}" in title
    assert b"not measured" in row_badge(known, best.model_copy(update={"values": {}}))


# ---- the feed ------------------------------------------------------------------------------------


def test_a_feed_has_its_dates_from_git_and_no_reference_rows(tiny_site: SiteView) -> None:
    page = f"{URL}boards/tiny/systems/{{}}/#dev"
    sly, fair = page.format("sly-team--payloads"), page.format("fair-team--chains")
    dates = {one.url: one.updated for one in row_news(URL, tiny_site)}
    assert dates == {sly: "2026-01-31T00:00:00Z", fair: "2026-02-01T00:00:00Z"}
    site = replace(tiny_site, states=read_states(STATUS))
    dates = {one.url: one.updated for one in row_news(URL, site)}
    assert dates == {sly: "2026-02-01T13:00:00Z", fair: "2026-02-01T12:30:00Z"}


def test_a_feed_is_atom_newest_first_and_the_same_each_time(tiny_site: SiteView) -> None:
    news = list(row_news(URL, tiny_site))
    content = atom(URL, "Whyboard <b>", news)
    assert content == atom(URL, "Whyboard <b>", list(reversed(news)))
    root = parsed(content)
    for element in (root, *root.iter(f"{ATOM}entry")):
        for needed in ("id", "title", "updated"):
            assert element.findtext(f"{ATOM}{needed}"), needed
    dates = [one.findtext(f"{ATOM}updated") or "" for one in root.iter(f"{ATOM}entry")]
    assert dates == sorted(dates, reverse=True)
    assert root.findtext(f"{ATOM}updated") == dates[0]
    assert {element.tag.removeprefix(ATOM) for element in root.iter()} == {
        "feed", "id", "title", "link", "updated", "entry", "author", "name", "summary"}


def test_an_empty_feed_was_never_updated_and_a_long_one_is_cut() -> None:
    assert parsed(atom(URL, "Empty", [])).findtext(f"{ATOM}updated") == NEVER
    news = [News(f"{URL}{n}", "t", "a", "s", f"{2000 + n}-01-01T00:00:00Z")
            for n in range(MOST_NEWS + 1)]
    dates = [one.text for one in parsed(atom(URL, "Long", news)).iter(f"{ATOM}updated")]
    assert dates == [news[-1].updated, *(one.updated for one in news[:0:-1])]
    assert newest(news, 2) == news[:-3:-1]


@given(st.text("0123456789-+:TZ ", max_size=30)
       | st.sampled_from(["0001-01-01T00:00:00+23:59", "9999-12-31"]))
def test_a_date_is_a_date_or_nothing(text: str) -> None:
    found = timestamp(text)
    assert found is None or re.fullmatch(MOMENT, found)


# ---- the map -------------------------------------------------------------------------------------


def test_a_map_has_every_address_once_in_order() -> None:
    root = parsed(sitemap(URL, ["b/", "", "a b/", "b/"]))
    assert root.tag == f"{MAP}urlset"
    assert [element.text for element in root.iter(f"{MAP}loc")] == [URL, f"{URL}a%20b/", f"{URL}b/"]


# ---- a row ---------------------------------------------------------------------------------------


def test_every_row_has_its_files_and_each_can_be_read(tiny_site: SiteView, real: SiteView) -> None:
    for known, entry in every_row(tiny_site, real):
        found = {name: content(PUBLISHER) for name, content in row_files(known, entry).items()}
        assert set(found) >= {"result.json", "items.tsv", "badge.svg", "cite.bib",
                              "eval-results.yaml", "every-eval-ever.json"}
        parsed(found["badge.svg"])
        for one in json.loads(found["every-eval-ever.json"])["evaluation_results"]:
            config = one["metric_config"]
            [metric] = [info for info in METRICS.values() if info.title == config["metric_name"]]
            assert (config["min_score"], config["max_score"]) == (metric.lowest, metric.highest)
        assert yaml.safe_load(found["eval-results.yaml"])
        assert _BIBTEX.match(found["cite.bib"].decode())


def test_every_file_is_documented(known: SplitView, sly: Entry) -> None:
    text = (ROOT / "docs" / "exports.md").read_text("utf-8")
    copied = {"result.json", "items.tsv", "predictions.tsv"}
    for name in (*(row_files(known, sly).keys() - copied), "leaderboard.csv", "leaderboard.json",
                 "leaderboard.tex", "data/results.csv", "data/pairs.csv", "feed.xml",
                 "sitemap.xml"):
        assert f"`{name}`" in text, name
