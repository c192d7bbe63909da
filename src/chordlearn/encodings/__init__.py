"""Constraint models of the learning problem, and the languages they are written in."""
