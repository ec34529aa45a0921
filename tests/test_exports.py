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
from scorer.boards.exporting import hub, items
from scorer.core.reading.values import Link
from scorer.scoring.leaderboard.about import About
from scorer.site.boards.leaderboards import Leaderboard, leaderboard_of, leaderboards_of
from scorer.site.exports.feed import MOST, NEVER, News, atom, row_news, sitemap, timestamp
from scorer.site.exports.row import (
    LONGEST,
    Publisher,
    badge,
    bibtex,
    eval_results,
    every_eval_ever,
    hub_dataset,
    row_badge,
    task_id,
    values,
)
from scorer.site.exports.tables import (
    leaderboard_csv,
    leaderboard_tex,
    pairs_csv,
    results_csv,
)
from scorer.site.outputs import dataset_files, row_files, taken_of_board
from scorer.site.reading.read import read_site
from scorer.site.reading.states import read as read_states
from scorer.site.records import Entry, SiteView, SplitView
from scorer.site.text import latex, one_line, slug, xml
from scorer.tasks.graphs.graph_statistics import METRIC_OF
from tests.browser.tiny_site import HEBREW, PAYLOADS, ROOT, STATUS, make_root, part_of_checkout
from tests.values import made_result, metric_value

URL = "https://example.org/whyboard/"
OFFICIAL = boards.load("explagraphs")
PUBLISHER = Publisher("Whyboard", URL, 1_767_225_600)
SVG = "{http://www.w3.org/2000/svg}"
ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ANY = st.text(st.characters(codec=None), max_size=60) | st.sampled_from([*PAYLOADS, HEBREW, "\x00"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    root = make_root(tmp_path_factory.mktemp("tiny") / "root")
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    """Committed boards, as they are: those whose data are ours, and two of others."""
    root = part_of_checkout(
        tmp_path_factory.mktemp("real") / "root", "explagraphs", "entailment-bank",
        "explagraphs-practice", "anli-practice", "anlg-practice", "graph-stance-practice",
        "explained-practice")
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def dev(site: SiteView) -> SplitView:
    return site.boards[0].splits[0]


@pytest.fixture(scope="module")
def known(dev: SplitView) -> Leaderboard:
    return leaderboard_of(dev)


@pytest.fixture(scope="module")
def sly(dev: SplitView) -> Entry:
    return next(entry for entry in dev.entries if entry.team == "sly-team")


def every_row(site: SiteView) -> Iterator[tuple[Leaderboard, Entry]]:
    for known in leaderboards_of(site).values():
        yield from ((known, entry) for entry in known.view.entries)


def parsed(content: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(content.decode())  # noqa: S314  # our own output


# ---- the data of a board -------------------------------------------------------------------------


@pytest.mark.skipif(not hub.has_parquet(), reason="pyarrow is not installed")
def test_the_site_gives_away_what_the_command_exports_and_no_more(real: SiteView) -> None:
    given = {}
    for view in real.boards:
        files = dict(dataset_files(URL, view))
        assert [*files] == [path for path, _ in taken_of_board(view)]
        given[view.board.id] = files
    assert {name for name, files in given.items() if files} == {
        "explagraphs-practice", "anli-practice", "anlg-practice", "graph-stance-practice",
        "explained-practice"}
    for name in ("explagraphs-practice", "anlg-practice"):
        place, exported = f"data/{name}/", hub.dataset_files(boards.load(name))
        for path, content in given[name].items():
            file = path.removeprefix(place)
            if file == "croissant.json":
                assert json.loads(content)["distribution"][0]["contentUrl"].startswith(URL + place)
            else:
                assert content == exported.get(file, exported.get(f"data/{file}"))


def test_a_board_with_a_split_that_cannot_be_read_gives_nothing_away(real: SiteView) -> None:
    view = next(one for one in real.boards if one.board.id == "anli-practice")
    broken = replace(view, splits=(replace(view.splits[0], golds=()), *view.splits[1:]))
    assert taken_of_board(broken) == ()
    assert [*dataset_files(URL, broken)] == []


def test_a_site_built_without_pyarrow_lists_no_data(
    real: SiteView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "has_parquet", lambda: False)
    assert not any(taken_of_board(view) for view in real.boards)


# ---- words ---------------------------------------------------------------------------------------


@given(ANY)
def test_any_text_is_one_line_that_every_format_can_hold(text: str) -> None:
    line = one_line(text)
    assert not re.search("[\x00-\x1f\x7f\u2028\u202e\ud800-\udfff]", line)
    assert parsed(f'<a b="{xml(text)}">{xml(text)}</a>'.encode()).get("b") == one_line(text, 2000)


@given(ANY)
def test_no_text_is_a_command_of_latex(text: str) -> None:
    made = latex(text)
    words = re.sub(r"\\text(backslash|braceleft|braceright|asciitilde|asciicircum|less|greater|bar)"
                   r"\{\}|\\[#$%&_]", "", made)
    assert not re.search(r"[\\{}#$%&_~^<>|\"]", words)
    assert made.count("{") == made.count("}")


# ---- tables --------------------------------------------------------------------------------------


def read(content: bytes, **how: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), **how))  # type: ignore


def test_csv_has_the_rows_and_numbers_of_the_document(known: Leaderboard) -> None:
    rows, cells = known.document.rows, read(leaderboard_csv(known))
    assert [*cells[0]][:11] == ["key", "title", "by", "kind", "rank_first", "rank_last", "SA",
                                "SA low", "SA high", "SA null", "SA lift"]
    assert [cell["key"] for cell in cells] == [row.key for row in rows]
    for row, cell in zip(rows, cells, strict=True):
        assert cell["kind"] == row.kind
        assert cell["rank_first"] == (str(row.rank[0]) if row.rank else "")
        for name, value in row.values.items():
            assert cell[name] == ("" if value.v is None else repr(value.v))
            assert cell[f"{name} lift"] == ("" if value.lift is None else repr(value.lift))
            assert cell[f"{name} low"] == (repr(value.ci[0]) if value.ci else "")


def test_results_have_a_line_a_value_over_all_boards(real: SiteView) -> None:
    boards = leaderboards_of(real).values()
    lines = read(results_csv(boards))
    rows = [row for known in boards for row in known.document.rows]
    measured = sum(value.v is not None for row in rows for value in row.values.values())
    printed = sum(len(one.values) for known in boards for one in known.document.published)
    assert len(lines) == measured + printed
    assert [*lines[0]] == ["board", "split", "row", "title", "kind", "column", "value", "low",
                           "high", "null", "lift", "p_vs_null", "n", "rank_first", "rank_last"]
    assert {line["kind"] for line in lines} == {"scored", "third-party", "reference", "published"}


def test_pairs_have_counts_and_p_of_every_two_rows(real: SiteView) -> None:
    boards = leaderboards_of(real)
    known = boards["boards/explagraphs/dev/"]
    pairs = known.document.pairs
    assert pairs
    lines = [line for line in read(pairs_csv([known])) if line["column"] == pairs.by]
    assert len(lines) == len(pairs.rows) * (len(pairs.rows) - 1) // 2
    first = lines[0]
    assert [first["a"], first["b"]] == pairs.rows[:2]
    assert [int(first["a_only"]), int(first["b_only"]), float(first["p"])] == pairs.tri[0][:3]
    close = known.document.close["GED"]
    assert sum(line["column"] == "GED" for line in read(pairs_csv([known]))) == len(close.tri)


def with_titles(known: Leaderboard, titles: Sequence[str]) -> Leaderboard:
    rows = [row.model_copy(update={"title": title, "by": title})
            for row, title in zip(known.document.rows, titles, strict=False)]
    return replace(known, document=known.document.model_copy(update={"rows": rows}))


@given(st.lists(ANY | st.sampled_from(["a;=1+1", "a\t=1", "x| @y", '";"=1', "\uff1d1", "a;\n=1"]),
                min_size=1, max_size=4), st.sampled_from(",;\t|"))
def test_no_cell_is_a_formula_whatever_separates_cells(
    known: Leaderboard, texts: list[str], separator: str
) -> None:
    changed = with_titles(known, texts)
    for content in (leaderboard_csv(changed), results_csv([changed]), pairs_csv([changed])):
        for line in csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator):
            for cell in line:
                start = cell.strip(' "')
                if not start.startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20")):
                    continue
                assert re.match(r"-[0-9.]", start), cell


