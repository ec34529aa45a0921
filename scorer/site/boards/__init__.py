"""Pages of a board: leaderboards, how sure they are, comparisons, plots, systems, data."""
