"""``scorer export``: a board for other people's tools."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping
from pathlib import Path

from scorer.commands import options
from scorer.commands.options import Action, VerbGroup, option


def _hub(given: argparse.Namespace) -> int:
    """Write the dataset's folder; say what it has and what stays here."""
    from scorer import boards
    from scorer.boards.exporting import hub, items

    board = boards.load(given.board, given.boards)
    files = hub.dataset_files(board)
    _write(given.out, files, {name.partition("/")[0] for name in files})
    for split in board.splits:
        why = items.why_not(board, split)
        gold = "with gold" if board.splits[split].gold == "public" else "without gold"
        print(f"{board.id} {split}: " + (f"left out: {why}" if why else gold))
    print(f"{given.out}: push it as a dataset of the Hub with: "
          f"hf upload --repo-type dataset OWNER/{board.id} {given.out}")
    return 0


def _lm_eval(given: argparse.Namespace) -> int:
    """Write the tasks; say how to run them, and which metrics they leave out."""
    from scorer.lab.harnesses import lm_eval_tasks
    from scorer.lab.harnesses.asking import asking

    asked = asking(given.board, given.split, prompt=given.prompt, examples=given.examples,
                   learn_from=given.learn_from, home=given.home, boards_folder=given.boards)
    made = lm_eval_tasks.folder(asked, given.home, given.learn_from)
    before = {path.name for path in given.out.glob(f"{lm_eval_tasks.PREFIX}*")}
    _write(given.out, made.files, {*made.files, *before, "__pycache__"})
    for metric, why in made.left_out.items():
        print(f"{metric}: left out: {why}")
    print(f"{given.out}: {', '.join(made.tasks)}")
    print(f"run: lm_eval --model hf --model_args pretrained=MODEL --include_path {given.out} "
          f"--tasks {made.tag} --log_samples --output_path logs")
    return 0


def _write(folder: Path, files: Mapping[str, bytes], known: Collection[str]) -> None:
    """Write files below a folder that holds nothing but ``known`` names, if it is there."""
    from scorer.core.errors import UsageError, excerpt
    from scorer.core.files import listed, write_together

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: a file; expected a folder, or nothing")
    strange = [path.name for path in listed(folder) if path.name not in known or path.is_symlink()
               ] if folder.is_dir() else []
    if strange:
        raise UsageError(f"{folder}: holds {excerpt(strange[0])}, which is no part of an export; "
                         "name an empty folder or a new one")
    write_together({folder / name: content for name, content in files.items()})


_BOARD = option("--board", required=True, help="board name or path")
_OUT = option("--out", type=Path, required=True, metavar="DIR", help="the folder to write")
VERB = VerbGroup("export", "write a board for other tools: a dataset of the Hub, or tasks", (
    Action("hub", "write a board's data as a dataset of the Hugging Face Hub: Parquet files, "
           "croissant.json, eval.yaml and a card", _hub,
           "scorer export hub --board explagraphs-practice --out my-dataset",
           (_BOARD, options.boards, _OUT)),
    Action("lm-eval", "write a split as tasks of lm-evaluation-harness, which then gives our "
           "numbers", _lm_eval, """\
scorer export lm-eval --board explagraphs-practice --split dev --out tasks
lm_eval --model hf --model_args pretrained=gpt2 --include_path tasks \\
    --tasks whyboard_explagraphs_practice --log_samples --output_path logs""", (
        _BOARD, options.split, _OUT,
        option("--prompt", metavar="NAME",
               help="one that scorer prompts lists (default: the first)"),
        option("--examples", type=int, metavar="N",
               help="examples before each item (default: the prompt's)"),
        option("--learn-from", type=Path, metavar="FILE",
               help="a gold file to take examples from, where the board has no train split"),
        options.boards, options.home)),
))
