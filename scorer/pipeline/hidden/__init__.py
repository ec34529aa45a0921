"""Hidden gold: where it comes from, how it is sealed and scored, and what of it is released.

Gold is opened in memory and handed to one child process that scores with it (``confined``). What
leaves that process is the ``release`` form of a result, or a code of ``faults``: a sentence about
gold might quote it.
"""
