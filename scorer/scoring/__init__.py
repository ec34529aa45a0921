"""From predictions and gold to results: checking, the one loop over items, its summaries.

docs/architecture.md lists the path of a score, file by file.
"""
