"""aNLI: which hypothesis a system takes."""
