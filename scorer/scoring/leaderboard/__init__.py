"""The leaderboard document: what every page and table says of the systems of one split.

``about``: what a row is. ``columns``: values by column, and what people gave. ``make``: the
document, and what orders its rows; ``pairs``: its rows against each other. ``verdict``: what it
says in sentences, and what speaks for and against it; ``numbers``: how these are written.
``files``: from committed results to committed documents. Only ``files`` reads and writes.
"""
