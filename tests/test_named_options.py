"""Options of the program that pages, workflows, the Makefile, benchmarks and messages name."""

import re
import subprocess
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.bench_score import _ours
from scorer.cli import parser

ROOT = Path(__file__).resolve().parent.parent
NAMED_IN = ("README.md", "CONTRIBUTING.md", "Makefile", ".github", ".ci", "annotations/*.md",
            "benchmarks/*.py", "boards", "docs/*.md", "scorer", "site", "submissions/README.md",
            "templates")
TEXTS = (".md", ".py", ".html", ".yml", ".yaml", ".sh", ".js", "/run", "Makefile")
CALL = re.compile(r"(?:(?<![\w./-])(?:-m )?scorer|SCORER\)|bin/scorer) (?P<words>[a-z][^\n`;|<]*)")
# where a sentence or another program follows the call
ENDS = re.compile(r"""\\n|\. |\) | in |: |"|&&|</| >""")


def verbs(above: ArgumentParser, name: str = "") -> Iterator[tuple[str, ArgumentParser]]:
    """Every verb without actions, and every action, by its words."""
    below = [action for action in above._actions if isinstance(action, _SubParsersAction)]
    if not below:
        yield name, above
    for action in below:
        for word, verb in action.choices.items():
            yield from verbs(verb, f"{name} {word}".strip())


VERBS = dict(verbs(parser()))


def faults(text: str) -> list[str]:
    """The options in a text that the verb before them does not take."""
    joined = re.sub(r"""\\{1,2}\n\s*|"\n\s*f?\"""", "", text)
    found = []
    for call in CALL.finditer(joined):
        words = ENDS.split(call["words"])[0].split()
        verb = " ".join(words[:2]) if " ".join(words[:2]) in VERBS else words[0]
        if verb in VERBS:
            options = VERBS[verb]._option_string_actions
            found += [f"{verb} {word}" for word in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*",
                                                              " ".join(words))
                      if word not in options]
    return found


def test_every_option_that_is_named_is_one_of_its_verb() -> None:
    files = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", *NAMED_IN], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    texts = {file: (ROOT / file).read_text("utf-8") for file in files if file.endswith(TEXTS)}
    assert len(texts) > 400
    assert {file: found for file, text in texts.items() if (found := faults(text))} == {}


@pytest.mark.parametrize("text", [
    "`scorer score FOLDER --no-cache`", "$(SCORER) data fetch x --timeout 10",
    "run: scorer annotations status \\\n    --json x",
    'f"run scorer check {x} "\n    "--reserved"'])
def test_an_option_that_is_gone_is_noticed(text: str) -> None:
    assert faults(text)


def test_the_benchmark_of_a_score_asks_for_options_that_are_there() -> None:
    assert parser().parse_args(_ours(Path("predictions.tsv"), Path("gold.tsv"))[3:]).verb == "score"
