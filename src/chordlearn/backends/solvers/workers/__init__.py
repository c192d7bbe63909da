"""Solver packages as programs: each module reads a written file and prints answers as MaxSAT solvers do.

They run in processes of their own, so that limits, Ctrl-C and crashes stay outside. Lines are
`o COST` and `v 0101…` for each better answer, `c lower BOUND` for each better bound, and at the end
`s OPTIMUM FOUND`, `s UNSATISFIABLE` or `s UNKNOWN`.
"""
