"""Constraint solvers: Python packages and programs."""
