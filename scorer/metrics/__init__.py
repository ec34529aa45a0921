"""Metrics: pure functions on plain values, one file each; `catalogue` names them all."""
