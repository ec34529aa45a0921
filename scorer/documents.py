"""Documentation generated from code: spliced between marks into hand-written files.

``python -m scorer.documents`` writes it (``make docs``); a test fails while a file is stale.
A mark is ``<!-- made: NAME -->`` and ends at ``<!-- end -->``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from scorer import boards
from scorer.boards import published, submission
from scorer.boards.prompts import Prompt, prompts_of
from scorer.core.reading import schema
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.models import endpoint
from scorer.models import judge_card as cards
from scorer.scoring.results import signature
from scorer.tasks.answers import KINDS
from scorer.tasks.registry import TASKS

FILES = ("submissions/README.md", "docs/art.md", "docs/board.md",
         "docs/explained-choices.md", "docs/graph-labels.md", "docs/judges.md", "docs/metrics.md",
         "docs/models.md", "docs/results.md", "docs/signatures.md", "docs/systems-structured.md")
_MARK = re.compile(r"(<!-- made: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def made(name: str, root: Path) -> str:
    """One made piece. Raises KeyError for an unknown name."""
    pieces: dict[str, Callable[[], str]] = {
        "submission-fields": lambda: _fields(submission.Meta),
        "submission-template": lambda: _fence("yaml", submission.template("My system", "My team")),
        "columns": _columns,
        "rules": _rules,
        "board-fields": lambda: _fields(_BOARD, **_APART),
        "import-fields": _import_fields,
        "published-fields": lambda: _fields(published.Published),
        "others-fields": lambda: _fields(boards.Others, **_APART),
        "anli-rows": lambda: _reference_rows(root, "anli", ("accuracy",), "dev", "test"),
        "anlg-rows": lambda: _reference_rows(
            root, "anlg", ("BLEU-4", "METEOR", "ROUGE-L", "CIDEr"), "test"),
        "e-care-rows": lambda: _reference_rows(
            root, "e-care", ("joint-ROUGE-L", "accuracy", "METEOR", "ROUGE-L", "ROUGE-L-recall",
                             "BLEU-letters"), "dev"),
        "graphqa-rows": lambda: _reference_rows(
            root, "graphqa-explagraphs", ("accuracy", "graph-lift"), "dev"),
        "graphqa-random-rows": lambda: _reference_rows(
            root, "graphqa-explagraphs-random", ("accuracy", "graph-lift"), "test"),
        "art-settings": lambda: "\n".join(
            f"`{name}`:\n\n{_fields(TASKS[name].settings_type)}" for name in ("anli", "anlg")),
        "explained-choices-settings": lambda: _fields(TASKS["explained_choices"].settings_type),
        "graph-labels-settings": lambda: _fields(TASKS["graph_labels"].settings_type),
        "metrics": _metrics,
        "baselines": _baselines,
        "judges": lambda: "".join(
            f"`{card.name}` is {card.fitness.verdict}: "
            f"{'; '.join(f'{check.name} {check.found}' for check in card.fitness.failed)}.\n"
            for card in cards.find([cards.EMBEDDED]) if card.fitness is not None),
        "structured-card": lambda: _system("structured"),
        "endpoint-fields": lambda: _fields(endpoint.Endpoint),
        "prompts": _prompts,
        "prompt-fields": lambda: _fields(Prompt),
        "answer-kinds": lambda: "".join(
            f"- `{kind}`: {meaning}\n" for kind, meaning in KINDS.items()),
        "signature-keys": lambda: "".join(
            f"- `{key}`, `{word.short}`: {word.meaning}\n"
            for key, word in signature.KEYS.items()),
        "signature-example": lambda: _signatures(root),
        "example-result": lambda: _short_example(root),
    }
    return pieces[name]()


_BOARD = boards.declaration(TASKS["explanation_graphs"])
_APART = {"Source": "a [source](#source)", "Join": "[joins](#join)", "Column": "[columns](#column)"}
"""Records that both ``board.yaml`` and ``others.yaml`` hold: a list each, in one place."""
_MOST_CHOICES = 12


def _fields(kind: Any, **apart: str) -> str:
    """A list of the fields of a format; ``*``: required. ``apart``: records whose own list
    stands elsewhere, and what leads there."""
    return _list(_line(row, apart) for row in schema.table(kind, apart))


def _list(lines: Iterable[str]) -> str:
    return "\n".join(["", *lines, "", ""])


_SHORTER = (
    (r"^text of 1 to (\d+) characters$", ""), (r"text of 1 to (\d+) characters", r"text up to \1"),
    (r"a whole number from (\d+) to (\d+)", r"\1 to \2"), (r"^1 to 1$", "1"),
    (r"1 to (\d+) of a-z, 0-9 and (single )?inner hyphens", r"a-z, 0-9, hyphens; up to \1"),
    (r"a path such as a\.0\.b \(at most 10 parts\), or \. for the value itself",
     "a [path](#paths)"),
    (r"64 hexadecimal digits \((.*)\)", r"\1"),
    (r"a relative path without \.\.", "a relative path"),
    (r"names with values", "names with"), (r"a list of 0 to (\d+)", r"a list of up to \1"),
)
"""What a list says of an accepted value in fewer words than a message; nothing of a plain text."""


def _line(row: schema.FieldRow, apart: Mapping[str, str]) -> str:
    """A field: what it is, and what it accepts, in fewer words and without a list of very many, or
    where that stands."""
    if row.record is not None:
        note = apart.get(row.record) or ("a list" if row.accepted.startswith("a list") else "")
    else:
        note = row.accepted
        for pattern, words in _SHORTER:
            note = re.sub(pattern, words, note)
        before, mark, choices = note.partition("one of: ")
        listed = choices.split(", ")
        if len(listed) > _MOST_CHOICES:
            note = f"{before}{mark}{', '.join(listed[:3])} and {len(listed) - 3} more"
    mark = "*" if row.required else ""
    return f"- `{row.name}`{mark}: {row.meaning}{f' ({note})' if note else ''}"


def _import_fields() -> str:
    """The lists of the records that imports and rows of others share."""
    whole = schema.described(boards.Others)
    parts = []
    for title in _APART:
        others = {other: words for other, words in _APART.items() if other != title}
        rows = schema.rows(whole["$defs"][title], whole, others)
        parts += [f"### {title}", "", *(_line(row, others) for row in rows), ""]
    return "\n".join(parts)


def _table(head: str, lines: Iterable[str]) -> str:
    rule = "|---" * (head.count("|") - 1) + "|"
    return "\n".join([head, rule, *lines]) + "\n"


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"


def _columns() -> str:
    lines = []
    for board in boards.load_all(boards.boards_folder()):
        further = (f"{name} (optional)" for name in board.task.further_columns)
        columns = ", ".join([*board.task.prediction_columns, *further])
        rows = ", ".join(f"{split} {described.rows}" for split, described in board.splits.items())
        lines.append(f"| `{board.id}` | {columns} | {rows} |")
    return _table("| board | columns of predictions.&lt;split&gt;.tsv | rows |", lines)


def _rules() -> str:
    gate = TASKS["explanation_graphs"].gate_metric
    effects = {"rejects": "rejects the file", "scores": f"breaks {gate}",
               "strict": "reported beside the score", "note": "a note"}
    return _table("| rule | effect | meaning | what to do |", (
        f"| `{rule.id}` | {effects[rule.effect]} | {rule.text} | {rule.advice} |"
        for rule in CATALOGUE.values()))


def _metrics() -> str:
    lower = {"higher": "", "lower": " (lower is better)"}
    lines = [f"- `{info.id}`{lower[info.better]}: {info.summary}" for info in METRICS.values()]
    return _list(lines)


def _baselines() -> str:
    return _table("| task | row | what it is |", (
        f"| {task.title} | `{baseline.name}` | {baseline.description} |"
        for task in TASKS.values() for baseline in task.baselines.values()))


def _reference_rows(root: Path, board: str, metrics: tuple[str, ...], *splits: str) -> str:
    """Committed values of a board's reference rows, times 100; in brackets that of their null."""
    heads = [f"{metric}, {split}" if len(splits) > 1 else metric
             for split in splits for metric in metrics]
    lines = []
    for folder in sorted((root / "results" / board / "reference").iterdir()):
        documents = [json.loads((folder / f"{split}.json").read_bytes()) for split in splits]
        cells = []
        for value in (result["metrics"][metric] for result in documents for metric in metrics):
            null = value.get("null")
            cells.append(f"{100 * value['value']:.1f}"
                         + ("" if null is None else f" ({100 * null:.1f})"))
        lines.append(f"| `{folder.name}` | {' | '.join(cells)} |")
    return _table(f"| row | {' | '.join(heads)} |", lines)


