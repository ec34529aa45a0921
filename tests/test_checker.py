"""What the checker page knows, and the cases that hold it to the program's answers."""

import base64
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from string import Formatter
from typing import Any
from unicodedata import category

import pytest

import scorer
from scorer import boards
from scorer.boards.golds import needed_golds
from scorer.cli import main
from scorer.core.errors import excerpt, printable
from scorer.core.graph import Graph
from scorer.core.reading.tsv import LARGEST_FILE
from scorer.core.rules import CATALOGUE, DETAILS, FAULTS, GENERATION, HINTS, PROBLEM, SYNTAX
from scorer.scoring.fixing import corrected
from scorer.tasks.graphs.graph_items import Gold
from scorer.tasks.registry import TASKS
from scorer.tasks.texts.art_files import context_id

pytest.importorskip("jinja2")

from scorer.site.browsing import checker
from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, SiteView, SplitView
from scorer.site.render import score
from tests.checker_cases import LARGE, LETTERS, cases, hostile, worlds
from tests.checker_world import NAME, Case, World, answer
from tests.node import over

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
ELSEWHERE = {"TSV-COLUMNS optional", "TSV-ENCODING damaged", "ART-TWICE references"}
"""Words about files that no submitter writes, and that the page does not read."""
ELSEWHERE_ADVICE = {"TSV-ENCODING gzip damaged", "TSV-ROWS order", "ART-TWICE references"}


@pytest.fixture(scope="module")
def chosen() -> list[Case]:
    return [*cases(), *hostile()]


@pytest.fixture(scope="module")
def answers(chosen: list[Case]) -> list[dict[str, Any]]:
    return [answer(worlds()[case.world], case.content) for case in chosen]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page's scripts as a site has them."""
    docs = tmp_path_factory.mktemp("scripts")
    checker.stage(docs)
    return docs / checker.SCRIPTS


# ---- the cases -----------------------------------------------------------------------------------


def test_every_task_has_many_cases_the_same_on_every_run(chosen: list[Case]) -> None:
    assert chosen[:-len(LARGE)] == [*cases()]
    assert {case.world for case in chosen} == set(worlds())
    for name in TASKS:
        assert sum(worlds()[case.world].board.task.name == name for case in chosen) >= 150, name


def test_every_sentence_of_the_program_occurs_in_some_case(answers: list[dict[str, Any]]) -> None:
    problems = [one for report in answers for one in [*report["problems"], *report["notes"]]]
    details = {one["detail"] for report in answers for row in report["rows"]
               for one in [*row["broken"], *row["strict"]]}
    faults = {(one["rule"], one["found"], one["expected"]) for one in problems}
    for key, fault in FAULTS.items():
        assert key in ELSEWHERE or any(
            rule == key.partition(" ")[0] and _pattern(fault.found).fullmatch(found)
            and _pattern(fault.expected).fullmatch(expected)
            for rule, found, expected in faults), key
    advice = {one["advice"] for one in problems}
    for key, template in HINTS.items():
        assert key in ELSEWHERE_ADVICE or any(map(_pattern(template).fullmatch, advice)), key
    assert any(GENERATION in one["expected"] for one in problems)
    syntax = {key: DETAILS["EG-SYNTAX"].replace("{fault}", text) for key, text in SYNTAX.items()}
    for key, template in [*DETAILS.items(), *syntax.items()]:
        assert any(map(_pattern(template).fullmatch, details)), key


def test_the_cases_pass_fail_and_grade(answers: list[dict[str, Any]]) -> None:
    graded = [report["scores"] for report in answers if report["scores"]]
    for metric in ("SA", "StCA", "accuracy"):
        assert len({scores[metric] for scores in graded if metric in scores}) > 3, metric
    counts = [report["counts"] for report in answers if report["counts"]]
    assert len({json.dumps(one) for one in counts if "words" in one}) > 50
    assert sum(report["total"] > 0 for report in answers) > 300
    assert {row["annotation"] for report in answers for row in report["rows"]} == {
        None, *(name for task in TASKS.values() for name in task.annotations)}


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", ".*", re.escape(template)), re.DOTALL)


