"""What happened between two observations, as pages show it: choices (aNLI) and stories (aNLG)."""
