"""Which way is up, by the name of a metric; known without Keras."""

_LOWER_IS_BETTER = (
    "crossentropy",
    "deviance",
    "divergence",
    "error",
    "false_",
    "hinge",
    "log_cosh",
    "loss",
    "poisson",
)
_ERRORS_FOR_SHORT = ("mae", "mape", "mse", "msle", "rmse")


def higher_is_better(name: str) -> bool:
    """Return the direction of a metric by Keras's name of it, with or without ``val_``."""
    in_short = name.rpartition("_")[2] in _ERRORS_FOR_SHORT
    return not in_short and not any(word in name for word in _LOWER_IS_BETTER)
