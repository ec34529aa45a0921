"""The leaderboard document: what every page and table says of the systems of one split.

``about``: what a row is. ``order``: what orders rows, and columns that people gave. ``make``: the
document; ``pairs``: its rows against each other. ``verdict``: what it says in sentences, and what
speaks for and against it; ``numbers``: how these are written. ``files``: from committed results to
committed documents. Only ``files`` reads and writes.
"""
