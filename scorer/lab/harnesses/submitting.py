"""Answers of a log as a finished submission: every row an answer, or a named reason why not."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.prompts import Prompt, prompt_of, read_answer
from scorer.core.errors import UsageError, counted, excerpt
from scorer.core.reading.tsv import File
from scorer.lab.harnesses import inspect_answers
from scorer.lab.harnesses.asking import AskedItems
from scorer.lab.harnesses.inspect_answers import AnswerLog, ModelAnswer, listed, text_of
from scorer.lab.logs.inspect_logs import head_of
from scorer.lab.logs.reading import Budget, object_of
from scorer.scoring.checking import check_file, plain_bytes
from scorer.tasks.answers import ANSWERED, REFUSAL, Answered

NOT_ASKED = "not asked"
DECODING = ("temperature", "top_p", "top_k", "max_tokens", "seed", "stop_seqs", "frequency_penalty",
            "presence_penalty", "reasoning_effort", "reasoning_tokens", "system_message")
"""Options of a run that change answers, as inspect_ai calls them."""
OWN_SOLVERS = ("ask", "scorer/ask")
LONGEST = 1000
"""Characters of a field of submission.yaml that tells of the run."""


@dataclass(frozen=True)
class Imported:
    """One log as the rows of one split."""

    log: AnswerLog
    items: AskedItems
    prompt: Prompt
    rows: tuple[Answered, ...]
    tokens: tuple[int, int]
    """Read and written."""
    texts: tuple[str | None, ...]
    """What the model wrote to each item; None where it never answered."""

    @property
    def split(self) -> str:
        """The split that was asked."""
        return self.items.split

    def kinds(self) -> dict[str, list[int]]:
        """The items of each kind of row, answered ones first, then the most frequent."""
        groups: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows, start=1):
            groups.setdefault(row.kind, []).append(number)
        return dict(sorted(groups.items(),
                           key=lambda group: (group[0] != ANSWERED, -len(group[1]), group[0])))

    def counts(self) -> str:
        """How many rows of each kind, in words."""
        return ", ".join(f"{len(numbers)} {kind}" for kind, numbers in self.kinds().items())

    def summary(self) -> list[str]:
        """Each kind of row, how many there are, and which, unless they were answered."""
        lines = []
        for kind, numbers in self.kinds().items():
            why = self.rows[numbers[0] - 1].said
            lines.append(f"{len(numbers):6} {kind}"
                         + ("" if kind == ANSWERED else f": {listed(numbers)}")
                         + (f"; the first: {why}" if why not in ("", kind) else ""))
        return [*lines, f"tokens read {self.tokens[0]}, written {self.tokens[1]}"]

    def answers(self) -> bytes:
        """The model's texts, one JSON object a line."""
        rows = zip(self.rows, self.texts, strict=True)
        return "".join(json.dumps({"split": self.split, "item": number, "kind": row.kind,
                                   "said": row.said, "columns": row.columns, "answer": text}) + "\n"
                       for number, (row, text) in enumerate(rows, start=1)).encode()

    def predictions(self) -> bytes:
        """The predictions file. Raises SubmissionError if it could not be scored."""
        content = plain_bytes([row.columns for row in self.rows], self.log.path)
        check_file(self.items.board, File(content), texts=self.items.texts).accepted()
        return content


def imported(log: AnswerLog, items: AskedItems, *, epoch: int | None = None,
             missing: Collection[int] = ()) -> Imported:
    """The rows of a split from a log of it.

    ``epoch``: which one, if the log has several. ``missing``: items that may have no sample. Raises
    UsageError for a log of other items, or one that leaves items out that were not named.
    """
    prompt, known = _fits(log, items), log.epochs
    if len(known) > 1 if epoch is None else epoch not in known:
        raise UsageError(f"{log.path}: {counted(len(known), 'epoch')}; a submission is one of "
                         "them: --epoch N")
    chosen = epoch or (known[0] if known else 1)
    numbers = range(1, len(items.texts) + 1)
    beyond = sorted({number for number, _ in log.samples} - {*numbers})
    if beyond:
        raise UsageError(f"{log.path}: item {beyond[0]}, but {items.board.id} {items.split} has "
                         f"{len(items.texts)}")
    answers = [log.samples.get((number, chosen)) for number in numbers]
    rows = tuple(_row(items.board, prompt, answer) for answer in answers)
    tokens = [answer.tokens for answer in answers if answer is not None]
    run = Imported(log, items, prompt, rows,
                   (sum(token[0] for token in tokens), sum(token[1] for token in tokens)),
                   tuple(None if answer is None else answer.text for answer in answers))
    _someone_answered(run)
    absent = [number for number in numbers
              if (number, chosen) not in log.samples and number not in missing]
    if absent:
        raise UsageError(
            f"{log.path}: no sample of {counted(len(absent), 'item')} of {len(items.texts)}: "
            f"{listed(absent)}; finish the run: inspect eval-retry {log.path}, or leave them "
            f"without an answer: --unanswered {listed(absent).replace(' ', '')}")
    return run


