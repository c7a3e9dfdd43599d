"""From mutations to a mutant, and from a mutant to its ground truth."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..datasets.errors import ConfigError, SubjectError
from ..datasets.program import Json, Layer, TrainingProgram, canonical_json, content_hash
from ..datasets.slots import ABSENT, Change, common, difference, get, overlap, revert
from .base import Granularity, Located, Mutation, Operator
from .registry import operator
from .targets import weighted_layers

Position = Literal["first", "middle", "last"]


@dataclass(frozen=True)
class Fault:
    """One ground-truth record: a slot that differs between the faulty and the clean program.

    A structural mutation has one record, of the smallest list or object that holds all of its
    changes; every other mutation has one for each slot that differs.

    Args:
        fault_type: code that the operator declares.
        granularity: what a localiser has to name.
        layer: name path in the faulty program, or None; of a removed layer, a neighbour.
        clean_layer: name path in the clean program, or None.
        layer_index: of the layer in the faulty program, or None.
        acceptable: indices in the faulty program of all layers that answer for the fault as
            well as `layer_index`, which is among them; empty where no layer does.
        position: of the layer among the layers with weights, in the clean program where it has
            the layer; None where the layer has no weights.
        neurons: indices within the layer; empty where the fault is not in single neurons.
        slot: JSON pointer.
        old: JSON text of the value in the clean program; None where the slot is absent, which
            is not the text ``null``.
        new: the same for the faulty program.
        layer_localisable: whether naming the layer is a right answer.
    """

    fault_type: str
    granularity: Granularity
    layer: str | None
    clean_layer: str | None
    layer_index: int | None
    acceptable: tuple[int, ...]
    position: Position | None
    neurons: tuple[int, ...]
    slot: str
    old: str | None
    new: str | None
    layer_localisable: bool


@dataclass(frozen=True)
class _Step:
    """One mutation as it was applied: what it changed and, if structural, who answers for it."""

    mutation: Mutation
    acting: Operator
    slots: tuple[str, ...]
    located: Located | None


def mutate(program: TrainingProgram, mutations: Iterable[Mutation]) -> TrainingProgram:
    """Apply mutations in order.

    Raises:
        NotApplicable: a mutation has no such site, or changes nothing.
        ConfigError: two mutations change one slot, or a slot within it.
    """
    return _replayed(program, mutations)[0]


def mutant_id(clean_program_id: str, mutations: Iterable[Mutation]) -> str:
    """Return the content hash of a clean program's id and the ordered mutations."""
    return content_hash([clean_program_id, [mutation.to_dict() for mutation in mutations]])


def faults_of(
    clean: TrainingProgram, faulty: TrainingProgram, mutations: Iterable[Mutation]
) -> tuple[Fault, ...]:
    """Compute the ground truth: all that differs, as the mutations' operators declare it.

    Raises:
        SubjectError: the mutations do not lead from the clean to the faulty program.
    """
    replayed, steps = _replayed(clean, mutations)
    if replayed.program_id != faulty.program_id:
        raise SubjectError("these mutations of the clean program do not give the faulty program")
    return tuple(_faults(clean, faulty, steps))


def revert_faults(faulty: TrainingProgram, faults: Iterable[Fault]) -> TrainingProgram:
    """Return the clean program, from the fault records alone."""
    changes = [Change(fault.slot, _decoded(fault.old), _decoded(fault.new)) for fault in faults]
    return revert(faulty, changes)


def _replayed(
    program: TrainingProgram, mutations: Iterable[Mutation]
) -> tuple[TrainingProgram, list[_Step]]:
    steps: list[_Step] = []
    for mutation in mutations:
        step, mutant = _step(program, mutation)
        for earlier in steps:
            _refuse_conflict(program, earlier, step)
        steps.append(step)
        program = mutant
    return program, steps


def _step(program: TrainingProgram, mutation: Mutation) -> tuple[_Step, TrainingProgram]:
    acting = operator(mutation.code)
    mutant = acting.apply(program, mutation.site, mutation.parameters)
    slots = tuple(change.slot for change in difference(program, mutant))
    located = None
    if acting.structural:
        located = acting.located(program, mutation.site, dict(mutation.parameters))
        slots = (_holder(program, mutant, slots),)
    return _Step(mutation, acting, slots, located), mutant


