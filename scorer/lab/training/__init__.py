"""Training and measuring judges: where their examples come from, and what they are worth."""
