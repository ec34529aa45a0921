"""How much faster aNLG's metrics are than the same numbers out of pycocoevalcap and nltk.

    python -m benchmarks.bench_anlg [FOLDER WITH anlg-val.source.tsv AND anlg-val.references.tsv]

Both sides run in this process on the same contexts: the first reference of each is the text that is
scored, the others are its references. Numbers are compared first; times are medians of process time
for all contexts. What ours remembers between calls is emptied before every run, and reading WordNet
is part of our time, not of theirs. METEOR's numbers differ from those of nltk above 3.7, so only
its time is compared there. Needs pycocoevalcap (numpy alone of what it asks for), nltk and WordNet
in $WHYBOARD_HOME; what is not installed is left out.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import io
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer.core.files import home_folder
from scorer.metrics import captions, meteor, porter, rouge
from scorer.models.wordnet import folder, read

CONTEXTS = 1779
OUR_RUNS, THEIR_RUNS = 5, 3
DIGITS = 4

Item = captions.CaptionItem
Numbers = list[float]
Program = Callable[[Sequence[Item]], Numbers]


class Contest(NamedTuple):
    """One metric from both sides."""

    name: str
    ours: Program
    theirs: Program | None
    same: bool = True
    """Whether the numbers have to agree."""


def run(data_dir: Path | None) -> list[dict[str, Any]]:
    """One row a metric and one for all: name, ours, theirs (s for all contexts), ratio, unit, note.

    ``data_dir`` holds the validation contexts of aNLG; without it, sentences are made up.
    """
    items = _made_up() if data_dir is None else _items(data_dir)
    contests = [
        Contest("BLEU-1 to BLEU-4", _bleu, _coco("bleu.bleu", "Bleu", 4)),
        Contest("ROUGE-L", _rouge, _coco("rouge.rouge", "Rouge")),
        Contest("CIDEr", _cider, _coco("cider.cider", "Cider")),
        Contest("METEOR", _meteor, *_nltk()),
    ]
    rivals = [contest.theirs for contest in contests if contest.theirs]
    whole = Contest(
        "all of them", lambda given: [x for one in contests for x in one.ours(given)],
        (lambda given: [x for rival in rivals for x in rival(given)])
        if len(rivals) == len(contests) else None, all(contest.same for contest in contests),
    )
    source = "made-up" if data_dir is None else "validation"
    return [_row(contest, items, f"{len(items)} {source} contexts")
            for contest in (*contests, whole)]


def _row(contest: Contest, items: Sequence[Item], what: str) -> dict[str, Any]:
    ours = _median(contest.ours, items, OUR_RUNS)
    row = {"name": f"aNLG {contest.name}, {what}", "ours": ours, "theirs": None, "ratio": None,
           "unit": "s", "note": "theirs is not installed"}
    if contest.theirs is None:
        return row
    note = f"against {_versions()}"
    if contest.same:
        furthest = max(abs(mine - other) for mine, other in
                       zip(contest.ours(items), contest.theirs(items), strict=True))
        note += f"; numbers differ by at most {furthest:.1g}"
    theirs = _median(contest.theirs, items, THEIR_RUNS)
    return {**row, "theirs": theirs, "ratio": theirs / ours, "note": note}


def _median(program: Program, items: Sequence[Item], runs: int) -> float:
    times = []
    for _ in range(runs):
        for remembered in (meteor.words, porter.stem):
            remembered.cache_clear()
        captions.counted.cache_clear()
        start = time.process_time()
        program(items)
        times.append(time.process_time() - start)
    return statistics.median(times)


# Ours ------------------------------------------------------------------------------------------


def _bleu(items: Sequence[Item]) -> Numbers:
    found = [captions.bleu(items, highest=order) for order in range(1, 5)]
    return [
        captions.of_counts({part: sum(score.parts[part] for score in scores)
                             for part in scores[0].parts})
        for scores in found
    ]


def _rouge(items: Sequence[Item]) -> Numbers:
    return [statistics.fmean(score.value for score in rouge.rouge_l(items))]


def _cider(items: Sequence[Item]) -> Numbers:
    return [statistics.fmean(score.value for score in captions.cider(items))]


def _meteor(items: Sequence[Item]) -> Numbers:
    lexicon = read(folder(home_folder()))
    return [statistics.fmean(score.value for score in meteor.meteor(items, lexicon=lexicon))]


# Theirs ----------------------------------------------------------------------------------------


def _coco(module: str, name: str, *options: int) -> Program | None:
    try:
        found = importlib.import_module(f"pycocoevalcap.{module}")
    except ImportError:
        return None

    def program(items: Sequence[Item]) -> Numbers:
        texts = {place: [text] for place, (text, _) in enumerate(items)}
        references = {place: list(given) for place, (_, given) in enumerate(items)}
        with contextlib.redirect_stdout(io.StringIO()):  # it prints its counts
            value, _ = getattr(found, name)(*options).compute_score(references, texts)
        return [float(number) for number in (value if isinstance(value, list) else [value])]

    return program


def _nltk() -> tuple[Program | None, bool]:
    """METEOR of nltk, with its WordNet already read, and whether the numbers have to agree."""
    try:
        import nltk
        from nltk.translate.meteor_score import meteor_score
    except ImportError:
        return None, False
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "corpora" / "wordnet"
        shutil.copytree(folder(home_folder()) / "corpora" / "wordnet", place)
        (place / "index.sense").touch()  # nltk asks for it and does not need it
        (place / "lexnames").write_text(
            "\n".join(f"{number:02d}\tname\t1" for number in range(45)))
        nltk.data.path.insert(0, scratch)
        for word in ("run", "well", "small", "dog"):
            nltk.corpus.wordnet.synsets(word)  # opens what it reads later
    old = tuple(map(int, importlib.metadata.version("nltk").split(".")[:2])) < (3, 6)
    cut = (lambda text: text) if old else str.split

    def program(items: Sequence[Item]) -> Numbers:
        return [statistics.fmean(
            round(meteor_score([cut(one) for one in given], cut(text)), DIGITS)
            for text, given in items
        )]

    return program, old


def _versions() -> str:
    return ", ".join(f"{name} {importlib.metadata.version(name)}"
                     for name in ("pycocoevalcap", "nltk"))


# What is scored --------------------------------------------------------------------------------


def _items(data_dir: Path) -> list[Item]:
    """The first reference against the others; where there is one alone, the second observation."""
    rows = [(data_dir / f"anlg-val.{name}.tsv").read_text("utf-8").rstrip("\n").split("\n")
            for name in ("source", "references")]
    found = []
    for source, line in zip(*rows, strict=True):
        first, *others = line.split("\t")
        found.append((first, tuple(others)) if others else (source.split("\t")[1], (first,)))
    return found


def _made_up() -> list[Item]:
    """1,779 contexts with 1 to 5 references of about nine words, seeded."""
    chance = random.Random(1)
    words = [f"{start}{end}" for start in ("walk", "want", "jump", "play", "call", "help", "paint")
             for end in ("", "s", "ed", "ing")] + ["the", "a", "dog", "car", "to", "He", "home."]

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(5, 13)))

    return [(sentence(), tuple(sentence() for _ in range(chance.randint(1, 5))))
            for _ in range(CONTEXTS)]


def main() -> None:
    """Print the rows as a table."""
    data_dir = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for row in run(data_dir):
        theirs = "" if row["theirs"] is None else (
            f"theirs {row['theirs']:7.2f} {row['unit']}   {row['ratio']:5.1f}x")
        print(f"{row['name']:50} ours {row['ours']:6.3f} {row['unit']}   {theirs}   {row['note']}")


if __name__ == "__main__":
    main()
