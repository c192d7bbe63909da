"""What solves problems: one file per family, found by name."""
