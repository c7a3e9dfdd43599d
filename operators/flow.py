"""Who feeds whom in a program's architecture, nested models entered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..datasets.errors import SubjectError
from ..datasets.program import Json, TrainingProgram, is_model


@dataclass(frozen=True)
class Flow:
    """The layers of a program, inputs included, and how their outputs travel.

    Args:
        entries: serialised layer by name path.
        calls: by name path, one entry for each time that the layer is called: the name paths
            of the layers whose outputs it is given, an output that is given twice being named
            twice.
        outputs: name paths of the layers whose outputs are the model's.
    """

    entries: Mapping[str, Json]
    calls: Mapping[str, tuple[tuple[str, ...], ...]]
    outputs: tuple[str, ...]

    def source(self, name: str) -> str | None:
        """Return the one layer whose one output a layer is given, or None."""
        calls = self.calls.get(name, ())
        return calls[0][0] if len(calls) == 1 and len(calls[0]) == 1 else None

    def consumers(self, name: str) -> tuple[str, ...]:
        """Return the layers that are given an output of a layer."""
        return tuple(
            other for other, calls in self.calls.items() if any(name in given for given in calls)
        )


def flow_of(program: TrainingProgram) -> Flow:
    """Read the flow from the architecture."""
    entries: dict[str, Json] = {}
    calls: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    outputs = _through(program.document()["architecture"], "", None, entries, calls)
    return Flow(entries, {name: tuple(given) for name, given in calls.items()}, tuple(outputs))


def _through(
    model: Json,
    prefix: str,
    feeds: list[str] | None,
    entries: dict[str, Json],
    calls: dict[str, list[tuple[str, ...]]],
) -> list[str]:
    """Go through a model that is called once; return the layers that make its outputs.

    `feeds` are the layers that make its inputs, None for the outermost model.
    """

    def enter(entry: Json, given: list[str]) -> list[str]:
        path = prefix + entry["config"]["name"]
        if is_model(entry):
            return _through(entry, path + "/", given, entries, calls)
        entries[path] = entry
        calls[path].append(tuple(given))
        return [path]

    layers = model["config"]["layers"]
    starts: dict[str, list[str]] = {}
    for entry in layers:
        if entry["class_name"] == "InputLayer":
            name = entry["config"]["name"]
            entries[prefix + name] = entry
            starts[name] = [prefix + name]
    if model["class_name"] == "Sequential":
        current = feeds or next(iter(starts.values()), [])
        for entry in layers:
            if entry["class_name"] != "InputLayer":
                current = enter(entry, current)
        return current
    if feeds is not None:
        inputs = list(_histories(model["config"]["input_layers"]))
        if len(inputs) == len(feeds):
            starts |= {name: [feed] for (name, _), feed in zip(inputs, feeds, strict=True)}
    made = starts
    waiting = [
        (entry, list(_tensors(node)))
        for entry in layers
        if entry["class_name"] != "InputLayer"
        for node in entry["inbound_nodes"]
    ]
    while waiting:
        # A shared layer stands where its last call is, so that its others come too late.
        ready = [call for call in waiting if all(name in made for name, _ in call[1])]
        if not ready:
            raise SubjectError(
                f"architecture: the layers of {prefix or 'the model'} run in circles"
            )
        waiting = [call for call in waiting if call not in ready]
        for entry, given in ready:
            made[entry["config"]["name"]] = enter(entry, [_maker(made, *one) for one in given])
    return [_maker(made, *history) for history in _histories(model["config"]["output_layers"])]


def _maker(made: Mapping[str, list[str]], name: str, position: int) -> str:
    """Return the layer that makes an output of an entry; a layer makes all of its outputs."""
    makers = made[name]
    return makers[position] if position < len(makers) else makers[0]


def _tensors(node: Json) -> Iterator[tuple[str, int]]:
    """Find the tensors that a call is given: names of entries and positions of outputs."""
    if isinstance(node, dict):
        if node.get("class_name") == "__keras_tensor__":
            name, _, position = node["config"]["keras_history"]
            yield name, position
        else:
            for value in node.values():
                yield from _tensors(value)
    elif isinstance(node, list):
        for value in node:
            yield from _tensors(value)


def _histories(value: Json) -> Iterator[tuple[str, int]]:
    """Find [name, call, position] in a model's ``input_layers`` or ``output_layers``."""
    if isinstance(value, dict):
        value = list(value.values())
    if len(value) == 3 and isinstance(value[0], str):
        yield value[0], value[2]
    else:
        for item in value:
            yield from _histories(item)
