"""Operators that remove, insert or exchange layers, and the layers that answer for it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from ..datasets.program import Json, Layer, TrainingProgram
from .base import Located, Operator, Parameters, Site
from .graph import links
from .structure import removable, without


@dataclass(frozen=True)
class Rebuilt:
    """A program whose layers are others than before.

    Args:
        document: after the edit; it need not be canonical.
        layer: name path in the document of the layer that answers for the fault.
        clean_layer: name path in the program before; None for a layer that it does not have.
        acceptable: name paths of all layers that are as right an answer, `layer` among them.
    """

    document: Json
    layer: str
    clean_layer: str | None
    acceptable: tuple[str, ...]


class StructuralOperator(Operator):
    """An operator that removes, inserts or exchanges layers.

    Its sites are layers of the program before. It does not apply once weights are edited: a
    weight edit is of a trained program and names layers, which get other names here.
    """

    stage = "architecture"
    granularity = "layer"
    layer_localisable = True
    structural = True

    @abstractmethod
    def legal(self, document: Json, layer: Layer) -> bool:
        """Whether the operator can act at a layer."""

    @abstractmethod
    def rebuilt(self, document: Json, layer: Layer, parameters: Parameters) -> Rebuilt:
        """Return the program after the edit at a layer."""

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return every legal layer."""
        document = program.document()
        return tuple(
            Site(layer.slot.removesuffix("/config"), layer.name, layer.index)
            for layer in program.layers()
            if not document["weight_edits"] and self.legal(document, layer)
        )

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Return the document after the edit."""
        return self._rebuilt(program, site, parameters).document

    def located(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Located:
        """Find the layers that answer; canonical form renames layers but does not move them."""
        rebuilt = self._rebuilt(program, site, parameters)
        slots = {layer.name: layer.slot for layer in TrainingProgram.of(rebuilt.document).layers()}
        clean = rebuilt.clean_layer
        return Located(
            layer=slots[rebuilt.layer],
            clean_layer=None if clean is None else program.layer(clean).slot,
            acceptable=tuple(slots[name] for name in rebuilt.acceptable),
        )

    def _rebuilt(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Rebuilt:
        return self.rebuilt(program.document(), program.layer(str(site.layer)), parameters)


class LayerRemoval(StructuralOperator):
    """An operator that takes out a layer; the layers that fed it or were fed by it answer."""

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def legal(self, document: Json, layer: Layer) -> bool:
        """Every wanted layer that something can be passed by."""
        return self.wanted(layer) and removable(document, layer.name)

    @abstractmethod
    def wanted(self, layer: Layer) -> bool:
        """Whether the operator is about layers of this kind."""

    def rebuilt(self, document: Json, layer: Layer, parameters: Parameters) -> Rebuilt:
        """Take the layer out; the first layer that it fed is named, else the last that fed it."""
        pairs = links(document["architecture"])
        before = [source for source, fed in pairs if fed == layer.name]
        after = [fed for source, fed in pairs if source == layer.name]
        named = after[0] if after else before[-1]
        neighbours = tuple(dict.fromkeys([*before, *after]))
        return Rebuilt(without(document, layer.name), named, layer.name, neighbours)
