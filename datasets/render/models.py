"""Sequential and functional models as statements."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..automatic_names import is_automatic
from ..errors import SubjectError
from ..program import Json, is_model
from .code import Block, Expression, call, laid_out, listed, literal
from .graphs import Step, Tensors, arguments, ends_of, ordered
from .values import keras_object


@dataclass
class ModelWriter:
    """Writes the statements that make a model, those of models within it first.

    Args:
        names: variables that are taken.
        blocks: the statements so far, one block each.
    """

    names: set[str]
    blocks: list[Block] = field(default_factory=list)

    def write(self, entry: Mapping[str, Json], slot: str, variable: str) -> None:
        """Add the statements that make a model and hold it in a variable.

        Raises:
            SubjectError: the model is neither Sequential nor functional, or holds a class that
                is not one of Keras's own.
        """
        if entry["class_name"] == "Sequential":
            made = self._sequential(entry, slot)
        elif entry["class_name"] == "Functional":
            made = self._functional(entry, slot)
        else:
            raise SubjectError(
                f"model: expected Sequential or Functional; received {entry['class_name']}"
            )
        self.blocks.append(laid_out(made, f"{variable} = "))

    def nested(self, entry: Mapping[str, Json], slot: str) -> Expression:
        """Write a model within a model; return the variable that holds it."""
        variable = fresh(entry["config"]["name"], self.names)
        first = len(self.blocks)
        self.write(entry, slot, variable)
        self.blocks[first:] = [block.marked(slot) for block in self.blocks[first:]]
        return Expression(variable, slots=(slot,))

    def _layer(self, entry: Mapping[str, Json], slot: str) -> Expression:
        if is_model(entry):
            return self.nested(entry, slot)
        return keras_object(entry, slot, self.nested, "layers")

    def _sequential(self, entry: Mapping[str, Json], slot: str) -> Expression:
        where = f"{slot}/config/layers"
        entries = entry["config"]["layers"]
        items = [self._layer(item, f"{where}/{n}") for n, item in enumerate(entries)]
        layers = listed(items, where, spread=True)
        return call(
            "keras.Sequential", [layers], _settings(entry, slot), slots=(slot,), spread=True
        )

    def _functional(self, entry: Mapping[str, Json], slot: str) -> Expression:
        config, where = entry["config"], f"{slot}/config/layers"
        slots = {item["config"]["name"]: f"{where}/{n}" for n, item in enumerate(config["layers"])}
        entries = {item["config"]["name"]: item for item in config["layers"]}
        # All models within this one come first: their tensors may then bear the same names.
        made = {name: self._layer(item, slots[name]) for name, item in entries.items()}
        taken = set(self.names)
        tensors = Tensors(entries)
        single = isinstance(config["input_layers"][0], str)
        for name, item in entries.items():
            if item["class_name"] == "InputLayer":
                variable = fresh("inputs" if single else name, taken)
                tensors.hold(name, 0, variable)
                self.blocks.append(laid_out(made[name], f"{variable} = "))
            elif len(item["inbound_nodes"]) > 1 and not is_model(item):
                variable = fresh(name, taken)
                self.blocks.append(laid_out(made[name], f"{variable} = ").marked(slots[name]))
                made[name] = Expression(variable)
        outputs = tuple(ends_of(config["output_layers"]))
        steps = (*ordered(entries), Step("", 0, outputs))
        for position, step in enumerate(steps[:-1]):
            users = {n for n, other in enumerate(steps) if other.uses(step)}
            shared = not made[step.layer].closing
            name = f"{step.layer}_output" if shared else step.layer
            variable = "x" if users == {position + 1} else fresh(name, taken)
            node = entries[step.layer]["inbound_nodes"][step.node]
            after = arguments(node, tensors).flat
            tensors.hold(step.layer, step.node, variable)
            here = slots[step.layer]
            block = laid_out(made[step.layer], f"{variable} = ", after)
            self.blocks.append(block.marked(here, f"{here}/inbound_nodes/{step.node}"))
        ends = [
            tensors.structure(config[end], f"{slot}/config/{end}")
            for end in ("input_layers", "output_layers")
        ]
        # The layers as a whole are all of these statements, which the caller marks.
        return call("keras.Model", ends, _settings(entry, slot), slots=(slot,))


def fresh(name: str, taken: set[str]) -> str:
    """Return a variable that is like a name and not taken yet, and take it."""
    stem = re.sub(r"\W|^(?=\d)", "_", name)
    stem = f"{stem}_" if keyword.iskeyword(stem) else stem
    found, number = stem, 2
    while found in taken:
        found, number = f"{stem}_{number}", number + 1
    taken.add(found)
    return found


def _settings(entry: Mapping[str, Json], slot: str) -> list[tuple[str, Expression]]:
    config = entry["config"]
    found = []
    if not is_automatic(entry["class_name"], config["name"]):
        found.append(("name", literal(config["name"], f"{slot}/config/name")))
    if "trainable" in config:
        found.append(("trainable", literal(config["trainable"], f"{slot}/config/trainable")))
    return found