def _someone_answered(run: Imported) -> None:
    """Raise UsageError where no row says anything."""
    path, nothing = run.log.path, run.items.board.task.unanswered
    if not any(run.texts):
        raise UsageError(f"{path}: no answer to any of {counted(len(run.rows), 'item')} "
                         f"({run.counts()}); see that the endpoint answers, then run: inspect "
                         f"eval-retry {path}")
    if all(row.columns == nothing for row in run.rows):
        raise UsageError(f"{path}: no answer could be read ({run.counts()}); the first: "
                         f"{next(row.said for row in run.rows if row.said)}; see what the model "
                         f"writes: inspect view, and what it is asked: scorer prompts show")


def _fits(log: AnswerLog, items: AskedItems) -> Prompt:
    """The prompt of a log of these very items. Raises UsageError for another log."""
    board, about = items.board, log.about
    if (about.get("board"), about.get("split")) != (board.id, items.split):
        raise UsageError(f"{log.path}: a log of {_shown(about, 'board')} {_shown(about, 'split')}, "
                         f"not of {board.id} {items.split}")
    if about.get("inputs_sha256") != items.digest:
        raise UsageError(
            f"{log.path}: the items of {board.id} {items.split} have changed since (SHA-256 of the "
            f"inputs {_shown(about, 'inputs_sha256')[:12]}, here {items.digest[:12]}; version of "
            f"the board {_shown(about, 'board_version')}, here {board.version}); ask again, or "
            "import with the data of that time")
    name = object_of(about.get("prompt")).get("name")
    if not isinstance(name, str):
        raise UsageError(f"{log.path}: it names no prompt; run it again with this program")
    return prompt_of(board, name)


def _shown(about: Mapping[str, Any], key: str) -> str:
    return excerpt(str(about.get(key))[:80])[1:-1]


def _row(board: Board, prompt: Prompt, answer: ModelAnswer | None) -> Answered:
    if answer is None or answer.text is None:
        kind = NOT_ASKED if answer is None else answer.error
        return Answered(kind, board.task.unanswered, kind)
    row = read_answer(prompt, board, answer.text, cut=answer.cut)
    if answer.refused and row.kind != ANSWERED:
        return Answered(REFUSAL, row.columns, "the provider says so")
    return row


def fields_of(runs: Sequence[Imported], values: Mapping[str, str | None]) -> dict[str, Any]:
    """What submission.yaml says of some splits that one model was asked in one way.

    ``values``: what the user says of system, team, date, model, description and saw_dev_gold, which
    is yes unless they know better. Raises UsageError for logs of different models or prompts.
    """
    first = runs[0]
    for other in runs[1:]:
        if _way(other) != _way(first):
            raise UsageError(f"{other.log.path}: another model, prompt or decoding than "
                             f"{first.log.path}; make two submissions")
    model = values.get("model") or model_of(first.log)
    named = first.log.about["prompt"]
    version, digest = named.get("version"), named.get("digest")
    if not (isinstance(version, int) and isinstance(digest, str) and len(digest) == 64):
        raise UsageError(f"{first.log.path}: no version or digest of its prompt; run it again with "
                         "this program")
    prompt = f"{first.prompt.name} v{version} (SHA-256 {_plain(digest)})"
    described = values.get("description") or (
        f"{model}, asked by prompt {first.prompt.name} v{version} through inspect_ai; answers are "
        "as the model wrote them.")
    seed = _config(first.log).get("seed")
    return {
        "system": values.get("system") or model[:80],
        "team": values["team"],
        "date": values.get("date") or max(run.log.created for run in runs)[:10],
        "description": described,
        "training_data": _examples(first) + " What the model itself was trained with, its makers "
                         "know.",
        "saw_dev_gold": values.get("saw_dev_gold") or "yes",
        "models": [model[:120]],
        "prompt": prompt,
        "decoding": _decoding(runs)[:LONGEST],
        "seeds": f"{seed}, one run" if isinstance(seed, int) else "none set; one run",
    }


