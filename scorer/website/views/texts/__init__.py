"""aNLG: what a system writes."""
