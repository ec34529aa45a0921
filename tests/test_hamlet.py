"""``scorer annotations hamlet``: items that annotators write to fool a label model."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.commands import people as commands
from scorer.core.errors import UsageError
from scorer.people import hamlet
from scorer.people.answers import check
from scorer.people.forms import SHIPPED, forms_of, read
from scorer.people.hamlet import (
    COUNTS,
    REFUSED,
    SEEN_THROUGH,
    UNVERIFIED,
    HamletResults,
    HamletRound,
)
from scorer.people.making import BatchRequest, CandidateSource, make, write
from scorer.people.records import Item
from scorer.people.stages import Stages
from scorer.people.validate import Workplace
from tests.rounds_world import Rounds

FORMS = forms_of()
PROMPTS = {"Zoos keep rare animals.": "support", "Towns ban cars.": "counter",
           "Schools have uniforms.": "support"}


def naive(items: Sequence[Sequence[str]]) -> list[str]:
    """A model that takes every argument with "not" for a counter argument."""
    return ["counter" if " not " in f" {argument} " else "support" for _, argument in items]


@pytest.fixture
def rounds(tmp_path: Path) -> Rounds:
    """One batch of prompts, each with the label that is asked for."""
    made = Rounds(tmp_path)
    file = tmp_path / "prompts.tsv"
    file.write_text("".join(f"{prompt}\t{target}\tTopic\n" for prompt, target in PROMPTS.items()),
                    "utf-8")
    assert made.run("make-batch", "w", "--form", "write-target", "--texts", str(file),
                    "--needed", "2") == 0
    return made


def tried(made: Rounds, name: str, who: str, arguments: Mapping[str, str]) -> None:
    made.answer(name, who, {prompt: {"belief": f"{prompt[:-1]}, it is said.", "argument": argument}
                            for prompt, argument in arguments.items()})


def judged(made: Rounds, number: int = 1, batch: str = "w") -> HamletRound:
    return hamlet.round_of(Stages(Workplace(made.annotations)), batch, number, naive)


def ask_again(made: Rounds, name: str, number: int = 1) -> int:
    """Make the batch that asks again; returns how many items it has."""
    stages = Stages(Workplace(made.annotations))
    found = hamlet.again(stages, judged(made, number))
    if found:
        write(made.annotations, make(BatchRequest(
            name=name, form=stages.workplace.forms["write-target"], made_of="w", seed=1, needed=1,
        ), [CandidateSource("batch w", tuple(found))])[0])
    return len(found)


FIRST = {"Zoos keep rare animals.": "Rare animals are not lost there.",  # support, with "not"
         "Towns ban cars.": "Shops do not sell much without cars.",
         "Schools have uniforms.": "All children look the same."}


def test_a_try_fools_a_model_that_gives_another_label(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    found = judged(rounds)
    assert {one.texts["argument"]: (one.target, one.said, one.state) for one in found.ends} == {
        FIRST["Zoos keep rare animals."]: ("support", "counter", UNVERIFIED),
        FIRST["Towns ban cars."]: ("counter", "counter", SEEN_THROUGH),
        FIRST["Schools have uniforms."]: ("support", "support", SEEN_THROUGH)}


@pytest.mark.claim("A model that annotators fool counts as fooled only once people confirm the "
                   "label.")
def test_a_fooled_model_counts_once_people_confirm_the_label_on_a_closed_batch(
    rounds: Rounds
) -> None:
    tried(rounds, "w", "ann", FIRST | {"Towns ban cars.": "Streets become quiet."})
    assert rounds.run("make-batch", "s", "--form", "stance", "--from-batch", "w",
                      "--needed", "3") == 0
    for who in ("x", "y", "z"):
        rounds.answer("s", who, {"Zoos keep rare animals, it is said.": {"label": "support"},
                                 "Towns ban cars, it is said.": {"label": "support"},
                                 "Schools have uniforms, it is said.": {"label": "neutral"}})
    assert {one.state for one in judged(rounds).ends} == {UNVERIFIED, SEEN_THROUGH}
    rounds.close("s")
    assert {one.texts["belief"][:4]: (one.people, one.state) for one in judged(rounds).ends} == {
        "Zoos": ("support", COUNTS), "Town": ("support", REFUSED),
        "Scho": ("neutral", SEEN_THROUGH)}


def test_three_tries_count_in_the_first_round_and_four_later(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    for number, left in ((2, 2), (3, 2)):
        assert ask_again(rounds, f"w-{number}") == left
        tried(rounds, f"w-{number}", "ann", FIRST)
    assert ask_again(rounds, "w-4") == 0
    assert ask_again(rounds, "w-4", number=2) == 2
    tried(rounds, "w-4", "ann", FIRST)
    first, later = judged(rounds), judged(rounds, number=2)
    assert [sorted(one.number for one in found.ends) for found in (first, later)] == [
        [1, 3, 3], [1, 4, 4]]
    assert (first.late, later.late) == (2, 0)


def test_a_prompt_ends_with_the_try_that_fooled_the_model(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    assert ask_again(rounds, "w-2") == 2
    tried(rounds, "w-2", "ann", {"Towns ban cars.": "Streets become quiet.",
                                 "Schools have uniforms.": "Children are all equal."})
    ends = {one.texts["belief"][:4]: (one.number, one.fooled) for one in judged(rounds).ends}
    assert ends == {"Zoos": (1, True), "Town": (2, True), "Scho": (2, False)}
    assert ask_again(rounds, "w-3") == 1


def test_who_is_asked_again_sees_the_last_try_and_nobody_elses_counts(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", {"Towns ban cars.": "Shops do not sell."})
    tried(rounds, "w", "bob", {"Towns ban cars.": "People can not park."})
    assert ask_again(rounds, "w-2") == 2
    place = Workplace(rounds.annotations)
    batch, _ = place.batch("w-2")
    assert batch is not None
    origins = Workplace(rounds.annotations).key("w-2").items
    assert {(origins[one.id].authors, one.texts["before"]) for one in batch.items} == {
        (("ann",), "Towns ban cars, it is said. / Shops do not sell."),
        (("bob",), "Towns ban cars, it is said. / People can not park.")}
    assert {one.topic for one in origins.values()} == {"Topic"}
    tried(rounds, "w-2", "eve", {"Towns ban cars.": "Streets become quiet."})
    assert [one.author for one in judged(rounds).attempts] == ["ann", "bob"]


def test_nobody_votes_on_what_they_wrote(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    assert rounds.run("make-batch", "s", "--form", "stance", "--from-batch", "w") == 0
    assert rounds.answer("s", "ann", {
        "Towns ban cars, it is said.": {"label": "support"}}) == ["ANN-SELF"]
    assert rounds.run("validate") == 2


def test_texts_of_several_lines_become_items_of_one(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", {"Towns ban cars.": "Shops lose\nwho\tcannot  park.\n"})
    assert rounds.run("make-batch", "s", "--form", "stance", "--from-batch", "w") == 0
    batch, _ = Workplace(rounds.annotations).batch("s")
    assert batch is not None
    assert [one.texts["argument"] for one in batch.items] == ["Shops lose who cannot park."]


def test_two_arguments_of_one_belief_are_two_items(rounds: Rounds) -> None:
    file = rounds.folder / "statements.tsv"
    file.write_text("Zoos keep rare animals.\nTowns ban cars.\n", "utf-8")
    assert rounds.run("make-batch", "p", "--form", "write-pairs", "--texts", str(file)) == 0
    rounds.answer("p", "ann", {text: {"belief": "B", "support": "s", "counter": "not c"}
                               for text in ("Zoos keep rare animals.", "Towns ban cars.")})
    found = judged(rounds, batch="p")
    assert sorted((one.texts["argument"], one.target, one.fooled) for one in found.ends) == [
        ("not c", "counter", False)] * 2 + [("s", "support", False)] * 2
    assert rounds.run("make-batch", "s", "--form", "stance", "--from-batch", "p") == 0
    batch, _ = Workplace(rounds.annotations).batch("s")
    assert batch is not None
    assert len(batch.items) == 4
    assert not any("label" in item.texts or "target" in item.texts for item in batch.items)


def test_batches_that_are_no_round_are_refused(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    assert ask_again(rounds, "w-2") == 2
    assert rounds.run("make-batch", "s", "--form", "stance", "--from-batch", "w") == 0
    for batch, said in (("w-2", "asks again for items of w; name that one"),
                        ("nope", "no such batch; name one of these forms: write-pairs, "
                                 "write-target"),
                        ("s", "asks nobody to write items")):
        with pytest.raises(UsageError, match=said):
            judged(rounds, batch=batch)


@pytest.mark.parametrize(("words", "rules"), [(30, []), (31, ["ANN-WORDS"])])
def test_a_text_has_no_more_words_than_its_question_allows(words: int, rules: list[str]) -> None:
    text = "\n".join(["it's  well-known"] * (words // 2) + ["x"] * (words % 2))
    found = check(FORMS["write-target"], Item("i", {"target": "support"}),
                  {"belief": text, "argument": "a"})
    assert [one.rule for one in (found.fault,) if one] == rules


def test_a_form_whose_written_items_do_not_fit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "write-target.yaml"
    file.write_text((SHIPPED / file.name).read_text("utf-8").replace(
        "argument: argument}", "argument: nothing}"), "utf-8")
    assert "written: nothing" in "\n".join(map(str, read(file)[1]))


def test_the_list_names_rounds_authors_and_tries_and_a_batch_asks_again(
    rounds: Rounds, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_judge", lambda given: (naive, "a model"))
    tried(rounds, "w", "simulated-1", FIRST)
    capsys.readouterr()
    assert rounds.run("hamlet", "w", "--again", "w-2") == 0
    said = capsys.readouterr().out
    counts = ("3 items in 3 tries, 0 fooled the model, 1 more not verified yet, 0 refused by "
              "people")
    assert said.startswith(f"model: a model\nsimulated: simulated-1\n\nround 1, w: {counts}; up to "
                           f"3 tries\n  simulated-1: {counts}\n")
    assert ("to be support, model counter, people not yet\n  Zoos keep rare animals, it is said. / "
            "Rare animals are not lost there.\n") in said
    assert "w-2.json: 2 items, 1 annotator each" in said


def test_a_site_reads_what_the_command_writes(
    rounds: Rounds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_judge", lambda given: (naive, "a model"))
    tried(rounds, "w", "simulated-1", FIRST)
    assert rounds.run("hamlet", "w", "--json", str(tmp_path / "hamlet.json")) == 0
    document = HamletResults.read((tmp_path / "hamlet.json").read_bytes())
    [found] = document.rounds
    assert (document.system, document.simulated) == ("a model", ["simulated-1"])
    assert found.prompts == found.tries == len(found.attempts) == 3
    assert dict(found.authors["simulated-1"]).items() <= dict(found).items()
    assert [one.texts["argument"] for one in found.fooling] == [FIRST["Zoos keep rare animals."]]
    assert found.batches == {"w"}


def test_words_that_make_no_round_are_refused(
    rounds: Rounds, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rounds.run("hamlet", "w", "w", "--again", "x") == 2
    assert "--again asks for items of one batch" in capsys.readouterr().err
    assert rounds.run("hamlet", "w", "--system", "cckg") == 2
    assert "gives labels without training" in capsys.readouterr().err
    assert main(["annotations", "hamlet", "w", "--annotations", "nowhere"]) == 2
