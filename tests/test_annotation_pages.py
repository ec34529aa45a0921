"""The scripts of pages for annotators give the program's answers: on questions, graphs, files."""

import base64
import json
import random
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("jinja2")

from benchmarks.simulate_annotators import file_of
from scorer.core.errors import DataError
from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.answers import check
from scorer.people.records import Item
from scorer.people.validate import Workplace, check_file
from scorer.site.browsing import annotating, bundling, checker
from tests.annotation_world import (
    CSK_ROWS,
    GRAPH,
    answered,
    cases,
    handed_in,
    made,
    put,
    sheet,
    sound,
)
from tests.conftest import ROOT
from tests.node import over

pytestmark = pytest.mark.whole

FORMS = organisers.forms_of()
TOPICS = ["1", "2", "3"]
KNOWN = {"facts": annotating.facts(),
         "forms": {name: asdict(one) for name, one in FORMS.items()}}
Node = Callable[[str, Any, Iterable[Any]], list[Any]]


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every module, where the build has it."""
    folder = tmp_path_factory.mktemp("docs")
    checker.stage(folder)
    shutil.copytree(ROOT / "site/assets", folder / "assets", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("*.webp"))
    (folder / "assets/package.json").write_text('{"type": "module"}')
    return folder


@pytest.fixture(scope="module")
def node(docs: Path) -> Node:
    """Runs a function's body over cases, given ``known`` and ``load`` for the pages' modules."""
    return partial(over, docs / "assets/annotate")


ANSWER = """
const { answering } = await load("answers.js");
const checks = Object.fromEntries(Object.entries(known.forms).map(([kind, form]) =>
  [kind, answering(form, known.facts)]));
return ({ kind, item, given, topics }) => {
  const { triplets, ...found } = checks[kind](item, given, topics);
  return found;
};
"""


def case(kind: str, item: Item, given: Mapping[str, Any]) -> dict[str, Any]:
    """Answers to one item, as the page's script is given them."""
    return {"kind": kind, "item": asdict(item), "given": given, "topics": TOPICS}


def verdict(kind: str, item: Item, given: Mapping[str, Any]) -> dict[str, Any]:
    """The program's answer to it."""
    found = check(FORMS[kind], item, given, TOPICS)
    return {"asked": list(found.asked), "fault": found.fault and found.fault._asdict(),
            "warnings": [one._asdict() for one in found.warnings],
            "answers": {name: value if isinstance(value, str) else list(value)
                        for name, value in found.answers.items()}}


def triplets(count: int) -> tuple[Edge, ...]:
    """So many of them."""
    return tuple(Edge("a", "r", str(number)) for number in range(count))


# ---- what pages load, and draw ------------------------------------------------------------------


def test_a_script_does_what_its_modules_do(tmp_path: Path) -> None:
    texts = {
        "a.js": 'import { b as c,\n  d } from "./x/b.js";\nimport * as all from "./x/b.js";\n'
                "globalThis.values = [c, d(2), all.b];\n"
                "globalThis.last = d(1);\n",
        "x/b.js": 'import { e } from "../e.js";\nexport const b = 1 + e;\n'
                  "export function d(x) { return 2 * x; }\n",
        "e.js": "globalThis.runs = (globalThis.runs ?? 0) + 1;\nexport const e = 4;\n"}
    body = """(0, eval)(known);
        const values = [...globalThis.values, last, runs];
        return () => values;"""
    script = bundling.bundle("a.js", texts.__getitem__)
    assert over(tmp_path, body, script, [0]) == [[5, 4, 5, 2, 1]]


@pytest.mark.parametrize("text", [
    'import x from "./b.js";\n', 'import "./b.js";\n', "export default 1;\n", "export { a };\n",
    "const a = import(name);\n", 'export * from "./b.js";\n', "use(import.meta.env);\n"])
def test_a_module_written_in_another_way_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"a\.js"):
        bundling.bundle("a.js", {"a.js": text, "b.js": "export const x = 1;\n"}.__getitem__)


def test_drawings_name_where_concepts_come_from_and_escape_them() -> None:
    edges = (Edge("a_b", "IsA", "<i>"), Edge("a b", "HasA", "a_b"))
    shown = annotating.drawn(Item("i", {}, edges, {"a_b": "both", "<i>": "premise"}))
    for words in ("a b (PC)", "&lt;i&gt; (P)", "a b (\u2013)"):
        assert words in shown
    assert "<i>" not in shown


# ---- answers -------------------------------------------------------------------------------------


