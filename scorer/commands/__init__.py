"""The verbs of ``scorer``, one file each: ``register`` declares options, ``run`` does the work.

A verb's file imports nothing heavy; ``run`` does.
"""

from types import ModuleType

from scorer.commands import (
    baseline,
    board,
    check,
    ci,
    data,
    gold,
    judge,
    new,
    rescore,
    score,
    site,
)

VERBS: tuple[ModuleType, ...] = (
    check, score, rescore, new, baseline, board, data, judge, gold, site, ci,
)
