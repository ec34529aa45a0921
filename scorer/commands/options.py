"""How verbs are declared, and what several share: options, their readers, how JSON is written."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from scorer.core.errors import UsageError, excerpt
from scorer.core.files import HOME, home_folder, json_bytes, write_atomically
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.models.registry import Models

    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]


Args = argparse.Namespace
Run = Callable[[Args], int | None]
"""Does the work of a verb; returns the exit code, or nothing for 0."""
Option = Callable[[argparse.ArgumentParser], object]
Number = TypeVar("Number", int, float)


class Verb(NamedTuple):
    """What a command does, and its options."""

    run: Run
    example: str
    """Calls of it, a line each."""
    options: Sequence[Option] = ()

    def declare(self, parser: argparse.ArgumentParser) -> str:
        """Declare its options; returns its examples."""
        parser.set_defaults(run=self.run)
        for option in self.options:
            option(parser)
        return self.example


class Action(NamedTuple):
    """One of the things that a verb can do: ``scorer board check``."""

    name: str
    help: str
    run: Run
    example: str
    options: Sequence[Option] = ()


class VerbGroup(NamedTuple):
    """A verb with actions, each of which takes its own options only."""

    actions: Sequence[Action]

    def declare(self, parser: argparse.ArgumentParser) -> str:
        """Declare its actions; returns their examples."""
        under = parser.add_subparsers(dest="what", required=True, metavar="ACTION")
        for action in self.actions:
            verb = Verb(action.run, action.example, action.options)
            declare(under, action.name, action.help, verb)
        return "\n".join(action.example for action in self.actions)


def declare(verbs: Verbs, name: str, words: str, verb: Verb | VerbGroup) -> None:
    """Declare a verb or an action; ``words``: what it does."""
    parser = verbs.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.",
                              formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(parser=parser)
    examples = verb.declare(parser).split("\n")
    parser.epilog = "\n  ".join(["examples:" if examples[1:] else "example:", *examples]) + "\n"


def option(name: str, words: str | None = None, **how: Any) -> Option:
    """One argument of ``add_argument``, to be put in a table; ``words``: what it does."""
    return lambda parser: parser.add_argument(name, help=words, **how)


def flag(name: str, words: str) -> Option:
    """An option that is given or not."""
    return option(name, words, action="store_true")


def file(name: str, words: str, **how: Any) -> Option:
    """An option that names a file."""
    return option(name, words, type=Path, metavar="FILE", **how)


def folder(name: str, words: str, **how: Any) -> Option:
    """An option that names a folder."""
    return option(name, words, type=Path, metavar="DIR", **how)


root = option("--root", "the checkout (default: .)", type=Path, default=Path())
board = option("--board", "board name or path", required=True)
json_file = option("--json", "write it as JSON; -: to standard output", metavar="FILE")
split = option("--split", "the split", required=True, choices=SPLITS)
submissions = folder("--submissions", "folder of submissions (default: submissions)",
                     default=Path("submissions"))
metrics = option("--metrics", "comma-separated metric ids (default: the board's)")
learn_from = file("--learn-from", "of a board without a train split: a gold file in its columns "
                  "that stands for it")
workplace = folder("--annotations", "the folder of batches and answers (default: annotations)",
                   default=Path("annotations"))


def home(parser: argparse.ArgumentParser) -> None:
    """``--home``: fetched data and what is made from them."""
    parser.add_argument(
        "--home", type=Path, default=home_folder(),
        help="folder of fetched data and of results from them (default: $WHYBOARD_HOME or "
        f"{HOME})",
    )


def boards(parser: argparse.ArgumentParser) -> None:
    """``--boards``: a folder of board folders."""
    here = Path("boards")
    parser.add_argument(
        "--boards", type=Path, default=here if any(here.glob("*/board.yaml")) else None,
        metavar="DIR",
        help="folder of boards (default: boards where that holds any, else those that come with "
        "the program)",
    )


folders = (boards, home)
asking = (
    board, split,
    option("--prompt", "one that scorer prompts list names (default: its first)", metavar="NAME"),
    option("--examples", "examples from train before each item (default: the prompt's)", type=int,
           metavar="N"),
    learn_from, *folders)
"""The items of a split, and what a model is asked about them."""

TARGET = "submission folder, TSV file, either gzipped, or - for standard input"
per_reference = flag("--per-reference", "of a TSV file with a line for each reference (anlg): take "
                     "the one text of each item; a file in which lines of one item differ is "
                     "refused")
order = file("--order", "with --per-reference: the official file whose rows the lines follow "
             "(default: the references of the split's gold, in its order)")


def check_order(args: Args) -> None:
    """Raise UsageError where ``--per-reference`` or ``--order`` has nothing to act on."""
    if args.order is not None and not args.per_reference:
        raise UsageError("--order FILE goes with --per-reference")
    if args.per_reference and (not args.target or any(path.is_dir() for path in args.target)):
        raise UsageError("--per-reference takes a TSV file, not a folder")


def named_once(paths: Sequence[Path]) -> None:
    """Raise UsageError where standard input is named twice."""
    from scorer.core.reading.tsv import STDIN

    if list(paths).count(STDIN) > 1:
        raise UsageError("- is named twice, but standard input can be read once; name a file")


def check_exists(path: Path) -> None:
    """Raise UsageError for predictions that are neither there nor standard input."""
    from scorer.core.reading.tsv import STDIN

    if path != STDIN and not path.exists():
        raise UsageError(f"{path}: no such file or folder; name predictions or a submission")


def board_of(args: Args) -> Board:
    """The board that ``--board`` names."""
    from scorer.boards import load

    return load(args.board, args.boards)


def print_table(rows: Sequence[Sequence[str]], before: str = "") -> None:
    """Rows in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(f"{before}{'  '.join(cells)}".rstrip())


