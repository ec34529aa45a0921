"""The verbs of ``scorer``, one file each: ``VERB`` declares options, its ``run`` does the work.

A verb's file imports nothing heavy; ``run`` does. The file of a verb is imported when it is called,
those of all for the program's own help.
"""

from __future__ import annotations

from importlib import import_module

from scorer.commands.options import Action, VerbGroup

FILES = {name: name for name in (
    "check", "score", "rescore", "compare", "new", "submit", "baseline", "board", "data", "export",
    "train", "predict", "import", "curve", "prompts", "filter", "judge", "gold", "annotations",
    "meta", "site", "archive", "ci", "handbook")} | {"import": "importing", "filter": "filtering"}
"""Verb -> its file, in the order of the help."""


def verbs(called: str = "") -> list[Action | VerbGroup]:
    """The verb that is called, if there is one of the name; else all."""
    files = [FILES[called]] if called in FILES else FILES.values()
    return [import_module(f"scorer.commands.{file}").VERB for file in files]
