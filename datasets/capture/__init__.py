"""Turn an ordinary Keras script into a training program."""

from .launch import capture
from .subject import Subject, load_arrays, load_subject, save_subject

__all__ = ["Subject", "capture", "load_arrays", "load_subject", "save_subject"]
