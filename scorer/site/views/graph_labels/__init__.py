"""Graph labels: how their items are shown."""
