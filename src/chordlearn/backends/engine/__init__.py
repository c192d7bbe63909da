"""The package's own exact engine, and the choice of a backend."""
