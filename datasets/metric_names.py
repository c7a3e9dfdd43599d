"""The names under which Keras logs the metrics of a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .automatic_names import snake
from .canonical import effective_config
from .program import Json


def metric_name(metric: Json) -> str:
    """Return the name of one metric as a program stores it.

    The name that Keras makes up for an object without one is the first of its kind in a process.
    """
    if isinstance(metric, str):
        return metric
    name = effective_config(metric["class_name"], metric["config"], "metrics")["name"]
    return str(name or snake(metric["class_name"]))


def logged_names(metrics: Json, outputs: Sequence[str]) -> list[list[str]]:
    """Return the name of each metric in the logs of `fit`, without ``val_``, output by output.

    Args:
        metrics: of a program: a list, or a list of lists for several outputs.
        outputs: names of the model's outputs.
    """
    listed = [metrics] if len(outputs) == 1 else metrics
    plain = [[metric_name(metric) for metric in part] for part in listed]
    return numbered(plain, outputs)


def numbered(names: Sequence[Sequence[str]], outputs: Sequence[str]) -> list[list[str]]:
    """Tell equal names apart as Keras's logs do, and put outputs' names before them.

    Args:
        names: of the metrics of each output.
        outputs: names of the outputs; a single one is not named in logs.
    """
    seen: Counter[str] = Counter()
    prefixes = [""] if len(outputs) == 1 else [f"{output}_" for output in outputs]
    return [
        list(_fresh((prefix + name for name in part), seen))
        for prefix, part in zip(prefixes, names, strict=False)
    ]


def _fresh(names: Iterable[str], seen: Counter[str]) -> Iterable[str]:
    for name in names:
        yield name if not seen[name] else f"{name}_{seen[name]}"
        seen[name] += 1
