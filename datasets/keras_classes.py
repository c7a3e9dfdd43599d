"""Keras's own classes by name: the only ones that a stored program can name."""

from __future__ import annotations

from functools import cache

import keras

from .errors import SubjectError

_FAMILIES = {
    "layers": keras.layers,
    "initializers": keras.initializers,
    "regularizers": keras.regularizers,
    "constraints": keras.constraints,
    "optimizers": keras.optimizers,
    "losses": keras.losses,
    "metrics": keras.metrics,
    "optimizers.schedules": keras.optimizers.schedules,
}


@cache
def keras_class(name: str, family: str | None = None) -> type | None:
    """Return the class of Keras's own that has a name, or None.

    Args:
        name: of the class, as Keras serialises it.
        family: where to look first, for example ``metrics``; losses and metrics share names.
    """
    if name == "Sequential":
        return type(keras.Sequential())
    if name == "Functional":
        functional: type = keras.src.models.Functional
        return functional
    found = _family_of(name, family)
    return None if found is None else getattr(_FAMILIES[found], name)


@cache
def loss_class(function: str) -> str:
    """Return the name of the class that wraps a loss function of Keras's own.

    Raises:
        SubjectError: there is no such class.
    """
    for name, kind in vars(keras.losses).items():
        if isinstance(kind, type) and keras.src.utils.naming.to_snake_case(name) == function:
            return str(name)
    raise SubjectError(f"loss {function}: expected a function of Keras's own that a class wraps")


def module_of(name: str, family: str | None = None) -> str:
    """Return the module under which `keras.saving` knows a class; see `keras_class`.

    Raises:
        SubjectError: the class is not one of Keras's own.
    """
    if name == "Functional":
        return "keras.src.models.functional"
    if name == "Sequential":
        return "keras"
    found = _family_of(name, family)
    if found is None:
        raise SubjectError(f"class {name}: not one of Keras's own")
    return f"keras.{found}"


def _family_of(name: str, first: str | None) -> str | None:
    order = sorted(_FAMILIES, key=lambda family: family != first)
    return next(
        (family for family in order if isinstance(getattr(_FAMILIES[family], name, None), type)),
        None,
    )
