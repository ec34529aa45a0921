"""What a leaderboard says: winner, tie or not enough signal, in sentences with evidence. Pure.

``tied`` is said of rows no pair of which differs significantly, and nobody is called best who does
not beat the null of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from scorer.boards.submission import CONSTRAINED, OWN
from scorer.scoring.leaderboard.about import APART, NO_SYSTEM
from scorer.scoring.leaderboard.numbers import BLANK, name_text, number, p_text
from scorer.scoring.results.leaderboard import (
    Condition,
    LeaderboardDocument,
    Row,
    Sentence,
    Stability,
    Tiebreak,
    Verdict,
)
from scorer.statistics import ALPHA, FEWEST

TABLE, COMPARE = "./", "compare/"
ROOT = "../../../"
"""From a split's page to the site's root."""
NULLS = f"{ROOT}glossary/#null"
NAMED = 3
"""So many tied rows are named; of more there is a number."""


def verdict(board: LeaderboardDocument, stable: Stability | None = None) -> Verdict:
    """What the rows and pairs of a document, which has no verdict yet, say together."""
    facts = _Facts(board)
    tied, won = [row.key for row in facts.tied], len(facts.tied) == 1
    crowned = bool(tied) and not facts.no_lift and not facts.behind
    return Verdict(
        outcome=("winner" if won and crowned else
                 "tie" if tied and not won and not facts.no_lift else "not enough signal"),
        best=tied if crowned else [], tied=[] if won else tied, tiebreak=facts.tiebreak,
        stable=stable if tied else None,
        sentences=[Sentence.model_validate({"code": code, "text": f"{text}.", "evidence": evidence})
                   for code, text, evidence in _sentences(facts) if text])


@dataclass(frozen=True)
class _Facts:
    """What the sentences rest on."""

    board: LeaderboardDocument

    @property
    def name(self) -> str:
        """The column that orders the rows."""
        return self.board.ordering.id if self.board.ordering else ""

    @cached_property
    def systems(self) -> list[Row]:
        """Rows that might win, with a value, best first."""
        return [row for row in self.board.rows if row.kind in ("scored", "third-party")
                and row.withdrawn is None and self.value(row)]

    @cached_property
    def ranked(self) -> list[Row]:
        return [row for row in self.board.rows if row.rank] if self.name else []

    @cached_property
    def lifts(self) -> dict[str, str]:
        """How each system fares against its null, as far as that was tested."""
        words = {row.key: self.versus_null(row) for row in self.systems}
        return {key: word for key, word in words.items() if word not in ("", "untested")}

    @property
    def no_lift(self) -> str:
        """That systems were tested against their nulls and none beats its own; empty if one does.
        """
        if self.board.items < FEWEST or not self.lifts or "better" in self.lifts.values():
            return ""
        who = "No system" if len(self.lifts) == len(self.systems) else "No tested system"
        return f"{who} beats {self.board.null or 'its null'} on {self.name}"

    @cached_property
    def tied(self) -> list[Row]:
        return self.not_separated(self.ranked)

    @property
    def behind(self) -> list[Row]:
        """Those of the first rows that were tested against their null and do not beat it."""
        return [row for row in self.tied if self.lifts.get(row.key, "better") != "better"]

    @cached_property
    def paired(self) -> frozenset[str]:
        return frozenset(self.board.pairs.rows) if self.board.pairs else frozenset()

    def not_separated(self, rows: Sequence[Row]) -> list[Row]:
        """The first row and what is not separated from it, nor from each other, best first.

        Of rows without pairs in the document nothing is known, so they are none of these.
        """
        group: list[Row] = []
        for row in rows:
            pairs = [self.board.pair(other.key, row.key) for other in group]
            if row.key in self.paired and not any(
                    pair and pair[3] is not None and pair[3] <= ALPHA for pair in pairs):
                group.append(row)
        return group

    @cached_property
    def tiebreak(self) -> Tiebreak | None:
        """The first other column on which one of the tied is better than each of the others."""
        keys = {row.key for row in self.tied}
        for column in self.board.columns if len(keys) > 1 else ():
            if column.id == self.board.order.by or column.why_not_rank:
                continue
            wins = dict.fromkeys(keys, 0)
            for both, cell in self.board.close_pairs.get(column.id, {}).items():
                d, p = float(cell[0] or 0), float(cell[3] or 0)
                if keys.issuperset(both) and p <= ALPHA and d:
                    wins[both[(d > 0) != (column.better == "higher")]] += 1
            for key, count in wins.items():
                if count == len(keys) - 1:
                    return Tiebreak(column=column.id, best=key)
        return None

    # ---- in words ------------------------------------------------------------------------------

    def value(self, row: Row) -> str:
        """A row's value of that column as people read it; empty without one."""
        cell = row.values.get(self.name)
        return self._number(cell.v if cell else None)

    def null(self, row: Row) -> str:
        """The same of its null."""
        return self._number(row.values[self.name].null)

    def _number(self, value: float | None) -> str:
        column = self.board.ordering
        return "" if value is None or column is None else number(float(value), column)

    def versus_null(self, row: Row) -> str:
        versus = row.values[self.name].vs_null
        return versus.verdict if versus else ""

    def p(self, first: Row, second: Row) -> str:
        cell = self.board.pair(first.key, second.key)
        assert cell is not None, "ranked rows have pairs"
        return p_text(cell[3] or 0.0)