def _system(name: str) -> str:
    """What a system's card says: a row a condition, its mean and deviation over seeds."""
    from scorer.lab.systems import records

    card = json.loads((records.shipped()[name] / records.CARD).read_bytes())
    names = [*card["conditions"][0]["figures"]]
    lines = []
    for row in card["conditions"]:
        cells = [f"{fmean(row['figures'][figure]):.3f} ± {stdev(row['figures'][figure]):.3f}"
                 for figure in names]
        seeds = ", ".join(map(str, sorted(row["seeds"])))
        lines.append(f"| *{row['name']}*: {row['about']} | {seeds} | {' | '.join(cells)} |")
    return _table(f"| asked with | seeds | {' | '.join(names)} |", [
        *lines, "", f"Of {card['split']}; mean and standard deviation over seeds.", "",
        "Limits:", "", *(f"- {limit}" for limit in card["limits"]), "", card["licence"]])


def _prompts() -> str:
    lines = []
    for name in TASKS:
        practice = [board for board in boards.load_all(boards.boards_folder())
                    if board.practice and board.task_name == name]
        for prompt in prompts_of(practice[0]).values():
            shown = f"{prompt.examples}, {prompt.choice}" if prompt.examples else "none"
            default = " (default)" if prompt.default else ""
            lines.append(f"| {name} | `{prompt.name}`{default} | {prompt.title} | "
                         f"`{prompt.answer}` | {shown} | {prompt.decoding.max_tokens} |")
    return _table("| task | prompt | what it asks for | form | examples | most tokens |", lines)


