"""What people answer about items: forms of questions, batches of items, annotators' files.

A second contract beside ``tasks``: items without gold, answered by several people. A form is data,
a YAML file in ``forms/`` or in a host's ``annotations/forms/``; one engine works on them all.
"""
