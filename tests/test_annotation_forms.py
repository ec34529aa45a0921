"""Forms of questions: ours are sound, a host writes another without code, faults are all told."""

import re
import shlex
from pathlib import Path

import pytest

from scorer.boards import load
from scorer.cli import main
from scorer.core.errors import SubmissionError
from scorer.people import batches, forms
from scorer.people.answers import check
from scorer.people.records import Form, Item
from scorer.tasks.graphs.graph_items import Settings

OURS = forms.forms_of()
OWN = """
schema: 1
kind: {kind}
folder: fluency
format: fluency-votes/1
guideline: fluency-1
title: Fluency
about: You read a sentence and say whether it is good English.
needed: 2
item:
  - {{name: sentence, title: Sentence, kind: text}}
questions:
  - id: fluent
    label: fluent
    text: Is it good English?
    answer: choice
    values: [{{key: y, text: It is}}, {{key: n, text: It is not}}]
{more}"""


def host(folder: Path, more: str = "", kind: str = "fluency", name: str = "fluency") -> Path:
    """An ``annotations`` folder with one form of a host."""
    (folder / "forms").mkdir(parents=True)
    (folder / "forms" / f"{name}.yaml").write_text(OWN.format(more=more, kind=kind), "utf-8")
    return folder


def test_ten_forms_come_with_the_program() -> None:
    assert {*OURS} == {"csk", "stance", "collect", "verify", "refine", "adjudicate", "write-pairs",
                       "write-target", "art-hypothesis", "art-transition"}


@pytest.mark.parametrize(("kind", "folder", "columns"), [
    ("csk", "csk", "item q1 q2 q3 q3_1 q4 q5 q6 q7 comment"),
    ("stance", "stance", "item label comment"),
    ("verify", "verify", "item label reasons comment"),
    ("collect", "graphs", "item graph comment"),
    ("refine", "refine", "item graph comment"),
    ("adjudicate", "adjudication", "item unit question value reason comment"),
])
def test_files_have_the_columns_and_folders_of_the_specification(
    kind: str, folder: str, columns: str
) -> None:
    assert (OURS[kind].folder, " ".join(OURS[kind].columns)) == (folder, columns)


@pytest.mark.parametrize("kind", ["collect", "refine"])
def test_a_written_graph_has_the_relations_and_rules_of_the_board(kind: str) -> None:
    settings = load("explagraphs-practice").settings
    graph = OURS[kind].graph
    assert isinstance(settings, Settings)
    assert graph is not None
    assert graph.texts == settings.texts
    rules, theirs = graph.rules, settings.graph
    assert (rules.relations, rules.negated, rules.least_edges, rules.most_edges,
            rules.concept_words) == (theirs.relations, theirs.negated, theirs.least_edges,
                                     theirs.strict_most_edges, theirs.concept_words)


def test_a_verifier_sees_neither_argument_nor_stance() -> None:
    assert [field.name for field in OURS["verify"].item] == ["belief", "graph"]


def test_a_host_adds_a_form_without_code(tmp_path: Path) -> None:
    added = forms.forms_of(host(tmp_path))["fluency"]
    assert isinstance(added, Form)
    assert added.columns == ("item", "fluent", "comment")


