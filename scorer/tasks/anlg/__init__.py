"""aNLG: write what happened between two observations."""
