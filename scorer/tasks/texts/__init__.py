"""Tasks of texts: a choice of two hypotheses, a text that a system writes, or both."""
