"""Documentation made from code is up to date, and says everything."""

import contextlib
import io
import json
import re
import runpy
import statistics
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from scorer import documents
from scorer.boards import submission
from scorer.commands import VERBS
from scorer.core.reading import schema
from scorer.metrics.catalogue import FOOLED_BY, METRICS
from scorer.scoring.results import files as results
from tests import case_files, expected
from tests.claims import AREAS, PAGE, Claim, collect
from tests.claims import page as verified

ROOT = Path(__file__).parent.parent


def test_every_made_piece_is_what_the_code_says_now() -> None:
    assert documents.stale(ROOT) == []  # else: make docs


def test_every_field_of_a_submission_is_in_the_contract() -> None:
    text = (ROOT / "submissions" / "README.md").read_text("utf-8")
    for name in schema.described(submission.Meta)["properties"]:
        assert f"`{name}`" in text


def test_every_verb_is_in_the_readme_or_the_docs() -> None:
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "submissions" / "README.md",
             *(ROOT / "docs").glob("*.md")]
    text = "".join(path.read_text("utf-8") for path in files)
    for verb in VERBS:
        assert f"scorer {verb} " in text


def test_the_lines_of_python_in_the_readme_run() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    [code] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, {})  # noqa: S102 our own README
    assert re.fullmatch(r"0\.\d+ GED\|\S+\n", output.getvalue())


@pytest.mark.claim("The figures of the README's table are those of committed results.")
def test_every_figure_of_the_readme_is_that_of_a_committed_result() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    system, null = (_values("explagraphs", place, "dev") for place in (
        "third-party/max-margin", "reference/null-of-third-party-max-margin"))
    assert f"StCA {100 * null['StCA']:.1f} against {100 * system['StCA']:.1f}" in text
    assert null["G-ROUGE-L"] > system["G-ROUGE-L"]
    assert null["G-BERTScore[minilm-l6]"] > system["G-BERTScore[minilm-l6]"]
    assert null["GED"] < system["GED"]
    copy = _values("anlg", "reference/copy-first", "test")["METEOR"]
    assert f"a METEOR of {100 * copy:.1f};" in text


FOOLED = case_files.read("fooled.yaml")
read = cache(results.read)


def fooling(metric: str, board: str, row: str, mean: str) -> str:
    value = read(ROOT / f"results/{board}/reference/{row}/dev.json").metrics[metric]
    number = value.passed.value if mean == "passed" else value.value
    return (f"{number:.3f}".removeprefix("0") if METRICS[metric].better == "lower"
            else f"{100 * number:.1f}")


def test_every_sentence_on_what_fools_is_about_a_metric_and_has_figures() -> None:
    assert set(FOOLED_BY) == set(FOOLED) <= set(METRICS)


@pytest.mark.parametrize("metric", FOOLED)
def test_what_fools_a_metric_is_what_committed_results_say(metric: str) -> None:
    assert re.findall(r"(?<![\w.-])\d*\.\d+", FOOLED_BY[metric]) == [
        fooling(metric, *place.split()) for place in FOOLED[metric]]


def test_the_table_of_correlations_with_stca_is_that_of_the_committed_scores() -> None:
    lines = (ROOT / "results/explagraphs/third-party/max-margin/dev.items.tsv").read_text(
        "utf-8").splitlines()
    names = lines[0].split("\t")
    items = [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]
    passed = [float(item["gate"] == "struct_correct") for item in items]
    text = (ROOT / "docs/statistics.md").read_text("utf-8").partition("## How far each metric")[2]
    rows = re.findall(r"^\| ([A-Z][\w-]+)(?: \(MiniLM\))? \| (\S+) \| (\S+) \| (\S+) \|$",
                      text, re.M)
    assert len(rows) == 5
    for name, mean, among, correlation in rows:
        column = "G-BERTScore[minilm-l6]" if name == "G-BERTScore" else name
        scores = [float(item[column]) for item in items]
        assert float(mean) == pytest.approx(fmean(scores), abs=5e-4)
        assert float(among) == pytest.approx(fmean(
            score for score, good in zip(scores, passed, strict=True) if good), abs=5e-4)
        assert float(correlation) == pytest.approx(statistics.correlation(scores, passed), abs=5e-3)


def test_a_release_has_one_version_and_date() -> None:
    version = runpy.run_path(str(ROOT / "scorer/_version.py"))["__version__"]
    changes = re.search(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert changes is not None
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {changes[1]}\n" in citation
    assert f'date-released: "{changes[2]}"\n' in citation
    assert version == changes[1]


def _values(board: str, place: str, split: str) -> dict[str, float]:
    document = json.loads((ROOT / "results" / board / place / f"{split}.json").read_bytes())
    return {name: one["value"] for name, one in document["metrics"].items()}


def _documents() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("submissions/*.md")]


def test_every_file_that_the_documentation_names_exists() -> None:
    for path in _documents():
        named = re.findall(r"`((?:scorer|templates|site|tests|docs|locks)/[\w./-]+)`",
                           path.read_text("utf-8"))
        missing = [name for name in named if not (ROOT / name).exists()
                   and not name.startswith("scorer/_")]  # only in a wheel
        assert missing == [], path


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    for path in _documents():
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
            file, _, anchor = target.partition("#")
            if ":" in file:
                continue
            page = path.parent / file if file else path
            assert page.exists(), f"{path}: {target}"
            if anchor and page.suffix == ".md":
                heads = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
                slugs = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
                assert anchor in slugs, f"{path}: {target}"


def test_every_case_is_told_in_the_words_of_its_file() -> None:
    other = [str(path.relative_to(ROOT)) for path, text in expected.texts()
             if not path.is_file() or path.read_text("utf-8") != text]
    assert not other, "other words; if they are meant, run: python -m tests.expected"


# ---- what tests claim --------------------------------------------------------------------------

FIRST = Claim("Numbers are what they were.", "tests/test_ged.py::test_a", ("models",))
SECOND = Claim("Nobody reads a hidden label.", "tests/test_hidden.py::test_b")


def test_the_page_is_what_the_tests_claim() -> None:
    assert verified(collect()) == PAGE.read_text("utf-8")  # else: make docs


def test_claims_stand_in_their_area_with_their_test_and_what_it_needs() -> None:
    told = verified([SECOND, FIRST])
    assert told.endswith(
        "\n## Numbers\n\n- Numbers are what they were.\n  [`test_a`](../tests/test_ged.py), needs "
        "models\n\n## Hidden gold\n\n- Nobody reads a hidden label.\n"
        "  [`test_b`](../tests/test_hidden.py)\n")


@pytest.mark.parametrize(("claim", "words"), [
    (FIRST._replace(test="tests/test_new.py::test_a"), "has a claim and no area"),
    (FIRST._replace(sentence="numbers"), "a claim is a sentence: 'numbers'"),
    (FIRST._replace(sentence="Numbers are what they were"), "a claim is a sentence"),
    (FIRST._replace(test="tests/test_ged.py::test_b"), "claimed by tests/test_ged.py::test_a too"),
])
def test_a_claim_that_helps_no_reader_is_refused(claim: Claim, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        verified([FIRST, claim])


def test_a_file_has_one_area() -> None:
    stems = [stem for area in AREAS.values() for stem in area]
    assert len(set(stems)) == len(stems)
