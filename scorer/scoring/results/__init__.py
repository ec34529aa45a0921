"""Results as they stand on disk: written, read, compared, and what they were before."""
