"""What attacks on hidden labels find: by policy, size, accounts, and what an attacker knows before.

    python -m benchmarks.bench_attacks

Made-up labels, seeded; chance is a half. ``scorer ci simulate-attack`` prints every attack under
every policy; here stands the strongest one, and what no policy stops.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from scorer.hidden.release.attacks import ATTACKS
from scorer.hidden.release.beliefs import design, ridge
from scorer.hidden.release.oracle import Oracle, Rules
from scorer.hidden.release.simulation import default, measure, policies, table

N = 400
RUNS = 100
"""Attackers: the standard error of a mean is at most .0025."""
SIZES = (40, 100, 200, 1000, 3000)
ACCOUNTS = (2, 5, 10, 30)
AIMED_AT = (200, 100, 50)
KNOWN = (0.6, 0.7, 0.8, 0.9)


def run() -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note."""
    return [*_by_policy(), *_a_year(), *_by_size(), *_accounts(), *_aimed(), *_known(), *_cost()]


def _row(name: str, ours: float, unit: str = "share", note: str = "") -> dict[str, Any]:
    return {"name": name, "ours": ours, "theirs": None, "ratio": None, "unit": unit, "note": note}


def _strongest(name: str, rules: Rules, items: int = N, runs: int = RUNS) -> dict[str, Any]:
    found = measure(rules, items=items, runs=runs)
    best = max(found, key=lambda attack: found[attack])
    return _row(name, found[best], note=f"{best}; {runs} runs")


def _by_policy() -> Iterator[dict[str, Any]]:
    for rules in policies(N):
        limited = rules.most is not None
        yield _strongest(f"recovered: {rules.name}", rules, runs=RUNS if limited else 20)


def _a_year() -> Iterator[dict[str, Any]]:
    """Other days of waiting, on the default's grid."""
    for days in (7, 14, 21, 24, 28, 35):
        rules = default(N, f"a value in {days} days", days=days)
        yield _strongest(f"recovered: {rules.name}", rules)


def _by_size() -> Iterator[dict[str, Any]]:
    for items in SIZES:
        rules = default(items)
        yield _strongest(f"recovered of {items} labels: default for a year, {rules.grid} points",
                         rules, items, RUNS if items < 1000 else 5)


def _accounts() -> Iterator[dict[str, Any]]:
    for owners in ACCOUNTS:
        yield _strongest(f"recovered: default for a year, {owners} accounts",
                         default(N, owners=owners))


def _aimed() -> Iterator[dict[str, Any]]:
    """A gated metric counts the rows that somebody chooses; the others tell and cost nothing."""
    rules = default(N)
    for rows in AIMED_AT:
        found = random_designs_of(rows, rules)
        yield _row(f"recovered of {rows} chosen rows of {N}: default for a year", found,
                   note=f"random designs behind a gate; {RUNS} runs")


def random_designs_of(rows: int, rules: Rules) -> float:
    """The share found of the first rows by files whose other graphs are all broken."""
    chance = np.random.default_rng(0)
    gold = chance.random((RUNS, N)) < 0.5
    oracle, gate = Oracle(gold, rules), np.arange(N) < rows
    designs, answers = [], []
    while not oracle.used_up:
        labels, gates = chance.random(gold.shape) < 0.5, np.broadcast_to(gate, (1, *gold.shape))
        answers.append(oracle.ask_gated(labels, gates)[0] * N - rows / 2)
        designs.append(design(labels, gates[0]))
    means = ridge(np.stack(designs, 1), np.stack(answers, 1), rules.width(N))
    return float(((means > 0) == gold)[:, :rows].mean())


def _known() -> Iterator[dict[str, Any]]:
    """A good model's answers to begin with: what is found beyond them is what leaked."""
    for share in KNOWN:
        yield _row(f"right after a year of the default, {share} before", beginning_with(share),
                   note=f"random designs; {RUNS} runs")


def beginning_with(share: float) -> float:
    """The share of right labels if a known answer to each is right with this chance."""
    chance, rules = np.random.default_rng(0), default(N)
    gold = chance.random((RUNS, N)) < 0.5
    start = np.where(gold ^ (chance.random(gold.shape) > share), 1.0, -1.0)
    lean = 2 * share - 1
    spread = np.sqrt(1 - lean**2)
    oracle, designs, answers = Oracle(gold, rules), [], []
    while not oracle.used_up:
        labels = chance.random(gold.shape) < 0.5
        asked = design(labels, np.ones_like(labels))
        answers.append(oracle.ask(labels) * N - N / 2 - (asked * lean * start).sum(-1))
        designs.append(asked * spread)
    more = ridge(np.stack(designs, 1), np.stack(answers, 1), rules.width(N))
    return float(((lean * start + spread * more > 0) == gold).mean())


def _cost() -> Iterator[dict[str, Any]]:
    start = time.process_time()
    table(runs=20)
    yield _row("scorer ci simulate-attack --runs 20", time.process_time() - start, "s",
               f"CPU; {len(ATTACKS)} attacks, {len(policies(N))} policies")


if __name__ == "__main__":
    for line in run():
        print(f"{line['name']:72} {line['ours']:.4f} {line['unit']}  {line['note']}", flush=True)