def model_of(log: AnswerLog) -> str:
    """The model's name, with the name of its folder where weights were read from one."""
    name = _plain(text_of(log.spec, "model")) or "a model without a name"
    path = object_of(log.spec.get("model_args")).get("model_path")
    folder = _plain(PurePath(path).name) if isinstance(path, str) else ""
    return f"{name} ({folder})" if folder else name


def _plain(text: str) -> str:
    """Foreign text on one line, as a field of submission.yaml takes it."""
    return " ".join("".join(letter for letter in text if letter.isprintable()).split())[:120]


def _way(run: Imported) -> tuple[object, ...]:
    return (model_of(run.log), run.log.about.get("prompt"), run.log.about.get("examples"),
            [(name, _config(run.log).get(name)) for name in DECODING])


def prompt_notes(run: Imported) -> list[str]:
    """What there is to say if the prompt is another one by now."""
    if run.log.about["prompt"].get("digest") == run.prompt.digest:
        return []
    return [f"{run.log.path}: prompt {run.prompt.name} has changed since; answers are read by the "
            "form that it has now"]


def _examples(run: Imported) -> str:
    held = object_of(run.log.about.get("examples"))
    count, choice = held.get("count"), held.get("choice")
    if not isinstance(count, int) or count < 1:
        return "Prompted without examples."
    how = {"similar": ", those most like the item", "fixed": ", the same for all items"}
    return f"Prompted with {counted(count, 'example')} from train{how.get(str(choice), '')}."


def _config(log: AnswerLog) -> Mapping[str, Any]:
    """The options of a run's requests."""
    return object_of(log.plan.get("config"))


def _decoding(runs: Sequence[Imported]) -> str:
    log = runs[0].log
    config = _config(log)
    options = [f"{name} {_plain(str(config[name]))}" for name in DECODING
               if config.get(name) is not None]
    steps = log.plan.get("steps")
    solvers = [_plain(text_of(object_of(step), "solver"))
               for step in (steps if isinstance(steps, list) else ())]
    others = [name for name in solvers if name not in ("", *OWN_SOLVERS)]
    version = _plain(text_of(object_of(log.spec.get("packages")), "inspect_ai"))
    body = [", ".join(options) + "; else the provider's defaults." if options
            else "The provider's defaults."]
    body += [f"Solvers: {', '.join(others)}."] if others else []
    body += [f"{run.split}: {counted(len(run.rows), 'item')}, {run.counts()}; tokens read "
             f"{run.tokens[0]}, written {run.tokens[1]}." for run in runs]
    made = _plain(str(log.about.get("whyboard")))
    body.append(f"inspect_ai {version or 'of unknown version'}, asked by whyboard {made}, imported "
                f"by {__version__}.")
    return " ".join(body)


def chosen_log(paths: Sequence[Path], board: str, split: str) -> AnswerLog:
    """The log of a split among several files and folders: of a run and its resumptions the last.

    Raises UsageError where several runs fit.
    """
    logs = [path for name in paths for path in inspect_answers.find(name)]
    if len(logs) == 1:
        return inspect_answers.read(logs[0], Budget())
    fit, faults = [], []
    budget = Budget()
    for path in logs:
        try:
            head = head_of(path, budget, whole=True)
            about = inspect_answers.about_of(path, head)
        except UsageError as fault:
            if budget.spent:
                raise
            faults.append(str(fault))  # a run that was killed leaves such a file
            continue
        if (about.get("board"), about.get("split")) == (board, split):
            fit.append((text_of(head["eval"], "created"), str(path), head["eval"]))
    if not fit and faults:
        raise UsageError("\n".join(faults))
    runs = {text_of(spec, "task_id") for *_, spec in fit}
    if len(runs) != 1:
        named = ", ".join(name for _, name, _ in fit[:5])
        raise UsageError(f"{counted(len(runs), 'run')} of {board} {split} in these logs; name one"
                         + (f" of: {named}" if named else ""))
    return inspect_answers.read(Path(max(fit, key=lambda entry: entry[:2])[1]), Budget())
