"""The only table of systems that can be trained or asked here, and the trained ones that ship."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from scorer.boards.submission import CONSTRAINED, TRAINED_HERE
from scorer.core.errors import DataError, UsageError, excerpt
from scorer.lab.systems import records
from scorer.lab.systems.records import FILE, System, Trained
from scorer.tasks.anlg.task import AbductiveGeneration
from scorer.tasks.anli.task import AbductiveInference
from scorer.tasks.graphs.task import ExplanationGraphs

GRAPHS, CHOICES = ExplanationGraphs.name, AbductiveInference.name
TUNED = ("encoder", "every_weight", "bf16", "epochs")
"""Options of a system that tunes an encoder."""
WRITES = (*TUNED, "graphs_only", "base", "edge_order", "learning_rate")

SYSTEMS = {system.name: system for system in (
    System(
        "structured", "Structured model", GRAPHS,
        "A label first, by a model of its own. Then an encoder tags the texts' concepts and "
        "relates every ordered pair of them, and an integer program finds the graph of "
        "greatest total score that keeps the board's constraints (after RE-SP of Saha et al. "
        "2021).",
        (CONSTRAINED, TRAINED_HERE), "structured.system", (*TUNED, "graphs_only"),
        ("labels", "external", "no_constraints")),
    System(
        "label", "Label model", GRAPHS,
        "A classifier of the texts gives the label; the graph is the null graph, which says "
        "nothing (after the classifiers of Saha et al. 2021).",
        (TRAINED_HERE,), "labels", TUNED),
    System(
        "label-with-graph", "Label model with a graph", GRAPHS,
        "A classifier of the texts and of a graph that another system drew gives the label "
        "(after the reasoning models of Saha et al. 2021).",
        (TRAINED_HERE,), "labels", TUNED, ("graphs",)),
    System(
        "rationalizing", "Rationalizing seq2seq", GRAPHS,
        "A label first, by the label model. Then a sequence-to-sequence model reads the texts "
        "and the label, and writes the graph as a string (after the rationalizing models of "
        "Saha et al. 2021).",
        (TRAINED_HERE,), "seq2seq", WRITES, ("labels",)),
    System(
        "reasoning", "Reasoning seq2seq", GRAPHS,
        "A sequence-to-sequence model reads the texts and writes the graph as a string. Then a "
        "label model reads texts and graph (after the reasoning models of Saha et al. 2021).",
        (TRAINED_HERE,), "seq2seq", WRITES, ("labels",)),
    System(
        "encoder", "Tuned encoder", CHOICES,
        "An encoder reads each hypothesis with what its form of input admits of the "
        "observations; the higher score is taken (after BERT-ft of Bhagavatula et al. 2020).",
        (TRAINED_HERE,), "choices", (*TUNED, "form")),
    System(
        "svm", "Support vector machine", CHOICES,
        "A linear machine over lengths, overlap with the observations and words of feeling "
        "(after Bhagavatula et al. 2020, with our own lists of words).",
        (TRAINED_HERE,), "svm"),
    System(
        "bag-of-words", "Bag of words", CHOICES,
        "The mean of each text's word vectors, and two layers that score a hypothesis (after "
        "Bhagavatula et al. 2020, with an encoder's input vectors in place of GloVe's).",
        (TRAINED_HERE,), "choices", ("encoder", "bf16", "epochs")),
    System(
        "cckg", "Commonsense paths", GRAPHS,
        "Paths of triples similar to the texts, cut out of a knowledge base of commonsense "
        "without training (after CCKG of Plenz et al. 2023).",
        (CONSTRAINED,), "cckg.system", (),
        ("labels", "no_constraints", "knowledge", "triplets", "encoder"), trains=False),
    System(
        "gpt2", "GPT-2", AbductiveGeneration.name,
        "A causal language model reads the observations, and perhaps inferences from them, and "
        "writes the hypothesis (after Bhagavatula et al. 2020).",
        (TRAINED_HERE,), "causal",
        ("bf16", "epochs", "base", "inputs", "inferences", "learning_rate"), ("inferences",)),
)}
"""Every system by its name."""


def of_task(task: str) -> list[str]:
    """The names of a task's systems."""
    return [name for name, system in SYSTEMS.items() if system.task == task]


class Found(NamedTuple):
    """A system that was asked for by name or by folder."""

    system: System
    folder: Path | None
    """None, as is ``trained``, if it needs no training."""
    trained: Trained | None


def find(name: str) -> Found:
    """A system without training or one that ships, by its name; or one in a folder.

    Raises UsageError, with the choices, or DataError if it is none of these.
    """
    if name in SYSTEMS and not SYSTEMS[name].trains:
        return Found(SYSTEMS[name], None, None)
    ours = records.shipped()
    folder = ours.get(name, Path(name))
    if not (folder / FILE).is_file():
        fault = f"a folder without {FILE}" if folder.is_dir() else "no such folder"
        choices = f"{', '.join(ours)}, or a folder" if ours else "a folder"
        raise UsageError(f"{excerpt(name)}: no trained system ({fault}); name {choices} that "
                         "scorer train wrote")
    system, trained = read(folder)
    return Found(system, folder, trained)


def read(folder: Path) -> tuple[System, Trained]:
    """The trained system in a folder. Raises UsageError or DataError if there is none."""
    trained = records.read(folder)
    if trained.system not in SYSTEMS:
        raise DataError(f"{folder / FILE}: no system {excerpt(trained.system)} is known; expected "
                        f"one of {', '.join(SYSTEMS)}")
    return SYSTEMS[trained.system], trained
