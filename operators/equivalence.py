"""Mutants that provably behave like their clean program, found without training."""

from __future__ import annotations

from collections.abc import Mapping

from ..datasets.program import Json, TrainingProgram, canonical_json
from .idle_layers import LAYER_RULES
from .idle_padding import PADDING_RULE
from .idle_rules import Rule, Span
from .idle_settings import SETTING_RULES

RULES: tuple[Rule, ...] = (*SETTING_RULES, PADDING_RULE, *LAYER_RULES)
"""In the order in which they are applied; those that take layers away come last."""

_UNTOUCHED = (
    "initial_weights",
    "loss",
    "metrics",
    "optimizer",
    "transforms",
    "weight_edits",
)
_AROUND = 2
"""Layers on either side of a difference that rules look at."""


def provably_equivalent(clean: TrainingProgram, faulty: TrainingProgram) -> str | None:
    """Return why a faulty program trains to the same results as the clean one, or None.

    Each rule rewrites a program into one that behaves alike: run for run the same up to rounding,
    or, where the names of layers and with them their random streams shift, the same in
    distribution. Two programs that are rewritten into the same text are therefore equivalent.
    None is no claim: most equivalences cannot be proved.

    Not among the rules, because it holds on paper only: a bias in front of a batch normalisation
    that subtracts it again. Its gradient is zero but for rounding, adaptive optimizers make steps
    of full size of that, and the moving mean, which inference subtracts, lags behind them.

    Args:
        clean: in canonical form.
        faulty: in canonical form.

    Returns:
        The reasons of the rules that were needed, joined by ``; ``.
    """
    one, other = clean.document(), faulty.document()
    if any(one[field] != other[field] for field in _UNTOUCHED):
        return None
    spans = _spans(one["architecture"], other["architecture"])
    for rule in RULES:
        if _rewritten(one, spans[0], (rule,)) == _rewritten(other, spans[1], (rule,)):
            return rule.reason
    if _rewritten(one, spans[0], RULES) != _rewritten(other, spans[1], RULES):
        return None
    return "; ".join(rule.reason for rule in RULES if _needed(rule, one, other, spans))


def _needed(rule: Rule, one: Json, other: Json, spans: tuple[Span, Span]) -> bool:
    others = tuple(kept for kept in RULES if kept is not rule)
    return _rewritten(one, spans[0], others) != _rewritten(other, spans[1], others)


def _rewritten(document: Json, span: Span, rules: tuple[Rule, ...]) -> str:
    """Return the text of what rules make of a document, with names numbered anew."""
    from ..datasets.automatic_names import renumbered

    new = document
    for rule in rules:
        new = rule.rewrite(new, span)
    if new["architecture"] is not document["architecture"]:
        new = {**new, "architecture": renumbered(new["architecture"])}
    return canonical_json(new)


def _spans(one: Json, other: Json) -> tuple[Span, Span]:
    """Return the layers, counted from both ends, beyond which two models are equal.

    Rules need not look beyond them, for there they do the same to both.
    """
    ours, theirs = ([_nameless(e) for e in model["config"]["layers"]] for model in (one, other))
    short = min(len(ours), len(theirs))
    front = next((i for i in range(short) if ours[i] != theirs[i]), short)
    back = next((i for i in range(short - front) if ours[-1 - i] != theirs[-1 - i]), short - front)
    span = Span(max(0, front - _AROUND), max(0, back - _AROUND))
    return span, span


def _nameless(entry: Mapping[str, Json]) -> Json:
    """Return a layer without what changes when layers before it are added or removed."""
    config = {key: value for key, value in entry["config"].items() if key != "name"}
    return entry["class_name"], config
