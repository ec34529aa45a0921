"""The verbs of ``scorer``, one file each: ``register`` declares options, ``run`` does the work.

A verb's file imports nothing heavy; ``run`` does.
"""

from types import ModuleType

from scorer.commands import (
    archive,
    baseline,
    board,
    check,
    ci,
    compare,
    data,
    gold,
    judge,
    ledger,
    new,
    rescore,
    score,
    site,
)

VERBS: tuple[ModuleType, ...] = (
    check, score, rescore, compare, new, baseline, board, data, judge, gold, site, ledger, archive,
    ci,
)
