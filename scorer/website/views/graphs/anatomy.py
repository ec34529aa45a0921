"""What a system's graphs get wrong, from ``scorer.analyses``; every count leads to its examples."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.rules import lookup, text_rule
from scorer.tasks.graphs.funnel import Broken, funnel
from scorer.tasks.graphs.graph_statistics import AgainstGold, against_gold
from scorer.tasks.graphs.partitions import partitions
from scorer.website.boards.anatomy import Anatomy, Gate, RuleCount
from scorer.website.boards.anatomy import anatomy as parted
from scorer.website.browsing.searching import annotated
from scorer.website.records import Entry, SplitView


def anatomy(view: SplitView, entry: Entry) -> Anatomy:
    """As much of it as can be told: without items the counts, with hidden gold nothing."""
    return parted(view, entry, partitions(view.board.settings, view.golds), _gates(view, entry),
                  _rules(view, entry, "broken"), _rules(view, entry, "strict"))


def statistics(view: SplitView, entry: Entry) -> AgainstGold | None:
    """Its graphs beside gold, where both are at hand."""
    if not entry.predictions or len(entry.result.items) != len(view.golds):
        return None
    return against_gold(
        view.golds, entry.predictions, entry.result.items, view.board.settings.graph.relations)


def _gates(view: SplitView, entry: Entry) -> Iterator[Gate]:
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


def _rules(view: SplitView, entry: Entry, which: str) -> tuple[RuleCount, ...]:
    """Rules by how often they were broken, as the result counts them."""
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
