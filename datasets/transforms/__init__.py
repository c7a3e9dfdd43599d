"""What data mutations do to the rows of a role: named, seeded, pure."""

from .applying import INFORMED, TRANSFORMS, apply_transforms
from .base import Task, TransformResult, task_of, task_of_labels
from .labels import change_labels
from .selections import delete_rows

__all__ = [
    "INFORMED",
    "TRANSFORMS",
    "Task",
    "TransformResult",
    "apply_transforms",
    "change_labels",
    "delete_rows",
    "task_of",
    "task_of_labels",
]