@pytest.mark.parametrize("text", ["null", "NA", "None", "nan", "N/A"])
def test_no_name_is_a_missing_value_to_pandas(known: Leaderboard, text: str) -> None:
    pandas = pytest.importorskip("pandas")
    changed = with_titles(known, [text] * len(known.document.rows))
    for content in (leaderboard_csv(changed), results_csv([changed])):
        frame = pandas.read_csv(io.BytesIO(content))
        assert not frame["title"].isna().any()
    assert not pandas.read_csv(io.BytesIO(pairs_csv([known])))[["a", "b"]].isna().any(axis=None)


def test_a_latex_table_has_a_line_for_each_row_and_marks_the_top(real: SiteView) -> None:
    known = leaderboards_of(real)["boards/explagraphs/dev/"]
    text = leaderboard_tex(known).decode()
    lines = [line for line in text.splitlines() if line.endswith("\\\\")]
    columns = [column for column in known.document.columns if not column.unmeasured]
    assert len(lines) == 1 + len(known.document.rows)
    for line in lines:
        assert len(re.split(r"(?<!\\)&", line)) == 2 + len(columns)
    top = sum(row.values[column.id].top is not None for row in known.document.rows
              for column in columns)
    assert text.count("\\textbf{") == top > 0
    order = [text.index(mark) for mark in ("\\toprule", "\\midrule", "\\bottomrule", "\\end{tab")]
    assert order == sorted(order)


