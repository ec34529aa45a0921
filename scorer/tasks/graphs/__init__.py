"""Explanation graphs: a label and a graph of commonsense facts that explains it."""
