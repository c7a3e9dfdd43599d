"""Correction of the p-values of a campaign for how many there are."""

from collections.abc import Sequence

from statsmodels.stats.multitest import multipletests

from ...datasets.errors import ConfigError


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return adjusted p-values: at most alpha keeps the chance of any false kill within alpha.

    A None, a mutant that was decided without a test, stays None and does not count. Raises
    ConfigError for a p-value outside 0 .. 1. Holm, Scandinavian Journal of Statistics 6, 1979.
    """
    return _adjusted(p_values, "holm")


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return adjusted p-values: at most alpha keeps the expected share of false kills within alpha.

    It holds where tests are independent or positively dependent, as mutants that share their
    clean runs are. A None stays None and does not count. Raises ConfigError for a p-value outside
    0 .. 1. Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995.
    """
    return _adjusted(p_values, "fdr_bh")


def _adjusted(p_values: Sequence[float | None], method: str) -> tuple[float | None, ...]:
    known = [p for p in p_values if p is not None]
    for p in known:
        if not 0.0 <= p <= 1.0:
            raise ConfigError(
                f"p-values: expected numbers from 0 to 1, or None where there is none, received {p}"
            )
    if not known:
        return tuple(p_values)
    adjusted = iter(multipletests(known, method=method)[1])
    return tuple(None if p is None else float(next(adjusted)) for p in p_values)