# ---- sentences ---------------------------------------------------------------------------------


def _sentences(facts: _Facts) -> Iterator[tuple[str, str, str]]:
    """Code, text without its full stop, and evidence of each, in their order; without a text there
    is none."""
    if not facts.tied:
        yield "no-lift", facts.no_lift, NULLS
        yield "no-ranks", _why_unranked(facts), f"{ROOT}metrics/statistics/"
    else:
        won = len(facts.tied) == 1
        first = _lead(facts) if won else _tie(facts)
        if facts.no_lift:
            yield "no-lift", f"{facts.no_lift}: {first}", NULLS
        else:
            yield ("tie" if not won else "lead" if facts.behind else "winner", first,
                   _compare(facts.tied[0], facts.ranked[1]))
        if CONSTRAINED in (facts.tied[0].tags or ()):
            yield "cannot-lose", *_cannot_lose(facts)
        yield "ties", "; ".join(_ties(facts)), COMPARE
    judged = any(entry.code != "unmeasured" for entry in facts.board.order.passed_over)
    yield "scope", "; ".join(_scope(facts)), f"{ROOT}judges/#gate" if judged else TABLE


def _why_unranked(facts: _Facts) -> str:
    board = facts.board
    known = [row for row in facts.systems if row.unranked != NO_SYSTEM]
    may_rank = (board.gold == "public" and not board.practice and board.items >= FEWEST
                and board.rows)
    if not may_rank or len(known) > 1:
        why = board.ordering.no_ranks if board.ordering else "nothing may order the rows"
        return f"Not enough to name a best system: {why or 'no system can be compared'}"
    if not known:
        others = dict.fromkeys(row.unranked for row in board.rows if row.kind != "reference"
                               and row.unranked and row.unranked != NO_SYSTEM)
        return (f"No system has a rank: {'; '.join(others)}" if others else
                "No system has been scored here yet; the rows are baselines")
    [row] = known
    words = {"better": "beats", "worse": "is worse than", "same": "does not beat",
             "equal": "equals"}.get(facts.versus_null(row))
    null = f"; it {words} {board.null} ({facts.null(row)})" if (
        words and board.null and facts.null(row)) else ""
    return f"One system so far: {title(row)}, {facts.value(row)} on {facts.name}{null}"


def _lead(facts: _Facts) -> str:
    """One system is first, be it better than its null or not."""
    leader, second = facts.tied[0], facts.ranked[1]
    value, null = facts.value(leader), facts.null(leader)
    if facts.no_lift:
        its = f", its null has {null}" if null else ""
        lead = f"leads with {value}{', the same as its null' if null == value else its}"
    elif facts.behind:
        its = f" ({null})" if null else ""
        lead = f"leads on {facts.name} ({value}) but does not beat its null{its}"
    else:
        lead = f"is best on {facts.name} ({value})"
    return (f"{title(leader)} {lead}; {title(second)} ({facts.value(second)}) is significantly "
            f"worse ({facts.p(leader, second)})")


def _tie(facts: _Facts) -> str:
    first, last = facts.tied[0], facts.tied[-1]
    who = _listed([f"{title(row)} ({facts.value(row)})" for row in facts.tied])
    if len(facts.tied) > NAMED:
        who = (f"{len(facts.tied)} systems ({facts.value(first)} to {facts.value(last)}), led by "
               f"{title(first)},")
    sure = f" ({facts.p(first, last)})" if len(facts.tied) == 2 else ""
    more = null = ""
    if facts.tiebreak:
        best = title(facts.board.by_key[facts.tiebreak.best])
        more = f"; {best} is better on {facts.tiebreak.column}"
    if facts.behind and not facts.no_lift:
        null = f"; {_listed([title(row) for row in facts.behind[:NAMED]])} " + (
            "does not beat its null" if len(facts.behind) == 1 else "do not beat their null")
    return f"{who} are not separated on {facts.name}{sure}{more}{null}"


def _cannot_lose(facts: _Facts) -> tuple[str, str]:
    """A leader whose decoding enforces the constraints, where it and another both pass; and the
    evidence."""
    leader = facts.tied[0]
    tests = [test for test in facts.board.both_passed if test.a == leader.key]
    if not tests:
        return f"{title(leader)} cannot break a constraint by construction", f"{ROOT}glossary/"
    other = facts.board.by_key[tests[0].b]
    name, parts = title(other), []
    for who, than, wins in (
            ("it", f" than {name}", [test for test in tests if test.better == leader.key]),
            (name, "", [test for test in tests if test.better not in (None, leader.key)])):
        if wins:
            p = p_text(max(float(win.p) for win in wins), most=len(wins) > 1)
            columns = _listed([win.column for win in wins])
            parts.append(f"{who} is better{than} on {columns} ({p})")
    found = " and ".join(parts) or (f"it and {name} do not differ significantly on "
                                    f"{_listed([test.column for test in tests])}")
    return (f"The leader cannot break a constraint; where both pass ({tests[0].n:,}{BLANK}items), "
            f"{found}", _compare(leader, other))


