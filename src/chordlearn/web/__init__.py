"""The live page: a small server for one person on one machine, and a process of its own for each task."""

from chordlearn.web.server import serve

__all__ = ["serve"]
