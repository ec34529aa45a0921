"""Themes: what stands around every page, the hand-written pages, and what a page may load."""
