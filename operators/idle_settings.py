"""Settings that have no effect, each as the rewriting that drops it, with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..datasets.program import Json
from .idle_rules import Rule, Span, on_settings, without_keys

_CONVOLUTIONS = tuple(
    f"{kind}{n}D"
    for kind, ranks in (("Conv", "123"), ("DepthwiseConv", "12"), ("SeparableConv", "12"))
    for n in ranks
)
_AFFINE = ("Dense", *_CONVOLUTIONS)
_RECURRENT = ("LSTM", "GRU", "SimpleRNN")
_NORMALIZING = ("BatchNormalization", "LayerNormalization", "GroupNormalization")
_ZEROS: Json = {"class_name": "Zeros", "config": {}}
_FACTORS = {"L1": {"l1": 0.01}, "L2": {"l2": 0.01}, "L1L2": {"l1": 0.0, "l2": 0.0}}
"""Factors of each regularizer, with Keras's defaults."""


def absent_weights(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    """Drop settings of a bias, offset or scale that a layer does not have.

    Proof: Keras makes the variable in the branch of ``use_bias``, ``center`` or ``scale`` only,
    and nothing else reads its initializer, regularizer and constraint.
    """
    absent = []
    if class_name in (*_AFFINE, *_RECURRENT) and config.get("use_bias") is False:
        absent += ["bias_", "unit_forget_bias"]
    if class_name in _NORMALIZING:
        switches = (("center", "beta_"), ("scale", "gamma_"))
        absent += [prefix for switch, prefix in switches if config.get(switch) is False]
    return without_keys(config, lambda key: key.startswith(tuple(absent)))


def frozen_penalties(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    """Drop regularizers and constraints of weights that are not trained.

    Proof: Keras adds up the penalties of trainable variables only, and an optimizer applies
    constraints to the variables that it updates only. Penalties of activities stay.
    """
    if config.get("trainable") is not False:
        return config
    if class_name not in (*_AFFINE, *_RECURRENT, *_NORMALIZING, "Embedding"):
        return config
    return without_keys(
        config,
        lambda key: (
            key.endswith(("_regularizer", "_constraint")) and not key.startswith("activity")
        ),
    )


def frozen_zero_bias(document: Json, span: Span) -> Json:
    """Take away a bias that starts at zero and is not trained.

    Proof: it is zero for ever, and adding zero changes no number. Only where the program holds
    neither initial weights nor weight edits, either of which may set it.
    """
    if document["initial_weights"] is not None or document["weight_edits"]:
        return document
    return _without_zero_bias(document, span)


def _zero_bias(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    frozen = class_name in _AFFINE and config.get("trainable") is False
    if not frozen or config.get("bias_initializer", _ZEROS) != _ZEROS:
        return config
    if config.get("use_bias") is False:
        return config
    return {**without_keys(config, lambda key: key.startswith("bias_")), "use_bias": False}


_without_zero_bias = on_settings(_zero_bias)


def frozen_statistics(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    """Drop the momentum of a frozen batch normalisation.

    Proof: Keras updates the moving statistics, which alone use it, in the branch of ``trainable``.
    """
    frozen = class_name == "BatchNormalization" and config.get("trainable") is False
    return without_keys(config, lambda key: frozen and key == "momentum")


def zero_penalties(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    """Drop regularizers whose factors are zero.

    Proof: zero times a finite number is zero, and so is its gradient.
    """
    return without_keys(
        config, lambda key: key.endswith("_regularizer") and _penalises_nothing(config[key])
    )


def _penalises_nothing(regularizer: Json) -> bool:
    if not isinstance(regularizer, dict) or regularizer.get("class_name") not in _FACTORS:
        return False
    factors = {**_FACTORS[regularizer["class_name"]], **regularizer["config"]}
    return not any(factors.values())


def seeds(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    """Drop seeds of layers and initializers.

    Proof: every run replaces them by streams of its own.
    """
    kept = without_keys(config, lambda key: key == "seed")
    return _with_initializers(class_name, kept, _seedless)


def _seedless(initializer: Json) -> Json:
    kept = without_keys(initializer["config"], lambda key: key == "seed")
    return {**initializer, "config": kept}


def constants(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    """Write constants of zero and one as the initializers of these names.

    Proof: both fill the variable with the number.
    """
    return _with_initializers(class_name, config, _named)


def _named(initializer: Json) -> Json:
    name = {0.0: "Zeros", 1.0: "Ones"}.get(initializer["config"].get("value", 0.0))
    if initializer["class_name"] != "Constant" or name is None:
        return initializer
    return {"class_name": name, "config": {}}


def _with_initializers(
    class_name: str, config: Mapping[str, Json], change: Callable[[Json], Json]
) -> Mapping[str, Json]:
    """Change the initializers of a layer; Keras's default is left out, as everywhere."""
    from ..datasets.canonical import effective_config

    new = dict(config)
    for key, value in config.items():
        if not (key.endswith("_initializer") and isinstance(value, dict)):
            continue
        changed = change(value)
        if changed == value:
            continue
        new[key] = changed
        if effective_config(class_name, {}).get(key) == changed:
            del new[key]
    return config if new == config else new


def recurrent_rates(class_name: str, config: Mapping[str, Json]) -> Mapping[str, Json]:
    """Drop dropout rates of zero of recurrent layers.

    Proof: that is Keras's default, written as a whole number or not.
    """
    rates = ("dropout", "recurrent_dropout") if class_name in _RECURRENT else ()
    return without_keys(config, lambda key: key in rates and config[key] == 0)


def unit_weights(document: Json, span: Span) -> Json:
    """Drop class weights that are all one.

    Proof: classes that are not weighed have weight one, and one times a loss is the loss.
    """
    weights = document["fit"]["class_weight"]
    if weights is None or any(weight != 1 for weight in weights.values()):
        return document
    return {**document, "fit": {**document["fit"], "class_weight": None}}


def patient_callbacks(document: Json, span: Span) -> Json:
    """Drop callbacks whose patience no training can use up.

    Proof: both classes count at most one epoch without progress for each epoch, so a patience of
    all epochs is used up at the end of the last one at the earliest, when there is nothing left
    to stop or to slow down. Early stopping that restores the best weights acts at the end and
    stays; what reduces the learning rate stays where another callback watches the rate.
    """
    records = document["callbacks"]
    if any(record["config"].get("monitor") == "learning_rate" for record in records):
        return document
    epochs = document["fit"]["epochs"]
    return _with_callbacks(document, [r for r in records if not _waits_longer(r, epochs)])


def _waits_longer(record: Json, epochs: int) -> bool:
    config, patience = record["config"], {"EarlyStopping": 0, "ReduceLROnPlateau": 10}
    if record["class_name"] not in patience or config.get("restore_best_weights", False):
        return False
    return int(config.get("patience", patience[record["class_name"]])) >= epochs


def blind_callbacks(document: Json, span: Span) -> Json:
    """Drop callbacks that watch validation rows which are not there.

    Proof: Keras hands them no number of that name, whereupon they warn and return.
    """
    if document["data"]["validation"] is not None:
        return document
    return _with_callbacks(document, [r for r in document["callbacks"] if not _watches_rows(r)])


def unwatched_rows(document: Json, span: Span) -> Json:
    """Drop validation rows that no callback watches.

    Proof: they are evaluated and not trained on, and what is logged reaches callbacks only. Only
    where no layer carries a state from batch to batch and no transform speaks of the rows.
    """
    transforms = document["transforms"]
    spoken_of = any(
        "validation" in entry["roles"] or "validation" in entry["parameters"].values()
        for entry in transforms
    )
    watched = any(map(_watches_rows, document["callbacks"]))
    if document["data"]["validation"] is None or spoken_of or watched:
        return document
    if any(config.get("stateful") for config in _configs(document["architecture"])):
        return document
    return {**document, "data": {**document["data"], "validation": None}}


def _watches_rows(record: Json) -> bool:
    watching = record["class_name"] in ("EarlyStopping", "ReduceLROnPlateau")
    return watching and str(record["config"].get("monitor", "val_loss")).startswith("val_")


def _with_callbacks(document: Json, records: list[Json]) -> Json:
    same = len(records) == len(document["callbacks"])
    return document if same else {**document, "callbacks": records}


def _configs(value: Json) -> Iterator[Mapping[str, Json]]:
    if isinstance(value, list):
        for item in value:
            yield from _configs(item)
    elif isinstance(value, dict):
        if isinstance(value.get("config"), dict):
            yield value["config"]
        yield from _configs(list(value.values()))


SETTING_RULES = (
    Rule("the weights that differ in their settings do not exist", on_settings(absent_weights)),
    Rule("a frozen weight is neither penalised nor constrained", on_settings(frozen_penalties)),
    Rule("a frozen bias stays at zero", frozen_zero_bias),
    Rule("a frozen batch normalisation updates no statistics", on_settings(frozen_statistics)),
    Rule("a penalty of factor zero is none", on_settings(zero_penalties)),
    Rule("every run replaces the seeds", on_settings(seeds)),
    Rule("the initializers give the same constant", on_settings(constants)),
    Rule("a recurrent dropout of rate zero drops nothing", on_settings(recurrent_rates)),
    Rule("class weights of one weigh nothing", unit_weights),
    Rule("the patience of a callback outlasts the training", patient_callbacks),
    Rule("a callback watches validation rows that are not there", blind_callbacks),
    Rule("no callback watches the validation rows", unwatched_rows),
)
