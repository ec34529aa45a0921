"""The scripts that the build makes of the modules of annotators' pages, and what pages draw."""

from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.core.errors import DataError
from scorer.core.records import Edge
from scorer.people.answers import gloss
from scorer.people.records import Item
from scorer.site.browsing import annotating, bundling
from tests.node import over
from tests.test_annotation_pages import docs  # noqa: F401

pytestmark = pytest.mark.whole


def test_the_scripts_of_the_pages_are_classic_and_the_same_each_time(docs: Path) -> None:  # noqa: F811
    def read(name: str) -> str:
        return (docs / "assets" / name).read_text("utf-8")

    made = bundling.bundle(bundling.ENTRIES, read)
    assert {*bundling.ENTRIES, "annotate/filing.later.js", "annotate/training.later.js"} <= {*made}
    assert made == bundling.bundle(bundling.ENTRIES, read)
    assert "annotate/hand_in.js" not in made["annotate.js"]
    for text in made.values():
        assert "\nimport " not in text
        assert "\nexport " not in text


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


def test_relations_are_read_alike_however_they_are_written() -> None:
    assert {gloss(one) for one in ("NotIsA", "not is a", "is not a")} == {"is not a kind of"}
    assert {gloss(one) for one in ("Notary", "")} == {""}