def _example(root: Path) -> dict[str, Any]:
    """A committed result."""
    path = root / "results" / "explagraphs-practice" / "reference" / "edited-gold" / "dev.json"
    document: dict[str, Any] = json.loads(path.read_bytes())
    return document


def _signatures(root: Path) -> str:
    long = _example(root)["metrics"]["G-BLEU"]["signature"]
    return _fence("", f"{long}\n{signature.short(long)}")


def _short_example(root: Path) -> str:
    result = _example(root)
    result["metrics"] = {"GED": result["metrics"]["GED"]}
    return _fence("json", json.dumps(result, indent=2, sort_keys=True))


def rendered(path: Path, root: Path) -> str:
    """A file's text with every made piece up to date."""
    return _MARK.sub(lambda m: m[1] + made(m[2], root) + m[3], path.read_text("utf-8"))


def stale(root: Path) -> list[str]:
    """The files whose made pieces are not what the code says."""
    return [name for name in FILES
            if (root / name).read_text("utf-8") != rendered(root / name, root)]


def write(root: Path) -> list[str]:
    """Bring every file up to date; returns those that changed."""
    changed = stale(root)
    for name in changed:
        (root / name).write_text(rendered(root / name, root), "utf-8")
    return changed


if __name__ == "__main__":
    print("\n".join(write(Path(sys.argv[1] if len(sys.argv) > 1 else "."))) or "nothing to write")