def test_a_case_says_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    content = b"\xef\xbb\xbfsupport\t(a; is a; b)\r\nSupport\tx\n\n\xff\n" + b"x\ty\n" * 60
    Path(NAME).write_bytes(content)
    assert main(["check", NAME, "--board", "explagraphs-practice", "--split", "dev", "--rows"]) == 2
    report = answer(_dev(), content)
    printed = capsys.readouterr().err.splitlines()
    assert {*(f"note: {one['text']}" for one in report["notes"]),
            *(one["text"] for one in report["problems"])} <= {*printed}
    assert len(printed) == len(report["notes"]) + report["total"] + 1
    assert printed[-1] == f"NOT accepted: {report['total']} errors"


@pytest.mark.parametrize("name", [name for name in boards.known_boards(boards.boards_folder())
                                  if name.endswith("-practice")])
def test_the_numbers_of_a_case_are_those_of_the_leaderboard(name: str) -> None:
    world = _dev(name)
    task, measured = world.board.task, world.facts()["measured"]
    lines = [line.split("\t") for line in (world.board.folder / "data" / "dev.tsv").read_text(
        "utf-8").removesuffix("\n").split("\n")]
    start = len(task.input_columns)
    gold = [line[start:start + len(task.prediction_columns)] for line in lines]
    rows = [gold[number - (number % 3 == 0)] for number in range(len(gold))]
    result = scorer.score(rows, lines, board=world.board, metrics=measured or ["ROUGE-L"])
    report = answer(world, "".join("\t".join(row) + "\n" for row in rows).encode())
    assert report["scores"] == ({metric: result.metrics[metric].value for metric in measured}
                                or None)
    assert all(0 < score < 1 for score in (report["scores"] or {}).values())
    for kind, counts in (report["counts"] or {}).items():
        if kind == "confusion" and kind in result.counts:
            assert counts == result.counts[kind]
        if kind == "annotations":
            assert counts == {one: result.counts[one] for one in task.annotations}


def _dev(name: str = "explagraphs-practice") -> World:
    board = boards.load(name)
    golds = needed_golds(board, "dev", Path("nowhere")).items
    return World(board, checker.items(SplitView(board, "dev", golds)))


# ---- the same answers on the page, whose modules run in node -------------------------------------

Node = Callable[[str, Any, Iterable[Any]], list[Any]]


@pytest.fixture(scope="module")
def node(scripts: Path) -> Node:
    """Runs a function's body over cases, given ``known`` and ``load`` for the page's modules."""
    return partial(over, scripts)


JUDGE = """
const { judge } = await load("judge.js");
const judges = Object.fromEntries(Object.entries(known).map(([n, w]) => [n, judge(w.facts)]));
return ({ world, content }) => judges[world](
  new Uint8Array(Buffer.from(content, "base64")),
  { name: "predictions.tsv", split: "dev", items: known[world].items });
"""


def _known() -> dict[str, Any]:
    return {name: {"facts": world.facts(), "items": world.items}
            for name, world in worlds().items()}


def test_every_case_has_the_programs_answer(
    node: Node, chosen: list[Case], answers: list[dict[str, Any]]
) -> None:
    found = node(JUDGE, _known(), ({"world": case.world, "content": _sent(case.content)}
                                for case in chosen))
    different = [case.name for case, report, wanted in zip(chosen, found, answers, strict=True)
                 if report != wanted]
    assert not different
    assert len(found) >= 2000


CORRECT = JUDGE.replace("judges[world](", "judges[world].correct(")


def test_the_page_corrects_a_file_as_the_program_does(node: Node, chosen: list[Case]) -> None:
    some = [case for case in chosen[:-len(LARGE):3] if _is_text(case.content)]
    found = node(CORRECT, _known(), ({"world": case.world, "content": _sent(case.content)}
                                  for case in some))
    wanted = [_corrected(worlds()[case.world], case.content) for case in some]
    different = [case.name for case, one, other in zip(some, found, wanted, strict=True)
                 if (one and [one["text"], one["what"]]) != other]
    assert not different
    assert sum(one is not None for one in wanted) >= 50
    assert any(one and not one["left"] for one in found)


def _is_text(content: bytes) -> bool:
    try:
        return len(content) <= LARGEST_FILE and bool(content.decode())
    except UnicodeDecodeError:
        return False


