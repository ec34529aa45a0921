"""Commonsense graphs of an argument, cut out of a knowledge base by paths of similar triples."""
