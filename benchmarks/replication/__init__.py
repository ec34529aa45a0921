"""The released ExplaGraphs code at its own pinned libraries, and ours, on the same predictions.

The recipe and what came of it: README.md in this folder.
"""
