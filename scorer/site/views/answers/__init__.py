"""Tasks of texts: choices, generated texts, and choices with explanations."""
