"""The verbs of ``scorer``: which there are, and the module that each one loads when it is called.

A module has a ``Verb`` or ``VerbGroup`` named as its verb, which declares options and does the
work. Only a verb's own module is loaded. What takes long to import, what an extra brings, and the
lab, without which the other verbs work, are imported where they are used.
"""

from importlib import import_module

from scorer.commands.options import Verb, VerbGroup

VERBS = {
    "check": ("check", "check a submission and list every error"),
    "score": ("score", "score submissions or a predictions file"),
    "rescore": ("score", "score every existing result again"),
    "compare": ("compare", "test whether one system is better than another"),
    "new": ("submit", "make a submission's folder with a submission.yaml to fill in"),
    "submit": ("submit", "make the branch of a submission's pull request"),
    "baseline": ("submit", "write reference rows (majority, nearest neighbour, null, gold ...)"),
    "board": ("board", "check or make a board, or show the format of board.yaml"),
    "data": ("data", "fetch or import a board's files, and check their digests"),
    "export": ("data", "write a board for other tools: a dataset of the Hub, or tasks"),
    "train": ("train", "train a system on a board's train split"),
    "predict": ("predict", "write a system's predictions as a submission"),
    "import": ("predict", "write submissions from logs of other harnesses"),
    "curve": ("train", "train a system several times, by form and items, and measure it"),
    "prompts": ("prompts", "list, show, check and price the prompts of a board"),
    "filter": ("train", "keep the pair of hypotheses of each context that a model finds hardest"),
    "judge": ("judge", "train or measure the judge models of SeCA and EA"),
    "gold": ("gold", "seal and open hidden gold"),
    "annotations": ("annotations", "make batches for annotators, check and count their answers"),
    "meta": ("meta", "measure how well metrics agree with people, and how sure people are"),
    "site": ("site", "build or serve the static site"),
    "archive": ("site", "write an archive of the repository, or verify one"),
    "ci": ("ci", "the steps of the workflows on GitHub"),
    "handbook": ("site", "print a page of the handbook"),
}
"""Verb -> its module, and what it does, in the order of ``scorer --help``."""


def load(verb: str) -> Verb | VerbGroup:
    """A verb, with its options."""
    module, _ = VERBS[verb]
    command: Verb | VerbGroup = getattr(import_module(f"scorer.commands.{module}"), verb.upper())
    return command
