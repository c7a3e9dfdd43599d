"""How the layers of a serialised model are connected."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..datasets.program import Json, is_model

History = list[Json]
"""Where a tensor comes from: name of the layer, number of its call, number of its output."""

Link = tuple[str, str]


def references(node: Mapping[str, Json]) -> Iterator[History]:
    """Go through the tensors that one call of a layer takes, in Keras's order."""
    yield from _histories(node["args"])
    yield from _histories(node["kwargs"])


def outputs_of(model: Mapping[str, Json]) -> list[History]:
    """Return where the outputs of a functional model come from."""
    return [_shifted(end, model, -1) for end in _ends(model["config"]["output_layers"])]


def single_output(model: Mapping[str, Json], name: str) -> bool:
    """Whether nothing but the first output of a layer of a functional model is used."""
    used = [
        history
        for entry in model["config"]["layers"]
        for node in entry["inbound_nodes"]
        for history in references(node)
    ]
    return all(history[2] == 0 for history in used + outputs_of(model) if history[0] == name)


def rewired(model: Mapping[str, Json], change: Callable[[History], History]) -> dict[str, Json]:
    """Return a functional model in which every connection is what `change` makes of it."""
    new: dict[str, Json] = copy.deepcopy(dict(model))
    for entry in new["config"]["layers"]:
        entry["inbound_nodes"] = _changed(entry["inbound_nodes"], change)
    new["config"]["output_layers"] = _mapped_ends(
        new["config"]["output_layers"],
        lambda end: _shifted(change(_shifted(end, model, -1)), model, 1),
    )
    return new


def in_keras_order(model: Mapping[str, Json]) -> dict[str, Json]:
    """Return a functional model with its layers in the order in which Keras lists them.

    That is by depth, counted from the outputs, and within one depth by the first visit of a
    depth-first walk from the outputs (`keras.src.ops.function.map_graph`).
    """
    entries = {entry["config"]["name"]: entry for entry in model["config"]["layers"]}
    visits: dict[str, int] = {}
    finished: dict[tuple[str, int], None] = {}
    for output in outputs_of(model):
        _visit(entries, output, visits, finished)
    calls: dict[tuple[str, int], int] = {}
    depths: dict[str, int] = {}
    for call in reversed(finished):
        depth = max(calls.setdefault(call, 0), depths.get(call[0], 0))
        depths[call[0]] = calls[call] = depth
        for name, number, _ in _taken(entries, call):
            calls[name, number] = max(depth + 1, calls.get((name, number), 0))
    order = sorted(
        model["config"]["layers"],
        key=lambda entry: (
            -depths.get(entry["config"]["name"], 0),
            visits.get(entry["config"]["name"], -1),
        ),
    )
    return {**model, "config": {**model["config"], "layers": order}}


def links(architecture: Mapping[str, Json]) -> tuple[Link, ...]:
    """Return every pair of name paths of which the first layer feeds the second.

    Nested models are looked through: what feeds one feeds its first layers.
    """
    found: dict[Link, None] = {}
    _flow(architecture, "", (), found)
    return tuple(found)


def _flow(
    model: Mapping[str, Json],
    prefix: str,
    sources: Sequence[frozenset[str]],
    found: dict[Link, None],
) -> list[frozenset[str]]:
    """Add the links within a model and to it; return which layers give each of its outputs."""
    layers = model["config"]["layers"]
    if model["class_name"] == "Sequential":
        current = list(sources[:1]) or [frozenset[str]()]
        for entry in layers:
            if entry["class_name"] != "InputLayer":
                current = _pass(entry, prefix, current, found)
        return current
    entries = {entry["config"]["name"]: entry for entry in layers}
    given: dict[tuple[str, int], list[frozenset[str]]] = {}
    for (name, *_), source in zip(_ends(model["config"]["input_layers"]), sources, strict=False):
        given[name, 0] = [source]

    def origin(history: History) -> frozenset[str]:
        name, number, output = history
        entry = entries[name]
        if entry["class_name"] == "InputLayer":
            return given.get((name, 0), [frozenset()])[0]
        if (name, number) not in given:
            taken = [origin(one) for one in references(entry["inbound_nodes"][number])]
            given[name, number] = _pass(entry, prefix, taken, found)
        return given[name, number][output if is_model(entry) else 0]

    return [origin(output) for output in outputs_of(model)]


def _pass(
    entry: Mapping[str, Json],
    prefix: str,
    taken: Sequence[frozenset[str]],
    found: dict[Link, None],
) -> list[frozenset[str]]:
    path = prefix + entry["config"]["name"]
    if is_model(entry):
        return _flow(entry, path + "/", taken, found)
    found |= {(source, path): None for sources in taken for source in sorted(sources)}
    return [frozenset({path})]


def _visit(
    entries: Mapping[str, Json],
    history: History,
    visits: dict[str, int],
    finished: dict[tuple[str, int], None],
) -> None:
    call = (history[0], history[1])
    if call in finished:
        return
    visits.setdefault(history[0], len(visits))
    for taken in _taken(entries, call):
        _visit(entries, taken, visits, finished)
    finished[call] = None


def _taken(entries: Mapping[str, Json], call: tuple[str, int]) -> list[History]:
    nodes = entries[call[0]]["inbound_nodes"]
    return list(references(nodes[call[1]])) if nodes else []


def _histories(value: Json) -> Iterator[History]:
    if isinstance(value, list):
        for item in value:
            yield from _histories(item)
    elif isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__":
            yield value["config"]["keras_history"]
        else:
            for key in sorted(value):
                yield from _histories(value[key])


def _changed(value: Json, change: Callable[[History], History]) -> Json:
    if isinstance(value, list):
        return [_changed(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("class_name") == "__keras_tensor__":
        return {**value, "config": {"keras_history": change(value["config"]["keras_history"])}}
    return {key: _changed(item, change) for key, item in value.items()}


def _ends(value: Json) -> Iterator[History]:
    """Go through ``input_layers`` or ``output_layers``, which may be nested."""
    if _is_end(value):
        yield value
    else:
        for item in value if isinstance(value, list) else (value[key] for key in sorted(value)):
            yield from _ends(item)


def _mapped_ends(value: Json, change: Callable[[History], History]) -> Json:
    if _is_end(value):
        return change(value)
    if isinstance(value, list):
        return [_mapped_ends(item, change) for item in value]
    return {key: _mapped_ends(item, change) for key, item in value.items()}


def _is_end(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 3 and isinstance(value[0], str)


def _shifted(end: History, model: Mapping[str, Json], by: int) -> History:
    """Translate the number of a call: at the ends, those of functional models count from 1."""
    name, number, output = end
    nested = any(
        entry["config"]["name"] == name and entry["class_name"] == "Functional"
        for entry in model["config"]["layers"]
    )
    return [name, number + by * nested, output]
