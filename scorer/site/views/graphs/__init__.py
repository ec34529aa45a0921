"""Explanation graphs as pages show them: drawings, examples, what a system gets wrong."""
