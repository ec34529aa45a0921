"""Logs of other harnesses, of any task: which samples two of them share, and which log is better.

``records``: what a log says. ``reading``: files and JSON of strangers, within bounds; ``packed``:
the same of zip files. ``gathering``: the samples of a log, one by one. ``inspect_logs`` and
``lm_eval_logs``: the two forms. ``pairing``: two logs, sample by sample. ``testing``: tests,
intervals and Holm's correction. Neither harness is imported.
"""