@pytest.mark.parametrize(("more", "found"), [
    ("  - {id: why, label: why, text: Why, answer: text, when: {all: {no: [n]}, because: b, "
     "otherwise: o}}", "when: no"),
    ("  - {id: why, label: why, text: Why, answer: text, when: {all: {fluent: [z]}, because: b, "
     "otherwise: o}}", "fluent: z"),
    ("  - {id: comment, label: why, text: Why, answer: text}", "a question comment"),
    ("  - {id: constructor, label: why, text: Why, answer: text}", "a question constructor"),
    ("  - {id: fluent, label: why, text: Why, answer: text}", "the question fluent 2 times"),
    ("  - {id: why, label: why, text: Why, answer: choice}", "choice with 0 values"),
    ("  - {id: why, label: why, text: Why, answer: graph}", "without `graph`"),
    ("  - {id: why, label: why, text: Why, answer: triplets, values: [{key: '1', text: a}]}",
     "question why: triplets"),
    ("warnings: [{rule: ANN-X, text: t, all: {fluent: [n]}}]", "warning ANN-X"),
    ("before: sentence", "before: sentence"),
    ("hidden_until: {sentence: nothing}", "hidden_until sentence: nothing"),
    ("adjudicates: yes", "questions fluent"),
    ("  - {id: why, label: why, text: Why, answer: text, value_rule: EG-CYCLE}", "EG-CYCLE"),
    ("not_by_author: EG-NOTHING", "EG-NOTHING"),
    ("surprise: 1", "unknown field 'surprise'"),
])
def test_a_form_that_does_not_fit_together_is_refused(
    tmp_path: Path, more: str, found: str
) -> None:
    with pytest.raises(SubmissionError) as refused:
        forms.forms_of(host(tmp_path, more))
    assert found in str(refused.value)


def test_items_have_no_field_that_batches_or_pages_know_already(tmp_path: Path) -> None:
    path = host(tmp_path) / "forms" / "fluency.yaml"
    text = path.read_text("utf-8")
    for name in ("id", "answer", "why", "nodes", "constructor"):
        path.write_text(text.replace("name: sentence", f"name: {name}"), "utf-8")
        with pytest.raises(SubmissionError, match=f"a field {name}; expected another name"):
            forms.forms_of(tmp_path)


def test_forms_of_ours_fit_together() -> None:
    assert not [problem for path in forms.SHIPPED.glob("*.yaml")
                for problem in forms.read(path)[1]]


def test_a_host_cannot_take_the_name_of_a_form_of_ours(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="the name or folder of form csk"):
        forms.forms_of(host(tmp_path, kind="csk", name="csk"))


HANDBOOK = (Path(__file__).resolve().parent.parent / "docs" / "annotations.md").read_text("utf-8")


def block(language: str, containing: str) -> str:
    """A block of the handbook's page."""
    found = re.findall(rf"```{language}\n(.*?)```", HANDBOOK, re.S)
    return str(next(text for text in found if containing in text))


def test_the_form_of_the_handbook_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "forms").mkdir()
    (tmp_path / "forms" / "fluency.yaml").write_text(block("yaml", "kind: fluency"), "utf-8")
    added = forms.forms_of(tmp_path)["fluency"]
    sound = check(added, Item("i", {}), {"fluent": "n", "why": "No verb."})
    assert (sound.asked, sound.fault) == (("fluent", "why"), None)
    stale = check(added, Item("i", {}), {"fluent": "x", "why": "No verb."})
    assert stale.fault
    assert stale.fault.text == "why must be empty because fluent is not n."


def test_the_batch_of_the_handbook_is_sound() -> None:
    batch, problems = batches.parse(block("json", '"format"').encode(), OURS)
    assert not problems
    assert batch is not None
    assert batch.licence == "CC BY 4.0"


def test_the_first_commands_of_the_handbook_make_and_check_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("submissions", "boards"):
        (tmp_path / folder).symlink_to(Path(__file__).resolve().parent.parent / folder)
    monkeypatch.chdir(tmp_path)
    for command in (block("sh", "make-batch our-systems-1 --form verify --board"),
                    block("sh", "annotations validate").split("\n")[0]):
        assert main(shlex.split(command.replace("\\\n", " "))[1:]) == 0
    assert capsys.readouterr().out.endswith(" files are sound\n")


def test_the_handbook_lists_every_form_with_its_folder_and_annotators() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \| `([a-z-]+)` \| (\d+) \|", HANDBOOK, re.M)
    assert {kind: (folder, int(needed)) for kind, folder, needed in listed} == {
        kind: (form.folder, form.needed) for kind, form in OURS.items()}
