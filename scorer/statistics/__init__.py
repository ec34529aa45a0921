"""What is known of the numbers, and what is not: pure functions of values, no files, no models.

``intervals``: a value and the items it was measured on. ``resampling``: rows of scores, with items
swapped and drawn again. ``comparison``: two rows on the same items, a row against its null.
``ranks``: every two rows of a board, and rank intervals. ``calibration``: probabilities against
gold and people.
Scoring does without scipy, whose import takes as long as scoring a small submission; only many
pairs at once ask ``scipy.special``, in a function.
"""

LEVEL = 0.95
"""Level of every interval."""
ALPHA = 0.05
"""A difference is significant at or below this, two-sided."""
FEWEST = 100
"""With fewer items no interval is compared and no rank is given."""
TIE = 2e-9
"""Scores of one item that differ by no more than this are equal, and so are means over items: the
last of nine digits says nothing."""
