"""Boards, gold, results, cards and states from files into views. Nothing else of the site reads."""
