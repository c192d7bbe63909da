"""What a run knows, on disk: so that it can go on after a crash and never ends worse than it was."""

from __future__ import annotations

from chordlearn.pipeline.checkpoint.file import Checkpoint, Identity, read_checkpoint
from chordlearn.pipeline.checkpoint.writer import EVERY_SECONDS, CheckpointWarning, CheckpointWriter

__all__ = [
    "EVERY_SECONDS",
    "Checkpoint",
    "CheckpointWarning",
    "CheckpointWriter",
    "Identity",
    "read_checkpoint",
]
