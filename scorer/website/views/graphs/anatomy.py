"""Gates that a system's graphs passed, and rules that they broke, with where to see them."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.rules import lookup, text_rule
from scorer.tasks.graphs.funnel import Broken, funnel
from scorer.website.boards.anatomy import Gate, RuleCount
from scorer.website.browsing.searching import annotated
from scorer.website.records import Entry, SplitView


def gates(view: SplitView, entry: Entry) -> Iterator[Gate]:
    """The label, the structure and, where a judge was asked, what convinced it."""
    counts, task = entry.result.counts, view.board.task
    if task.passed not in counts:
        return
    label = view.board.settings.labels
    items, passed = counts["items"], counts[task.passed]
    wrong = counts.get("stance_incorrect", 0)

    def at(annotation: str) -> str:
        return annotated(view, entry, annotation)

    yield Gate("items of the split", items, 0, "", "")
    if label:
        yield Gate(f"with the right {label.name}", items - wrong, wrong, "",
                   at("stance_incorrect"))
    yield Gate("with a correct structure too", passed, items - wrong - passed, at(task.passed),
               at("struct_incorrect"))
    last = [step for step in funnel(entry.result.items).steps if step.level == "semantics"]
    if entry.result.items and last:
        step = last[0]
        yield Gate("whose graph convinces the judge too", len(step.passed), len(step.stopped),
                   "", "", step.stopped if view.golds else ())


def rule_counts(view: SplitView, entry: Entry, strict: bool) -> tuple[RuleCount, ...]:
    """Rules by how often they were broken, as the result counts them."""
    which = "strict" if strict else "broken"
    found = funnel(entry.result.items if view.golds else ())
    told: dict[str, Broken] = {one.rule: one for one in getattr(found, which)}
    counts: dict[str, int] = entry.result.counts.get(which, {})
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(_rule(view, entry, which, told.get(rule, Broken(rule, (), ())), n)
                 for rule, n in ordered)


def _rule(view: SplitView, entry: Entry, which: str, found: Broken, times: int) -> RuleCount:
    at = annotated(view, entry, "struct_incorrect", found.rule) if which == "broken" else ""
    return RuleCount(found.rule, lookup(found.rule).page, _rule_text(view, found.rule), times,
                     len(found.alone), found.rows, at)


def _rule_text(view: SplitView, rule: str) -> str:
    """The rule's sentence; one about an input text names it."""
    for text in view.board.settings.texts:
        if rule == text_rule(text.name):
            return f"Fewer than {text.concepts} different concepts occur in the {text.name}."
    return lookup(rule).text