def _corrected(world: World, content: bytes) -> list[Any] | None:
    made, without = corrected(world.board, content, world.rows)
    return [made.decode(), without] if without else None


def _sent(content: bytes) -> str:
    return base64.b64encode(content).decode()


CODES = """
const { language } = await load("language.js");
const say = language();
return (codes) => {
  let kinds = "";
  const lower = [];
  for (const code of codes) {
    const letter = String.fromCodePoint(code);
    kinds += (say.printable(letter) ? 1 : 0) + (say.alphanumeric(letter) ? 2 : 0);
    if (say.lower(letter) !== letter) lower.push([code, say.lower(letter)]);
  }
  return [kinds, lower];
};
"""


def test_characters_have_the_programs_kind_and_lower_case(node: Node) -> None:
    codes = [code for code in range(sys.maxunicode + 1) if category(chr(code)) not in ("Cs", "Cn")]
    [[kinds, lower]] = node(CODES, None, [codes])
    wrong = [hex(code) for code, kind in zip(codes, kinds, strict=True)
             if int(kind) != chr(code).isprintable() + 2 * chr(code).isalnum()]
    assert not wrong
    assert lower == [[code, chr(code).lower()] for code in codes if chr(code).lower() != chr(code)]


TEXTS = """
const { language } = await load("language.js");
const say = language();
return (text) => [say.lower(text), say.repr(text), say.excerpt(text), say.safe(text)];
"""


def test_texts_are_lowered_quoted_and_cut_as_the_program_does(node: Node) -> None:
    rng = random.Random(5)
    pool = [*LETTERS, "::", "##[", "\n", "\x1b", "\u202e", " ", "\ua640", "\u10a0"]
    texts = ["".join(rng.choices(pool, k=rng.randrange(1, 100))) for _ in range(2_000)]
    texts += ["\u03a3", "a\u03a3", "a\u0301\u03a3\u0345.", "\u03a3a"]
    wanted = [[text.lower(), repr(text), excerpt(text), printable(text).replace("\n", r"\n")]
              for text in texts]
    assert node(TEXTS, None, texts) == wanted


FAULTY = """
const { fault } = await load("file.js");
return (text) => fault(new Uint8Array(Buffer.from(text, "base64")));
"""


def test_the_first_byte_that_is_no_utf_8_is_the_programs(node: Node) -> None:
    rng = random.Random(6)
    pool = [bytes([byte]) for byte in range(0x7E, 0x100)]
    pool += [letter.encode() for letter in "\u00e9\u20ac\U0001f600\ud7ff\ue000"]
    files = [b"".join(rng.choices(pool, k=rng.randrange(7))) for _ in range(5_000)]
    files += [bytes([a, b, 0x80, 0x80]) for a in range(0xC0, 0x100) for b in range(0x7F, 0xC1)]
    assert node(FAULTY, None, map(_sent, files)) == [_first_fault(file) for file in files]


def _first_fault(file: bytes) -> int:
    try:
        file.decode()
    except UnicodeDecodeError as found:
        return found.start
    return -1


DIGESTS = """
const { sha1 } = await load("sha1.js");
return ([obs1, obs2]) => sha1(`${obs1}\\t${obs2}`);
"""


def test_ids_of_contexts_are_the_programs(node: Node) -> None:
    rng = random.Random(7)
    letters = "a \u00e9\u20ac\U0001f600\x00\t"
    texts = [("x" * length, "") for length in range(200)]
    texts += [tuple("".join(rng.choices(letters, k=rng.randrange(90))) for _ in range(2))
              for _ in range(500)]
    assert node(DIGESTS, None, texts) == [context_id(*both) for both in texts]


def test_shares_are_rounded_as_in_the_tables(node: Node) -> None:
    shares = [part / whole for whole in (1, 3, 40, 64, 398, 400, 1024) for part in range(whole + 1)]
    found = node('return (await load("show.js")).percent;', None, shares)
    assert found == [score(share, "StCA") for share in shares]


# ---- the words -----------------------------------------------------------------------------------


def test_templates_hold_plain_names_only_so_that_both_sides_fill_them_alike() -> None:
    for template in _templates():
        for _, name, spec, conversion in Formatter().parse(template):
            assert name is None or (re.fullmatch(r"[a-z]+", name) and not spec and not conversion)
        assert "{{" not in template


