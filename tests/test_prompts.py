"""Prompts as data: what is sent for an item, which examples it has, and what it costs."""

from __future__ import annotations

import json
import math
import re
import shutil
import socket
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import input_texts, needed_golds
from scorer.boards.prompts import (
    SHIPPED,
    Message,
    PromptExamples,
    known_words,
    learned_from,
    messages,
    prompt_of,
    prompts_of,
    read_answer,
)
from scorer.cli import main
from scorer.core.errors import SubmissionError, UsageError
from scorer.core.files import home_folder
from scorer.core.package_data import handbook

Printed = pytest.CaptureFixture[str]
PRACTICE = ("explagraphs-practice", "anli-practice", "anlg-practice", "graph-stance-practice",
            "explained-practice")
GRAPHS = boards.load("explagraphs-practice")
DIGESTS = Path(__file__).parent / "cases" / "prompts.json"
EVERY = [(name, prompt) for name in PRACTICE for prompt in prompts_of(boards.load(name))]


def golds_of(board: Board, split: str) -> tuple[Any, ...]:
    return needed_golds(board, split, home_folder()).items


def host_board(folder: Path) -> Board:
    """The practice board with a prompt of its host's, ``ours``."""
    board = folder / "explagraphs-practice"
    shutil.copytree(GRAPHS.folder, board)
    prompt = board / "prompts" / "ours"
    shutil.copytree(SHIPPED / "explanation_graphs" / "rationalizing", prompt)
    header = (prompt / "prompt.yaml").read_text("utf-8")
    (prompt / "prompt.yaml").write_text(
        header.replace("name: rationalizing", "name: ours").replace("default: yes\n", ""), "utf-8")
    return boards.load(board)


# ---- shipped prompts -----------------------------------------------------------------------------


@pytest.mark.claim("A shipped prompt whose files change has a new version, and its digest is kept.")
def test_a_shipped_prompt_changes_only_with_its_version() -> None:
    known = json.loads(DIGESTS.read_text("utf-8"))
    for name in PRACTICE:
        board = boards.load(name)
        for prompt in prompts_of(board).values():
            told = known[f"{board.task.name}/{prompt.name}"]
            assert told.get(str(prompt.version)) == prompt.digest, (
                f"{prompt.name}: its files changed; raise version in prompt.yaml, and add "
                f"{prompt.digest} for that version to {DIGESTS.name}")
            assert max(map(int, told)) == prompt.version


@pytest.mark.parametrize(("name", "prompt"), EVERY)
def test_every_prompt_of_every_practice_board_asks_about_every_item(name: str, prompt: str) -> None:
    board = boards.load(name)
    asked = prompt_of(board, prompt)
    golds = learned_from(board, home_folder()) if asked.examples else ()
    examples = PromptExamples(board, golds, asked)
    ids = len(board.task.id_columns)
    shown = -1 if prompt == "label-without-graph" else None
    for texts in input_texts(board, "dev", home_folder()) or ():
        found = messages(asked, board, texts, examples.chosen(texts))
        assert [one.role for one in found] == [
            "system", *["user", "assistant"] * asked.examples, "user"]
        for text in texts[ids:shown]:
            assert text.replace('"', '\\"') in found[-1].content or text in found[-1].content
        for text in texts[:ids]:
            assert not any(text in one.content for one in found), "an id is no text"
        assert not re.search(r"\{[a-z_]+\}|^\[[a-z_]+\]", "\n".join(one.content for one in found),
                             re.MULTILINE)


@pytest.mark.claim("What a shipped prompt shows as an answer is read back as that very answer.")
@pytest.mark.parametrize(("name", "prompt"), EVERY)
def test_the_answer_of_an_example_is_read_back_as_gold(name: str, prompt: str) -> None:
    board = boards.load(name)
    asked = prompt_of(board, prompt)
    for split in board.splits:
        for gold in golds_of(board, split):
            *_, answer, _ = messages(asked, board, gold.texts, [gold])
            found = read_answer(asked, board, answer.content)
            assert found.kind == "answered"
            assert found.columns[0] in (getattr(gold, "label", None), *getattr(gold, "references",
                                                                              ()))
            if len(found.columns) > 1:
                first = board.task.gold_predictions(gold)[0]
                assert found.columns == tuple(board.task.write_prediction(first))


