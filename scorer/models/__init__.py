"""The models of a run: where their files come from, what they run on, and what they have said."""
