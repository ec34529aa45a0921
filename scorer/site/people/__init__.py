"""What people said: the pages below ``human/``."""
