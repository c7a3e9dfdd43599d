"""Scores that are built on killing: how good a test set is, and what its mutants are worth.

Each is a pure function of verdicts, kill vectors or killing probabilities, in a file of its own;
`report` computes all of them for a corpus.
"""
