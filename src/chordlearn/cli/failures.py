"""From any failure to one sentence on stderr and an exit code; never a traceback.

Set CHORDLEARN_DEBUG=1 to see the traceback of an unexpected one.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import typer

from chordlearn.errors import ChordlearnError
from chordlearn.system.signals import own_handlers
from chordlearn.system.text import shown

OK = 0
REJECTED = 1
WRONG_INPUT = 2
NO_NETWORK = 3
FAILED = 4
INTERRUPTED = 130

NO_MEMORY = "The memory does not suffice; use fewer variables (--columns, --drop) or fewer --threads."
NO_THREAD = ("can't start new thread", "Resource temporarily unavailable")

LONGEST_MESSAGE = 1000
"""A sentence may repeat an argument or a name, however long that is."""

# Typer carries its own copy of click; this is the base of its usage errors.
_CallError: Any = typer.BadParameter.__mro__[2]


def run_guarded(call: Callable[[], object]) -> int:
    """Run a command and return the exit code; a failure becomes one sentence on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows a question mark.
            stream.reconfigure(errors="replace")
    try:
        with own_handlers():
            code = call()
            sys.stdout.flush()
    except BaseException as failure:
        if os.environ.get("CHORDLEARN_DEBUG") == "1" and not isinstance(failure, SystemExit | typer.Exit):
            raise
        return _print_failure(failure)
    return code if isinstance(code, int) else OK


def _print_failure(failure: BaseException) -> int:
    sentence, code = explain(failure)
    if isinstance(failure, OSError):
        # What is left in the buffer can go nowhere; the interpreter would complain about it on its way out.
        _discard_stdout()
    if sentence:
        with contextlib.suppress(OSError):
            print(f"chordlearn: {_shortened(shown(sentence))}", file=sys.stderr)
    return code


def explain(failure: BaseException) -> tuple[str, int]:
    """The sentence and the exit code of a failure.

    >>> explain(ChordlearnError("The table is empty; give one with rows."))
    ('The table is empty; give one with rows.', 2)
    """
    match failure:
        case ChordlearnError():
            return failure.on_command_line(), failure.exit_code
        case SystemExit() | typer.Exit():
            code = getattr(failure, "exit_code", getattr(failure, "code", OK))
            return "", code if isinstance(code, int) else OK
        case KeyboardInterrupt() | typer.Abort():
            return "Interrupted before there was a network.", INTERRUPTED
        case BrokenPipeError():
            return "", OK
        case MemoryError():
            return NO_MEMORY, WRONG_INPUT
        case RuntimeError() if any(words in str(failure) for words in NO_THREAD):
            return NO_MEMORY, WRONG_INPUT
        case OSError():
            return _explain_system(failure), WRONG_INPUT
        case _ if isinstance(failure, _CallError):
            return _explain_call(failure), WRONG_INPUT
    kind = type(failure).__name__
    return (
        f"An unexpected failure ({kind}: {_one_line(str(failure))}), which is a defect; "
        "please report it with what CHORDLEARN_DEBUG=1 shows.",
        FAILED,
    )


def _explain_system(error: OSError) -> str:
    reason = error.strerror or str(error)
    where = f"{error.filename}: " if error.filename else ""
    fix = "; free some space or write elsewhere" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"{where}{reason}{fix}."


def _explain_call(error: Any) -> str:
    message = _one_line(error.format_message()).rstrip(".")
    message = re.sub(r"\. Did you mean (.*)\?$", r" (did you mean \1?)", message)
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "chordlearn"
    return f"{message}; see {command} --help."


def _shortened(text: str) -> str:
    """Without its middle if it is very long: the cause stands at the beginning, the fix at the end."""
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:half]} … {text[-half:]}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _discard_stdout() -> None:
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
