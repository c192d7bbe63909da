"""The command line: a thin shell over the public functions, one file per command."""

from __future__ import annotations


def main() -> None:
    """Run `chordlearn`; the process ends with the exit code."""
    import sys

    from chordlearn.cli.app import run

    sys.exit(run(sys.argv[1:]))
