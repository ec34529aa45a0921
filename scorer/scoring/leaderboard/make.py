"""The leaderboard document of a board's split, from results with items and what rows are. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from scorer.boards import Board
from scorer.boards.published import NOTHING, Published
from scorer.boards.submission import CONSTRAINED, NULL, REFERENCE
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.judging import Judges, Standing, judge_band, standing
from scorer.scoring.leaderboard.about import APART, ScoredRow, official
from scorer.scoring.leaderboard.columns import ColumnValues, PeopleColumns, corrected
from scorer.scoring.leaderboard.pairs import close_column, pairs_of, stability_of
from scorer.scoring.leaderboard.verdict import conditions, verdict
from scorer.scoring.results import leaderboard as document
from scorer.scoring.results.leaderboard import (
    BothPassed,
    CloseColumn,
    Column,
    LeaderboardDocument,
    Order,
    PassedOver,
    Row,
    Stability,
    Value,
    VersusNull,
    nine,
    six,
)
from scorer.scoring.results.ranks import (
    ComparisonGroup,
    comparison_groups,
    on_both_passed,
    scores_of,
)
from scorer.scoring.results.signature import UNSTATED, difference
from scorer.scoring.summary import lift_verdict
from scorer.statistics import FEWEST, TIE
from scorer.statistics.comparison import smallest_gap
from scorer.statistics.intervals import of_value
from scorer.statistics.resampling import Scores

CLOSE = 10
"""So many systems are compared on every column."""
SHOWN = 5
"""Columns of metrics that a page shows at first."""


def leaderboard(board: Board, split: str, rows: Sequence[ScoredRow], judges: Judges,
                published: Published = NOTHING, people: PeopleColumns | None = None,
                ) -> LeaderboardDocument:
    """The document of a split; ``rows`` in any order.

    ``people``: what people said of these rows.
    """
    made = _Making(board, split, rows, judges, people)
    found = LeaderboardDocument.model_construct(
        schema_=document.SCHEMA, board=board.id, board_version=board.version, split=split,
        items=made.items, gold=board.splits[split].gold, practice=board.practice,
        null=board.task.null_words, signatures=list(made.signatures),
        columns=[made.column(column) for column in made.columns.values()], order=made.order,
        rows=[made.row(row) for row in made.ordered], pairs=made.pairs(), close=made.close(),
        both_passed=made.both_passed(), published=list(_published(published, split)),
        people=document.People(
            kappa=None if people.kappa is None else nine(people.kappa),
            simulated=people.simulated, why_not=list(people.why_not)) if people else None)
    return found.replace(verdict=verdict(found, made.stability()), trust=conditions(found))


def _published(published: Published, split: str) -> Iterator[document.Published]:
    for source in published.sources:
        for row in source.values if source.split == split else ():
            yield document.Published(
                source=source.id, title=source.title, url=source.url, system=row.system,
                by=row.by or source.by, date=row.date or source.date, what=row.what or source.what,
                human=True if row.human else None,
                values={name: source.value(row, name) for name in row.printed if name in METRICS})


@dataclass(frozen=True)
class _Making:
    board: Board
    split: str
    rows: Sequence[ScoredRow]
    judges: Judges
    people: PeopleColumns | None

    @property
    def items(self) -> int:
        return self.board.splits[self.split].rows

    @cached_property
    def by_key(self) -> Mapping[str, ScoredRow]:
        return {row.key: row for row in self.rows}

    @cached_property
    def counting(self) -> list[Result]:
        """The results that have a say in what orders the rows."""
        return [row.result for row in official(self.rows)]

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        states = {name: standing(name, self.counting, self.judges) for name in self.board.metrics}
        return {name: how for name, how in states.items() if how is not None}

    # ---- what orders rows ----------------------------------------------------------------------

    @cached_property
    def order(self) -> Order:
        """The first ranking metric that any row has and, if a judge gave it, that a fit judge gave
        all; before it the same as people correct it, where enough of them read enough of every row.

        Without one: the last ranking metric that needs no judge, in which every row is equal.
        """
        passed_over: list[PassedOver] = []
        for metric in self.board.ranking:
            if self.people and metric == self.people.corrects:
                column = corrected(metric).id
                if not self.people.why_not:
                    return Order(by=column, passed_over=passed_over)
                passed_over.append(
                    PassedOver(id=column, code="people", text="; ".join(self.people.why_not)))
            why_not = self._passed_over(metric)
            if why_not is None:
                return Order(by=metric, passed_over=passed_over)
            passed_over.append(why_not)
        plain = [metric for metric in self.board.ranking if METRICS[metric].judge is None][-1:]
        return Order(by=plain[0] if plain else None,
                     passed_over=[entry for entry in passed_over if entry.id not in plain])

    def _passed_over(self, metric: str) -> PassedOver | None:
        """Why a metric cannot order rows; None if it can."""
        if not any(_measured(result, metric) for result in self.counting):
            previewed = any(_measured(row.result, metric) for row in self.rows)
            what = "measured for previews alone" if previewed else "not measured for any row"
            return PassedOver(id=metric, code="unmeasured", text=f"it is {what}")
        how = self.standings.get(metric)
        return None if how is None or how.state == "ranks" else PassedOver(
            id=metric, code=how.state, text=how.because)

    @cached_property
    def ordered(self) -> list[ScoredRow]:
        """Rows by what orders them, the unmeasured last; equal ones by key."""
        column = self.columns[self.order.by] if self.order.by else None
        sign = -1 if column is None or column.metric.better == "higher" else 1

        def place(row: ScoredRow) -> tuple[bool, float, str]:
            value = column.values[row.key].v if column else None
            return value is None, sign * (value or 0.0), row.key

        return sorted(self.rows, key=place)

    @cached_property
    def main(self) -> ComparisonGroup | None:
        """The largest group of the ordering column."""
        return self.columns[self.order.by].main if self.order.by else None

    @cached_property
    def leading(self) -> tuple[str, ...]:
        """The keys of the ranked rows of the ordering column, best first."""
        return self.main.eligible if self.main and self.main.ranks.holm else ()

    # ---- columns -------------------------------------------------------------------------------

    @cached_property
    def columns(self) -> Mapping[str, ColumnValues]:
        """Every column: the board's, and after the one that people correct those of people."""
        columns = {name: self._of_results(METRICS[name]) for name in self.board.metrics}
        if self.people is None:
            return columns
        names = list(columns)
        corrects = self.people.corrects
        at = names.index(corrects) + 1 if corrects in columns else len(names)
        by_people = {column.metric.id: self._by_people(column, self.people)
                     for column in self.people.columns}
        names[at:at] = by_people
        return {name: (columns | by_people)[name] for name in names}

    def _by_people(self, column: ColumnValues, people: PeopleColumns) -> ColumnValues:
        why = ("people did not read the same items of every row" if column.kind == "votes" else
               self._why_nobody(None) or "; ".join(people.why_not))
        return replace(column, no_ranks=why, groups=tuple(
            replace(group, no_ranks=why) for group in column.groups))

    def _of_results(self, metric: MetricInfo) -> ColumnValues:
        why = self._why_nobody(self.standings.get(metric.id))
        previews = {row.key for row in self.rows if row.kind == "preview"}
        groups = comparison_groups(
            {row.key: row.result for row in self.rows}, metric, self.scores[metric.id],
            barred={row.key for row in self.rows if row.never_ranked}, no_ranks=why)
        return ColumnValues(
            metric, None, {row.key: self._value(row, metric) for row in self.rows},
            {row.key: value.signature for row in self.rows
             if (value := row.result.metrics.get(metric.id))},
            tuple(sorted(groups, key=lambda group: -len(set(group.keys) - previews))), why)

    @cached_property
    def scores(self) -> Mapping[str, Mapping[str, Scores]]:
        """By metric and row, where they are at hand. A row's items are unpacked once, for all
        metrics."""
        scores: defaultdict[str, dict[str, Scores]] = defaultdict(dict)
        for row in self.rows:
            for name in row.result.metrics.keys() & set(self.board.metrics):
                if found := scores_of(row.result, name, self.items):
                    scores[name][row.key] = found
        return scores

    def _why_nobody(self, how: Standing | None) -> str:
        """Why nobody has a rank, whatever the rows are; empty if there may be ranks.

        ``how``: the standing of a column that a judge gives.
        """
        if self.items < FEWEST:
            return f"{self.items} items are too few ({FEWEST} needed)"
        if self.board.practice:
            return "this is a practice board"
        if self.board.splits[self.split].gold != "public":
            return "the gold is hidden, so we have no per-item scores to compare"
        return how.because if how else ""

    @cached_property
    def shown(self) -> list[str]:
        """The columns that a page shows at first: what orders the rows, then the board's choice."""
        measured = [name for name, column in self.columns.items()
                    if any(value.v is not None for value in column.values.values())]
        plain = [name for name in measured
                 if name not in self.standings or self.standings[name].ranks]
        wanted = [self.order.by, *(self.board.columns or plain)]
        return [name for name in dict.fromkeys(wanted) if name in measured][:SHOWN]

    def column(self, column: ColumnValues) -> Column:
        metric, group, by_people = column.metric, column.main, column.kind is not None
        how = self.standings.get(metric.id)
        values = [column.values[row.key] for row in self.ordered]
        unmeasured = values and not by_people and all(value.v is None for value in values)
        no_ranks = group.ranks.why_not if group else (
            column.no_ranks if by_people else "") or "it is not measured for any row"
        gap = smallest_gap([group.scores[key] for key in group.eligible], binary=metric.binary
                           ) if group and group.ranks.holm and not by_people else None
        return Column(
            id=metric.id, people=column.kind, better=metric.better,
            range=[0, 1] if by_people else [metric.lowest, metric.highest],
            shown=self.shown.index(metric.id) + 1 if metric.id in self.shown else None,
            judge=how.judges[0].tag if how and len(how.judges) == 1 else None,
            why_not_rank=(how.because or None) if how else None,
            no_ranks=no_ranks or None, gap=None if gap is None else nine(gap),
            unmeasured=list(dict.fromkeys(value.why or "" for value in values)
                            ) if unmeasured else None)

    # ---- rows ----------------------------------------------------------------------------------

    def row(self, row: ScoredRow) -> Row:
        null = self.null_of[row.key]
        rank = self.main.ranks.holm.get(row.key) if self.main else None
        return row.about.replace(
            kind=row.kind, role=self._role(row), null=null if self._is_null(null, row) else None,
            rank=[rank.first, rank.last] if rank else None,
            unranked=self._unranked(row) or None,
            values={name: self._beside_others(row, column)
                    for name, column in self.columns.items()})

    def _beside_others(self, row: ScoredRow, column: ColumnValues) -> Value:
        """A row's value in a column, with what of it follows from other rows."""
        signature, group = column.signatures.get(row.key, ""), column.group_of.get(row.key)
        rank = group.ranks.holm.get(row.key) if group else None
        top = rank and group and group is column.main and group.eligible[0] not in rank.better
        return column.values[row.key].replace(
            sig=self.signatures.get(signature), rank=[rank.first, rank.last] if rank else None,
            apart=self._apart(signature, column.metric.id) or None, top=True if top else None)

    @cached_property
    def signatures(self) -> dict[str, int]:
        texts = (column.signatures.get(row.key)
                 for row in self.ordered for column in self.columns.values())
        return {text: index for index, text in enumerate(dict.fromkeys(filter(None, texts)))}

    def _is_null(self, key: str, row: ScoredRow) -> bool:
        """Whether there is another row of a null's name and, for a system, with its value: hyphens
        of a team could make a name that is that of another's null."""
        other = self.by_key.get(key) if key != row.key else None
        own = row.result.metrics.get(self.order.by or "")
        if other is None or row.kind == "reference" or own is None or own.null is None:
            return other is not None
        value = self.columns[self.order.by or ""].values[key].v
        return abs((value or 0.0) - own.null) <= TIE

    @cached_property
    def null_of(self) -> Mapping[str, str]:
        """The key of each row's null, there or not."""
        return {row.key: row.null_key(self.board) for row in self.rows}

    @cached_property
    def nulls(self) -> set[str]:
        return {*self.null_of.values(), f"{REFERENCE}/{NULL}"}

    def _role(self, row: ScoredRow) -> Literal["ceiling", "null", "baseline"] | None:
        if row.kind != "reference":
            return None
        made = self.board.task.baselines.get(row.result.system)
        if made and made.role:
            return made.role
        if row.key in self.nulls:
            return "null"
        return "ceiling" if made and made.saw_gold else "baseline"

    def _unranked(self, row: ScoredRow) -> str:
        """Why a system has no rank by what orders the rows; empty for other rows."""
        name = self.order.by
        if row.kind == "reference" or row.key in self.leading:
            return ""
        if name is None:
            return "nothing may order the rows"
        group = self.columns[name].group_of.get(row.key)
        if row.never_ranked or group is None:
            return row.never_ranked or f"{name} is not measured"
        if group.ranks.why_not:
            return group.ranks.why_not
        if row.key in group.unscored:
            return "no scores of items"
        return "another row of its team is better" if group is self.main else APART

    def _value(self, row: ScoredRow, metric: MetricInfo) -> Value:
        value = row.result.metrics.get(metric.id)
        if value is None or value.value is None:
            return Value(v=None, why=(value.reason if value else None) or "not asked for")
        interval = value.interval
        if value.grid is not None:  # of hidden gold: what the released value allows
            interval = of_value(value.value, value.n, binary=metric.binary,
                                source="the released value")
        lift = lift_verdict(value, metric)
        band = judge_band(value, row.result.metrics.get(self.board.task.gate_metric or ""),
                          self.judges.behind(row.result, metric.id))
        return Value(
            v=value.value,
            ci=None if interval is None or interval.low is None or interval.high is None else [
                interval.low, interval.high],
            method=interval.method if interval else None,
            note=(interval.note or None) if interval else None,
            null=value.null, lift=metric.lift(value),
            vs_null=VersusNull(p=value.versus_null.p if value.versus_null else None,
                               verdict=lift) if lift else None,
            passed=value.passed.value, n=value.n,
            n_passed=value.passed.n if metric.graded else None,
            parts=dict(value.parts) or None, clustered_se=value.clustered_se,
            band=[*map(nine, band)] if isinstance(band, tuple) else None,
            no_band=band if isinstance(band, str) else None)

    @cached_property
    def main_signatures(self) -> Mapping[str, str]:
        """By column: the signature of its ranked rows where it orders them, else of most systems.
        """
        systems = [row.key for row in self.ordered if row.kind != "reference"]
        counts = {name: Counter(filter(None, map(column.signatures.get, systems)))
                  for name, column in self.columns.items()}
        texts = {name: counter.most_common(1)[0][0] for name, counter in counts.items() if counter}
        if self.leading and self.order.by:
            texts[self.order.by] = self.columns[self.order.by].signatures[self.leading[0]]
        return texts

    def _apart(self, signature: str, name: str) -> str:
        """What keeps a value from being compared with most of its column."""
        main = self.main_signatures.get(name)
        if not signature or main is None or signature == main:
            return ""
        parts = (text.partition(": ") for text in difference(main, signature))
        pairs = ((key, *values.split(" / ", 1)) for key, _, values in parts)
        return ", ".join(f"{key} {theirs}" + (f" instead of {ours}" if ours != UNSTATED else "")
                         for key, ours, theirs in pairs)

    # ---- rows against each other ---------------------------------------------------------------

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What the document calls each row: its key, which must not name an anonymous team."""
        return {row.key: row.document_key for row in self.rows}

    def pairs(self) -> document.Pairs | None:
        return pairs_of(self.order.by or "", self.main.pairs, self.leading, self.names,
                        self.null_of) if self.main and self.main.pairs else None

    def close(self) -> dict[str, CloseColumn]:
        """The first systems, ranked ones before others, and what they are measured by: their nulls,
        baselines, nulls of no row, and previews."""
        compared = self.main.pairs.keys if self.main and self.main.pairs else ()
        rows = [row for row in self.ordered if row.key in compared]
        systems = sorted((row for row in rows if row.kind not in ("reference", "preview")
                          and not row.about.withdrawn), key=lambda row: row.key not in self.leading)
        wanted = {key for row in systems[:CLOSE] for key in (row.key, self.null_of[row.key])}
        wanted |= {row.key for row in rows if row.kind == "preview"
                   or self._role(row) == "baseline"
                   or (self._role(row) == "null" and row.key not in self.null_of.values())}
        columns = {}
        for name, column in self.columns.items() if systems else ():
            if column.main and (pairs := column.main.pairs):
                keys = [row.key for row in rows if row.key in wanted and row.key in pairs.keys]
                if len(keys) > 1:
                    columns[name] = close_column(column.metric, pairs, column.main.scores, keys,
                                                 self.names)
        return columns

    def both_passed(self) -> list[BothPassed]:
        """The leader, if it cannot break a constraint, and the first that can, on the items that
        both passed: on each column that compares answers with gold."""
        ranked = [self.by_key[key] for key in self.leading]
        others = [row for row in ranked if CONSTRAINED not in row.tags]
        if not ranked or ranked[0] in others or not others:
            return []
        a, b, tests = ranked[0], others[0], list[BothPassed]()
        for name in self.board.metrics:
            metric = METRICS[name]
            grades = metric.graded and not (metric.binary or metric.judge or metric.total)
            if not grades or not any({a.key, b.key} <= group.scores.keys()
                                     for group in self.columns[name].groups):
                continue
            test = on_both_passed(name, a.result, b.result, self.board.task.passed)
            if test is not None and test.n >= FEWEST:
                better = {"A": a.document_key, "B": b.document_key}.get(test.better or "")
                tests.append(BothPassed(
                    a=a.document_key, b=b.document_key, column=name, n=test.n,
                    d=nine(test.difference), p=six(test.p), better=better))
        return tests

    def stability(self) -> Stability | None:
        column = self.columns.get(self.order.by or "")
        if (not self.leading or self.main is None or column is None or column.kind
                or column.metric.total):
            return None
        return stability_of(column.metric, self.main)


def _measured(result: Result, metric: str) -> bool:
    value = result.metrics.get(metric)
    return value is not None and value.value is not None
