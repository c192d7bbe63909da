"""The learning problem: scores and constraints."""
