"""What may be said about hidden labels: pure functions of the history and the gold.

What a board may choose stands in ``board/policy.py``. ``history`` holds what was merged when and by
whom, ``rules`` what each rule says, ``decisions`` puts them together; ``oracle``, ``attacks``,
``beliefs`` and ``simulation`` measure what gets through.
"""
