"""Documentation generated from code: spliced between marks into hand-written files.

``python -m scorer.documents`` writes it (``make docs``); a test fails while a file is stale.
A mark is ``<!-- made: NAME -->`` and ends at ``<!-- end -->``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from scorer import board as boards
from scorer import submission
from scorer.annotations import rules as annotation_rules
from scorer.annotations.forms import forms_of
from scorer.annotations.records import Form
from scorer.board import published
from scorer.metrics.catalogue import METRICS
from scorer.models import endpoint
from scorer.models import judge_card as cards
from scorer.models.judge_card import Evaluation
from scorer.prompts.reading import prompts_of
from scorer.prompts.records import Header
from scorer.reading import schema
from scorer.results import signature
from scorer.rules import CATALOGUE
from scorer.tasks.answers import KINDS
from scorer.tasks.registry import TASKS

FILES = ("submissions/README.md", "docs/annotations.md", "docs/art.md", "docs/board.md",
         "docs/explained-choices.md", "docs/glossary.md", "docs/graph-labels.md", "docs/judges.md",
         "docs/models.md", "docs/results.md", "docs/signatures.md", "docs/systems-structured.md")
_MARK = re.compile(r"(<!-- made: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def made(name: str, root: Path) -> str:
    """One made piece. Raises KeyError for an unknown name."""
    pieces: dict[str, Callable[[], str]] = {
        "submission-fields": lambda: schema.markdown_table(submission.Meta),
        "submission-template": lambda: _fence("yaml", submission.template("My system", "My team")),
        "columns": _columns,
        "rules": _rules,
        "annotation-rules": _annotation_rules,
        "form-fields": lambda: schema.markdown_table(Form),
        "board-fields": lambda: schema.markdown_table(
            boards.declaration(TASKS["explanation_graphs"])
        ),
        "published-fields": lambda: schema.markdown_table(published.Published),
        "others-fields": lambda: schema.markdown_table(boards.Others),
        "art-settings": _art_settings,
        "explained-choices-settings": lambda: schema.markdown_table(
            TASKS["explained_choices"].settings),
        "graph-labels-settings": lambda: schema.markdown_table(TASKS["graph_labels"].settings),
        "glossary": lambda: _glossary(root),
        "metrics": _metrics,
        "baselines": _baselines,
        "judges": _judges,
        "structured-card": lambda: _system("structured"),
        "label-card": lambda: _system("label"),
        "endpoint-fields": lambda: schema.markdown_table(endpoint.Described),
        "prompts": _prompts,
        "prompt-fields": lambda: schema.markdown_table(Header),
        "answer-kinds": _kinds,
        "signature-keys": _signature_keys,
        "signature-example": lambda: _signatures(root),
        "example-result": lambda: _fence("json", _example(root)),
    }
    return pieces[name]()


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"


def _columns() -> str:
    lines = ["| board | columns of predictions.&lt;split&gt;.tsv | rows |", "|---|---|---|"]
    for board in boards.load_all(boards.boards_folder()):
        further = (f"{name} (optional)" for name in board.task.further_columns(board.settings))
        columns = ", ".join([*board.task.prediction_columns(board.settings), *further])
        rows = ", ".join(f"{split} {described.rows}" for split, described in board.splits.items())
        lines.append(f"| `{board.id}` | {columns} | {rows} |")
    return "\n".join(lines) + "\n"


def _rules() -> str:
    gate = TASKS["explanation_graphs"].gate_metric
    effects = {"rejects": "rejects the file", "scores": f"breaks {gate}",
               "strict": "reported beside the score", "note": "a note"}
    lines = ["| rule | effect | meaning | what to do |", "|---|---|---|---|"]
    lines += [f"| `{rule.id}` | {effects[rule.effect]} | {rule.text} | {rule.advice} |"
              for rule in CATALOGUE.values()]
    return "\n".join(lines) + "\n"


def _annotation_rules() -> str:
    lines = ["| rule | effect | what is said |", "|---|---|---|"]
    cautions = {one.rule: one.text for form in forms_of().values() for one in form.warnings}
    for name, text in {**annotation_rules.TEXTS, **cautions}.items():
        rule, said = name.partition(" ")[0], text.replace("{{", "{").replace("}}", "}")
        effect = "warns" if annotation_rules.warns(rule) else "refuses"
        lines.append(f"| `{rule}` | {effect} | {said.replace('|', '&#124;')} |")
    return "\n".join(lines) + "\n"


def _art_settings() -> str:
    return "\n".join(f"`{name}`:\n\n{schema.markdown_table(TASKS[name].settings)}"
                     for name in ("anli", "anlg"))


def _glossary(root: Path) -> str:
    """The terms of the site's glossary, without links to pages of the site."""
    text = (root / "site" / "glossary" / "index.md").read_text("utf-8")
    terms = text.partition("# Glossary\n\n")[2]
    terms = re.sub(r" See \[[^]]+\]\(\.\./[^)]*\)\.", "", terms)
    return re.sub(r"\[([^]]+)\]\(\.\./[^)]*\)", r"\1", terms)