def _holder(program: TrainingProgram, mutant: TrainingProgram, slots: Iterable[str]) -> str:
    """Return the slot of the smallest list or object that holds several slots in both programs."""
    slot = common(slots)
    before, after = program.document(), mutant.document()
    while not all(isinstance(get(document, slot), (dict, list)) for document in (before, after)):
        slot = slot.rpartition("/")[0]
    return slot


def _refuse_conflict(program: TrainingProgram, earlier: _Step, later: _Step) -> None:
    codes = f"{earlier.mutation.code} and {later.mutation.code} conflict"
    for taken in earlier.slots:
        if any(overlap(taken, slot) for slot in later.slots):
            raise ConfigError(f"{codes}: both change {taken}")
    name = later.mutation.site.layer
    if earlier.located is None or later.acting.stage != "trained" or name is None:
        return
    # The layer of a weight edit has to be the same one in the clean and the faulty program.
    if overlap(earlier.slots[0], program.layer(name).slot):
        raise ConfigError(f"{codes}: {earlier.mutation.code} changes the layers around {name}")


def _faults(
    clean: TrainingProgram, faulty: TrainingProgram, steps: Iterable[_Step]
) -> Iterator[Fault]:
    told: set[str] = set()
    for change in difference(clean, faulty):
        step = _owner(steps, change.slot)
        if step.located is None:
            yield _slot_fault(clean, faulty, change, step.acting)
        elif step.slots[0] not in told:
            told.add(step.slots[0])
            yield _structural_fault(clean, faulty, step.slots[0], step.acting, step.located)


def _owner(steps: Iterable[_Step], slot: str) -> _Step:
    for step in steps:
        if any(overlap(taken, slot) for taken in step.slots):
            return step
    raise SubjectError(f"slot {slot}: no mutation accounts for this difference")


def _slot_fault(
    clean: TrainingProgram, faulty: TrainingProgram, change: Change, acting: Operator
) -> Fault:
    parameters = change.new["parameters"] if change.slot.startswith("/weight_edits/") else {}
    layer = _layer_at(faulty, change.slot, parameters.get("layer"))
    clean_layer = _layer_at(clean, change.slot, parameters.get("layer"))
    acceptable = () if layer is None else (layer,)
    neurons = tuple(parameters.get("neurons", ()))
    position = _position(faulty, layer)
    return _fault(acting, change, layer, clean_layer, acceptable, position, neurons)


def _structural_fault(
    clean: TrainingProgram, faulty: TrainingProgram, slot: str, acting: Operator, located: Located
) -> Fault:
    layers = {layer.slot: layer for layer in faulty.layers()}
    layer, clean_layer = layers[located.layer], None
    acceptable = sorted((layers[one] for one in located.acceptable), key=lambda one: one.index)
    if located.clean_layer is not None:
        clean_layer = next(one for one in clean.layers() if one.slot == located.clean_layer)
    change = Change(slot, get(clean.document(), slot), get(faulty.document(), slot))
    position = _position(clean, clean_layer) if clean_layer else _position(faulty, layer)
    return _fault(acting, change, layer, clean_layer, acceptable, position, ())


def _fault(
    acting: Operator,
    change: Change,
    layer: Layer | None,
    clean_layer: Layer | None,
    acceptable: Iterable[Layer],
    position: Position | None,
    neurons: tuple[int, ...],
) -> Fault:
    return Fault(
        fault_type=acting.fault_type,
        granularity=acting.granularity,
        layer=None if layer is None else layer.name,
        clean_layer=None if clean_layer is None else clean_layer.name,
        layer_index=None if layer is None else layer.index,
        acceptable=tuple(one.index for one in acceptable),
        position=position,
        neurons=neurons,
        slot=change.slot,
        old=_encoded(change.old),
        new=_encoded(change.new),
        layer_localisable=acting.layer_localisable,
    )


def _layer_at(program: TrainingProgram, slot: str, name: str | None) -> Layer | None:
    if name is not None:
        return program.layer(name)
    for layer in program.layers():
        if (slot + "/").startswith(layer.slot.removesuffix("config")):
            return layer
    return None


def _position(program: TrainingProgram, layer: Layer | None) -> Position | None:
    names = [weighted.name for weighted in weighted_layers(program)]
    if layer is None or layer.name not in names:
        return None
    if layer.name == names[0]:
        return "first"
    return "last" if layer.name == names[-1] else "middle"


def _encoded(value: Json) -> str | None:
    return None if value is ABSENT else canonical_json(value)


def _decoded(text: str | None) -> Json:
    return ABSENT if text is None else json.loads(text)
