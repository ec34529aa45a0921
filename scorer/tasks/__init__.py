"""Kinds of work: one folder each, and what they share. ``registry`` names them."""
