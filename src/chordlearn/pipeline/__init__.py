"""The whole way: read, score, state the problem, choose a backend, solve, and make the result."""
