"""What leaves the site as a file: records in, bytes out. Pure; the formats are in docs/exports.md.

Each function makes one file. The same input gives the same bytes: nothing reads a clock, so dates
are arguments and come from the history of git. Foreign text is data in every format: escaped, or
written by a library that escapes. ``row`` has the files of one row of a leaderboard.
"""
