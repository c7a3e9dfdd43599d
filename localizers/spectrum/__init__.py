"""Spectra of neurons and what is computed from them."""
