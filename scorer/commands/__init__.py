"""The verbs of ``scorer``, one file each: ``VERB`` declares options, its ``run`` does the work.

A verb's file imports nothing heavy; ``run`` does.
"""

from scorer.commands import (
    annotations,
    archive,
    baseline,
    board,
    check,
    ci,
    compare,
    curve,
    data,
    export,
    filtering,
    gold,
    handbook,
    importing,
    judge,
    meta,
    new,
    predict,
    prompts,
    rescore,
    score,
    site,
    submit,
    train,
)
from scorer.commands.options import Action, VerbGroup

VERBS: tuple[Action | VerbGroup, ...] = (
    check.VERB, score.VERB, rescore.VERB, compare.VERB, new.VERB, submit.VERB, baseline.VERB,
    board.VERB, data.VERB, export.VERB, train.VERB, predict.VERB, importing.VERB, curve.VERB,
    prompts.VERB, filtering.VERB, judge.VERB, gold.VERB, annotations.VERB, meta.VERB,
    site.VERB, archive.VERB, ci.VERB, handbook.VERB,
)