def test_templates_hold_for_boards_with_other_columns_and_fewer_rules() -> None:
    own = GRAPHS.settings
    text = replace(own.texts[0], name="claim", concepts=0)
    bare = replace(GRAPHS, settings=replace(
        own, texts=(text,), labels=None, graph=replace(
            own.graph, relations=("leads to",), negated=(), connected=False, acyclic=False,
            concept_words=None, strict_most_edges=None)))
    for prompt in prompts_of(bare).values():
        system, user = messages(prompt, bare, ["Tea {label} [x] calms."])
        assert "You are given a claim." in system.content
        assert "leads to" in system.content
        assert not re.search("stance|belief|words|at most|copied|back|together", system.content)
        assert "Tea {label} [x] calms." in user.content
        assert "tance" not in user.content
    other = replace(GRAPHS, settings=replace(
        own, labels=replace(own.labels, name="verdict", values=("ja", "nein"))))
    found = messages(prompt_of(other, "rationalizing"), other, ["a", "b"])
    assert "Verdict: ja or nein" in found[-1].content


# ---- a host's prompts ----------------------------------------------------------------------------


def test_a_host_adds_prompts_of_his_own_beside_his_board(tmp_path: Path) -> None:
    board = host_board(tmp_path)
    found = prompt_of(board, "ours")
    assert (found.origin, found.version) == ("explagraphs-practice", 1)
    assert found.digest != prompt_of(board, "rationalizing").digest
    assert prompt_of(board).name == "rationalizing", "the default, as its header says"
    assert main(["prompts", "check", str(board.folder)]) == 0


@pytest.mark.claim("A prompt with an unknown placeholder is refused when it is read.")
@pytest.mark.parametrize(("file", "text", "said"), [
    ("user.txt", "{texts} {colour}\n", "placeholder '{colour}'"),
    ("user.txt", "[colour] {texts}\n", "condition '[colour]'"),
    ("user.txt", "{texts} {gold_label}\n", "placeholder '{gold_label}'"),
    ("system.txt", "{texts}\n", "placeholder '{texts}'"),
    ("user.txt", "{texts} {\n", "'{' that names nothing"),
    ("note.md", "x", "the file 'note.md'"),
    ("prompt.yaml", "name: ours\n", "no field 'version'"),
    ("prompt.yaml", "- a\n", "a list"),
    ("prompt.yaml", "answer: song", "answer song"),
    ("prompt.yaml", "name: rationalizing", "name rationalizing"),
    ("prompt.yaml", "decoding: {temperature: 3}", "temperature: '3'"),
    ("prompt.yaml", "examples: 65", "'65'"),
])
def test_a_prompt_with_faults_is_refused_with_all_of_them(
    tmp_path: Path, file: str, text: str, said: str
) -> None:
    board = host_board(tmp_path)
    path = board.folder / "prompts" / "ours" / file
    if not text.endswith("\n") and path.exists():  # a field of the header
        text = re.sub(rf"(?m)^{text.partition(' ')[0]} .*$", text, path.read_text("utf-8"))
    path.write_text(text, "utf-8")
    with pytest.raises(SubmissionError, match=re.escape(said)):
        prompts_of(board)


def test_check_finds_answers_that_are_not_read_back(tmp_path: Path, capsys: Printed) -> None:
    board = host_board(tmp_path)
    (board.folder / "prompts" / "ours" / "answer.txt").write_text("{gold_label}: {gold_graph}\n")
    assert main(["prompts", "check", str(board.folder)]) == 2
    assert "is read as unparsable" in capsys.readouterr().err
    (board.folder / "prompts" / "ours" / "answer.txt").write_text("{colour}\n")
    for verb in ("prompts", "board"):
        assert main([verb, "check", str(board.folder)]) == 2
        assert "placeholder '{colour}'" in capsys.readouterr().err


# ---- examples ------------------------------------------------------------------------------------


def test_fixed_examples_are_balanced_and_the_same_for_all_items() -> None:
    train = golds_of(GRAPHS, "train")
    examples = PromptExamples(GRAPHS, train, prompt_of(GRAPHS), 6)
    [chosen] = {tuple(id(one) for one in examples.chosen(gold.texts))
                for gold in golds_of(GRAPHS, "dev")}
    labels = Counter(gold.label for gold in train if id(gold) in chosen)
    assert labels == {"support": 3, "counter": 3}
    others = PromptExamples(GRAPHS, train, prompt_of(GRAPHS), 6, seed=6).chosen(("a", "b"))
    assert {id(one) for one in others} != {*chosen}


