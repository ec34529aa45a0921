"""aNLI: which of two hypotheses explains what happened between two observations."""
