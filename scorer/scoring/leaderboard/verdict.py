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
    BothPassed,
    Column,
    Condition,
    LeaderboardRows,
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


def verdict(board: LeaderboardRows, stable: Stability | None = None) -> Verdict:
    """What the rows and pairs of a document say together."""
    return _Verdict(board).made(stable)


@dataclass(frozen=True)
class _Verdict:
    board: LeaderboardRows

    @property
    def column(self) -> Column | None:
        return self.board.ordering

    @cached_property
    def systems(self) -> list[Row]:
        """Rows that might win, with a value, best first."""
        return [row for row in self.board.rows if row.kind in ("scored", "third-party")
                and row.withdrawn is None and self.value(row) is not None]

    @cached_property
    def ranked(self) -> list[Row]:
        return [row for row in self.board.rows if row.rank]

    @cached_property
    def lifts(self) -> dict[str, str]:
        """How each system fares against its null, as far as that was tested."""
        words = {row.key: self.against_null(row) for row in self.systems}
        return {key: word for key, word in words.items() if word not in ("", "untested")}

    @property
    def no_lift(self) -> bool:
        """Whether systems were tested against their nulls, and none beats its own."""
        return (self.board.items >= FEWEST and bool(self.lifts)
                and "better" not in self.lifts.values())

    @cached_property
    def tied(self) -> list[Row]:
        return self.not_separated(self.ranked)

    def not_separated(self, rows: Sequence[Row]) -> list[Row]:
        """The first row and what is not separated from it, nor from each other, best first.

        Of rows without pairs in the document nothing is known, so they are none of these.
        """
        group: list[Row] = []
        for row in rows:
            if row.key in self.paired and all(not self.separated(other, row) for other in group):
                group.append(row)
        return group

    @cached_property
    def paired(self) -> frozenset[str]:
        return frozenset(self.board.pairs.rows) if self.board.pairs else frozenset()

    def made(self, stable: Stability | None) -> Verdict:
        if not self.ranked or self.column is None:
            return Verdict(outcome="not enough signal", best=[], tied=[],
                           sentences=[*self._unranked(), *self._scope()])
        won, tiebreak = len(self.tied) == 1, self._tiebreak()
        crowned = not self.no_lift and not self._behind
        return Verdict(
            outcome=("not enough signal" if self.no_lift or (won and not crowned) else
                     "winner" if won else "tie"),
            best=[row.key for row in self.tied] if crowned else [],
            tied=[] if won else [row.key for row in self.tied],
            tiebreak=tiebreak, stable=stable,
            sentences=[*self._first(tiebreak), *self._cannot_lose(), *self._ties(),
                       *self._scope()])

    @property
    def _behind(self) -> list[Row]:
        """Those of the first rows that were tested against their null and do not beat it."""
        return [row for row in self.tied if self.lifts.get(row.key, "better") != "better"]

    def _no_lift(self) -> str:
        who = "No system" if len(self.lifts) == len(self.systems) else "No tested system"
        return f"{who} beats {self.board.null or 'its null'} on {self.name}"

    def _unranked(self) -> Iterator[Sentence]:
        if self.no_lift:
            yield Sentence(code="no-lift", evidence=NULLS, text=f"{self._no_lift()}.")
        yield Sentence(code="no-ranks", text=f"{self._why_unranked()}.",
                       evidence=f"{ROOT}metrics/statistics/")

    def _why_unranked(self) -> str:
        known = [row for row in self.systems if row.unranked != NO_SYSTEM]
        open_to_ranks = (self.board.gold == "public" and not self.board.practice
                         and self.board.items >= FEWEST and self.board.rows)
        if open_to_ranks and len(known) < 2:
            if not known:
                others = [row.unranked or "" for row in self.board.rows
                          if row.kind != "reference" and row.unranked != NO_SYSTEM]
                return (f"No system has a rank: {'; '.join(dict.fromkeys(filter(None, others)))}"
                        if any(others) else
                        "No system has been scored here yet; the rows are baselines")
            row = known[0]
            null = row.values[self.name].null
            words = {"better": "beats", "worse": "is worse than", "same": "does not beat",
                     "equal": "equals"}.get(self.against_null(row))
            return f"One system so far: {title(row)}, {self.text(row)} on {self.name}" + (
                f"; it {words} {self.board.null} ({self.number(null)})"
                if words and self.board.null and null is not None else "")
        why = self.column.no_ranks if self.column else "nothing may order the rows"
        return f"Not enough to name a best system: {why or 'no system can be compared'}"

    def _first(self, tiebreak: Tiebreak | None) -> Iterator[Sentence]:
        """Nobody is best, somebody is, or several may be."""
        won = len(self.tied) == 1
        text = f"{self._lead() if won else self._tie(tiebreak)}."
        if self.no_lift:
            yield Sentence(code="no-lift", evidence=NULLS, text=f"{self._no_lift()}: {text}")
        else:
            yield Sentence(code=("tie" if not won else "lead" if self._behind else "winner"),
                           text=text, evidence=_pair(self.tied[0], self.ranked[1]))

    def _lead(self) -> str:
        leader, second = self.tied[0], self.ranked[1]
        null = leader.values[self.name].null
        worse = (f"{title(second)} ({self.text(second)}) is significantly worse "
                 f"({self.p(leader, second)})")
        if self.no_lift:
            same = null is not None and self.number(null) == self.text(leader)
            return (f"{title(leader)} leads with {self.text(leader)}"
                    + (", the same as its null" if same else
                       f", its null has {self.number(null)}" if null is not None else "")
                    + f"; {worse}")
        if self._behind:
            return (f"{title(leader)} leads on {self.name} ({self.text(leader)}) but does not beat "
                    f"its null{f' ({self.number(null)})' if null is not None else ''}; {worse}")
        return f"{title(leader)} is best on {self.name} ({self.text(leader)}); {worse}"

    def _tie(self, tiebreak: Tiebreak | None) -> str:
        first, last = self.tied[0], self.tied[-1]
        if len(self.tied) > NAMED:
            who = f"{len(self.tied)} systems ({self.text(first)} to {self.text(last)}), led by " + (
                f"{title(first)},")
        else:
            named = [f"{title(row)} ({self.text(row)})" for row in self.tied]
            who = f"{', '.join(named[:-1])} and {named[-1]}"
        sure = f" ({self.p(first, last)})" if len(self.tied) == 2 else ""
        more = f"; {title(self.board.by_key[tiebreak.best])} is better on {tiebreak.column}" if (
            tiebreak) else ""
        behind = self._behind
        null = "" if not behind or self.no_lift else (
            f"; {_listed([title(row) for row in behind[:NAMED]])} "
            f"{'does' if len(behind) == 1 else 'do'} not beat "
            f"{'its' if len(behind) == 1 else 'their'} null")
        return f"{who} are not separated on {self.name}{sure}{more}{null}"

    def _cannot_lose(self) -> Iterator[Sentence]:
        leader = self.tied[0]
        if CONSTRAINED not in (leader.tags or ()):
            return
        tests = [test for test in self.board.both_passed if test.a == leader.key]
        if not tests:
            yield Sentence(code="cannot-lose", evidence=f"{ROOT}glossary/",
                           text=f"{title(leader)} cannot break a constraint by construction.")
            return
        other = self.board.by_key[tests[0].b]
        yield Sentence(code="cannot-lose", evidence=_pair(leader, other), text=(
            f"The leader cannot break a constraint; where both pass ({tests[0].n:,}{BLANK}items), "
            + self._on_both(leader.key, title(other), tests)))

    @staticmethod
    def _on_both(leader: str, other: str, tests: Sequence[BothPassed]) -> str:
        parts = []
        for who, than, wins in (
                ("it", f" than {other}", [test for test in tests if test.better == leader]),
                (other, "", [test for test in tests if test.better not in (None, leader)])):
            if wins:
                p = p_text(max(float(win.p) for win in wins), most=len(wins) > 1)
                columns = _listed([win.column for win in wins])
                parts.append(f"{who} is better{than} on {columns} ({p})")
        columns = _listed([test.column for test in tests])
        return (" and ".join(parts)
                or f"it and {other} do not differ significantly on {columns}") + "."

    def _ties(self) -> Iterator[Sentence]:
        """The rows behind a single leader that are not separated from each other, nor from a
        simple baseline; of the first rows, those that are not separated from one."""
        rows = self.not_separated(self.ranked[1:]) if len(self.tied) == 1 else []
        known = next((row for row in self.board.rows if row.role == "baseline"
                      and row.key in self.paired), None)
        equal, than = list[Row](), ""
        if known:
            than = f"{title(known)} ({self.text(known)})"
            for row in self.ranked:
                cell = self.board.every_pair.get((row.key, known.key))
                if row.key in self.paired and (cell is None or (cell[2] or 0) > ALPHA):
                    equal.append(row)
        parts = []
        shared = known is not None and len(rows) > 1 and all(row in equal for row in rows)
        if len(rows) > 1:
            baseline = f", nor from a baseline ({self.text(known)})" if known and shared else ""
            parts.append(f"The next {len(rows)} ({self.text(rows[0])} to {self.text(rows[-1])}) "
                         f"are not separated on {self.name}{baseline}")
        if equal and not shared:
            who = (f"{len(equal)} of {len(self.ranked)} ranked systems are" if len(equal) > NAMED
                   else f"{_listed([title(row) for row in equal])} "
                        f"{'is' if len(equal) == 1 else 'are'}")
            parts.append(
                f"{who} not significantly better on {self.name} than a baseline, {than}")
        if parts:
            yield Sentence(code="ties", text=f"{'; '.join(parts)}.", evidence=COMPARE)

    def _scope(self) -> Iterator[Sentence]:
        """Whose the first rows are, and what would order rows and does not."""
        own = [row for row in self.tied if row.key.startswith(f"{OWN}/")]
        parts = [f"{_listed([title(row) for row in own])} {'is' if len(own) == 1 else 'are'} made "
                 "by this site"] if own else []
        apart = sum(row.unranked == APART for row in self.systems)
        parts += [f"{apart} system{'s' if apart > 1 else ''} scored differently "
                  f"{'are' if apart > 1 else 'is'} not compared"] if apart else []
        over = self.board.order.passed_over
        parts += [f"{entry.id} would order the rows, but {entry.text}" for entry in over]
        if parts:
            judged = any(entry.code != "unmeasured" for entry in over)
            yield Sentence(code="scope", text=f"{'; '.join(parts)}.",
                           evidence=f"{ROOT}judges/#gate" if judged else TABLE)

    def _tiebreak(self) -> Tiebreak | None:
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

    @property
    def name(self) -> str:
        return self.column.id if self.column else ""

    def value(self, row: Row) -> float | None:
        cell = row.values.get(self.name)
        return None if cell is None or cell.v is None else float(cell.v)

    def text(self, row: Row) -> str:
        value = self.value(row)
        return "" if value is None or self.column is None else number(value, self.column)

    def against_null(self, row: Row) -> str:
        versus = row.values[self.name].vs_null
        return versus.verdict if versus else ""

    def number(self, value: float) -> str:
        return number(value, self.column) if self.column else str(value)

    def separated(self, first: Row, second: Row) -> bool:
        """Whether two ranked rows differ significantly, by Holm."""
        cell = self.board.pair(first.key, second.key)
        return cell is not None and cell[3] is not None and cell[3] <= ALPHA

    def p(self, first: Row, second: Row) -> str:
        cell = self.board.pair(first.key, second.key)
        assert cell is not None, "ranked rows have pairs"
        return p_text(cell[3] or 0.0)


