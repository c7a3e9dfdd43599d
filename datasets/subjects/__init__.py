"""Bundled subjects: ordinary Keras training scripts."""
