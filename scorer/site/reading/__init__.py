"""Boards, gold, results, cards and answers from files into views. Nothing else here reads."""
