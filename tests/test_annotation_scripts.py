"""What the modules of annotators' pages decide, and the scripts that the build makes of them."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.core.errors import DataError
from scorer.core.records import Edge
from scorer.people import forms, graphs
from scorer.people.records import Item
from scorer.site.browsing import annotating, bundling
from tests.node import over
from tests.test_annotation_pages import Node, docs, node  # noqa: F401

pytestmark = pytest.mark.whole

FORMS = forms.forms_of()
CSK = asdict(FORMS["csk"])
FACTS = annotating.facts()


def test_a_value_s_key_is_itself_or_the_first_free_digit(node: Node) -> None:  # noqa: F811
    body = 'const { hints } = await load("widgets.js"); return hints;'
    assert node(body, None, [
        ["y", "n", "x"], ["support", "counter"], ["1", "2", "x"], ["2", "f", "other"],
        [str(number) for number in range(1, 12)], ["c", "g", "v"]]) == [
        ["y", "n", "x"], ["1", "2"], ["1", "2", "x"], ["2", "1", "3"],
        [*"123456789", "", ""], ["1", "2", "3"]]


VISIBLE = """
const { visible } = await load("item.js");
const { answering } = await load("answers.js");
const { formOf } = await load("form.js");
const [form, answer] = [formOf(known.form), answering(known.form, known.facts)];
return ({ given, writing }) => {
  const seen = visible(form, known.item, (id) => given[id] ?? "",
    answer(known.item, given, ["1"]), writing);
  return [seen.fields.map(({ name }) => name), seen.questions.map(({ id }) => id)];
};
"""


def test_a_graph_is_seen_once_the_text_it_waits_for_is_written(node: Node) -> None:  # noqa: F811
    item = Item("i", {"premise": "A.", "conclusion": "B."}, (Edge("a", "IsA", "b"),))
    known = {"form": CSK, "facts": FACTS, "item": annotating.item(item)}
    first = {"q1": "1", "q2": "y", "q3": "y"}
    cases = [({}, ""), (first, ""), ({**first, "q3_1": " \n"}, ""), ({**first, "q3_1": "C."}, ""),
             ({**first, "q3_1": "C."}, "q3_1"), ({**first, "q3_1": "C.", "q3": "n"}, ""),
             ({**first, "q3_1": "C.", "q5": {"t01": "4"}, "q6": {"t01": "1"}}, "")]
    texts, part_one = ["premise", "conclusion"], ["q1", "q2", "q3", "q3_1"]
    assert node(VISIBLE, known, [{"given": given, "writing": held} for given, held in cases]) == [
        [texts, part_one[:2]], [texts, part_one], [texts, part_one],
        [[*texts, "triplets"], [*part_one, "q4", "q5"]], [texts, part_one],
        [texts, part_one[:3]], [[*texts, "triplets"], [*part_one, "q4", "q5", "q7"]]]


def test_a_file_s_answers_become_a_draft_that_says_how_many_it_replaces(node: Node) -> None:  # noqa: F811
    body = """const { merged } = await load("filing.js");
        const { formOf } = await load("form.js");
        return ({ draft, file }) => merged(formOf(known), draft, file);"""
    draft = {"answers": {"a": {"q1": "2"}, "b": {"q1": "1"}, "c": {"q2": "y"}}, "comments": {},
             "done": ["c"], "flags": ["a"], "name": ""}
    file = {"annotator": "ann", "comments": {"a": "fine"}, "answers": {
        "a": {"q1": "1", "q5": ["1", "4"], "q6": ["-", "2"]}, "b": {"q1": "1"}}}
    taken = {"q1": "1", "q5": {"t01": "1", "t02": "4"}, "q6": {"t02": "2"}}
    assert node(body, CSK, [{"draft": draft, "file": file}]) == [{"replaced": 1, "draft": {
        **draft, "answers": {**draft["answers"], "a": taken}, "comments": {"a": "fine"},
        "done": ["c", "a", "b"], "name": "ann"}}]


def test_answers_of_a_batch_to_learn_on_are_right_or_wrong_by_question(node: Node) -> None:  # noqa: F811
    body = """const { judged } = await load("training.js");
        const { answering } = await load("answers.js");
        const { formOf } = await load("form.js");
        const answer = answering(known.form, known.facts);
        return ({ item, given }) => judged(formOf(known.form), item, given, answer, [])
          .map(({ question, right }) => [question.id, right]);"""
    wanted = {"label": "incorrect", "reasons": "meaningless,other"}
    item = annotating.item(Item("i", {}, answer=wanted))
    known = {"form": asdict(FORMS["verify"]), "facts": FACTS}
    cases = [wanted, {"label": "incorrect", "reasons": "other,meaningless"},
             {"label": "incorrect", "reasons": "other"}, {"label": "support"}]
    assert node(body, known, [{"item": item, "given": given} for given in cases]) == [
        [["label", True], ["reasons", True]], [["label", True], ["reasons", True]],
        [["label", True], ["reasons", False]], [["label", False], ["reasons", False]]]


# ---- what the build makes ------------------------------------------------------------------------


def test_the_scripts_of_the_pages_are_classic_ones_and_the_same_each_time(docs: Path) -> None:  # noqa: F811
    read = partial(_read, docs / "assets")
    made = bundling.bundle(bundling.ENTRIES, read)
    assert {*bundling.ENTRIES, "annotate/filing.later.js", "annotate/training.later.js"} <= {*made}
    assert made == bundling.bundle(bundling.ENTRIES, read)
    assert "annotate/hand_in.js" not in made["annotate.js"]
    for text in made.values():
        assert "\nimport " not in text
        assert "\nexport " not in text


def _read(folder: Path, name: str) -> str:
    return (folder / name).read_text("utf-8")


def test_a_bundle_does_what_its_modules_do(tmp_path: Path) -> None:
    texts = {
        "a.js": 'import { b as c,\n  d } from "./x/b.js";\nimport * as all from "./x/b.js";\n'
                '// told\nglobalThis.told = [c, d(2), all.b, import.meta.url];\n',
        "x/b.js": '/* Two\n   things. */\nimport { e } from "../e.js";\nexport const b = 1 + e;\n'
                  "export function d(x) { return 2 * x; }\n",
        "e.js": "export const e = 4;\n"}
    made = bundling.bundle(["a.js"], texts.__getitem__)
    assert list(made) == ["a.js"]
    assert "told\nglobal" not in made["a.js"]
    body = """globalThis.document = { currentScript: { src: "file:///site/assets/a.js" } };
        globalThis.window = {};
        (0, eval)(known);
        return () => [...told.slice(0, 3), String(told[3])];"""
    assert over(tmp_path, body, made["a.js"], [0]) == [[5, 4, 5, "file:///site/assets/a.js"]]


@pytest.mark.parametrize("text", [
    'import x from "./b.js";\n', "export default 1;\n", "export { a };\n",
    'const a = import(name);\n', 'export * from "./b.js";\n', "use(import.meta.env);\n"])
def test_a_module_written_in_another_way_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"a\.js"):
        bundling.bundle(["a.js"], {"a.js": text, "b.js": "export const x = 1;\n"}.__getitem__)


def test_modules_that_import_each_other_are_refused() -> None:
    texts = {"a.js": 'import { b } from "./b.js";\nexport const a = 1;\n',
             "b.js": 'import { a } from "./a.js";\nexport const b = 1;\n'}
    with pytest.raises(DataError, match=r"a\.js -> b\.js -> a\.js"):
        bundling.bundle(["a.js"], texts.__getitem__)


def test_drawings_name_where_concepts_come_from_and_escape_them() -> None:
    edges = (Edge("a_b", "IsA", "<i>"), Edge("a b", "HasA", "a_b"))
    drawn = annotating.drawn(Item("i", {}, edges, {"a_b": "both", "<i>": "premise"}))
    assert "a b (PC)" in drawn
    assert "&lt;i&gt; (P)" in drawn
    assert "a b (\u2013)" in drawn
    assert "<i>" not in drawn


@pytest.mark.parametrize(("relation", "words"), [
    ("HasProperty", "can be described as"), ("has property", "can be described as"),
    ("NotIsA", "is not a kind of"), ("not is a", "is not a kind of"), ("antonym of",
                                                                     "is the opposite of"),
    ("Notary", ""), ("", "")])
def test_relations_are_read_alike_however_they_are_written(relation: str, words: str) -> None:
    assert graphs.gloss(relation) == words
