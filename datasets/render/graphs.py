"""The calls of a functional model: in which order, on which tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..errors import SubjectError
from ..program import Json, is_model
from .code import Expression, call, listed, literal, mapping

End = tuple[str, int, int]
"""A tensor: the layer that made it, the number of its call, and of the output of the call."""


@dataclass(frozen=True)
class Step:
    """One call of a layer.

    Args:
        layer: its name.
        node: number of the call among those of the layer.
        needs: tensors that it is called on.
    """

    layer: str
    node: int
    needs: tuple[End, ...]

    def uses(self, other: Step) -> bool:
        """Whether it is called on what another step returned."""
        return any(need[:2] == (other.layer, other.node) for need in self.needs)


def ends_of(value: Json) -> Iterator[End]:
    """Go through the tensors that arguments, or the inputs or outputs of a model, name."""
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__":
            yield _end(value["config"]["keras_history"])
        else:
            for item in value.values():
                yield from ends_of(item)
    elif _is_end(value):
        yield _end(value)
    elif isinstance(value, list):
        for item in value:
            yield from ends_of(item)


def ordered(entries: Mapping[str, Mapping[str, Json]]) -> tuple[Step, ...]:
    """Return all calls so that each comes after what it needs, else as the model lists them.

    Args:
        entries: stored layers by name, in the model's order.

    Raises:
        SubjectError: the calls need each other in a circle, or a layer that is not there.
    """
    waiting = [
        Step(name, number, tuple(ends_of([node["args"], node["kwargs"]])))
        for name, entry in entries.items()
        for number, node in enumerate(entry["inbound_nodes"])
    ]
    done = {(name, 0) for name, entry in entries.items() if entry["class_name"] == "InputLayer"}
    found: list[Step] = []
    while waiting:
        for step in waiting:
            before = {need[:2] for need in step.needs}
            if step.node:
                before.add((step.layer, step.node - 1))
            if before <= done:
                break
        else:
            raise SubjectError(
                "functional model: expected layers that can be called one after the other; "
                f"{waiting[0].layer} needs one that is not there before it"
            )
        waiting.remove(step)
        done.add((step.layer, step.node))
        found.append(step)
    return tuple(found)


@dataclass(frozen=True)
class Tensors:
    """The variables that hold the tensors of a functional model.

    Args:
        entries: stored layers by name.
    """

    entries: Mapping[str, Mapping[str, Json]]
    _variables: dict[tuple[str, int], str] = field(default_factory=dict)

    def hold(self, layer: str, node: int, variable: str) -> None:
        """Say which variable holds what a call returned."""
        self._variables[layer, node] = variable

    def reference(self, end: End) -> Expression:
        """Return the code of one tensor, which may be one of several that a call returned."""
        layer, node, number = end
        entry, variable = self.entries[layer], self._variables[layer, node]
        if is_model(entry) and entry["class_name"] == "Functional":
            outputs = entry["config"]["output_layers"]
            if isinstance(outputs, dict):
                return Expression(f"{variable}[{literal(sorted(outputs)[number]).flat}]")
            return Expression(variable if _is_end(outputs) else f"{variable}[{number}]")
        several = number > 0 or _returns_several(entry, node)
        return Expression(f"{variable}[{number}]" if several else variable)

    def structure(self, value: Json, slot: str) -> Expression:
        """Return the inputs or outputs of a model as they were given: one, listed or named."""
        if _is_end(value):
            return Expression(self.reference(_end(value)).flat, slots=(slot,))
        if isinstance(value, dict):
            named = ((literal(k).flat, self.structure(v, f"{slot}/{k}")) for k, v in value.items())
            return mapping(named, slot)
        return listed([self.structure(v, f"{slot}/{n}") for n, v in enumerate(value)], slot)

    def argument(self, value: Json) -> Expression:
        """Return an argument of a call, in which tensors may stand at any depth."""
        if isinstance(value, list):
            return listed([self.argument(item) for item in value])
        if not isinstance(value, dict):
            return literal(value)
        if value.get("class_name") == "__keras_tensor__":
            return self.reference(_end(value["config"]["keras_history"]))
        return mapping((literal(key).flat, self.argument(item)) for key, item in value.items())


def arguments(node: Mapping[str, Json], tensors: Tensors) -> Expression:
    """Return the arguments of a call, in brackets, without those that Keras fills in."""
    kept = {
        key: value
        for key, value in node["kwargs"].items()
        if value is not None and not (key == "training" and value is False)
    }
    return call(
        "",
        [tensors.argument(value) for value in node["args"]],
        [(key, tensors.argument(value)) for key, value in kept.items()],
    )


def _is_end(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


def _end(value: Json) -> End:
    layer, node, number = value
    return str(layer), int(node), int(number)


def _returns_several(entry: Mapping[str, Json], node: int) -> bool:
    """Whether a layer returns a list of which a program may use the first only."""
    config = entry["config"]
    wrapped = config["layer"]["config"] if isinstance(config.get("layer"), dict) else {}
    nodes = entry["inbound_nodes"]
    return bool(
        config.get("return_state")
        or wrapped.get("return_state")
        or (nodes and nodes[node]["kwargs"].get("return_attention_scores"))
    )
