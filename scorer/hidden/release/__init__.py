"""What may be said about hidden labels: pure functions of the history and the gold.

``policy`` holds what a board may choose, ``history`` what was merged when and by whom, ``grid``,
``limits``, ``near_duplicates`` and ``ladder`` one rule each, ``decide`` puts them together,
``oracle``, ``attacks``, ``beliefs`` and ``simulation`` measure what gets through.
"""
