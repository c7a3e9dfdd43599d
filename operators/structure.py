"""Edits of a model's list of layers: Sequential, functional and nested models.

All functions are pure: they take a program document and return another. Layers are named by name
path, as in `TrainingProgram.layers`. Nothing here renumbers automatic names, so that a name means
the same layer before and after an edit.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping

from ..datasets.errors import SubjectError
from ..datasets.program import Json
from ..datasets.slots import replaced
from .graph import History, in_keras_order, references, rewired, single_output


def entry_at(document: Json, path: str) -> dict[str, Json]:
    """Return a copy of a serialised layer: its class, configuration and connections.

    Raises:
        SubjectError: there is no such layer; so for all functions of this module.
    """
    return _Place(document, path).entry


def removable(document: Json, path: str) -> bool:
    """Whether a layer can be taken out so that something is left and there is a way past it.

    A layer that joins several tensors, or gives several, has nothing to be replaced by.
    """
    rest = [e for e in _Place(document, path).layers if e["class_name"] != "InputLayer"]
    return len(rest) > 1 and extensible(document, path) and unary(document, path)


def extensible(document: Json, path: str) -> bool:
    """Whether a layer can be put behind a layer: that one gives a single tensor."""
    place = _Place(document, path)
    return place.sequential or single_output(place.model, place.name)


def unary(document: Json, path: str) -> bool:
    """Whether every call of a layer takes a single tensor."""
    place = _Place(document, path)
    return place.sequential or all(
        len(list(references(node))) == 1 for node in place.entry["inbound_nodes"]
    )


def without(document: Json, path: str) -> Json:
    """Return the document without a layer; what fed it feeds those that it fed."""
    place = _Place(document, path)
    del place.layers[place.position]
    if place.sequential:
        return place.put(place.model)
    sources = [next(references(node)) for node in place.entry["inbound_nodes"]]

    def past(history: History) -> History:
        while history[0] == place.name:
            history = sources[history[1]]
        return history

    return place.put(in_keras_order(rewired(place.model, past)))


def with_behind(document: Json, path: str, class_name: str, config: Mapping[str, Json]) -> Json:
    """Return the document with a new layer that takes a layer's output and gives it on.

    Args:
        document: a program document.
        path: the layer in front.
        class_name: of the new layer.
        config: of the new layer; its name must be free (`free_name`).
    """
    place = _Place(document, path)
    new: dict[str, Json] = {"class_name": class_name, "config": copy.deepcopy(dict(config))}
    if place.sequential:
        place.layers.insert(place.position + 1, new)
        return place.put(place.model)
    model = rewired(place.model, _renaming(place.name, config["name"]))
    new["inbound_nodes"] = [
        {
            "args": [
                {
                    "class_name": "__keras_tensor__",
                    "config": {"keras_history": [place.name, number, 0]},
                }
            ],
            "kwargs": {},
        }
        for number in range(len(place.entry["inbound_nodes"]))
    ]
    model["config"]["layers"].append(new)
    return place.put(in_keras_order(model))


def with_layer(document: Json, path: str, class_name: str, config: Mapping[str, Json]) -> Json:
    """Return the document with another class and configuration in a layer's place.

    The layer may get another name; connections follow it.
    """
    place = _Place(document, path)
    new = {"class_name": class_name, "config": copy.deepcopy(dict(config))}
    place.layers[place.position] |= new
    if place.sequential:
        return place.put(place.model)
    return place.put(rewired(place.model, _renaming(place.name, config["name"])))


def free_name(document: Json, path: str, class_name: str) -> str:
    """Return a name such as Keras makes up, free in the model that holds a layer.

    Canonical form numbers it in order, like all names of its kind.
    """
    from ..datasets.automatic_names import snake

    taken = {entry["config"]["name"] for entry in _Place(document, path).layers}
    names = (f"{snake(class_name)}_{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def beside(path: str, name: str) -> str:
    """Return the name path of a layer in the same model as the layer of a path."""
    return "/".join([*path.split("/")[:-1], name])


class _Place:
    """A layer in the model that holds it, both copied out of a document."""

    def __init__(self, document: Json, path: str) -> None:
        *models, self.name = path.split("/")
        self._document = document
        self._slot = "/architecture"
        model = document["architecture"]
        for name in models:
            position = _position(model, name)
            self._slot += f"/config/layers/{position}"
            model = model["config"]["layers"][position]
        self.model: dict[str, Json] = copy.deepcopy(model)
        self.position = _position(self.model, self.name)
        self.layers: list[dict[str, Json]] = self.model["config"]["layers"]
        self.entry: dict[str, Json] = copy.deepcopy(self.layers[self.position])
        self.sequential = self.model["class_name"] == "Sequential"

    def put(self, model: Mapping[str, Json]) -> Json:
        """Return the document with the model in its place."""
        return replaced(self._document, self._slot, model)


def _position(model: Mapping[str, Json], name: str) -> int:
    names = [entry["config"]["name"] for entry in model["config"]["layers"]]
    if name not in names:
        raise SubjectError(f"layer: expected one of {', '.join(names)}; received {name!r}")
    return names.index(name)


def _renaming(old: str, new: str) -> Callable[[History], History]:
    return lambda history: [new, *history[1:]] if history[0] == old else history
