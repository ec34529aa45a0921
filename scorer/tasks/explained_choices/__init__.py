"""Explained choices: which of two hypotheses is right, and why."""
