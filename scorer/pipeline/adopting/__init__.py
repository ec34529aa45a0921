"""Making this program serve somebody else's benchmark: a new board, a repository for it."""
