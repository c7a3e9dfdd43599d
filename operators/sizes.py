"""Wrong sizes: units, filters, kernels, strides, pools and padding."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change
from .base import Example, Parameters, Range, Site
from .cases import LAYERS, input_layer, layer, small_program, stack
from .layers import TAXONOMY
from .targets import LayerOperator, Target, target_at, with_argument

DEEP4GE = f"{TAXONOMY}; values after Deep4ge and DEFault"


class _Size(LayerOperator):
    """An operator that sets a whole number, one and the same for all axes."""

    group = "sizes"
    source = DEEP4GE

    @abstractmethod
    def values(self, target: Target, key: str) -> Iterable[int]:
        """Return numbers worth planning."""

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """All numbers of `values`."""
        return ({self.parameters[0]: value} for value in self.values(target, key))

    def value(self, parameters: Parameters) -> Json:
        """Return the number."""
        return int(parameters[self.parameters[0]])

    def setting(self, target: Target, key: str, parameters: Parameters) -> Json:
        """Return the number for each axis where the layer holds one for each."""
        value, held = self.value(parameters), target.config[key]
        if held is None:
            held = target.config["pool_size"]  # the strides of a pool are its size by default
        return [value] * len(held) if isinstance(held, list) else value


class _Count(_Size):
    """An operator that sets how many neurons or filters a layer has."""

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that counts them."""
        return True

    def values(self, target: Target, key: str) -> Iterable[int]:
        """A quarter, half and twice as many."""
        held = int(target.config[key])
        return (value for value in (held // 4, held // 2, 2 * held) if value > 0)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search between as many as there are and one."""
        target, key = target_at(program, site)
        held = int(target.config[key])
        if held == 1:
            return {}
        return {self.parameters[0]: Range(1, held, "log", "decreasing", 1.25, integer=True)}


class ChangeUnits(_Count):
    """Give a dense or recurrent layer another number of neurons."""

    code = "LCN"
    name = "change-units"
    fault_type = "LCN"
    requires = ("layer with units",)
    parameters = ("units",)
    keys = ("units",)

    def examples(self) -> tuple[Example, ...]:
        """Halve the hidden layer."""
        slot = f"{LAYERS}/1/config/units"
        return (Example(small_program(), slot, {"units": 4}, (Change(slot, 8, 4),)),)


class ChangeFilters(_Count):
    """Give a convolution another number of filters."""

    code = "LCF"
    name = "change-filters"
    fault_type = "LCF"
    requires = ("convolution",)
    parameters = ("filters",)
    keys = ("filters",)

    def examples(self) -> tuple[Example, ...]:
        """Halve the filters."""
        slot = f"{LAYERS}/1/config/filters"
        return (Example(_image_program(), slot, {"filters": 4}, (Change(slot, 8, 4),)),)


class ChangeKernelSize(_Size):
    """Give a convolution another kernel size."""

    code = "LKS"
    name = "change-kernel-size"
    fault_type = "LKS"
    requires = ("convolution",)
    parameters = ("kernel_size",)
    keys = ("kernel_size",)

    def legal(self, target: Target, key: str) -> bool:
        """Every convolution."""
        return True

    def values(self, target: Target, key: str) -> Iterable[int]:
        """A point, and sizes that are even or large."""
        return (1, 2, 4, 6)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search up to a size of 7."""
        return {"kernel_size": Range(1, 7, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Look at single pixels."""
        slot = f"{LAYERS}/1/config/kernel_size"
        changes = tuple(Change(f"{slot}/{axis}", 3, 1) for axis in (0, 1))
        return (Example(_image_program(), slot, {"kernel_size": 1}, changes),)


class ChangeStrides(_Size):
    """Give a convolution or a pooling layer other strides."""

    code = "LCS"
    name = "change-strides"
    fault_type = "LCS"
    requires = ("convolution or pooling layer",)
    parameters = ("strides",)
    keys = ("strides",)

    def legal(self, target: Target, key: str) -> bool:
        """Every convolution and every pool."""
        return True

    def values(self, target: Target, key: str) -> Iterable[int]:
        """Up to three."""
        return (1, 2, 3)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search up to 5."""
        return {"strides": Range(1, 5, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Skip every other pixel."""
        slot = f"{LAYERS}/1/config/strides"
        change = Change(slot, ABSENT, [2, 2])
        return (Example(_image_program(), slot, {"strides": 2}, (change,)),)


class ChangePoolSize(_Size):
    """Give a pooling layer another size, and strides to match where they did before."""

    code = "LCP"
    name = "change-pool-size"
    fault_type = "LCP"
    requires = ("pooling layer",)
    parameters = ("pool_size",)
    keys = ("pool_size",)

    def legal(self, target: Target, key: str) -> bool:
        """Every pool but the global ones, which have no size."""
        return True

    def values(self, target: Target, key: str) -> Iterable[int]:
        """Two to six."""
        return (2, 3, 4, 6)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Set the size; strides that nobody set follow it, as in a script."""
        target, key = target_at(program, site)
        document = super().edited(program, site, parameters)
        if target.config["strides"] != target.config[key]:
            return document
        value = self.setting(target, key, parameters)
        return with_argument(document, f"{target.slot}/strides", value)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search up to 6."""
        return {"pool_size": Range(1, 6, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Pool three by three."""
        config = f"{LAYERS}/2/config"
        changes = (
            Change(f"{config}/pool_size", ABSENT, [3, 3]),
            *(Change(f"{config}/strides/{axis}", 2, 3) for axis in (0, 1)),
        )
        return (Example(_image_program(), f"{config}/pool_size", {"pool_size": 3}, changes),)


class ChangePadding(LayerOperator):
    """Pad the input of a convolution or a pooling layer in another way."""

    code = "LCD"
    name = "change-padding"
    group = "sizes"
    fault_type = "LCD"
    requires = ("convolution or pooling layer",)
    parameters = ("padding",)
    keys = ("padding",)
    source = DEEP4GE
    ways: ClassVar[tuple[str, ...]] = ("same", "valid")

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that names its padding; those that only pad hold numbers."""
        return isinstance(target.config[key], str)

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """The ways that the layer knows."""
        ways = (*self.ways, "causal") if target.class_name == "Conv1D" else self.ways
        return ({"padding": way} for way in ways)

    def value(self, parameters: Parameters) -> Json:
        """Return the way."""
        return parameters["padding"]

    def examples(self) -> tuple[Example, ...]:
        """Keep the size of the image."""
        slot = f"{LAYERS}/1/config/padding"
        change = Change(slot, ABSENT, "same")
        return (Example(_image_program(), slot, {"padding": "same"}, (change,)),)


def _image_program() -> TrainingProgram:
    return stack(
        input_layer(8, 8, 1),
        layer("Conv2D", "conv2d", filters=8, kernel_size=[3, 3], activation="relu"),
        layer("MaxPooling2D", "max_pooling2d", strides=[2, 2]),
        layer("Flatten", "flatten"),
        layer("Dense", "dense", units=3, activation="softmax"),
    )


OPERATORS = (
    ChangeUnits,
    ChangeFilters,
    ChangeKernelSize,
    ChangeStrides,
    ChangePoolSize,
    ChangePadding,
)