def _ties(facts: _Facts) -> Iterator[str]:
    """The rows behind a single leader that are not separated from each other, nor from a simple
    baseline; of the first rows, those that are not separated from one."""
    rows = facts.not_separated(facts.ranked[1:]) if len(facts.tied) == 1 else []
    known = next((row for row in facts.board.rows if row.role == "baseline"
                  and row.key in facts.paired), None)
    equal: list[Row] = []
    if known:
        cells = {row.key: facts.board.every_pair.get((row.key, known.key)) for row in facts.ranked}
        equal = [row for row in facts.ranked if row.key in facts.paired and (
            (cell := cells[row.key]) is None or (cell[2] or 0) > ALPHA)]
    value = facts.value(known) if known else ""
    shared = len(rows) > 1 and known is not None and all(row in equal for row in rows)
    if len(rows) > 1:
        also = f", nor from a baseline ({value})" if shared else ""
        yield (f"The next {len(rows)} ({facts.value(rows[0])} to {facts.value(rows[-1])}) are not "
               f"separated on {facts.name}{also}")
    if known and equal and not shared:
        who = _are(equal) if len(equal) <= NAMED else (
            f"{len(equal)} of {len(facts.ranked)} ranked systems are")
        yield (f"{who} not significantly better on {facts.name} than a baseline, {title(known)} "
               f"({value})")


def _scope(facts: _Facts) -> Iterator[str]:
    """Whose the first rows are, and what would order rows and does not."""
    if own := [row for row in facts.tied if row.key.startswith(f"{OWN}/")]:
        yield f"{_are(own)} made by this site"
    if apart := sum(row.unranked == APART for row in facts.systems):
        yield (f"{apart} system{'s' if apart > 1 else ''} scored differently "
               f"{'are' if apart > 1 else 'is'} not compared")
    for entry in facts.board.order.passed_over:
        yield f"{entry.id} would order the rows, but {entry.text}"


def _compare(first: Row, second: Row) -> str:
    return f"{COMPARE}?a={first.key}&b={second.key}"


def title(row: Row) -> str:
    """What a sentence calls a row."""
    return name_text(row.title or f"an anonymous system ({row.key.partition('/')[2]})")


def _are(rows: Sequence[Row]) -> str:
    return f"{_listed([title(row) for row in rows])} {'is' if len(rows) == 1 else 'are'}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


# ---- how far to trust it -----------------------------------------------------------------------


def conditions(board: LeaderboardDocument) -> list[Condition]:
    """Whether you can trust it: every condition in a fixed order, whether it holds or not."""
    by, column = board.order.by or "", board.ordering
    systems = [row for row in board.rows if row.kind in ("scored", "third-party")
               and not row.withdrawn]
    enough = board.items >= FEWEST
    lacking = sum(row.unranked == "no scores of items" for row in systems)
    public = board.gold == "public"
    judged = column is not None and column.judge is not None
    unfit = [entry.id for entry in board.order.passed_over
             if entry.code not in ("people", "unmeasured")]
    tested = [value.vs_null.verdict for row in systems
              if (value := row.values.get(by)) and value.vs_null]
    beat = tested.count("better")
    hidden = board.gold == "hidden"
    own = sum(row.key.startswith(f"{OWN}/") for row in systems)
    return [
        Condition(code="items", holds=enough, text=(
            f"{board.items:,} items, {'enough' if enough else 'too few'} to compare systems "
            f"({FEWEST} needed)")),
        Condition(code="item-scores", holds=public and bool(systems) and not lacking, text=(
            "no system is scored here" if not systems else
            "gold is not public, so nobody sees scores of items" if not public else
            f"{lacking} of {len(systems)} systems have no scores of items" if lacking else
            "every system has scores of items")),
        Condition(code="judge", holds=not judged, text=(
            f"ordered by a judge model, {by}" if judged else
            f"people correct the judge that orders the rows, {by}" if column and column.people else
            "no judge model orders the rows" + (f" ({', '.join(unfit)} not used)" if unfit else "")
        )),
        Condition(code="null", holds=beat > 0 or board.null is None, text=(
            f"systems that beat their null: {beat} of {len(tested)}" if tested else
            "no system is compared with a null here" if board.null else
            "this task has no answer that says nothing")),
        Condition(code="public-gold", holds=hidden, text=(
            "gold is hidden" if hidden else
            "gold is public, so systems may have been trained on it")),
        Condition(code="own-rows", holds=not own, text=(
            f"systems made by this site: {own} of {len(systems)}" if own else
            "no system here is made by this site")),
    ]
