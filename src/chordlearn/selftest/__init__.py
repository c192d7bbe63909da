"""The differential campaign: random problems, each solved in many ways that must agree."""

from chordlearn.selftest.campaign import Share, replay, run_campaign, run_one
from chordlearn.selftest.crew import run_crew
from chordlearn.selftest.tally import Tally

__all__ = ["Share", "Tally", "replay", "run_campaign", "run_crew", "run_one"]
