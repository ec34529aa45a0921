"""Who judged a number, whether that judge may order rows, and the pages of judges."""
