"""Benchmarks: ratios against a named alternative in one run. ``make bench`` writes RESULTS.md."""
