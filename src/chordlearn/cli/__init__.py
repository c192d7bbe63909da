"""The command line: a thin shell over the public functions, one file per command."""

from __future__ import annotations


def main() -> None:
    """Run `chordlearn`; the process ends with the exit code."""
    import gc
    import signal
    import sys

    from chordlearn.errors import ChordlearnError
    from chordlearn.system.memory import TO_START, refuse_narrow_space
    from chordlearn.system.signals import Held, ignore_interrupts

    # Being asked to end is answered as Ctrl-C is: the best network so far is written, nothing is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Loading modules makes no garbage, for which Python would look many times.
    gc.set_threshold(10_000)
    try:
        refuse_narrow_space(TO_START, "this program")
        with Held():
            # A module whose loading is broken off can be left in any state.
            from chordlearn.cli.app import run
        code = run(sys.argv[1:])
        ignore_interrupts()
    except ChordlearnError as error:
        print(f"chordlearn: {error.on_command_line()}", file=sys.stderr)
        code = error.exit_code
    except KeyboardInterrupt:
        # Ctrl-C while the modules are still loading, or once everything was done.
        code = 130
    ignore_interrupts()
    sys.exit(code)