ODD = ["", " ", "-", "x", "1", "y,n", "support , other", "{n}", "{q4} $& \\", "\u0130x",
       "\U0001f600", "a" * 41, "\ufeff", "\x85", "it's", 'say "it\'s"', "\u202e",
       "a" * 4001, "\u00e9" * 21]


def answers_to(kind: str, item: Item, rng: random.Random) -> dict[str, Any]:
    """Answers that are mostly such as may be given."""
    given: dict[str, Any] = {}
    for question in FORMS[kind].questions:
        if rng.random() < 0.12:
            continue
        if rng.random() < 0.1:
            given[question.id] = rng.choice(ODD)
        elif question.answer == "choices":
            given[question.id] = ",".join(rng.choices(question.keys, k=rng.randrange(3)))
        elif question.answer == "choice":
            given[question.id] = rng.choice([*question.keys[:1] * 3, *question.keys])
        elif question.answer == "triplets":
            count = len(item.triplets) + (rng.random() < 0.05)
            letters = rng.choices([*question.keys, "-"], [4, 3, 3, 2, 0.3, 2], k=count)
            given[question.id] = "".join(letters)
            if rng.random() < 0.3:
                given[question.id] = {f"t{n + rng.randrange(2):02}": letter
                                      for n, letter in enumerate(letters, start=1)}
        elif question.answer == "graph":
            given[question.id] = drawn(rng)
        else:
            given[question.id] = "Pets are at home."
    return given


def drawn(rng: random.Random) -> str:
    """A graph that may be any."""
    concepts = ["cats", "Cats ", "pets", "joy", "home", "at", "very big hairy pet", "", "a(b",
                "ome", "\u0130", "pets\x1chome", "a\ufeffb"]
    weights = [6, 1, 6, 6, 6, 2, *[0.15] * 7]
    relations = ["is a", "causes", "IS  A", "likes", "antonym of", "not causes", ""]
    facts = [f"{a}; {rng.choices(relations, [6, 6, 1, 0.3, 3, 3, 0.1])[0]};{b}"
             for a, b in (rng.choices(concepts, weights, k=2) for _ in range(rng.randrange(11)))]
    text = rng.choice([")(", ") (", ")\x85("]).join(facts)
    return rng.choices([f"({text})", GRAPH, text, f"({text}; c)"], [20, 1, 1, 1])[0]


def test_any_answers_get_the_programs_verdict_on_the_page(node: Node) -> None:
    texts = {"belief": "Cats give joy at home.", "argument": "Homeless cats are pets."}
    rows = [row[:3] for row in answered()]
    for kind in FORMS:
        rng = random.Random(kind)
        more = {"graph": GRAPH} if kind == "refine" else {}
        items = [Item("i7", {**texts, **more}, triplets(rng.randrange(5))) for _ in range(200)]
        rows += [(kind, item, answers_to(kind, item, rng)) for item in items]
    wanted = [verdict(*row) for row in rows]
    for row, one, other in zip(
            rows, node(ANSWER, KNOWN, (case(*row) for row in rows)), wanted, strict=True):
        assert one == other, row
    for kind in FORMS:
        faults = {json.dumps(other["fault"]) for row, other in zip(rows, wanted, strict=True)
                  if row[0] == kind}
        assert "null" in faults, kind
        assert len(faults) >= 4, kind


# ---- items ---------------------------------------------------------------------------------------


def test_a_value_s_key_is_itself_or_the_first_free_digit(node: Node) -> None:
    assert node('const { hints } = await load("widgets.js"); return hints;', None, [
        ["y", "n", "x"], ["support", "counter"], ["2", "f", "other"],
        [str(number) for number in range(1, 12)]]) == [
        ["y", "n", "x"], ["1", "2"], ["2", "1", "3"], [*"123456789", "", ""]]


def test_a_file_s_answers_become_a_draft_that_says_how_many_it_replaces(node: Node) -> None:
    body = """const { merged } = await load("filing.js");
        const { formOf } = await load("form.js");
        return ({ draft, file }) => merged(formOf(known), draft, file);"""
    draft = {"answers": {"a": {"q1": "2"}, "b": {"q1": "1"}, "c": {"q2": "y"}}, "comments": {},
             "done": ["c"], "flags": ["a"], "name": ""}
    file = {"annotator": "ann", "comments": {"a": "fine"}, "answers": {
        "a": {"q1": "1", "q5": ["1", "4"], "q6": ["-", "2"]}, "b": {"q1": "1"}}}
    taken = {"q1": "1", "q5": {"t01": "1", "t02": "4"}, "q6": {"t02": "2"}}
    [merged] = node(body, KNOWN["forms"]["csk"], [{"draft": draft, "file": file}])
    assert merged == {"replaced": 1, "draft": {
        **draft, "answers": {**draft["answers"], "a": taken}, "comments": {"a": "fine"},
        "done": ["c", "a", "b"], "name": "ann"}}