def _templates() -> list[str]:
    faults = [text for fault in FAULTS.values() for text in fault]
    return [PROBLEM, *faults, *HINTS.values(), *DETAILS.values(), *SYNTAX.values()]


def test_every_fault_and_hint_belongs_to_a_rule() -> None:
    rules = {key.partition(" ")[0] for table in (FAULTS, HINTS, DETAILS) for key in table}
    assert rules - {"more"} <= set(CATALOGUE)


# ---- what is exported ----------------------------------------------------------------------------


def test_the_page_asks_at_once_for_every_script_but_the_workers(scripts: Path) -> None:
    asked = {address.removeprefix("assets/check/") for address in checker.modules()}
    assert asked == {path.name for path in scripts.glob("*.js")} - {"judge.js"}


def test_every_fact_and_word_is_one_that_the_page_asks_for(scripts: Path) -> None:
    pages = [ROOT / "site" / "assets" / "check.js", *scripts.glob("*.js")]
    script = "\n".join(path.read_text("utf-8") for path in pages)
    for name in ("explagraphs-practice", "anli-practice", "anlg-practice",
                 "graph-stance-practice", "explained-practice"):
        known = checker.facts(boards.load(name))
        own = known["own"]
        for place, names in (("limits", known["limits"]), ("rules", own.get("graph", ())),
                             ("own.limits", own.get("limits", ())), ("wording", known["wording"])):
            for one in names:
                assert f"{place}.{one}" in script, one
        for one in [*known, *own]:
            assert one == "schema" or re.search(rf"\b{one}\b", script), one
    for sentence in [*DETAILS.values(), *HINTS.values(), *SYNTAX.values(), GENERATION,
                     *(text for fault in FAULTS.values() for text in fault if "{" in text[1:])]:
        assert sentence not in script


GOLD = (Gold(("a b", "c d"), "support", (Graph("(a; is a; b)"),)),)


@pytest.mark.parametrize(("view", "wanted"), [
    ({"golds": GOLD}, {"texts": [("a b", "c d")], "gold": True, "labels": ["support"]}),
    ({"inputs": (("a b", "c d"),)},
     {"texts": (("a b", "c d"),), "gold": False, "labels": None}),
    ({}, None),
], ids=["public gold", "inputs only", "nothing"])
def test_labels_are_exported_only_with_public_gold(view: Any, wanted: Any) -> None:
    assert checker.items(SplitView(boards.load("explagraphs-practice"), "dev", **view)) == wanted


def test_the_gold_of_a_hidden_split_is_never_exported(tmp_path: Path) -> None:
    exported = _exported(tmp_path, "hidden")
    assert exported["check/sealed/dev.json"] == {
        "texts": (("a belief", "an argument"),), "gold": False, "labels": None}
    assert exported["check/sealed.json"]["splits"] == {"dev": {"rows": 1, "items": True}}
    assert "counter" in json.dumps(_exported(tmp_path, "public")["check/sealed/dev.json"])


def _exported(folder: Path, gold: str) -> Mapping[str, Any]:
    """What is exported of a board with one item, whose file carries gold though it is hidden."""
    place = folder / gold / "boards" / "sealed"
    (place / "data").mkdir(parents=True)
    source = (ROOT / "boards" / "explagraphs-practice" / "board.yaml").read_text("utf-8")
    head, _, rest = source.replace("id: explagraphs-practice", "id: sealed").partition("splits:\n")
    split = f"splits:\n  dev: {{file: dev.tsv, rows: 1, gold: {gold}}}\nsettings:\n"
    (place / "board.yaml").write_text(head + split + rest.partition("settings:\n")[2], "utf-8")
    row = "a belief\tan argument\tcounter\t(a; is a; b)\n"
    (place / "data" / "dev.tsv").write_text(row, "utf-8")
    site = read_site(folder / gold, folder / "home")
    assert not site.warnings
    return dict(checker.files(site))


def test_a_split_without_data_is_said_to_have_no_items() -> None:
    board = boards.load("explagraphs")
    [(path, known)] = checker.files(SiteView(
        (BoardView(board, (SplitView(board, "dev"),)),), "0.1.0", None))
    assert path == "check/explagraphs.json"
    assert known["splits"]["dev"] == {"rows": 398, "items": False}
