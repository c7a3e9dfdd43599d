"""Weight edits as plain NumPy code behind ``fit``: the same weights from the same random numbers.

A new edit needs one function here that returns its statements, and a line in `EDIT_CODE`. The
statements find the layer in `layer` and may use `rng`, the edit's random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import SubjectError
from ..program import Json, is_model
from .code import Block, joined, plain
from .transforms import code_of, seeded

EditCode = Callable[[Mapping[str, Json]], str]
"""Takes the parameters."""


def editing(document: Json) -> Block:
    """Return the statements that edit the trained weights, in the program's order.

    Raises:
        SubjectError: an edit has no rendering, or its layer is not there.
    """
    blocks = []
    for position, edit in enumerate(document["weight_edits"]):
        code = code_of(edit["name"], EDIT_CODE, "weight edit")
        layer = _layer(document["architecture"], edit["parameters"]["layer"], "model")
        text = seeded(f"layer = {layer}\n{code(edit['parameters'])}", edit)
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


def gaussian_fuzzing(parameters: Mapping[str, Json]) -> str:
    """Multiply the incoming weights of neurons by 1 + N(0, magnitude), gate by gate."""
    return f"""\
neurons, units = np.array({parameters["neurons"]}), {parameters["units"]}
for variable in layer.weights:
    if variable.name in ("kernel", "pointwise_kernel"):
        kernel = variable.numpy().copy()
        gates = range(kernel.shape[-1] // units)
        columns = np.concatenate([neurons + gate * units for gate in gates])
        noise = rng.normal(0.0, {parameters["magnitude"]}, (*kernel.shape[:-1], len(columns)))
        kernel[..., columns] = (kernel[..., columns] * (1 + noise)).astype(kernel.dtype)
        variable.assign(kernel)"""


EDIT_CODE: dict[str, EditCode] = {"gaussian_fuzzing": gaussian_fuzzing}
"""What renders each weight edit, by name."""
