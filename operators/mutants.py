"""From mutations to a mutant, and from a mutant to its ground truth."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..datasets.errors import ConfigError, SubjectError
from ..datasets.program import Json, Layer, TrainingProgram, canonical_json, content_hash
from ..datasets.slots import ABSENT, Change, difference, overlap, revert
from .base import Granularity, Mutation
from .registry import operator
from .targets import weighted_layers

Position = Literal["first", "middle", "last"]


@dataclass(frozen=True)
class Fault:
    """One ground-truth record: a slot that differs between the faulty and the clean program.

    Args:
        fault_type: code that the operator declares.
        granularity: what a localiser has to name.
        layer: name path in the faulty program, or None.
        clean_layer: name path in the clean program, or None.
        layer_index: of the layer in the faulty program, or None.
        position: of the layer among the layers with weights; None where it has none.
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
    position: Position | None
    neurons: tuple[int, ...]
    slot: str
    old: str | None
    new: str | None
    layer_localisable: bool


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
    """Compute the ground truth: every slot that differs, as the mutation's operator declares it.

    Raises:
        SubjectError: the mutations do not lead from the clean to the faulty program.
    """
    replayed, owners = _replayed(clean, mutations)
    if replayed.program_id != faulty.program_id:
        raise SubjectError("these mutations of the clean program do not give the faulty program")
    return tuple(
        _fault(clean, faulty, change, _owner(owners, change.slot))
        for change in difference(clean, faulty)
    )


def revert_faults(faulty: TrainingProgram, faults: Iterable[Fault]) -> TrainingProgram:
    """Return the clean program, from the fault records alone."""
    changes = [Change(fault.slot, _decoded(fault.old), _decoded(fault.new)) for fault in faults]
    return revert(faulty, changes)


def _replayed(
    program: TrainingProgram, mutations: Iterable[Mutation]
) -> tuple[TrainingProgram, dict[str, Mutation]]:
    owners: dict[str, Mutation] = {}
    for mutation in mutations:
        acting = operator(mutation.code)
        mutant = acting.apply(program, mutation.site, mutation.parameters)
        slots = [change.slot for change in difference(program, mutant)]
        for slot in slots:
            for taken, earlier in owners.items():
                if overlap(slot, taken):
                    raise ConfigError(
                        f"{earlier.code} and {mutation.code} conflict: both change {taken}"
                    )
        owners |= dict.fromkeys(slots, mutation)
        program = mutant
    return program, owners


def _owner(owners: dict[str, Mutation], slot: str) -> Mutation:
    for taken, mutation in owners.items():
        if overlap(slot, taken):
            return mutation
    raise SubjectError(f"slot {slot}: no mutation accounts for this difference")


def _fault(
    clean: TrainingProgram, faulty: TrainingProgram, change: Change, mutation: Mutation
) -> Fault:
    acting = operator(mutation.code)
    parameters = change.new["parameters"] if change.slot.startswith("/weight_edits/") else {}
    layer = _layer_at(faulty, change.slot, parameters.get("layer"))
    clean_layer = _layer_at(clean, change.slot, parameters.get("layer"))
    return Fault(
        fault_type=acting.fault_type,
        granularity=acting.granularity,
        layer=None if layer is None else layer.name,
        clean_layer=None if clean_layer is None else clean_layer.name,
        layer_index=None if layer is None else layer.index,
        position=_position(faulty, layer),
        neurons=tuple(parameters.get("neurons", ())),
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