@given(st.lists(ANY | st.sampled_from(["[2pt]", "*", " [x"]), min_size=3, max_size=3))
def test_no_name_breaks_a_latex_table(known: Leaderboard, texts: list[str]) -> None:
    changed = with_titles(known, texts)
    lines = leaderboard_tex(changed).decode().splitlines()
    columns = [column for column in known.document.columns if not column.unmeasured]
    rows = [line for line in lines if line.endswith("\\\\")][1:]
    assert len(rows) == 3
    for line in rows:
        assert len(re.split(r"(?<!\\)&", line)) == 2 + len(columns)
        assert not re.search(r"(?<!\\)[%#_]", line)
        assert not line.lstrip().startswith(("[", "*"))


# ---- Every Eval Ever -----------------------------------------------------------------------------

PUBLISHED = ("eval.schema.json", "instance_level_eval.schema.json")
REQUIRED = {
    "log": {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata",
            "model_info", "eval_library", "evaluation_results"},
    "sample": {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id",
               "interaction_type", "input", "answer_attribution", "evaluation"},
}
"""What schema 0.2.2 asks for, where its files are not at hand."""


@pytest.fixture
def schemas() -> list[dict[str, Any]]:
    """The published schemas, in the folder that WHYBOARD_EEE names; they are not ours to carry."""
    folder = Path(os.environ.get("WHYBOARD_EEE") or "no-folder")
    if not folder.is_dir():
        pytest.skip("no published schema of Every Eval Ever (WHYBOARD_EEE names its folder: "
                    "every_eval_ever/schemas of github evaleval/every_eval_ever)")
    return [json.loads((folder / name).read_text("utf-8")) for name in PUBLISHED]


def made(known: Leaderboard, entry: Entry) -> tuple[bytes, bytes]:
    return every_eval_ever(PUBLISHER, known, entry, samples=True)


def test_every_row_keeps_to_the_published_schema(
    site: SiteView, real: SiteView, schemas: list[dict[str, Any]]
) -> None:
    log, sample = (jsonschema.Draft7Validator(schema) for schema in schemas)
    count = 0
    for known, entry in (*every_row(site), *every_row(real)):
        text, samples = made(known, entry)
        log.validate(json.loads(text))
        for line in samples.decode().split("\n")[:-1]:
            sample.validate(json.loads(line))
            count += 1
    assert count > 100


def test_a_log_says_what_the_schema_asks_for(known: Leaderboard, sly: Entry) -> None:
    text, _ = made(known, sly)
    log = json.loads(text)
    assert set(log) == REQUIRED["log"] | {"detailed_evaluation_results"}
    assert log["retrieved_timestamp"] == "1767225600"
    measured = {name: value for name, value in sly.result.metrics.items()
                if value.value is not None}
    by_name = {one["evaluation_result_id"]: one for one in log["evaluation_results"]}
    assert len(by_name) == len(measured)
    ged = by_name["tiny.dev.ged"]
    assert ged["metric_config"]["lower_is_better"] is True
    assert ged["score_details"]["score"] == measured["GED"].value
    assert json.loads(ged["score_details"]["details"]["null"]) == measured["GED"].null
    for name, value in known.row(sly).values.items():
        if value.ci:
            [one] = [by_name[key] for key in by_name if key == f"tiny.dev.{slug(name)}"]
            assert one["score_details"]["uncertainty"] == {
                "num_samples": value.n, "confidence_interval": {
                    "lower": value.ci[0], "upper": value.ci[1], "confidence_level": 0.95,
                    "method": value.method}}
    for one in by_name.values():
        config = one["metric_config"]
        assert config["min_score"] <= one["score_details"]["score"] <= config["max_score"]
    assert all(isinstance(value, str) for value in log["model_info"]["additional_details"].values())


