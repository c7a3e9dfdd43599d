"""Put handlers in the place of Keras's methods while a script runs."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import keras

Handler = Callable[[Callable[[], Any], Any, dict[str, Any]], Any]
"""Receives the original call, the model and all arguments with their defaults."""


@contextmanager
def intercepted(handlers: Mapping[str, Handler]) -> Iterator[None]:
    """Send calls of methods of `keras.Model` to handlers, by the methods' names."""
    kept = {name: vars(keras.Model).get(name) for name in handlers}
    for name, handler in handlers.items():
        setattr(keras.Model, name, _bound(getattr(keras.Model, name), handler))
    try:
        yield
    finally:
        for name, method in kept.items():
            if method is None:
                delattr(keras.Model, name)
            else:
                setattr(keras.Model, name, method)


def _bound(original: Callable[..., Any], handler: Handler) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        values.pop("self", None)
        return handler(lambda: original(self, *args, **kwargs), self, values)

    return call


@contextmanager
def as_main(script: Path, args: Sequence[str]) -> Iterator[None]:
    """Set arguments, folder and import path as if Python had been started on a script."""
    argv, path, folder = sys.argv, list(sys.path), Path.cwd()
    sys.argv = [str(script), *args]
    sys.path.insert(0, str(script.parent))
    os.chdir(script.parent)
    try:
        yield
    finally:
        os.chdir(folder)
        sys.argv, sys.path[:] = argv, path


def untrained_history(model: Any, epochs: int) -> Any:
    """Return a History with a value for every epoch and every name that a script may ask for."""

    class Logs(dict[str, list[float]]):
        def __missing__(self, key: str) -> list[float]:
            return [0.0] * epochs

    names = ["loss", *(m.name for m in model.metrics if m.name not in ("loss", "compile_metrics"))]
    history = keras.callbacks.History()
    history.epoch = list(range(epochs))
    history.history = Logs({name: [0.0] * epochs for name in names})
    history.set_model(model)
    model.history = history
    return history
