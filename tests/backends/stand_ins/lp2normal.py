"""Stands in for lp2normal, and refuses what that refuses; a program is a translation of itself."""

from __future__ import annotations

import sys
from pathlib import Path


def main(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        print("File lp2normal.c,v [2021/05/27 11:38:21]: 1.16", file=sys.stderr)
        return
    *flags, path = arguments
    if flags != ["-ko"]:
        sys.exit(f"lp2normal: unknown arguments {flags}")
    text = Path(path).read_text(encoding="ascii")
    if any(
        line.split()[0] not in {"1", "2", "3", "5", "6", "8"} for line in text.split("\n0\n")[0].splitlines()
    ):
        sys.exit("lp2normal: unknown rule type")
    # It adds a section that old solvers do not know.
    end = text.rindex("\n1\n") if text.endswith("\n1\n") else len(text)
    print(f"{text[:end]}\nE\n0{text[end:]}", end="")


if __name__ == "__main__":
    main(sys.argv[1:])