def test_answers_of_a_batch_to_learn_on_are_right_or_wrong_by_question(node: Node) -> None:
    body = """const { judged } = await load("training.js");
        const { answering } = await load("answers.js");
        const { formOf } = await load("form.js");
        const answer = answering(known.form, known.facts);
        return (given) => judged(formOf(known.form), known.item, given, answer, [])
          .map(({ right }) => right);"""
    item = Item("i", {}, answer={"label": "incorrect", "reasons": "meaningless,other"})
    known = {**KNOWN, "form": KNOWN["forms"]["verify"], "item": asdict(item)}
    assert node(body, known, [
        {"label": "incorrect", "reasons": "other,meaningless"},
        {"label": "incorrect", "reasons": "other"}, {"label": "support"}]) == [
        [True, True], [True, False], [False, False]]


# ---- graphs --------------------------------------------------------------------------------------

def test_official_graphs_are_judged_on_the_page_as_by_the_program(data: Path, node: Node) -> None:
    rows = []
    for name in ("train", "dev", "refinement_graphs_train"):
        lines = (data / "explagraphs" / f"{name}.tsv").read_text("utf-8").splitlines()[::4]
        cells = [line.split("\t") for line in lines]
        # Of each pair its own graphs, which are sound, and those of the pair before.
        for (belief, argument, *_), of in zip(cells * 2, cells + cells[-1:] + cells[:-1],
                                              strict=True):
            item = Item("i7", {"belief": belief, "argument": argument})
            rows += [("collect", item, {"graph": graph}) for graph in of if graph.startswith("(")]
    found = node(ANSWER, KNOWN, (case(*row) for row in rows))
    assert [row for row, one in zip(rows, found, strict=True) if one != verdict(*row)] == []
    assert len(rows) >= 2000


# ---- files ---------------------------------------------------------------------------------------

FILES = """
const { checking, content } = await load("sheet.js");
return ({ kind, batch, file, annotator }) => {
  const form = known.forms[kind];
  const { faults, errors, annotation } = checking(form, batch, known.facts)(
    new Uint8Array(Buffer.from(file, "base64")), annotator);
  return { faults: faults.map(({ line, rule, text }) => [line, rule, text]), errors,
    again: annotation && content(form, batch, annotation) };
};
"""


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return made(tmp_path)


def test_files_get_the_programs_faults_on_the_page_and_are_written_alike(
    place: Workplace, node: Node
) -> None:
    batch = sound(place, "c1")
    texts = [handed_in(place, case).read_bytes() for case in cases("files").values()
             if not {"path", "author", "people"} & {*case}]
    sent, wanted, rng = [], list[dict[str, Any]](), random.Random(3)
    many, good = (put(place, "csk/c1/ann.tsv", sheet("csk", "c1", *rows)).read_bytes()
                  for rows in (["a1\t9"] * 70, CSK_ROWS))
    texts.append(many)
    for _ in range(200):
        at = rng.randrange(len(good))
        odd = rng.choice([b"", b"\t", b"\n", b"\\", b"\xff", b"\xc2\x85", b"9", b"\r",
                          b"\xe2\x80\xae"])
        texts.append(good[:at] + odd + good[at + rng.randrange(2):])
    for text in texts:
        found = check_file(place, put(place, "csk/c1/ann.tsv", text))
        again = found.annotation and file_of(FORMS["csk"], batch, found.annotation).decode()
        wanted.append({"errors": found.errors, "again": again, "faults": [
            [fault.line, fault.rule, fault.found] for fault in found.kept]})
        sent.append({"kind": "csk", "batch": annotating.batch(batch), "annotator": "ann",
                     "file": base64.b64encode(text).decode()})
    for text, one, other in zip(texts, node(FILES, KNOWN, sent), wanted, strict=True):
        assert one == other, text[:2000]
    assert len({fault[1] for one in wanted for fault in one["faults"]}) >= 20


# ---- drafts --------------------------------------------------------------------------------------

DRAFTS = ROOT / "tests/annotate_drafts.mjs"