@pytest.mark.parametrize(("metric", "lowest", "highest"), [
    ("METEOR", 0, 2), ("CIDEr", 0, 10), ("BERTScore", -1, 1), ("GED", 0, 1)])
def test_a_log_gives_the_range_that_the_metric_declares(
    known: Leaderboard, sly: Entry, metric: str, lowest: int, highest: int
) -> None:
    value = sly.result.metrics["GED"]
    entry = replace(sly, result=sly.result.replace(metrics={metric: value}))
    board = replace(known.view.board, metrics=(metric,), ranking=(metric,))
    view = replace(known.view, board=board, entries=(entry,))
    log = json.loads(every_eval_ever(PUBLISHER, leaderboard_of(view), entry, samples=False)[0])
    [found] = log["evaluation_results"]
    config = found["metric_config"]
    assert (config["min_score"], config["max_score"]) == (lowest, highest)


def test_samples_fan_out_and_belong_to_their_log(known: Leaderboard, sly: Entry) -> None:
    text, samples = made(known, sly)
    log = json.loads(text)
    lines = [json.loads(line) for line in samples.decode().split("\n")[:-1]]
    detail = log["detailed_evaluation_results"]
    assert detail["total_rows"] == len(lines) == len(known.view.golds) * 2, "SA and StCA"
    assert re.fullmatch(r"data/whyboard-tiny/sly-team/payloads/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"
                        r"-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl", detail["file_path"])
    ids = {one["evaluation_result_id"] for one in log["evaluation_results"]}
    for line in lines:
        assert REQUIRED["sample"] <= set(line)
        assert line["evaluation_id"] == log["evaluation_id"]
        assert line["model_id"] == log["model_info"]["id"]
        assert line["evaluation_result_id"] in ids
    for metric in METRIC_OF.values():
        told = [line["evaluation"] for line in lines
                if line["evaluation_result_id"] == f"tiny.dev.{metric.lower()}"]
        value = sly.result.metrics.get(metric)
        if value is not None and value.value is not None:
            assert sum(one["is_correct"] for one in told) / len(told) == value.value


def test_samples_are_given_only_where_data_and_submission_are_committed(
    known: Leaderboard, sly: Entry
) -> None:
    name = "every-eval-ever.samples.jsonl"
    assert name in row_files(PUBLISHER, known, sly)
    for view, entry in ((replace(known.view, committed=False), sly),
                        (known.view, replace(sly, committed=False)),
                        (replace(known.view, golds=()), sly)):
        found = row_files(PUBLISHER, replace(known, view=view), entry)
        assert name not in found
        assert b"detailed_evaluation_results" not in found["every-eval-ever.json"]


# ---- the Hub -------------------------------------------------------------------------------------


def test_hub_results_are_one_entry_a_metric_and_nothing_else(
    known: Leaderboard, sly: Entry
) -> None:
    found = yaml.safe_load(eval_results(URL, known.view, sly))
    measured = [name for name, value in sly.result.metrics.items() if value.value is not None]
    assert {one["dataset"]["task_id"] for one in found} == {task_id("dev", m) for m in measured}
    for one in found:
        assert set(one) == {"dataset", "value", "date", "source", "notes"}
        assert one["date"] == "2026-01-31", "a text, as the format has it"
        assert one["source"]["url"] == f"{URL}boards/tiny/systems/sly-team--payloads/"
        assert one["notes"].startswith(tuple(f"{name}|" for name in measured))


def test_hub_results_are_read_by_the_hub_s_own_program(known: Leaderboard, sly: Entry) -> None:
    hub_program = pytest.importorskip("huggingface_hub")
    told = yaml.safe_load(eval_results(URL, known.view, sly))
    found = hub_program.eval_result_entries_to_yaml(hub_program.parse_eval_result_entries(told))
    assert found == told, "nothing is lost and nothing is added"


