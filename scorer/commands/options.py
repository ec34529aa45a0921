"""How verbs are declared, and options that several share. Every folder has a stated default."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.core.files import HOME, home_folder
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.pipeline.ci.main_branch import Main

    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]

Run = Callable[[argparse.Namespace], int]
Option = Callable[[argparse.ArgumentParser], object]


class Action(NamedTuple):
    """A verb, or one of the things that a verb can do: ``scorer check``, ``scorer board check``."""

    name: str
    help: str
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


class VerbGroup(NamedTuple):
    """A verb with actions, each of which takes its own options only."""

    name: str
    help: str
    actions: Sequence[Action]

    def declare(self, parser: argparse.ArgumentParser) -> str:
        """Declare its actions; returns their examples."""
        under = parser.add_subparsers(dest="what", required=True, metavar="ACTION")
        for action in self.actions:
            declare(under, action)
        return "\n".join(action.example for action in self.actions)


def declare(verbs: Verbs, verb: Action | VerbGroup) -> None:
    """Declare a verb or an action."""
    parser = verbs.add_parser(verb.name, help=verb.help,
                              description=f"{verb.help[0].upper()}{verb.help[1:]}.",
                              formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(parser=parser)
    examples = verb.declare(parser).split("\n")
    parser.epilog = "\n  ".join(["examples:" if examples[1:] else "example:", *examples]) + "\n"


def option(*names: str, **how: Any) -> Option:
    """One argument of ``add_argument``, to be put in a table."""
    return lambda parser: parser.add_argument(*names, **how)


root = option("--root", type=Path, default=Path(), help="the checkout (default: .)")
split = option("--split", required=True, choices=SPLITS, help="the split")
submissions = option("--submissions", type=Path, default=Path("submissions"), metavar="DIR",
                     help="folder of submissions (default: submissions)")


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


per_reference = option(
    "--per-reference", action="store_true",
    help="of a TSV file with a line for each reference (anlg): take the one text of each item; a "
    "file in which lines of one item differ is refused")
order = option(
    "--order", type=Path, metavar="FILE",
    help="with --per-reference: the official file whose rows the lines follow (default: the "
    "references of the split's gold, in its order)")


def check_order(targets: Sequence[Path], order: Path | None, *, per_reference: bool) -> None:
    """Raise UsageError where ``--per-reference`` or ``--order`` has nothing to act on."""
    from scorer.core.errors import UsageError

    if order is not None and not per_reference:
        raise UsageError("--order FILE goes with --per-reference")
    if per_reference and (not targets or any(path.is_dir() for path in targets)):
        raise UsageError("--per-reference takes a TSV file, not a folder")


def p_text(value: float) -> str:
    """A p-value in a table.

    >>> p_text(0.00004), p_text(0.0123), p_text(1)
    ('< .001', '.012', '1')
    """
    return p_equals(value).removeprefix("p ").removeprefix("= ")


def p_equals(value: float) -> str:
    """A p-value in a sentence: ``p = .012``."""
    from scorer.scoring.leaderboard.numbers import p_text as with_sign
    from scorer.scoring.leaderboard.numbers import plain

    return plain(with_sign(value))


def number(value: float, metric: str, signed: bool = False) -> str:
    """A metric's value as people read it: percent, or three decimals of a distance."""
    from scorer.metrics.catalogue import METRICS
    from scorer.scoring.leaderboard.numbers import number as text
    from scorer.scoring.leaderboard.numbers import plain

    return plain(text(value, METRICS[metric], signed))


def write_json(out: str, document: Any) -> None:
    """Write JSON to a file; ``-``: to standard output, where no text of somebody else's moves a
    terminal or commands a workflow runner."""
    from scorer.core.files import json_bytes

    content = json_bytes(document)
    write_bytes(out, inert(content.decode()).encode() if out == "-" else content)


def inert(document: str) -> str:
    """The same JSON, with escapes for what ``errors.printable`` replaces.

    >>> inert('{"a": "##[group]x"}')
    '{"a": "#\\\\u0023[group]x"}'
    """
    import json

    plain = "\n".join(line if line.isprintable() else "".join(
        letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in line)
        for line in document.split("\n"))
    return plain.replace("##[", "#\\u0023[")


def write_bytes(out: str, content: bytes) -> None:
    """Write text in UTF-8 to a file; ``-``: to standard output."""
    from scorer.core.files import write_atomically

    if out == "-":
        sys.stdout.write(content.decode())
    else:
        write_atomically(Path(out), content)


def main_branch(given: argparse.Namespace, name: str = "HEAD") -> Main:
    """What lies at a commit of the checkout."""
    from scorer.pipeline.ci.git import Repository
    from scorer.pipeline.ci.main_branch import Main

    repository = Repository(given.root)
    return Main.read(repository, repository.commit(name), given.root / "boards")


def from_environment(name: str, variable: str, default: str | None = None, **how: Any) -> Option:
    """An option whose default an environment variable may give."""
    return lambda parser: parser.add_argument(
        name, default=os.environ.get(variable) or default, **how)
