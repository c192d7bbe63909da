"""Learns chordal Markov networks from discrete data and proves them optimal."""
