"""``scorer prompts``: which prompts there are, what they send, and what a run would cost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Action, Args, VerbGroup, flag, option
from scorer.core.errors import UsageError, WhyboardError, counted, excerpt, printable
from scorer.core.reading.tsv import Problems, Row

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.boards.prompts import Prompt
    from scorer.lab.harnesses.asking import Asking

MOST_CHECKED = 200
"""Gold answers that are written by a prompt's template and read back, when it is checked."""


def _asking(args: Args) -> Asking:
    """What the options name. Raises UsageError or DataError."""
    from scorer.lab.harnesses.asking import asking

    return asking(args.board, args.split, prompt=args.prompt, examples=args.examples,
                  choice=args.choice, seed=args.seed, learn_from=args.learn_from, home=args.home,
                  boards_folder=args.boards, with_gold=False)


def _list(args: Args) -> None:
    from scorer.boards.prompts import prompts_of

    for name, prompt in prompts_of(options.board_of(args)).items():
        shown = f"{prompt.examples} {prompt.choice}" if prompt.examples else "no"
        whose = "" if prompt.origin == "scorer" else f", of {prompt.origin}"
        whose += ", the default" if prompt.default else ""
        print(f"{name:20} v{prompt.version}  {prompt.digest[:12]}  {prompt.title}: {shown} "
              f"examples, answer as {prompt.answer}, at most {prompt.decoding.max_tokens} "
              f"tokens{whose}")


def _show(args: Args) -> None:
    from scorer.boards.prompts import ESTIMATED, tokens_of

    setup = _asking(args)
    items = setup.items
    if not 1 <= args.item <= len(items.texts):
        raise UsageError(f"--item {args.item}: {items.board.id} {items.split} has items 1 to "
                         f"{len(items.texts)}")
    chat = setup.messages(args.item)
    count = tokens_of(chat)
    if args.json:
        prompt, examples = setup.prompt, setup.examples
        options.write_json("-", {
            "board": items.board.id, "split": items.split, "prompt": prompt.name,
            "version": prompt.version, "digest": prompt.digest, "answer": prompt.answer,
            "examples": examples.count, "choice": examples.choice if examples.count else None,
            "seed": args.seed, "item": args.item, "tokens": count,
            "tokens_counted": ESTIMATED, "messages": [message._asdict() for message in chat]})
        return
    for message in chat:
        print(f"--- {message.role}\n{printable(message.content)}")
    print(f"--- {setup.prompt.reference}, {counted(setup.examples.count, 'example')}, "
          f"{counted(count, 'token')} ({ESTIMATED})")


def _cost(args: Args) -> None:
    from scorer.boards.prompts import A_MESSAGE, ESTIMATED, tokens_of

    setup = _asking(args)
    inputs = [tokens_of(setup.messages(number)) for number in range(1, len(setup.items.texts) + 1)]
    each = setup.prompt.decoding.max_tokens
    most = each * len(inputs)
    print(f"{setup.items.board.id} {setup.items.split}, {setup.prompt.reference}, "
          f"{setup.examples.count} examples")
    print(f"items                {len(inputs):>12,}")
    print(f"input tokens         {sum(inputs):>12,}  ({sum(inputs) / len(inputs):.0f} an item, "
          f"{max(inputs)} at most; {ESTIMATED}, and {A_MESSAGE} a message)")
    print(f"output tokens        {most:>12,}  at most ({each} an item)")
    if args.price_input is not None or args.price_output is not None:
        money = (sum(inputs) * (args.price_input or 0) + most * (args.price_output or 0)) / 1e6
        print(f"money                {money:>12,.2f}  at most, in the currency of "
              "the prices given; a server's cache or discount is not known here")


def _check(args: Args) -> int:
    from scorer import boards
    from scorer.boards.prompts import prompts_of

    folder = args.boards or boards.boards_folder()
    worst = 0
    for name in args.target or boards.known_boards(folder):
        try:
            board = boards.load(name, args.boards)
            table = prompts_of(board)
            faults = [fault for prompt in table.values() for fault in _unread(args, board, prompt)]
        except WhyboardError as fault:
            print(fault, file=sys.stderr)
            worst = max(worst, fault.exit_code)
            continue
        for message in faults:
            print(message, file=sys.stderr)
        worst = max(worst, 2 if faults else 0)
        print(f"{board.id}: {counted(len(table), 'prompt')}"
              + (f", {counted(len(faults), 'fault')}" if faults else ""))
    return worst


def _unread(args: Args, board: Board, prompt: Prompt) -> list[str]:
    """The faults of a prompt whose own answer is not read as the gold answer that it was given."""
    from scorer.boards.golds import public_golds
    from scorer.boards.prompts import messages, read_answer

    for split in board.splits:
        golds = public_golds(board, split, args.home)
        for gold in golds.items[:MOST_CHECKED] if golds else ():
            *_, answer, _ = messages(prompt, board, gold.texts, [gold])
            result = read_answer(prompt, board, answer.content)
            prediction = board.task.read_prediction(Row(1, result.columns), Problems("answer"))
            if board.task.content(prediction) != board.task.gold_contents(gold)[0]:
                return [f"{board.id} {prompt.name}: the answer that answer.txt writes for an item "
                        f"of {split} is read as {result.kind}: "
                        f"{result.said or excerpt(' | '.join(result.columns))}; expected gold's "
                        f"own answer; write it in the form {prompt.answer}"]
    return []


ASKING = (
    *options.asking,
    option("--choice", "fixed: the same examples for all items; similar: those most like the item "
           "(default: the prompt's)", choices=("fixed", "similar")),
    option("--seed", "decides which fixed examples are shown (default: 5)", type=options.seed,
           default=5))
"""What decides the messages for the items of a split."""


PROMPTS = VerbGroup((
    Action("list", "name the prompts of a board", _list,
           "scorer prompts list --board explagraphs-practice", (
        options.board, options.boards)),
    Action("show", "print the exact messages for an item", _show, """\
scorer prompts show --board explagraphs-practice --split dev --item 1
scorer prompts show --board explagraphs-practice --split dev --item 1 --prompt code --examples 2 \\
    --json""", (
        *ASKING,
        option("--item", "number of the item in its split, from 1", type=options.whole,
               required=True, metavar="N"),
        flag("--json", "print JSON"))),
    Action("cost", "count items and tokens before anything is spent; asks nothing of the network",
           _cost, """\
scorer prompts cost --board explagraphs-practice --split dev --prompt rationalizing \\
    --price-input 2.5 --price-output 10""", (
        *ASKING,
        option("--price-input", "price of a million input tokens", type=options.price, metavar="P"),
        option("--price-output", "price of a million output tokens", type=options.price,
               metavar="P"),
    )),
    Action("check", "check prompts: templates, and that their own answers are read back", _check,
           "scorer prompts check explagraphs-practice", (
        option("target", "boards (default: all)", nargs="*", metavar="BOARD"),
        *options.folders)),
))
