"""A run over many submissions: what there is to do, what was done before, what went wrong."""