def test_every_task_that_a_row_names_is_one_of_the_dataset(real: SiteView) -> None:
    named = 0
    for view in real.boards:
        given = items.items_of(view.board)
        tasks = {one["id"] for one in yaml.safe_load(hub.eval_yaml(view.board, given))["tasks"]}
        for split in view.splits if given else ():
            for entry in split.entries:
                told = {one["dataset"]["task_id"]
                        for one in yaml.safe_load(eval_results(URL, split, entry))}
                assert told <= tasks
                named += len(told)
    assert named


def test_the_hub_dataset_is_the_one_the_board_links_to(known: Leaderboard, sly: Entry) -> None:
    text = eval_results(URL, known.view, sly).decode()
    assert text.startswith("# The board names no dataset of the Hub")
    assert {one["dataset"]["id"] for one in yaml.safe_load(text)} == {"OWNER/tiny"}
    link = Link("Data", "https://huggingface.co/datasets/lab/graphs")
    board = replace(known.view.board, links=(link,))
    assert hub_dataset(board) == "lab/graphs"
    found = yaml.safe_load(eval_results(URL, replace(known.view, board=board), sly))
    assert {one["dataset"]["id"] for one in found} == {"lab/graphs"}


@given(ANY)
def test_yaml_holds_any_title_as_text(text: str) -> None:
    result = made_result("explagraphs", "1.0", "explanation_graphs", "dev", {}, {
        "SA": metric_value(0.5, signature="SA|match:exact")}, ())
    entry = Entry(About(text, "by", date="2026-01"), result)
    found = yaml.safe_load(eval_results(URL, SplitView(OFFICIAL, "dev"), entry))
    assert [one["source"]["name"] for one in found] == [one_line(f"{text} on ExplaGraphs")]
    assert "date" not in found[0], "only a month is known"


# ---- citations -----------------------------------------------------------------------------------

_BIBTEX = re.compile(r"@misc\{(?P<key>[a-z0-9-]+),\n(?P<fields>(?:  [a-z]+ = \{.*\},\n)+)\}\n")


def test_bibtex_is_one_entry_with_balanced_braces(known: Leaderboard, sly: Entry) -> None:
    text = bibtex(URL, known.view, sly).decode()
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
    assert text.rstrip().endswith(known.view.board.citation.strip())


# ---- the badge -----------------------------------------------------------------------------------


@given(ANY, ANY)
def test_a_badge_is_a_drawing_of_two_texts_and_nothing_else(left: str, right: str) -> None:
    root = parsed(badge(left, right))
    assert {element.tag for element in root.iter()} <= {
        f"{SVG}{name}" for name in ("svg", "title", "rect", "g", "text")}
    for element in root.iter():
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert texts == [one_line(left, LONGEST), one_line(right, LONGEST)]
    widths = [float(rect.get("width", "")) for rect in root.iter(f"{SVG}rect")]
    assert float(root.get("width", "")) == sum(widths)


def test_a_badge_shows_the_number_that_orders_the_board(known: Leaderboard) -> None:
    best = known.document.rows[0]
    by = known.document.order.by
    assert by
    title = parsed(row_badge(known, best)).findtext(f"{SVG}title") or ""
    assert f"{by} {values(known, best)[by]}" in title
    nothing = best.model_copy(update={"values": {}})
    assert b"not measured" in row_badge(known, nothing)


# ---- the feed ------------------------------------------------------------------------------------


def test_a_feed_has_its_dates_from_git_and_no_reference_rows(site: SiteView) -> None:
    plain = list(row_news(URL, site, leaderboards_of(site)))
    assert {one.url.rsplit("/", 2)[1] for one in plain} == {"sly-team--payloads",
                                                            "fair-team--chains"}
    assert {one.updated for one in plain} == {"2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z"}
    told = {one.url: one.updated for one in
            row_news(URL, replace(site, states=read_states(STATUS)), leaderboards_of(site))}
    page = f"{URL}boards/tiny/systems/sly-team--payloads/#dev"
    assert told[page] == "2026-02-01T13:00:00Z", "published"
    assert told[page.replace("sly-team--payloads", "fair-team--chains")] == "2026-02-01T12:30:00Z"


