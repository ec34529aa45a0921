"""From predictions and gold to results: checking, the one loop over items, its summaries."""
