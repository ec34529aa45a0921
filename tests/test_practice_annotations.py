"""The annotations of the practice boards: made by their README's commands, simulated, marked."""

import re
import shlex
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import simulate_annotators
from scorer import boards
from scorer.boards.policy import HumanRanking
from scorer.cli import main
from scorer.commands import annotations as commands
from scorer.people import organisers, published
from scorer.people.aggregation import aggregated, votes_on_systems
from scorer.people.hamlet import HamletResults
from scorer.people.records import CLOSED, GOLD, OPEN
from scorer.people.validate import Workplace, coverage
from tests.conftest import ROOT

FOLDER = ROOT / "annotations"
FOOLED = ROOT / published.HUMAN_FOLDER / published.HAMLET


@pytest.fixture(scope="module")
def place() -> Workplace:
    return Workplace(FOLDER)


def fooled() -> HamletResults:
    return HamletResults.read(FOOLED.read_bytes())


@pytest.mark.slow
def test_the_commands_of_the_readme_make_every_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(commands, "_judge", lambda given: (_as_committed, fooled().system))
    block = re.search(r"```sh\n(.*?)```", (FOLDER / "README.md").read_text("utf-8"), re.DOTALL)
    made = tmp_path / "annotations"
    made.mkdir()
    for line in filter(None, block[1].replace("\\\n", " ").split("\n")):
        words = shlex.split(line.replace(published.HUMAN_FOLDER, str(tmp_path)))
        run = main if words[0] == "scorer" else simulate_annotators.main
        rest = words[1:] if words[0] == "scorer" else words[2:]
        assert run([*rest, "--annotations", str(made)]) == 0, capsys.readouterr().err
    ours = {path.relative_to(FOLDER).as_posix(): path.read_bytes()
            for path in FOLDER.rglob("*") if path.is_file()
            and path.name != "README.md" and path.parent.name != organisers.FORMS
            and not path.name.startswith("training-")}
    assert ours == {path.relative_to(made).as_posix(): path.read_bytes()
                    for path in made.rglob("*") if path.is_file()}
    assert (tmp_path / published.HAMLET).read_bytes() == FOOLED.read_bytes()


def _as_committed(items: Sequence[Sequence[str]]) -> list[str]:
    """The labels that the model that ships gave, by the file that another test holds to it."""
    said = {one.texts["argument"]: one.said for one in fooled().rounds[0].attempts}
    return [said[argument] for _, argument in items]


@pytest.mark.models
def test_the_model_that_ships_is_fooled_as_the_site_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Labels alone stand in the file. The closest call of these texts has a probability of .52, so
    # sums in another order (some 1e-6) turn none of them.
    monkeypatch.chdir(ROOT)
    assert main(["annotations", "hamlet", "write-1", "--json", "-"]) == 0
    assert capsys.readouterr().out.encode() == FOOLED.read_bytes()


def test_each_form_has_a_closed_batch_and_an_open_one_that_needs_more(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["annotations", "validate"]) == 0
    found = defaultdict(list)
    for batch in place.batches():
        if not batch.training:
            far = coverage(place, batch)
            assert far.refused == 0
            found[batch.kind, batch.status].append(
                (far.annotators, far.finished < len(batch.items)))
    for kind in (form.kind for form in organisers.forms_of().values() if not form.adjudicates):
        assert any(annotators >= 3 for annotators, _ in found[kind, CLOSED]), kind
        assert any(left for _, left in found[kind, OPEN]), kind


def test_every_answer_is_a_simulated_annotator_s_and_no_batch_tells_whose_graphs_it_holds(
    place: Workplace
) -> None:
    for batch in place.batches():
        assert {path.stem for path in place.files(batch)} <= {*place.simulated(batch)}
        text = organisers.path_of(FOLDER, batch.name).read_text("utf-8")
        systems = {one.system for one in place.key(batch.name).items.values()} - {GOLD, ""}
        assert not [system for system in systems if system in text]
        # What annotators write from nothing is of no board.
        assert not batch.board or boards.load(batch.board).practice
    assert [batch.name for batch in place.batches() if place.rulings(batch)] == [
        "art-transition-1", "csk-1", "verify-1"]


def test_two_rounds_of_graphs_lead_from_votes_to_mended_graphs(place: Workplace) -> None:
    found = aggregated(place, votes_on_systems(place, lambda _, __: None),
                       lambda _: HumanRanking())
    first, second = found.rounds
    assert 0 < first.correct < second.correct <= second.decided == 24
    assert len(found.csk_topics) == 5
    assert {"cckg", GOLD} == set(found.csk)
    assert len(found.verdicts["explagraphs-practice-dev"].systems) == 4
    assert set(found.simulated.batches) == set(found.generated_from.batches)


# ---- batches to learn on ---------------------------------------------------------------------


def test_new_annotators_learn_stance_relations_graphs_and_csk(place: Workplace) -> None:
    learned = [batch for batch in place.batches() if batch.training]
    assert {batch.name: (batch.kind, len(batch.items)) for batch in learned} == {
        "training-stance": ("stance", 10), "training-graphs-1": ("relations-quiz", 10),
        "training-graphs-2": ("verify", 10), "training-graphs-3": ("collect", 5),
        "training-csk": ("csk", 6)}
    shown = {text for split in ("train", "dev", "test") for line in
             (ROOT / "boards/explagraphs-practice/data" / f"{split}.tsv").read_text(
                 "utf-8").split("\n") for text in line.split("\t")[1:2]}
    for batch in learned:
        assert all(len(item.why) > 40 for item in batch.items)
        assert not shown & {text for item in batch.items for text in item.texts.values()}
