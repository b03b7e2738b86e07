"""The inside of the executor: one batch, one call, one body."""
