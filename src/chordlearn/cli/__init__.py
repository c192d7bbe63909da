"""The command line: a thin shell over the public functions, one file per command."""

from __future__ import annotations


def main() -> None:
    """Run `chordlearn`; the process ends with the exit code."""
    import signal
    import sys

    # Being asked to end is answered as Ctrl-C is: the best network so far is written, nothing is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from chordlearn.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        # Ctrl-C while the modules are still loading.
        code = 130
    sys.exit(code)
