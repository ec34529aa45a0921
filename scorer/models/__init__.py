"""Encoders, judges and the lexicon: where they are, what they run on, what they have said."""
