"""Fake MaxSAT solvers, each wrong in its own way."""

from __future__ import annotations

import sys
from pathlib import Path

NO_EDGES = """
import sys
variables, cost = 0, 0
for line in open(sys.argv[1]):
    words = line.split()
    if words[0] == "c":
        continue
    variables = max([variables, *(abs(int(word)) for word in words[1:])])
    if words[0] != "h" and int(words[1]) > 0:
        cost += int(words[0])
print("o", cost - MISTAKE)
print("s OPTIMUM FOUND")
print("v", "0" * variables)
"""
HANGS = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("c hanging", flush=True)
time.sleep(600)
"""
FAKES = {
    "crashes": "import sys; print('o 5', flush=True); sys.exit('out of luck')",
    "is killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "prints rubbish": "print('o many'); print('v here and there'); print('s OPTIMUM FOUND')",
    "prints noise": "import os; os.write(1, bytes(range(256)) * 4000)",
    "says nothing": "pass",
    "has no network": "print('o 0'); print('s OPTIMUM FOUND')",
    "wrong optimum": NO_EDGES.replace("MISTAKE", "0"),
    "wrong cost": NO_EDGES.replace("MISTAKE", "1"),
    "claims there is none": "print('s UNSATISFIABLE')",
    "hangs": HANGS,
}
"""Their source by what they do."""


def write_fake(what: str, folder: Path) -> Path:
    """A program that misbehaves so."""
    path = folder / "fake-solver"
    path.write_text(f"#!{sys.executable}\n{FAKES[what]}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
