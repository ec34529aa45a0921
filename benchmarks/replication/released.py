"""Run the released ``metrics/eval.py`` on one file and write what it finds for every item.

    PYTHON released.py CHECKOUT PREDICTIONS GOLD RELATIONS OUT [--two-golds]

Runs on Python 3.7 and later with the libraries of requirements.txt and nothing of ours. ``eval.py``
runs unmodified; its results are read from its variables when it has ended. Two things stand in its
way from outside: ``bert_score``, which needs a model, is replaced by a module that calls every pair
of edges equal, and ``get_ged`` by itself with a list of what it returned.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
import types
from importlib import import_module
from pathlib import Path

NAMES = ("networkx", "nltk", "numpy", "rouge_score", "scipy", "spacy")
METRICS = {"G-BLEU": "bleu", "G-ROUGE-2": "rouge"}
PARTS = {"precision": "precisions", "recall": "recalls", "f1": "f1s"}


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("checkout", "predictions", "gold", "relations", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--two-golds", action="store_true")
    given = parser.parse_args()
    given.out.write_text(json.dumps(run(given)), encoding="utf-8")


def run(given: argparse.Namespace) -> dict[str, object]:
    """The versions in use, and what the code says of every item."""
    metrics = given.checkout / "metrics"
    sys.path.insert(0, str(metrics))
    _replace_bert_score()
    distances = _record_distances()
    annotated = given.out.with_suffix(".annotations.tsv")
    sys.argv = ["eval.py", "--pred_file", str(given.predictions), "--gold_file", str(given.gold),
                "--relations_file", str(given.relations), "--eval_annotated_file", str(annotated),
                *(["--test"] if given.two_golds else [])]
    found = runpy.run_path(str(metrics / "eval.py"), run_name="__main__")
    found["eval_annotations"].close()
    lines = annotated.read_text(encoding="utf-8-sig").splitlines()
    golds = 2 if given.two_golds else 1
    return {
        "versions": {"python": sys.version.split()[0], **{name: _version(name) for name in NAMES}},
        "annotation": [line.rsplit("\t", 1)[1] for line in lines],
        "GED": [float(min(distances[start : start + golds]))
                for start in range(0, len(distances), golds)],
        **{metric: {part: [float(value) for value in found[f"{prefix}_{name}"]]
                    for part, prefix in PARTS.items()} for metric, name in METRICS.items()},
    }


def _replace_bert_score() -> None:
    def score(cands: list[str], refs: list[str], **_: object) -> tuple[None, None, list[float]]:
        return None, None, [1.0] * len(cands)

    module = types.ModuleType("bert_score")
    module.score = score  # type: ignore[attr-defined]
    sys.modules["bert_score"] = module


def _record_distances() -> list[float]:
    graph_matching = import_module("graph_matching")
    original = graph_matching.get_ged
    found: list[float] = []

    def recorded(*graphs: str) -> float:
        found.append(original(*graphs))
        return found[-1]

    graph_matching.get_ged = recorded  # type: ignore[attr-defined]
    return found


def _version(name: str) -> str:
    try:
        from importlib.metadata import version
    except ImportError:  # Python 3.7
        return str(import_module("pkg_resources").get_distribution(name).version)
    return version(name)


if __name__ == "__main__":
    main()