def _pair(first: Row, second: Row) -> str:
    return f"{COMPARE}?a={first.key}&b={second.key}"


def title(row: Row) -> str:
    """What a sentence calls a row."""
    return name_text(row.title or f"an anonymous system ({row.key.partition('/')[2]})")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


# ---- how far to trust it -----------------------------------------------------------------------


def conditions(board: LeaderboardRows) -> Iterator[Condition]:
    """Whether you can trust it: every condition in a fixed order, whether it holds or not."""
    enough = board.items >= FEWEST
    yield Condition(code="items", holds=enough, text=(
        f"{board.items:,} items, {'enough' if enough else 'too few'} to compare systems ("
        f"{FEWEST} needed)"))
    by = board.order.by or ""
    systems = [row for row in board.rows if row.kind in ("scored", "third-party")
               and not row.withdrawn]
    lacking = [row for row in systems if row.unranked == "no scores of items"]
    scored = board.gold == "public" and bool(systems) and not lacking
    yield Condition(code="item-scores", holds=scored, text=(
        "every system has scores of items" if scored else
        "no system is scored here" if not systems else
        "gold is not public, so nobody sees scores of items" if board.gold != "public" else
        f"{len(lacking)} of {len(systems)} systems have no scores of items"))
    unfit = [entry.id for entry in board.order.passed_over
             if entry.code not in ("people", "unmeasured")]
    column = board.ordering
    judged = column is not None and column.judge is not None
    yield Condition(code="judge", holds=not judged, text=(
        f"ordered by a judge model, {by}" if judged else
        f"people correct the judge that orders the rows, {by}" if column and column.people else
        "no judge model orders the rows" + (f" ({', '.join(unfit)} not used)" if unfit else "")))
    words = [value.vs_null.verdict for row in systems
             if (value := row.values.get(by)) and value.vs_null]
    beat = words.count("better")
    yield Condition(code="null", holds=beat > 0 or board.null is None, text=(
        f"systems that beat their null: {beat} of {len(words)}" if words else
        "no system is compared with a null here" if board.null else
        "this task has no answer that says nothing"))
    hidden = board.gold == "hidden"
    yield Condition(code="public-gold", holds=hidden, text=(
        "gold is hidden" if hidden else "gold is public, so systems may have been trained on it"))
    own = sum(row.key.startswith(f"{OWN}/") for row in systems)
    yield Condition(code="own-rows", holds=not own, text=(
        f"systems made by this site: {own} of {len(systems)}" if own else
        "no system here is made by this site"))
