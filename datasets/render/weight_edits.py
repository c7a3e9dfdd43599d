"""Weight edits as plain NumPy code behind ``fit``: the same weights from the same random numbers.

A new edit needs one function here that returns its statements, and a line in `EDIT_CODE`. The
statements may use `rng`, the edit's random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ..errors import SubjectError
from ..program import Json, is_model
from ..weight_edits.blocks import BIAS, INCOMING, INTO, KERNELS
from .code import Block, joined, plain
from .transforms import code_of, seeded

LayerCode = Callable[[str], str]
"""Returns the code that gets the layer of a name path out of the model."""

EditCode = Callable[[Mapping[str, Json], LayerCode], str]


def editing(document: Json) -> Block:
    """Return the statements that edit the trained weights, in the program's order.

    Raises:
        SubjectError: an edit has no rendering, or its layer is not there.
    """
    blocks = []
    layer = partial(_layer, document["architecture"], code="model")
    for position, edit in enumerate(document["weight_edits"]):
        code = code_of(edit["name"], EDIT_CODE, "weight edit")
        text = seeded(code(edit["parameters"], layer), edit)
        blocks += [plain(""), plain(text, f"/weight_edits/{position}")]
    return joined(blocks)


def _layer(model: Mapping[str, Json], path: str, code: str) -> str:
    """Return the code that gets a layer out of a model; Keras may number names otherwise."""
    entries = model["config"]["layers"]
    if model["class_name"] == "Sequential":
        entries = [entry for entry in entries if entry["class_name"] != "InputLayer"]
    for position, entry in enumerate(entries):
        name, here = entry["config"]["name"], f"{code}.layers[{position}]"
        if path == name:
            return here
        if is_model(entry) and path.startswith(f"{name}/"):
            return _layer(entry, path.removeprefix(f"{name}/"), here)
    raise SubjectError(f"weight edit: layer {path!r} is not in the model")


def _neurons(
    parameters: Mapping[str, Json], layer: LayerCode, names: tuple[str, ...], change: str
) -> str:
    """Return statements that change the named neurons' share of a layer's variables.

    Args:
        parameters: of the edit.
        layer: gets layers by path.
        names: of the variables.
        change: statements that change `part`, the neurons' weights as (incoming, gates, neurons).
    """
    lines = "\n        ".join(change.split("\n"))
    return f"""\
neurons, units = {parameters["neurons"]}, {parameters["units"]}
for variable in {layer(parameters["layer"])}.weights:
    if variable.name in {_names(names)}:
        array = variable.numpy().copy()
        gates = max(1, array.shape[-1] // units)
        block = array.reshape(-1, gates, units)
        part = block[..., neurons]
        {lines}
        block[..., neurons] = part
        variable.assign(array)"""


def _names(names: tuple[str, ...]) -> str:
    return "({},)".format(", ".join(f'"{name}"' for name in names))


def gaussian_fuzzing(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Multiply the incoming weights of neurons by 1 + N(0, magnitude)."""
    change = f"part = part * (1 + rng.normal(0.0, {parameters['magnitude']}, part.shape))"
    return _neurons(parameters, layer, INCOMING, change)


def weight_shuffle(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Permute the incoming weights of each neuron, so that some move."""
    change = """\
old, size = part.copy(), len(part)
for gate, neuron in np.ndindex(part.shape[1:]):
    order = rng.permutation(size)
    while size > 1 and (order == np.arange(size)).all():
        order = rng.permutation(size)
    part[:, gate, neuron] = old[order, gate, neuron]"""
    return _neurons(parameters, layer, INCOMING, change)


def neuron_switch(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Swap the incoming weights and biases of pairs of neurons."""
    half = len(parameters["neurons"]) // 2
    return _neurons(parameters, layer, (*INCOMING, *BIAS), f"part = np.roll(part, {half}, axis=2)")


def weight_inhibition(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Set a share of the incoming weights of each neuron to zero."""
    change = f"""\
count = max(1, round({parameters["share"]} * len(part)))
for gate, neuron in np.ndindex(part.shape[1:]):
    part[rng.permutation(len(part))[:count], gate, neuron] = 0"""
    return _neurons(parameters, layer, INCOMING, change)


def neuron_inhibition(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Take a share off the incoming weights and biases of neurons."""
    change = f"part = part * (1 - {parameters['share']})"
    return _neurons(parameters, layer, (*INCOMING, *BIAS), change)


def activation_inverse(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Flip the sign of the incoming weights and biases of neurons."""
    return _neurons(parameters, layer, (*INCOMING, *BIAS), "part = -part")


def stuck_at(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Set the incoming weights of neurons to zero and their biases to a value."""
    change = f"""\
part[:] = 0
if variable.name == "bias":
    part[0] = {parameters["value"]}"""
    return _neurons(parameters, layer, (*INCOMING, *BIAS), change)


def effect_block(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Take away the effect of neurons: of what leads into them, or out of them."""
    if not parameters["outgoing"]:
        return _neurons(parameters, layer, (*INCOMING, *BIAS), "part[:] = 0")
    followers = ", ".join(map(layer, parameters["outgoing"]))
    return f"""\
neurons, units = {parameters["neurons"]}, {parameters["units"]}
for follower in [{followers}]:
    for variable in follower.weights:
        if variable.name in {_names(INTO)}:
            array = variable.numpy().copy()
            *lead, rows, columns = array.shape
            block = array.reshape(*lead, rows // units, units, columns)
            block[..., neurons, :] = 0
            variable.assign(array)"""


def quantisation(parameters: Mapping[str, Json], layer: LayerCode) -> str:
    """Round the weights of a layer to signed integers of some bits."""
    return f"""\
highest = 2 ** ({parameters["bits"]} - 1) - 1
for variable in {layer(parameters["layer"])}.weights:
    if variable.name in {_names(KERNELS)}:
        kernel = variable.numpy()
        step = np.abs(kernel).max(initial=0).astype("float64") / highest
        if step > 0:
            variable.assign((np.round(kernel / step) * step).astype(kernel.dtype))"""


EDIT_CODE: dict[str, EditCode] = {
    "activation_inverse": activation_inverse,
    "effect_block": effect_block,
    "gaussian_fuzzing": gaussian_fuzzing,
    "neuron_inhibition": neuron_inhibition,
    "neuron_switch": neuron_switch,
    "quantisation": quantisation,
    "stuck_at": stuck_at,
    "weight_inhibition": weight_inhibition,
    "weight_shuffle": weight_shuffle,
}
"""What renders each weight edit, by name."""
