"""SeCA, EA and G-BERTScore[MiniLM]: ours against the released procedure, on the same weights.

Their side is a plain loop in our words of what the released scripts do (github
swarnaHub/ExplaGraphs, commit 67ecab1: run_seca.py; run_ea.py twice, for whole graphs and for graphs
without each edge; compute_ea.py; graph_matching.py with bert_score): one model load a script, every
text padded to 128 tokens, batches of 8; for BERTScore each sentence of a call once, 64 a batch.
Both judges have random heads from a fixed seed, which take as long as trained ones. Each side runs
in a process of its own, on the same number of threads.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.tasks.graphs.graph_items import Prediction

THREADS = 2
ONE = ("gold-as-prediction", "max-margin")
"""Measured alone: every row passes the gates, half of them do."""
VECTORS = ("max-margin", "stance-matched-null", "gold-as-prediction", "light-edits", "heavy-edits",
           "two-gold-graphs")
BASELINES = ("majority-template", "nearest-neighbour", "shuffled-gold", "null")
METRICS = ("SeCA", "EA", "G-BERTScore[minilm-l6]")
LABELS = {"seca": ("support", "counter", "incorrect"), "ea": ("support", "counter")}
REPEATS = 3

Sets = dict[str, list[Prediction]]


def run(data_dir: Path | None) -> list[dict[str, Any]]:
    """Rows (name, ours, theirs, ratio, unit, note); needs the official dev data.

    The two sides take turns, set by set, so that a busy machine is busy for both.
    """
    if data_dir is None:
        return []
    with tempfile.TemporaryDirectory() as scratch:
        _save_heads(Path(scratch))
        sides = [Side(side, data_dir, Path(scratch)) for side in ("ours", "theirs")]
        names = sides[0].ask("names")
        for side in sides:
            side.ask(f"one {ONE[1]}")  # to warm up
        ones = {name: [[side.ask(f"one {name}") for side in sides] for _ in range(REPEATS)]
                for name in ONE}
        ten = [[side.ask(f"next {name}") for side in sides] for name in names]
        seen = sides[0].ask("seen")
        memory = [side.ask("memory") for side in sides]
        for side in sides:
            side.end()
    rows = [row for name, runs in ones.items() for row in _one(name, runs)]
    note = f"{', '.join(names)}; {seen:.0%} of their texts were seen in an earlier one"
    what = f"a submission of {len(names)}"
    rows += _costs(f"{what}, models loaded", _sums(ten, ("seconds",)), len(names), note)
    rows += _costs(f"{what}, with loading", _sums(ten, ("seconds", "loading")), len(names),
                   "ours loads once a run, theirs once a script")[:1]
    rows += [_row("peak memory", memory[0], memory[1], "MiB",
                  "after all of this, one process a side")]
    return rows


def _one(name: str, runs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    furthest = max(abs(mine["values"][metric] - value) for mine, other in runs
                   for metric, value in other["values"].items())
    middle = [[sorted((run[side] for run in runs), key=lambda one: one["seconds"])[REPEATS // 2]
               for side in (0, 1)]]
    return [
        *_costs(f"{name}, models loaded", _sums(middle, ("seconds",)), 1,
                f"SeCA and EA differ by at most {furthest:.1g}"),
        *_costs(f"{name}, with loading", _sums(middle, ("seconds", "loading")), 1,
                "ours loads 3 models, theirs 4 times")[:1],
    ]


def _sums(runs: Sequence[Sequence[dict[str, Any]]], parts: Sequence[str]) -> list[list[float]]:
    """For wall and CPU time: the sum of both sides."""
    return [[sum(run[side][part][kind] for run in runs for part in parts) for side in (0, 1)]
            for kind in (0, 1)]


def _costs(name: str, sums: list[list[float]], count: int, note: str) -> list[dict[str, Any]]:
    return [_row(f"{name}, {kind}", ours / count, theirs / count, "s", note)
            for kind, (ours, theirs) in zip(("wall", "CPU"), sums, strict=True)]


def _row(name: str, ours: float, theirs: float, unit: str, note: str) -> dict[str, Any]:
    ratio = ours / theirs if unit == "share" else theirs / ours
    return {"name": f"SeCA + EA + G-BERTScore: {name}", "ours": ours, "theirs": theirs,
            "ratio": ratio, "unit": unit, "note": note}


class Side:
    """A process that scores when asked, and answers in JSON."""

    def __init__(self, side: str, data: Path, heads: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.bench_judges", side, str(data),
             str(heads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": str(THREADS)},
        )

    def ask(self, question: str) -> Any:
        """The answer to one line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(question + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """Let it go."""
        self._process.communicate()


Cost = tuple[float, float]
"""Seconds of wall and of CPU time."""


def _timed(action: Callable[[], Any]) -> tuple[Any, Cost]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = action()
    return answer, (time.perf_counter() - wall, time.process_time() - cpu)


def _save_heads(folder: Path) -> None:
    """The small encoder with a random head, once for each judge."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    from scorer.models.loading import quietly

    for seed, (name, labels) in enumerate(LABELS.items()):
        torch.manual_seed(seed)
        with quietly():
            model = BertForSequenceClassification.from_pretrained(
                _base(), id2label=dict(enumerate(labels)),
                label2id={label: place for place, label in enumerate(labels)},
            )
            torch.nn.init.normal_(model.classifier.weight, std=0.5)
            model.save_pretrained(folder / name)
        AutoTokenizer.from_pretrained(_base()).save_pretrained(folder / name)


def _base() -> Path:
    from scorer.models.known import ENCODERS
    from scorer.models.sources import locate

    return locate(ENCODERS["minilm-l6"].source)


# ---- the sets --------------------------------------------------------------------------------


def _read(data: Path) -> tuple[Board, Any, Sets]:
    """The board, dev's gold, and up to ten sets of predictions by name."""
    from scorer import boards
    from scorer.boards.golds import gold_files
    from scorer.scoring.checking import check_file
    from scorer.tasks.graphs.baselines import BASELINES as KNOWN

    board = boards.load("explagraphs")
    gold, train = (gold_files(board, {"gold": data / f"{split}.tsv"}) for split in ("dev", "train"))
    vectors = Path(os.environ.get("WHYBOARD_VECTORS", "../shared/vectors")) / "explagraphs"
    sets: Sets = {}
    for name in VECTORS:
        path = vectors / name / "predictions.tsv"
        if name == "max-margin":
            path = data / "third-party" / "max-margin.dev.predictions.tsv"
        if path.is_file():
            texts = [item.texts for item in gold.items]
            sets[name] = [*check_file(board, path, texts=texts).accepted()]
    for name in BASELINES:
        sets[name] = list(KNOWN[name].predict(board.settings, train.items, gold.items))
    return board, gold, sets


def _texts(board: Board, gold: Any, predictions: Sequence[Prediction]) -> dict[str, list[Any]]:
    """What each metric is given for the rows that pass both gates, as ``Session`` gives it."""
    task = board.task
    passed = [(item, answer) for item, answer in zip(gold.items, predictions, strict=True)
              if task.verdict(item, answer).annotation == task.passed]
    return {name: [task.use(name).select(*pair) for pair in passed] for name in METRICS}


# ---- ours ------------------------------------------------------------------------------------


class Ours:
    """Scores sets with this program."""

    def __init__(self, data: Path, heads: Path) -> None:
        self.board, self.gold, self.sets = _read(data)
        self._heads = heads
        self._running: Any = None

    def one(self, name: str) -> dict[str, Any]:
        """A set by itself: models are loaded and nothing is known."""
        (session, _), loading = _timed(self._fresh)
        result, seconds = _timed(lambda: self._score(session, name))
        return {"seconds": seconds, "loading": loading,
                "values": {m: result.metrics[m].value for m in METRICS}}

    def next(self, name: str) -> dict[str, Any]:
        """A further set of one run."""
        loading = (0.0, 0.0)
        if self._running is None:
            (self._running, _), loading = _timed(self._fresh)
        _, seconds = _timed(lambda: self._score(self._running, name))
        return {"seconds": seconds, "loading": loading}

    def seen(self) -> float:
        """The share of the sets' texts that an earlier set had."""
        from scorer.metrics.judged import ea_texts, seca_texts

        seen: set[Any] = set()
        old = asked = 0
        for predictions in self.sets.values():
            given = _texts(self.board, self.gold, predictions)
            texts: set[Any] = {seca_texts(*item[:2]) for item in given["SeCA"]}
            for item in given["EA"]:
                whole, parts = ea_texts(*item[:3])
                texts |= {whole, *parts}
            texts |= set(_sentences(given[METRICS[2]]))
            old, asked = old + len(texts & seen), asked + len(texts)
            seen |= texts
        return old / asked

    def _fresh(self) -> Any:
        from scorer.models.registry import Models
        from scorer.scoring.evaluate import Session

        models = Models({name: str(self._heads / name) for name in LABELS})
        for name in (*LABELS, "minilm-l6"):
            models(name)
        return Session(self.board, models, models.tag, METRICS), models

    def _score(self, session: Any, name: str) -> Any:
        return session.evaluate(self.gold, self.sets[name], split="dev", with_null=False)


def _sentences(pairs: Iterable[Any]) -> list[str]:
    return [text for predicted, golds in pairs for group in (predicted, *golds) for text in group]


def _peak() -> float:
    """MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---- theirs ----------------------------------------------------------------------------------


class Theirs:
    """Scores sets as the released scripts do."""

    def __init__(self, data: Path, heads: Path) -> None:
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        logging.set_verbosity(50)
        self.board, self.gold, self.sets = _read(data)
        self._heads = heads

    def one(self, name: str) -> dict[str, Any]:
        """A set by itself."""
        given = _texts(self.board, self.gold, self.sets[name])
        return _score_theirs(given, self._heads, len(self.gold.items))

    next = one


def _score_theirs(given: dict[str, list[Any]], heads: Path, rows: int) -> dict[str, Any]:
    """The four script calls over one set; texts are made by our code, which gives the same."""
    from scorer.metrics.judged import ea_texts, seca_texts

    clock: dict[str, list[Cost]] = {"load": [], "run": []}

    def timed(what: str, action: Callable[[], Any]) -> Any:
        answer, cost = _timed(action)
        clock[what].append(cost)
        return answer

    def script(name: str, pairs: Sequence[Any]) -> Any:
        model, tokenizer = timed("load", lambda: _judge(heads / name))
        return timed("run", lambda: _padded(model, tokenizer, pairs))

    seca = script("seca", [seca_texts(*item[:2]) for item in given["SeCA"]])
    right = [LABELS["seca"][int(row.argmax())] == item[2]
             for row, item in zip(seca, given["SeCA"], strict=True)]
    texts = [ea_texts(*item[:3]) for item in given["EA"]]
    whole = script("ea", [first for first, _ in texts])
    parts = iter(script("ea", [part for _, others in texts for part in others]))
    shares = []
    for sure, (_, others), item in zip(whole, texts, given["EA"], strict=True):
        place = LABELS["ea"].index(item[3])
        drops = [round(float(sure[place]), 8) > round(float(next(parts)[place]), 8)
                 for _ in others]
        shares.append(sum(drops) / len(drops))
    pairs = [(p, g) for predicted, golds in given[METRICS[2]] for gold in golds for g in gold
             for p in predicted]
    model, tokenizer = timed("load", _encoder)
    timed("run", lambda: _bertscore(model, tokenizer, pairs))
    seconds, loading = ([sum(kind) for kind in zip(*clock[what], strict=True)]
                        for what in ("run", "load"))
    return {"seconds": seconds, "loading": loading,
            "values": {"SeCA": sum(right) / rows, "EA": sum(shares) / rows}}


def _judge(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    return model, AutoTokenizer.from_pretrained(folder)


def _encoder() -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer

    return AutoModel.from_pretrained(_base()).eval(), AutoTokenizer.from_pretrained(_base())


def _padded(model: Any, tokenizer: Any, pairs: Sequence[Any]) -> Any:
    """Probabilities, shape (pairs, labels): all texts padded to 128 tokens, eight at a time."""
    import torch

    inputs = tokenizer([tuple(pair) for pair in pairs], padding="max_length", truncation=True,
                       max_length=128, return_tensors="pt")
    rows = []
    with torch.no_grad():
        for start in range(0, len(pairs), 8):
            batch = {name: values[start : start + 8] for name, values in inputs.items()}
            rows.append(torch.softmax(model(**batch).logits, dim=-1))
    return torch.cat(rows).numpy()


def _bertscore(model: Any, tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """F1 of each pair: sentences of the call once, 64 a batch by length; then 64 pairs a batch."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    distinct = sorted({text for pair in pairs for text in pair}, key=lambda t: -len(t.split()))
    vectors = {}
    scores = []
    with torch.no_grad():
        for start in range(0, len(distinct), 64):
            texts = distinct[start : start + 64]
            inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
            hidden = model(**inputs).last_hidden_state
            lengths = inputs["attention_mask"].sum(dim=1).tolist()
            for text, rows, length in zip(texts, hidden, lengths, strict=True):
                vectors[text] = torch.nn.functional.normalize(rows[:length], dim=-1)
        for start in range(0, len(pairs), 64):
            sides = [[vectors[text] for text in side]
                     for side in zip(*pairs[start : start + 64], strict=True)]
            first, second = (pad_sequence(side, batch_first=True) for side in sides)
            similarity = torch.bmm(first, second.transpose(1, 2))
            weights = [pad_sequence([_inner(len(rows)) for rows in side], batch_first=True)
                       for side in sides]
            precision = (similarity.max(dim=2).values * weights[0]).sum(dim=1)
            recall = (similarity.max(dim=1).values * weights[1]).sum(dim=1)
            scores.append(2 * precision * recall / (precision + recall))
    return torch.cat(scores)


def _inner(length: int) -> Any:
    """Equal weights of a sentence's tokens, but none of the first and the last."""
    import torch

    weights = torch.full((length,), 1 / max(1, length - 2))
    weights[[0, -1]] = 0
    return weights


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("side", choices=("ours", "theirs"))
    parser.add_argument("data", type=Path)
    parser.add_argument("heads", type=Path)
    asked = parser.parse_args()
    import torch

    torch.set_num_threads(THREADS)
    scores: Any = (Ours if asked.side == "ours" else Theirs)(asked.data, asked.heads)
    for line in sys.stdin:
        question, _, name = line.strip().partition(" ")
        answer = (list(scores.sets) if question == "names" else _peak() if question == "memory"
                  else getattr(scores, question)(*([name] if name else [])))
        print(json.dumps(answer), flush=True)
