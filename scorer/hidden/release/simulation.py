"""What attackers find under each policy: every attack under every policy, as a table."""

from __future__ import annotations

import numpy as np

from scorer.board.policy import GRIDS, Policy, chosen, finest
from scorer.hidden.release.attacks import ATTACKS
from scorer.hidden.release.oracle import Rules


def default(items: int, name: str = "default", owners: int = 1, **changes: int | bool) -> Rules:
    """The default policy, or one that differs from it in a few fields, for a year.

    ``owners``: how many accounts share what each of them is told.
    """
    policy = Policy(**changes)  # type: ignore[arg-type]  # grid is not among the changes
    most = policy.values_a_year * owners
    return Rules(f"{name} for a year ({most} values)", chosen(policy, items), policy.near_duplicate,
                 policy.ladder, most, policy.values)


def policies(items: int) -> tuple[Rules, ...]:
    """The policies that are compared: each rule alone, then the default and what it might be."""
    usual, fine = chosen(Policy(), items), finest(items)
    return (
        Rules("full precision"),
        *(Rules(f"grid of {grid} points", grid) for grid in GRIDS),
        Rules("near-duplicate rule, full precision", None, 1),
        Rules(f"default without the limit ({usual} points, near-duplicates)", usual, 1),
        Rules("default with the Ladder, without the limit", usual, 1, ladder=True),
        Rules(f"{fine} points, weekly for a year (53 values)", fine, 1, most=53),
        Rules(f"{fine} points, weekly for a year, two metrics (106 values)", fine, 1, most=106,
              values=2),
        Rules(f"{fine} points, weekly for a year, Ladder (53 values)", fine, 1, ladder=True,
              most=53),
        default(items),
        default(items, "two metrics a submission", values=2),
        default(items, "five metrics a submission", values=5),
        default(items, "default with the Ladder", ladder=True),
        default(items, "default, five accounts of one person", owners=5),
    )


def measure(
    rules: Rules, *, items: int = 400, runs: int = 20, seed: int = 0
) -> dict[str, float]:
    """The share of labels that each attack recovers under some rules, over all runs."""
    found = {}
    for name, attack in ATTACKS.items():
        chance = np.random.default_rng(seed)
        gold = chance.random((runs, items)) < 0.5
        found[name] = attack(gold, rules, chance)
    return found


def table(*, items: int = 400, runs: int = 20, seed: int = 0) -> str:
    """Every attack under every policy, as a Markdown table of shares of labels recovered."""
    head = ["policy", *ATTACKS]
    lines = [head, ["---"] * len(head)]
    for rules in policies(items):
        found = measure(rules, items=items, runs=runs, seed=seed)
        lines.append([rules.name, *(f"{value:.3f}" for value in found.values())])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
