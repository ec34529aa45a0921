"""The leaderboard document: what every page and table says of the systems of one split.

``about``: what a row is. ``order``: what orders rows. ``people``: columns that people gave.
``make``: the document. ``verdict``: what it says in sentences; ``numbers``: how these are written;
``trust``: what speaks for and against it. ``files``: from committed results to committed documents.
Only ``files`` reads and writes.
"""
