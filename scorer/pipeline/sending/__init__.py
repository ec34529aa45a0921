"""A submission's branch: made by plain git beside the work tree, pushed only where asked."""
