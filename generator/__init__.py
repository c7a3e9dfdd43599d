"""Mutate, retrain, decide, store."""
