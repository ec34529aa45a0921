"""Training and measuring judges: where their examples come from, and what they are worth.

``rows.py`` reads people's graphs, ``edits.py`` makes graphs that are known to be wrong,
``examples.py`` says what is known of each graph's label, ``evaluate.py`` turns a judge's answers
into a card's figures, and ``train.py`` trains. ``trainer.py`` is the trainer of judges and systems
alike; only these two import torch.
"""
