"""A board taken elsewhere: its data as Parquet, Croissant and a dataset of the Hub, and itself as
tasks of lm-evaluation-harness.

Only data that a board carries and may show ever leave; gold leaves where it is public.
"""
