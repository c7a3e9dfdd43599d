"""Which programs can share one traced training function."""

from __future__ import annotations

from ..datasets.program import Json, TrainingProgram, content_hash, is_model

_HELD_OUTSIDE = ("callbacks", "data", "initial_weights", "metrics", "transforms", "weight_edits")


def graph_key(program: TrainingProgram) -> str:
    """Hash of what the traced function depends on.

    Initial weights, learning rate, epochs, callbacks, shuffling, class weights, data and
    transforms reach the function as values, so programs that differ only there share it.
    """
    document = program.document()
    for field in _HELD_OUTSIDE:
        del document[field]
    document["fit"] = {"batch_size": document["fit"]["batch_size"]}
    rate = document["optimizer"]["config"].get("learning_rate")
    if not isinstance(rate, dict):
        document["optimizer"]["config"].pop("learning_rate", None)
    _drop_initializers(document["architecture"])
    return content_hash(document)


def _drop_initializers(model: Json) -> None:
    for entry in model["config"]["layers"]:
        if is_model(entry):
            _drop_initializers(entry)
            continue
        for key in [key for key in entry["config"] if key.endswith("_initializer")]:
            del entry["config"][key]