def figure(value: Any) -> str:
    """A figure in a table: three decimals, or ``-`` for none.

    >>> figure(0.5), figure(-0.25), figure(None)
    ('.500', '-.250', '-')
    """
    return "-" if value is None else f"{float(value):.3f}".replace("0.", ".", 1)


def write_json(out: str, document: Any) -> None:
    """Write JSON to a file; ``-``: to standard output, where no text of somebody else's moves a
    terminal or commands a workflow runner."""
    content = json_bytes(document)
    write_bytes(out, inert(content.decode()).encode() if out == "-" else content)


def inert(document: str) -> str:
    """The same JSON, with escapes for what ``errors.printable`` replaces.

    >>> inert('{"a": "##[group]x"}')
    '{"a": "#\\\\u0023[group]x"}'
    """
    plain = "\n".join(line if line.isprintable() else "".join(
        letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in line)
        for line in document.split("\n"))
    return plain.replace("##[", "#\\u0023[")


def write_bytes(out: str, content: bytes) -> None:
    """Write text in UTF-8 to a file; ``-``: to standard output."""
    if out == "-":
        sys.stdout.write(content.decode())
    else:
        write_atomically(Path(out), content)


def from_environment(name: str, variable: str, default: str | None = None, **how: Any) -> Option:
    """An option whose default an environment variable may give."""
    return lambda parser: parser.add_argument(
        name, default=os.environ.get(variable) or default, **how)


def _between(kind: type[Number], least: float, most: float, words: str = "",
             ) -> Callable[[str], Number]:
    """A reader of numbers from ``least`` to ``most``; ``words``: what another is."""
    def read(text: str) -> Number:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is {words or f'not between {least} and {most}'}")
        return value

    return read


positive = _between(float, sys.float_info.min, sys.float_info.max, "no number above 0")
share = _between(float, sys.float_info.min, 1, "no number above 0 and at most 1")
price = _between(float, 0, 1e9, "no price per million tokens, 0 or more")
count = _between(int, 1, 4096)
whole = _between(int, 1, 10**9)
seed = _between(int, 0, 2**32 - 1)


def model_options(*, cached: bool = True) -> tuple[Option, ...]:
    """Which models, from where, on what; ``cached``: whether their answers may be kept."""
    return (
        option("--models", "auto: models on this machine; no: none; fetch: download missing ones",
               choices=("auto", "no", "fetch"), default="auto"),
        option("--model", "hub:NAME@REVISION, package:NAME, a folder, or for judges "
               "endpoint:FILE.yaml (scorer handbook judges)", action="append", default=[],
               metavar="NAME=SOURCE"),
        option("--device", "where models run (default: cpu)", choices=("cpu", "cuda"),
               default="cpu"),
        lambda parser: parser.set_defaults(cached=cached))


def metrics_of(args: Args) -> tuple[str, ...]:
    """The metrics that are named; none for all."""
    named = args.metrics.split(",") if args.metrics else ()
    return tuple(name.strip() for name in named)


def models_of(args: Args) -> tuple[dict[str, str], dict[str, Any]]:
    """The sources and the further options of ``Models``. Raises UsageError."""
    sources = {}
    for pair in args.model:
        name, equals, source = pair.partition("=")
        if not equals or not source:
            raise UsageError(f"--model {excerpt(pair)}: write NAME=SOURCE")
        sources[name] = source
    cache = args.home / "answers.sqlite" if args.cached else None
    return sources, {"allowed": args.models != "no", "network": args.models == "fetch",
                     "device": args.device, "cache": cache}


def models_here(args: Args) -> Models:
    """The models that the options name."""
    from scorer.models.registry import Models

    sources, how = models_of(args)
    return Models(sources, home=args.home, **how)


def engine_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Who does the work; ``scorer handbook run-a-board`` explains them."""
    group = parser.add_argument_group("engine", "where scoring runs (scorer handbook run-a-board)")
    group.add_argument("--engine", choices=("inline", "local", "ray"),
                       help="inline: this process; local: processes that may crash alone; ray: a "
                       f"Ray cluster (default: {default})")
    group.add_argument("--shard", metavar="I/N", help="score part I of N of the submissions")
    group.add_argument("--timeout", type=positive, default=3600.0, metavar="SECONDS",
                       help="longest time for one split of one submission (default: 3600)")
    group.add_argument("--memory", type=positive, metavar="GB",
                       help="most memory of one worker, in GiB (Linux; default: no limit)")
    group.add_argument("--workers", type=count, metavar="N",
                       help="workers at a time (default: local 1, ray as many as have a CPU)")
    group.add_argument("--address", metavar="HOST:PORT",
                       help="a running Ray cluster, or auto (default: one just for this run)")
    group.add_argument("--gpus", type=positive, default=0.0, metavar="N",
                       help="GPUs that Ray gives to each worker; may be a fraction (default: 1 "
                       "with --device cuda, else none)")
    group.add_argument("--log", type=Path, metavar="FILE",
                       help="append tracebacks of failures here (default: HOME/score.log)")
