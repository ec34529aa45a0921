"""Hidden gold: opened in memory and handed to one child process that scores with it.

What leaves that process is the released form of a result, or a code: a sentence about gold might
quote it.
"""
