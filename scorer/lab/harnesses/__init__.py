"""Our boards in the field's own harnesses, and their logs as submissions."""
