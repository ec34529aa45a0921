"""Forms of questions: ours are sound, a host writes another without code, faults are all told."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer.boards import load
from scorer.cli import main
from scorer.core.errors import Problem, SubmissionError
from scorer.people import organisers
from tests.annotation_world import cases
from tests.conftest import ROOT

OURS = organisers.forms_of()
REFUSED: Mapping[str, Any] = cases("forms")["refused"]
HANDBOOK = (ROOT / "docs" / "annotations.md").read_text("utf-8")


def host(folder: Path, case: Mapping[str, Any]) -> Path:
    """An ``annotations`` folder with one form of a host, changed as a case says."""
    form = {**cases("forms")["own"], **case.get("with", {})}
    if "question" in case:
        more = {"label": "why", "text": "Why", **case["question"]}
        form["questions"] = [*form["questions"], more]
    (folder / "forms").mkdir(parents=True)
    text = yaml.safe_dump(form, sort_keys=False)
    (folder / "forms" / f"{form['kind']}.yaml").write_text(text, "utf-8")
    return folder


def problems_of(folder: Path, case: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with such a form."""
    with pytest.raises(SubmissionError) as refused:
        organisers.forms_of(host(folder, case))
    return [*refused.value.problems]


@pytest.mark.parametrize("name", REFUSED)
def test_a_form_that_does_not_fit_together_is_refused(tmp_path: Path, name: str) -> None:
    assert problems_of(tmp_path, REFUSED[name])[0].rule.startswith("META-")


def test_forms_of_ours_fit_together_and_a_host_adds_one_without_code(tmp_path: Path) -> None:
    assert not [problem for path in organisers.SHIPPED.glob("*.yaml")
                for problem in organisers.read_form(path)[1]]
    own = organisers.forms_of(host(tmp_path, {}))["fluency"]
    assert own.columns == ("item", "fluent", "comment")


def test_files_have_the_columns_and_folders_of_the_specification() -> None:
    assert {f"{form.folder}: {' '.join(form.columns)}" for form in OURS.values()} >= {
        "csk: item q1 q2 q3 q3_1 q4 q5 q6 q7 comment", "stance: item label comment",
        "verify: item label reasons comment", "graphs: item graph comment",
        "refine: item graph comment", "adjudication: item unit question value reason comment"}


@pytest.mark.parametrize("kind", ["collect", "refine"])
def test_a_written_graph_has_the_relations_and_rules_of_the_board(kind: str) -> None:
    settings, graph = load("explagraphs-practice").settings, OURS[kind].graph
    assert graph.texts == settings.texts
    rules, theirs = graph.rules, settings.graph
    assert (rules.relations, rules.negated, rules.least_edges, rules.most_edges,
            rules.concept_words) == (theirs.relations, theirs.negated, theirs.least_edges,
                                     theirs.strict_most_edges, theirs.concept_words)


def test_a_verifier_sees_neither_argument_nor_stance() -> None:
    assert [field.name for field in OURS["verify"].item] == ["belief", "graph"]


# ---- the handbook's page -------------------------------------------------------------------------


def block(language: str, containing: str) -> str:
    """A block of the page."""
    found = re.findall(rf"```{language}\n(.*?)```", HANDBOOK, re.S)
    return str(next(text for text in found if containing in text))


def test_the_batch_of_the_handbook_is_sound() -> None:
    batch, _ = organisers.parse_batch(block("json", '"format"').encode(), OURS)
    assert batch.licence == "CC BY 4.0"


def test_the_first_commands_of_the_handbook_make_and_check_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("submissions", "boards"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    for command in (block("sh", "make-batch our-systems-1 --form verify --board"),
                    block("sh", "annotations validate").split("\n")[0]):
        assert main(shlex.split(command.replace("\\\n", " "))[1:]) == 0
    assert capsys.readouterr().out.endswith(" files are sound\n")


def test_the_handbook_lists_every_form_with_its_folder_and_annotators() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \| `([a-z-]+)` \| (\d+) \|", HANDBOOK, re.M)
    assert {kind: (folder, int(needed)) for kind, folder, needed in listed} == {
        kind: (form.folder, form.needed) for kind, form in OURS.items()}
