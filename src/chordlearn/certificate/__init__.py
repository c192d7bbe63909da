"""Checks that share no code with what they check: of results, and of proofs."""
