"""``scorer annotations hamlet``: items that annotators write to fool a label model."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from scorer.commands import annotations as commands
from scorer.people import hamlet
from scorer.people.hamlet import (
    COUNTS,
    REFUSED,
    SEEN_THROUGH,
    UNVERIFIED,
    HamletResults,
    HamletRound,
)
from scorer.people.making import BatchRequest, make
from scorer.people.records import Item
from scorer.people.stages import Stages
from scorer.people.validate import Workplace
from tests.people_world import Rounds

PROMPTS = {"Zoos keep rare animals.": "support", "Towns ban cars.": "counter",
           "Schools have uniforms.": "support"}


def naive(items: Sequence[Sequence[str]]) -> list[str]:
    """A model that takes every argument with "not" for a counter argument."""
    return ["counter" if " not " in f" {argument} " else "support" for _, argument in items]


@pytest.fixture
def rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rounds:
    """One batch of prompts, each with the label that is asked for; its model is naive."""
    monkeypatch.setattr(commands, "_judge", lambda args: (naive, "a model"))
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
    items = hamlet.again(stages, judged(made, number))
    if items:
        make(made.annotations, BatchRequest(
            name=name, form=stages.workplace.forms["write-target"], made_of="w", seed=1, needed=1,
        ), [("batch w", items)])
    return len(items)


def vote_on(made: Rounds, batch: str = "w", *more: str) -> tuple[Item, ...]:
    """The items of a batch ``s`` in which people say the stance of what was written."""
    assert made.run("make-batch", "s", "--form", "stance", "--from-batch", batch, *more) == 0
    batch_of_votes, problems = Workplace(made.annotations).batch("s")
    assert batch_of_votes is not None, problems
    return batch_of_votes.items


ZOOS, TOWNS, SCHOOLS = PROMPTS
FIRST = {ZOOS: "Rare animals are not lost there.",  # support, with "not"
         TOWNS: "Shops do not sell much without cars.", SCHOOLS: "All children look the same."}


@pytest.mark.claim("A model that annotators fool counts as fooled only once people confirm the "
                   "label.")
def test_a_fooled_model_counts_once_people_confirm_the_label_on_a_closed_batch(
    rounds: Rounds
) -> None:
    tried(rounds, "w", "ann", FIRST | {TOWNS: "Streets become quiet."})
    vote_on(rounds, "w", "--needed", "3")
    for who in ("x", "y", "z"):
        rounds.answer("s", who, {f"{prompt[:-1]}, it is said.": {"label": label}
                                 for prompt, label in ((ZOOS, "support"), (TOWNS, "support"),
                                                       (SCHOOLS, "neutral"))})
    assert {one.state for one in judged(rounds).ends} == {UNVERIFIED, SEEN_THROUGH}
    rounds.close("s")
    assert {one.texts["belief"][:4]: (one.people, one.state) for one in judged(rounds).ends} == {
        "Zoos": ("support", COUNTS), "Town": ("support", REFUSED),
        "Scho": ("neutral", SEEN_THROUGH)}


def test_three_tries_count_in_the_first_round_and_four_later(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    for number in (2, 3):
        assert ask_again(rounds, f"w-{number}") == 2
        tried(rounds, f"w-{number}", "ann", FIRST)
    assert ask_again(rounds, "w-4") == 0
    assert ask_again(rounds, "w-4", number=2) == 2
    tried(rounds, "w-4", "ann", FIRST)
    first, later = judged(rounds), judged(rounds, number=2)
    assert [sorted(one.number for one in turn.ends) for turn in (first, later)] == [
        [1, 3, 3], [1, 4, 4]]
    assert (first.late, later.late) == (2, 0)


def test_a_prompt_ends_with_the_try_that_fooled_the_model(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    assert ask_again(rounds, "w-2") == 2
    tried(rounds, "w-2", "ann", {TOWNS: "Streets become quiet.",
                                 SCHOOLS: "Children are all equal."})
    assert {one.texts["belief"][:4]: (one.number, one.fooled) for one in judged(rounds).ends} == {
        "Zoos": (1, True), "Town": (2, True), "Scho": (2, False)}
    assert ask_again(rounds, "w-3") == 1


def test_who_is_asked_again_sees_the_last_try_and_nobody_elses_counts(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", {TOWNS: "Shops do not sell."})
    tried(rounds, "w", "bob", {TOWNS: "People can not park."})
    assert ask_again(rounds, "w-2") == 2
    place = Workplace(rounds.annotations)
    batch, _ = place.batch("w-2")
    assert batch is not None
    origins = place.key("w-2").items
    assert {(origins[one.id].authors, one.texts["before"]) for one in batch.items} == {
        (("ann",), "Towns ban cars, it is said. / Shops do not sell."),
        (("bob",), "Towns ban cars, it is said. / People can not park.")}
    assert {one.topic for one in origins.values()} == {"Topic"}
    tried(rounds, "w-2", "eve", {TOWNS: "Streets become quiet."})
    assert [one.author for one in judged(rounds).attempts] == ["ann", "bob"]


def test_nobody_votes_on_what_they_wrote(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", FIRST)
    vote_on(rounds)
    assert rounds.answer("s", "ann", {
        "Towns ban cars, it is said.": {"label": "support"}}) == ["ANN-SELF"]
    assert rounds.run("validate") == 2


def test_texts_of_several_lines_become_items_of_one(rounds: Rounds) -> None:
    tried(rounds, "w", "ann", {TOWNS: "Shops lose\nwho\tcannot  park.\n"})
    assert [one.texts["argument"] for one in vote_on(rounds)] == ["Shops lose who cannot park."]


def test_the_command_names_rounds_authors_and_tries_asks_again_and_writes_what_a_site_reads(
    rounds: Rounds, capsys: pytest.CaptureFixture[str]
) -> None:
    tried(rounds, "w", "simulated-1", FIRST)
    path = rounds.folder / "hamlet.json"
    assert rounds.run("hamlet", "w", "--json", str(path)) == 0
    document = HamletResults.read(path.read_bytes())
    [turn] = document.rounds
    assert (document.system, document.simulated) == ("a model", ["simulated-1"])
    assert turn.prompts == turn.tries == len(turn.attempts) == 3
    assert dict(turn.authors["simulated-1"]).items() <= dict(turn).items()
    assert [one.texts["argument"] for one in turn.fooling] == [FIRST[ZOOS]]
    assert turn.batches == {"w"}
    capsys.readouterr()
    assert rounds.run("hamlet", "w", "--again", "w-2") == 0
    table = capsys.readouterr().out
    counts = ("3 items in 3 tries, 0 fooled the model, 1 more not verified yet, 0 refused by "
              "people")
    assert table.startswith(f"model: a model\nsimulated: simulated-1\n\nround 1, w: {counts}; up "
                            f"to 3 tries\n  simulated-1: {counts}\n")
    assert ("to be support, model counter, people not yet\n  Zoos keep rare animals, it is said. / "
            "Rare animals are not lost there.\n") in table
    assert "w-2.json: 2 items, 1 annotator each" in table


def test_what_is_no_round_is_refused(rounds: Rounds, fails: Callable[..., None]) -> None:
    tried(rounds, "w", "ann", FIRST)
    assert ask_again(rounds, "w-2") == 2
    vote_on(rounds)
    folder = f"--annotations={rounds.annotations}"
    for fault, *words in (
            ("asks again for items of w; name that one", "w-2"),
            ("in which people write items; name one of these forms: write-pairs, write-target",
             "nope"), ("in which people write items", "s"),
            ("--again asks for items of one batch", "w", "w", "--again", "x")):
        fails(2, fault, "annotations", "hamlet", *words, folder)
    fails(2, "", "annotations", "hamlet", "w", "--annotations", "nowhere")
