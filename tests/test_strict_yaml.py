"""YAML that strangers write: what is refused, where, and in which words (rows 45 of the list)."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.core.reading.strict_yaml import DEEPEST, LARGEST, Node, read
from tests.effort import A_SECOND, within
from tests.fuzz_helpers import assert_fit_for_a_log, assert_inside, hostile_bytes, thorough


def value(content: str | bytes) -> object:
    """A document as plain values. Fails if it is refused."""
    node, problems = read(content.encode() if isinstance(content, str) else content, "f.yaml")
    assert problems == []
    assert node is not None
    return plain(node)


def plain(node: Node) -> object:
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    return [plain(child) for child in node.value] if isinstance(node.value, list) else node.value


def refused(content: str | bytes) -> str:
    """The one problem of a document. Fails if there is none."""
    node, problems = read(content.encode() if isinstance(content, str) else content, "f.yaml")
    assert node is None
    [problem] = problems
    return str(problem)


PLAIN = "one plain YAML document; use plain keys, strings and lists"

REFUSED: dict[str, tuple[str | bytes, str]] = {
    "an anchor": ("a: &x b", f"1:4 META-YAML an anchor (&name); expected {PLAIN}"),
    "an alias": ("a: *x", f"1:4 META-YAML an alias (*name); expected {PLAIN}"),
    "a billion laughs": (
        "a: &a [lol]\nb: &b [*a, *a]\n", f"1:4 META-YAML an anchor (&name); expected {PLAIN}"),
    "an object of Python": (
        "!!python/object/apply:os.system [id]",
        f"1:1 META-YAML a tag (!name); expected {PLAIN}"),
    "a tag": ("a: !!binary aGk=", f"1:4 META-YAML a tag (!name); expected {PLAIN}"),
    "a tag that says nothing": ("a: ! b", f"1:4 META-YAML a tag (!name); expected {PLAIN}"),
    "a key twice": (
        "a: 1\nb: 2\na: 3\n", f"3:1 META-YAML the key 'a' a second time; expected {PLAIN}"),
    "a key twice, below": (
        "x:\n  a: 1\n  'a': 3\n", f"3:3 META-YAML the key 'a' a second time; expected {PLAIN}"),
    "a merge key": ("<<: {a: 1}", f"1:1 META-YAML a merge key (<<); expected {PLAIN}"),
    "a key that is a list": (
        "? [a]\n: b", f"1:3 META-YAML a key that is not plain text; expected {PLAIN}"),
    "two documents": ("a: 1\n---\nb: 2\n", f"2:1 META-YAML a second document; expected {PLAIN}"),
    "nothing": ("", f"1:1 META-YAML an empty file; expected {PLAIN}"),
    "only a comment": ("# later\n", f"1:1 META-YAML an empty file; expected {PLAIN}"),
    "a tab": (
        "a:\n\tb: c", "2:1 META-YAML found character '\\t' that cannot start any token; "
        "expected one plain YAML document; mend the YAML"),
    "an open bracket": (
        "a: [b", "1:6 META-YAML expected ',' or ']', but got '<stream end>'; "
        "expected one plain YAML document; mend the YAML"),
    "an unknown escape, told in ASCII": (
        'a: "\\é"', "1:6 META-YAML found unknown escape character '\\xe9'; "
        "expected one plain YAML document; mend the YAML"),
    "an escape beyond Unicode": (
        'a: "\\U00110000"', "1:1 META-YAML a number that is too large in an escape or a directive; "
        "expected one plain YAML document; remove it"),
    "a version of five thousand digits": (
        f"%YAML 1.{'9' * 5000}\n--- a", "1:1 META-YAML a number that is too large in an escape or "
        "a directive; expected one plain YAML document; remove it"),
    "a bell": (
        "a: b\nc: d\x07", "2:5 META-YAML the character U+0007; "
        "expected one plain YAML document; remove the character"),
    "a noncharacter": (
        "a: b\ufffe", "1:5 META-YAML the character U+FFFE; "
        "expected one plain YAML document; remove the character"),
    "U+2028, a line end to YAML only": (
        "a: b\nc: d\u2028e: f", "2:5 META-YAML the line-separating character U+2028; "
        "expected one plain YAML document; end lines with LF"),
    "lone CR": (
        "a: b\rc: d", "1:5 META-YAML the line-separating character U+000D; "
        "expected one plain YAML document; end lines with LF"),
    "Latin-1": (
        b"a: b\nc: caf\xe9", "2:1 META-YAML byte 11 is not UTF-8; "
        "expected one plain YAML document; save the file as UTF-8"),
    "UTF-16": (
        "a: b".encode("utf-16"), "1:1 META-YAML byte 0 is not UTF-8; "
        "expected one plain YAML document; save the file as UTF-8"),
    "a megabyte": (
        b"a: " + b"x" * 10**6, f"1:1 META-YAML more than {LARGEST} bytes; "
        "expected one plain YAML document; shorten the file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_surprising_yaml_is_refused_with_exactly_these_words(name: str) -> None:
    content, words = REFUSED[name]
    said = refused(content)
    assert said == f"f.yaml:{words}"
    assert_fit_for_a_log(said)


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
    assert value("[" * DEEPEST + "x" + "]" * DEEPEST)
    assert "nesting deeper" in refused("[" * (DEEPEST + 1) + "x" + "]" * (DEEPEST + 1))


def test_every_scalar_is_the_text_that_stands_there() -> None:
    assert value("on: yes\nno: 3.10\nnan: .nan\ndate: 2026-01-31\nnull: ~\noct: 017\ntime: 12:30:45"
                 "\nempty:\nexp: 1e3\nhex: 0x1A") == {
        "on": "yes", "no": "3.10", "nan": ".nan", "date": "2026-01-31", "null": "~", "oct": "017",
        "time": "12:30:45", "empty": "", "exp": "1e3", "hex": "0x1A",
    }


def test_ordinary_yaml_is_read() -> None:
    written = "a: b # c\nd: 'e: f'\ng: |\n  two\n  lines\nh: >-\n  one\n  line\ni: [j, 'k']\n"
    assert value(written) == {
        "a": "b", "d": "e: f", "g": "two\nlines\n", "h": "one line", "i": ["j", "k"],
    }
    assert value("---\na: b\n...\n") == {"a": "b"}
    assert value("%YAML 1.1\n---\na: b") == {"a": "b"}


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
    before = set(sys.modules)
    refused("!!python/module:antigravity {}")
    refused("!!python/name:os.system")
    assert "antigravity" not in set(sys.modules) - before


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
        plain(node)
