"""Prompts as data: templates in folders, the messages for an item, and what its answer says."""
