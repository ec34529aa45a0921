"""The page of all batches, and the pages that say how to annotate and how to ask people."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.core.package_data import handbook
from scorer.people.records import Answers
from scorer.people.validate import Workplace, coverage
from scorer.site.browsing import annotating
from scorer.site.browsing.annotating import list_page
from scorer.site.reading.repository import SiteRepository
from scorer.site.records import Annotations, AskedBatch
from tests.annotation_world import made, put, sheet
from tests.browser.tiny_site import bodies, text
from tests.conftest import ROOT
from tests.people_world import Rounds

pytestmark = pytest.mark.whole


def seen(place: Workplace) -> Annotations:
    """A folder as the site reads it."""
    found = [AskedBatch(place.forms[one.kind], one, coverage(place, one))
             for one in place.batches()]
    return Annotations(*(tuple(one for one in found if one.batch.status == status)
                         for status in ("open", "closed")))


def shown(asked: Annotations, *pages: str) -> str:
    """The page's HTML."""
    [html] = bodies([list_page(asked, pages, {"b"})]).values()
    return html


@pytest.mark.claim("Annotators see which batches are open and how far they are, not what was said.")
def test_batches_stand_by_form_with_their_coverage_and_nothing_of_the_answers(
    tmp_path: Path
) -> None:
    place = made(tmp_path)
    for annotator, rows in (("bob", 2), ("cat", 2), ("dan", 1)):
        answers = ["a1\tsupport\t\tTHEY-SAID-THIS", "b2\tincorrect\tother"][:rows]
        put(place, f"verify/v1/{annotator}.tsv",
            sheet("verify", "v1", *answers, annotator=annotator))
    put(place, "stance/s1/ann.tsv", sheet("stance", "s1", "a1\tsupport"))
    read = text(shown(seen(Workplace(place.folder)), "annotate/v1/"))
    assert "1 of 2 items have their 3 answers, 3 annotators so far" in read
    assert "0 of 2 items have their 3 answers, 0 annotators so far" in read  # c1
    assert "2 items, 0 annotators; 1 more came late and counts nowhere" in read  # s1
    assert not re.search("THEY-SAID|bob|cat|dan|incorrect:", read)
    assert "all its answers" not in read


def test_a_training_batch_comes_first_and_closed_ones_lead_to_results(tmp_path: Path) -> None:
    html = shown(seen(made(tmp_path)), "annotate/v1/", "annotate/t1/")
    first, rest = html.split('<h2 id="open">')
    assert 'href="../annotate/t1/"' in first
    assert 'href="../annotate/v1/"' in rest
    assert "Learn it first" not in rest  # of the forms of v1 and c1 there is no lesson
    assert "../annotate/c1/" not in html  # the site has no page for it
    assert 'href="../human/"' in rest.split('<h2 id="closed">')[1]


def test_lessons_begin_with_the_easiest_form() -> None:
    lessons = shown(seen(Workplace(ROOT / "annotations"))).split('<h2 id="open">')[0]
    assert re.findall(r"training-[a-z0-9-]+", lessons) == [
        "training-stance", "training-graphs-1", "training-graphs-2",
        "training-graphs-3", "training-csk"]


@pytest.mark.claim("A form of one's own is a YAML file: the site asks it and the program counts it "
                   "without code.")
def test_the_form_that_the_handbook_shows_becomes_a_page_and_numbers(tmp_path: Path) -> None:
    [form] = re.findall(r"```yaml\n(schema: 1.*?)```", handbook("annotations"), re.S)
    rounds, sentences = Rounds(tmp_path), ("The cat sleeps.", "Sleeps cat the.")
    (rounds.annotations / "forms").mkdir(parents=True)
    (rounds.annotations / "forms/fluency.yaml").write_text(form, "utf-8")
    (tmp_path / "sentences.tsv").write_text("\n".join(sentences), "utf-8")
    assert rounds.run("make-batch", "f", "--form", "fluency", "--texts",
                      str(tmp_path / "sentences.tsv")) == 0
    [page] = annotating.pages(seen(Workplace(rounds.annotations)).open, SiteRepository())
    html = bodies([page])["annotate/f/"]
    assert "<h1>Fluency</h1>" in html
    [known] = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.S)
    assert [one["text"] for one in json.loads(known)["form"]["questions"]] == [
        "Is it good English?", "What is wrong with it?"]
    assert {one["texts"]["hypothesis"] for one in json.loads(known)["batch"]["items"]} == {
        *sentences}
    answers: dict[str, Answers] = {sentences[0]: {"fluent": "y"},
                                   sentences[1]: {"fluent": "n", "why": "Order"}}
    assert rounds.answer("f", "cat", {sentences[0]: {"fluent": "y", "why": "x"}}) == ["ANN-SKIPPED"]
    (rounds.annotations / "fluency/f/cat.tsv").unlink()
    assert not any(rounds.answer("f", who, answers) for who in ("ann", "bob"))
    rounds.close("f")
    assert rounds.run("aggregate", "--out", str(tmp_path)) == 0
    found = json.loads((tmp_path / "human-results.json").read_text("utf-8"))
    assert found["questions"]["fluency"]["fluent"]["counts"] == {"y": 2, "n": 2, "x": 0}
    assert found["questions"]["fluency"]["fluent"]["agreement"]["alpha"]["value"] == 1
