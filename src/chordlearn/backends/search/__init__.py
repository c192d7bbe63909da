"""Search for tables with many columns, and the bounds and proofs beside it."""
