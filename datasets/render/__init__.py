"""Write a training program as a standalone, ordinary Keras script."""

from .files import script_arrays
from .script import Mode, Script, lines_of, patch, render

__all__ = ["Mode", "Script", "lines_of", "patch", "render", "script_arrays"]
