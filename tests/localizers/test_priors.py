import pytest
from faultloom.localizers.evaluation import Truth, cell_weighted_mean, layer_scores, score_case
from faultloom.localizers.priors import constant_diagnosis, depth_prior, oracle_prior


def truth(mutant="m", layers=(0,), subject="s", group="g", fault="ACH", position="first"):
    return Truth(mutant, subject, group, fault, position, (frozenset(layers),))


def test_depth_prior_learns_only_from_other_groups():
    history = [
        (truth("a", [4], group="g1"), 5),
        (truth("a", [4], group="g1"), 5),
        (truth("b", [0], group="g2"), 5),
        (truth("c", [0], group="g2"), 5),
    ]
    for group, top in (("g1", 0), ("g2", 2), ("g9", 0)):
        scores = layer_scores(depth_prior(history, group, 3), 3)
        assert max(scores, key=lambda layer: scores[layer]) == top
    assert layer_scores(depth_prior(history, "g2", 5), 5)[4] == 1.0
    assert depth_prior(history[:2], "g1", 3).status == "abstained"
    assert depth_prior(history, "g1", 1).status == "ok"


def test_oracle_prior_is_the_best_constant():
    truths = [
        truth("a", [1]),
        truth("b", [1]),
        truth("c", [2], fault="HLR"),
        truth("d", [2], position="last"),
        truth("e", [0], subject="other"),
    ]
    best = oracle_prior(truths)
    assert best == {"s": (2, 1), "other": (0,)}
    constant = constant_diagnosis(best["s"], 3)
    cases = [score_case(constant, t, 3) for t in truths if t.subject == "s"]
    assert cell_weighted_mean(cases, lambda case: case.hit[1]) == pytest.approx(2 / 3)
    assert constant_diagnosis((7,), 3).status == "abstained"