def _metrics() -> str:
    lines = ["| metric | better | what it measures | what it equals |", "|---|---|---|---|"]
    lines += [f"| `{info.id}` | {info.better} | {info.summary} | {info.source} |"
              for info in METRICS.values()]
    return "\n".join(lines) + "\n"


def _baselines() -> str:
    lines = ["| task | row | what it is |", "|---|---|---|"]
    lines += [f"| {task.title} | `{one.name}` | {one.description} |"
              for task in TASKS.values() for one in task.baselines.values()]
    return "\n".join(lines) + "\n"


def _judges() -> str:
    lines = ["| judge | graphs | called right | by counting |", "|---|---|---|---|"]
    verdicts = []
    for card in cards.find([cards.embedded()]):
        lines += [f"| `{card.name}` | {one.name} | {one.right} | {_counting(one)} |"
                  for one in card.evaluations]
        if card.fitness is not None:
            verdicts.append(f"`{card.name}` is {card.fitness.verdict}: {card.fitness.figures}.\n")
    return "\n".join([*lines, "", *verdicts])


def _system(name: str) -> str:
    """What a system's card says: a row a condition, its mean and deviation over seeds."""
    from scorer.systems import cards, records

    card = cards.read(records.shipped()[name])
    names = [*card.conditions[0].figures]
    lines = [f"| asked with | seeds | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for one in card.conditions:
        cells = [f"{one.mean(figure):.3f} ± {one.deviation(figure):.3f}" for figure in names]
        seeds = ", ".join(map(str, sorted(one.seeds)))
        lines.append(f"| *{one.name}*: {one.about} | {seeds} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"Of {card.split}; mean and standard deviation over seeds.", "",
                      "Limits:", "", *(f"- {limit}" for limit in card.limits), "",
                      card.licence]) + "\n"


def _counting(one: Evaluation) -> str:
    found = one.baseline.right.value
    return "" if found is None else f"{found:.3f}".removeprefix("0")


def _prompts() -> str:
    lines = ["| task | prompt | what it asks for | form | examples | most tokens |",
             "|---|---|---|---|---|---|"]
    for name in TASKS:
        practice = [board for board in boards.load_all(boards.boards_folder())
                    if board.practice and board.task_name == name]
        for prompt in prompts_of(practice[0]).values():
            shown = f"{prompt.examples}, {prompt.choice}" if prompt.examples else "none"
            default = " (default)" if prompt.default else ""
            lines.append(f"| {name} | `{prompt.name}`{default} | {prompt.title} | "
                         f"`{prompt.answer}` | {shown} | {prompt.decoding.max_tokens} |")
    return "\n".join(lines) + "\n"


def _kinds() -> str:
    lines = ["| kind | when |", "|---|---|"]
    lines += [f"| `{kind}` | {meaning} |" for kind, meaning in KINDS.items()]
    return "\n".join(lines) + "\n"


def _signature_keys() -> str:
    lines = ["| key | short | what it says |", "|---|---|---|"]
    lines += [f"| `{key}` | `{word.short}` | {word.meaning} |"
              for key, word in signature.KEYS.items()]
    return "\n".join(lines) + "\n"


def _signatures(root: Path) -> str:
    long = json.loads(_example(root))["metrics"]["G-BLEU"]["signature"]
    return _fence("", f"{long}\n{signature.short(long)}")


def _example(root: Path) -> str:
    path = root / "results" / "explagraphs-practice" / "reference" / "edited-gold" / "dev.json"
    return json.dumps(json.loads(path.read_bytes()), indent=2, sort_keys=True)


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
