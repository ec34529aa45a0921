"""Hidden gold: where it comes from, how it is sealed and scored, and who may see it.

Gold is opened in memory, handed to one child process that scores with it (``confined``), and leaves
that process only as ``exact`` values, which ``release`` decides upon. Every failure is a code of
``faults``, because a sentence about gold might quote it.
"""
