"""Logs of other harnesses, of any task: which samples two share, and which log is better."""
