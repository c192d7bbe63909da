"""`python -m chordlearn` is the command `chordlearn`."""

from chordlearn.cli import main

if __name__ == "__main__":
    main()
