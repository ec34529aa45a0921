"""From a pull request to a published row: checks, hidden gold, setting up, archives."""
