"""Our boards in the field's own harnesses, and their logs as submissions.

``asking``: what is asked, and how. ``item_scores``: our scores of one answer and of
all. ``inspect_tasks``: tasks of inspect_ai, the one module that imports it. ``inspect_answers``:
what a log of it says, within bounds. ``submitting``: answers as a finished submission.
"""