@pytest.mark.parametrize("name", re.findall(r'^    "(.*)"\(', DRAFTS.read_text("utf-8"), re.M))
def test_drafts_and_steps_are_as_they_are_promised(node: Node, name: str) -> None:
    body = """const tests = (await import(known)).default(await load("draft.js"));
      return (name) => { try { tests[name](); } catch (fault) { return fault.message; }
        return "passed"; };"""
    assert node(body, DRAFTS.as_uri(), [name]) == ["passed"]


def test_of_a_draft_what_no_page_wrote_is_left_out_and_the_rest_stays(node: Node) -> None:
    rows = {"rows": [{"fact": ["a", "is", "b"], "old": None, "gone": False}], "ticked": []}
    draft = {"answers": {"a": {"q": "1", "r": None, "s": 5, "t": {"t1": "2"}, "u": {"t1": 2},
                               "v": rows, "w": {"rows": [None]}, "__proto__": {"x": []}}},
             "comments": {"a": "well", "b": 5}, "done": ["a", {}, "a"], "flags": [None],
             "name": "", "exported": "", "first": 5}
    body = """const { parsed } = await load("draft.js"), { count } = await load("answers.js");
      return (text) => { const { draft } = parsed(text); return [draft, count(draft.answers.a)]; };
    """
    text = json.dumps({"format": 1, "saved": "2026-11-23", "draft": draft})
    assert node(body, None, [text]) == [[{
        **draft, "answers": {"a": {"q": "1", "t": {"t1": "2"}, "v": rows}},
        "comments": {"a": "well"}, "done": ["a"], "flags": [], "first": {}}, 3]]


# ---- handing in ----------------------------------------------------------------------------------

def test_a_file_goes_into_the_link_as_long_as_that_is_at_most_8000_characters_encoded(
    node: Node
) -> None:
    bare = "https://github.com/o/r/new/main/annotations/csk/b-1?filename=ann.tsv"
    room = 8000 - len(quote(f"{bare}&value=", safe=""))
    tabs = room // len("%2509")
    links = {"a" * room: f"{bare}&value={'a' * room}", "a" * (room + 1): bare,
             "\t" * tabs: f"{bare}&value={'%09' * tabs}", "\t" * (tabs + 1): bare,
             "\ud800&#": f"{bare}&value=%EF%BF%BD%26%23"}
    rows = [{"repository": "o/r", "branch": "main", "path": "annotations/csk/b-1/ann.tsv",
             "text": text} for text in links]
    found = node('const { link } = await load("hand_in.js"); return link;', None,
                 [*rows, {**rows[0], "exists": True}])
    assert found == [*({"url": url, "filled": url != bare} for url in links.values()),
                     {"url": "https://github.com/o/r/edit/main/annotations/csk/b-1/ann.tsv",
                      "filled": False}]


def test_answers_to_closed_questions_stay_in_the_draft_and_are_not_handed_in(
    place: Workplace, node: Node
) -> None:
    body = """const { answering, asked, count } = await load("answers.js");
      const { handedIn } = await load("filing.js");
      const answer = answering(known.forms.csk, known.facts);
      return ({ batch, given }) => {
        const kept = asked(batch.items[0], given, answer, ["1"]);
        const comments = { a1: "fine", b2: "odd" };
        const draft = { answers: { a1: given, b2: {} }, comments, done: ["a1"] };
        const { answers, comments: told } = handedIn(batch, draft, answer);
        return [Object.keys(kept).join(" "), count(given) - count(kept), answers.a1, told];
      };"""
    batch = sound(place, "c1")
    whole = {"q1": "1", "q2": "y", "q3": "y", "q3_1": "Pets are loved.", "q4": "1",
             "q5": {"t01": "1", "t02": "4"}, "q6": {"t02": "1"}, "q7": "1"}
    rows = [{"batch": annotating.batch(batch), "given": {**whole, **changed}}
            for changed in ({}, {"q5": {"t01": "1", "t02": "1"}}, {"q3": "n"})]
    kept = {name: whole[name] for name in ("q1", "q2", "q3", "q3_1", "q4")}
    assert node(body, KNOWN, rows) == [
        [" ".join(whole), 0, {**kept, "q5": ["1", "4"], "q6": ["-", "1"], "q7": "1"},
         {"a1": "fine"}],
        ["q1 q2 q3 q3_1 q4 q5", 2, {**kept, "q5": ["1", "1"]}, {"a1": "fine"}],
        ["q1 q2 q3", 6, {"q1": "1", "q2": "y", "q3": "n"}, {"a1": "fine"}]]
