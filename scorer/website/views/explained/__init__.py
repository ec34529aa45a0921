"""Explained choices: how their items are shown."""
