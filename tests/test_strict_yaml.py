"""YAML that strangers write: what is refused, where, and what is read (row 45 of the list)."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.core.errors import Problem
from scorer.core.reading.strict import DEEPEST
from scorer.core.reading.strict import read_yaml as read
from tests.case_files import expanded
from tests.case_files import read as read_cases
from tests.effort import A_SECOND, within
from tests.fuzz_helpers import assert_fit_for_a_log, assert_inside, hostile_bytes, thorough

REFUSED: dict[str, tuple[bytes, str]] = {
    name: (expanded(text).encode("latin-1" if kind == "bytes" else "utf-8"), place)
    for kind, cases in read_cases("refused.yaml").items() for name, (text, place) in cases.items()}


def value(content: bytes) -> object:
    """A document as plain values. Fails if it is refused."""
    node, problems = read(content, "f.yaml")
    assert problems == []
    assert node is not None
    return node.plain()


def refusal(content: bytes) -> Problem:
    """The one problem of a document. Fails if there is none."""
    node, [problem] = read(content, "f.yaml")
    assert node is None
    return problem


@pytest.mark.parametrize("name", REFUSED)
def test_surprising_yaml_is_refused_at_its_place(name: str) -> None:
    content, place = REFUSED[name]
    message = str(refusal(content))
    assert message.startswith(f"f.yaml:{place} META-YAML ")
    assert_fit_for_a_log(message)


DEEP = {
    "brackets": "[" * 60_000,
    "braces": "{" * 60_000,
    "lists": "- " * 30_000,
    "complex keys": "? " * 30_000,
    "mappings in lines": "".join(f"{' ' * n}a:\n" for n in range(300)),
    "closed brackets": "[" * 30_000 + "]" * 30_000,
    "six thousand keys": "".join(f"k{n}: v\n" for n in range(6_000)),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_or_long_yaml_is_judged_at_once_and_without_recursion(name: str) -> None:
    most = 3 * A_SECOND if name == "six thousand keys" else A_SECOND / 2
    node, problems = within(most, lambda: read(DEEP[name].encode(), "f.yaml"))
    if node is None:
        assert problems[0].found == f"nesting deeper than {DEEPEST}"


def test_nesting_is_allowed_to_a_depth_that_no_file_of_ours_needs() -> None:
    assert value(b"[" * DEEPEST + b"x" + b"]" * DEEPEST)


def test_every_scalar_is_the_text_that_stands_there() -> None:
    scalars = {"on": "yes", "no": "3.10", "nan": ".nan", "date": "2026-01-31", "null": "~",
               "oct": "017", "time": "12:30:45", "empty": "", "exp": "1e3", "hex": "0x1A"}
    assert value("".join(f"{key}: {text}\n" for key, text in scalars.items()).encode()) == scalars


@pytest.mark.parametrize(("document", "read_as"), [
    (b"a: b # c\nd: 'e: f'\ng: |\n  two\n  lines\nh: >-\n  one\n  line\ni: [j, 'k']\n",
     {"a": "b", "d": "e: f", "g": "two\nlines\n", "h": "one line", "i": ["j", "k"]}),
    (b"---\na: b\n...\n", {"a": "b"}),
    (b"%YAML 1.1\n---\na: b", {"a": "b"}),
])
def test_ordinary_yaml_is_read(document: bytes, read_as: object) -> None:
    assert value(document) == read_as


def test_one_byte_order_mark_and_cr_lf_are_accepted() -> None:
    assert value(b"\xef\xbb\xbfa: b\r\nc: d\r\n") == {"a": "b", "c": "d"}


def test_a_node_knows_its_place_and_that_of_its_key() -> None:
    root, _ = read(b"a: b\nlonger:\n  - c\n", "f.yaml")
    assert root is not None
    assert isinstance(root.value, dict)
    inner = root.value["longer"]
    assert (inner.line, inner.column, inner.key) == (3, 3, (2, 1))
    assert (root.value["a"].line, root.value["a"].column, root.value["a"].key) == (1, 4, (1, 1))


@pytest.mark.claim("Reading YAML never runs what it names.")
def test_reading_does_not_run_what_a_tag_names() -> None:
    refusal(b"!!python/module:antigravity {}")
    refusal(b"!!python/name:os.system")
    assert "antigravity" not in sys.modules


pieces = st.lists(
    st.sampled_from([
        "a", "b: c", ":", ": ", "- ", "? ", "\n", "\n  ", "  ", "[", "]", "{", "}", ",", "'", '"',
        "&x ", "*x", "!", "!!str ", "!<x> ", "|", ">", "|2-", "%YAML 1.1\n", "%TAG ! x\n", "---\n",
        "...", "#", "\t", "\\", '"\\U00110000"', '"\\ud800"', '"\\x41"', "é", "\u2028", "\ufeff",
        "<<", "~", "0x", "@", "`", "\x07", "\r\n", "\r", "%41", "1" * 50,
    ]),
    max_size=25,
).map("".join)


@pytest.mark.claim("Any bytes as YAML are read or refused in one line.")
@thorough(500)
@given(pieces.map(str.encode) | st.text(max_size=30).map(lambda t: t.encode(errors="replace"))
       | hostile_bytes)
def test_any_bytes_are_read_or_refused_in_one_line(content: bytes) -> None:
    node, problems = read(content, "f.yaml")
    assert (node is None) == bool(problems)
    for problem in problems:
        assert_inside(problem, content.removeprefix(b"\xef\xbb\xbf"))
        assert_fit_for_a_log(str(problem))
    if node is not None:
        node.plain()
