"""Systems that write what happened between two observations, word after word."""