def test_a_feed_is_atom_newest_first_and_the_same_each_time(site: SiteView) -> None:
    news = list(row_news(URL, replace(site, states=read_states(STATUS)), leaderboards_of(site)))
    content = atom(URL, "Whyboard <b>", news)
    assert content == atom(URL, "Whyboard <b>", list(reversed(news)))
    root = parsed(content)
    assert root.tag == f"{ATOM}feed"
    for element in (root, *root.iter(f"{ATOM}entry")):
        for needed in ("id", "title", "updated"):
            assert element.findtext(f"{ATOM}{needed}"), needed
    dates = [one.findtext(f"{ATOM}updated") or "" for one in root.iter(f"{ATOM}entry")]
    assert dates == sorted(dates, reverse=True)
    assert root.findtext(f"{ATOM}updated") == dates[0]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", date) for date in dates)
    assert {element.tag.removeprefix(ATOM) for element in root.iter()} == {
        "feed", "id", "title", "link", "updated", "entry", "author", "name", "summary"}


def test_an_empty_feed_was_never_updated_and_a_long_one_is_cut() -> None:
    assert parsed(atom(URL, "Empty", [])).findtext(f"{ATOM}updated") == NEVER
    news = [News(f"{URL}{n}", "t", "a", "s", "2026-01-01T00:00:00Z") for n in range(MOST + 1)]
    assert len(list(parsed(atom(URL, "Long", news)).iter(f"{ATOM}entry"))) == MOST


@given(ANY)
def test_any_text_is_inert_in_a_feed(text: str) -> None:
    root = parsed(atom(URL, text, [News(URL, text, text, text, NEVER)]))
    assert root.findtext(f"{ATOM}entry/{ATOM}title") == one_line(text, 2000)


@given(st.text("0123456789-+:TZ ", max_size=30)
       | st.sampled_from(["0001-01-01T00:00:00+23:59", "9999-12-31"]))
def test_a_date_is_a_date_or_nothing(text: str) -> None:
    found = timestamp(text)
    assert found is None or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found)


# ---- the map -------------------------------------------------------------------------------------


def test_a_map_has_every_address_once_in_order() -> None:
    found = sitemap(URL, ["b/", "", "a b/", "b/"])
    root = parsed(found["sitemap.xml"])
    assert root.tag == f"{MAP}urlset"
    assert [element.text for element in root.iter(f"{MAP}loc")] == [URL, f"{URL}a%20b/", f"{URL}b/"]


def test_too_many_addresses_make_an_index_of_maps() -> None:
    found = sitemap(URL, [f"{number}/" for number in range(5)], most=2)
    assert list(found) == ["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]
    index = [element.text for element in parsed(found["sitemap.xml"]).iter(f"{MAP}loc")]
    assert index == [f"{URL}sitemap-{number}.xml" for number in (1, 2, 3)]
    listed = [element.text for name in list(found)[1:]
              for element in parsed(found[name]).iter(f"{MAP}loc")]
    assert listed == [f"{URL}{number}/" for number in range(5)]


# ---- a row ---------------------------------------------------------------------------------------


def test_every_row_has_its_files_and_they_are_the_same_each_time(
    site: SiteView, real: SiteView
) -> None:
    names = {"badge.svg", "cite.bib", "eval-results.yaml", "every-eval-ever.json"}
    count = 0
    for known, entry in (*every_row(site), *every_row(real)):
        found = row_files(PUBLISHER, known, entry)
        assert known.view.board.id != "tiny" or found == row_files(PUBLISHER, known, entry)
        count += 1
        assert set(found) - {"every-eval-ever.samples.jsonl"} == names
        parsed(found["badge.svg"])
        json.loads(found["every-eval-ever.json"])
        assert yaml.safe_load(found["eval-results.yaml"])
        assert _BIBTEX.match(found["cite.bib"].decode())
    assert count >= 20


def test_every_file_is_documented(known: Leaderboard, sly: Entry) -> None:
    text = (ROOT / "docs" / "exports.md").read_text("utf-8")
    for name in (*row_files(PUBLISHER, known, sly), "leaderboard.csv", "leaderboard.json",
                 "leaderboard.tex", "data/results.csv", "data/pairs.csv", "feed.xml",
                 "sitemap.xml"):
        assert f"`{name}`" in text, name