@pytest.mark.claim("An example is never the item itself, and never gold of dev or test.")
@pytest.mark.parametrize("choice", ["fixed", "similar"])
@pytest.mark.parametrize("name", PRACTICE[:2])
def test_an_item_is_never_its_own_example(name: str, choice: str) -> None:
    board = boards.load(name)
    train = golds_of(board, "train")
    examples = PromptExamples(board, train, prompt_of(board), 5, choice=choice)
    known = {gold.texts for gold in train}
    ids = len(board.task.id_columns)
    for gold in (*train, *golds_of(board, "dev")):
        written = (*gold.texts[:ids], *(f" {text.upper()}" for text in gold.texts[ids:]))
        chosen = examples.chosen(written)
        assert len(chosen) == 5
        assert {one.texts for one in chosen} <= known - {gold.texts}
        assert len({one.texts for one in chosen}) == 5


def test_similar_examples_share_words_with_the_item_and_the_most_similar_comes_last() -> None:
    train = golds_of(GRAPHS, "train")
    examples = PromptExamples(GRAPHS, train, prompt_of(GRAPHS), 3, choice="similar")
    texts = (train[7].texts[0] + " Or so.", "Something else.")
    assert examples.chosen(texts)[-1].texts[0] == train[7].texts[0]
    assert examples.chosen(texts) == examples.chosen(texts)


def test_examples_of_a_board_without_train_come_from_a_file_of_other_items(tmp_path: Path) -> None:
    board = boards.load("anlg-practice")
    with pytest.raises(UsageError, match="has no train split"):
        learned_from(board, home_folder())
    other = tmp_path / "other.tsv"
    other.write_text("It rained.\tAnn was wet.\tAnn had no coat.\n" * 2, "utf-8")
    assert len(learned_from(board, home_folder(), other)) == 2
    dev = board.data_file("dev", home_folder())
    assert dev is not None
    other.write_text("It rained.\tAnn was wet.\tx\n" + dev.read_text("utf-8").split("\n")[3].upper()
                     + "\n", "utf-8")
    with pytest.raises(UsageError, match="has items of dev"):
        learned_from(board, home_folder(), other)
    other.write_text("one column\n", "utf-8")
    with pytest.raises(UsageError, match="TSV-COLUMNS"):
        learned_from(board, home_folder(), other)
    with pytest.raises(UsageError, match="leave --learn-from out"):
        learned_from(GRAPHS, home_folder(), other)


# ---- the program ---------------------------------------------------------------------------------

ASK = ["--board", "explagraphs-practice", "--split", "dev"]


def test_show_prints_the_very_messages(capsys: Printed) -> None:
    assert main(["prompts", "show", *ASK, "--item", "2", "--examples", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    texts = golds_of(GRAPHS, "dev")[1].texts
    prompt = prompt_of(GRAPHS)
    examples = PromptExamples(GRAPHS, golds_of(GRAPHS, "train"), prompt, 1).chosen(texts)
    chat = messages(prompt, GRAPHS, texts, examples)
    assert [Message(**one) for one in found["messages"]] == [*chat]
    assert (found["digest"], found["examples"]) == (prompt.digest, 1)
    assert main(["prompts", "show", *ASK, "--item", "2", "--examples", "1"]) == 0
    shown = capsys.readouterr().out
    assert all(one.content in shown for one in chat)
    assert prompt.digest[:12] in shown


@pytest.mark.claim("What a run would cost is told without a single call of the network.")
def test_cost_is_arithmetic_and_asks_nothing_of_the_network(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    prices = ["--price-input", "2.5", "--price-output", "10"]
    assert main(["prompts", "cost", *ASK, "--examples", "0", *prices]) == 0
    shown = capsys.readouterr().out
    prompt = prompt_of(GRAPHS)
    read = sum(math.ceil(len(one.content) / 4) + 4 for gold in golds_of(GRAPHS, "dev")
               for one in messages(prompt, GRAPHS, gold.texts))
    written = 40 * prompt.decoding.max_tokens
    for figure in (f" {read:,} ", f" {written:,} ", f" {(read * 2.5 + written * 10) / 1e6:,.2f} "):
        assert figure in shown


def test_list_names_prompts_with_their_versions_and_digests(capsys: Printed) -> None:
    assert main(["prompts", "list", "--board", "explagraphs-practice"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == ["code", "rationalizing", "reasoning"]
    assert all(prompt.digest[:12] in line for prompt, line in
               zip(prompts_of(GRAPHS).values(), shown, strict=True))


# ---- the page ------------------------------------------------------------------------------------


def test_the_page_names_every_placeholder() -> None:
    page = handbook("models")
    for name in PRACTICE:
        board = boards.load(name)
        for word in known_words(board, "answer.txt"):
            shown = re.sub("^(text_|texts_but_).*", r"\1NAME", word)
            assert f"`{{{shown}}}`" in page, word
