"""Engines: who does the jobs of a run, and what happens when one of them goes wrong.

An engine is given a recipe, ``make``, and jobs. A worker calls ``make()`` once, which loads what
all jobs need and returns a function; every job is then one call of that function. Workers never
write files: what a job returns goes home to the one process that asked.

    inline   this process, one job after the other; a crash ends everything
    local    processes on this machine that may die, hang or run out of memory alone
    ray      the same on the machines of a Ray cluster
"""
