import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.localizers.base import Diagnosis, Suspect
from faultloom.localizers.evaluation import (
    Truth,
    cell_weighted_mean,
    false_blame,
    gain_over_chance,
    layer_scores,
    score_case,
    summarise,
)


def truth(mutant="m", layers=(0,), subject="s", group="g", fault="ACH", position="first"):
    return Truth(mutant, subject, group, fault, position, (frozenset(layers),))


def says(*scores, status="ok"):
    return Diagnosis(status, tuple(Suspect(s, i) for i, s in enumerate(scores)))


def hit1(case):
    return case.hit[1]


def test_a_layer_scores_its_largest_suspect():
    found = Diagnosis(
        "ok",
        (Suspect(1.0, 2), Suspect(3.0, 2), Suspect(9.0, None), Suspect(math.nan, 1)),
    )
    assert layer_scores(found, 3) == {2: 3.0}
    with pytest.raises(ConfigError, match="layer 2"):
        layer_scores(found, 2)


@pytest.mark.parametrize("status", ["abstained", "not_applicable", "failed", "timed_out"])
def test_anything_but_ok_is_a_miss(status):
    scored = score_case(says(1.0, 0.0, 0.0, status=status), truth(), 3)
    assert (scored.hit[3], scored.whole[3], scored.first_rank) == (0.0, 0.0, 4.0)
    assert scored.status == status


def test_ties_by_expectation_or_deepest():
    tied = says(1.0, 1.0, 0.0)
    assert score_case(tied, truth(layers=[0]), 3).hit[1] == 0.5
    assert score_case(tied, truth(layers=[0]), 3, ties="deepest").hit[1] == 0.0
    assert score_case(tied, truth(layers=[1]), 3, ties="deepest").hit[1] == 1.0


@pytest.mark.parametrize("layers", [(), (3,), (-1,)])
def test_refuses_truth_that_the_case_lacks(layers):
    with pytest.raises(ConfigError, match="answer sets"):
        score_case(says(1.0), truth(layers=layers), 3)


def test_gain_over_chance():
    assert gain_over_chance(0.25, 0.25) == 0.0
    assert gain_over_chance(1.0, 0.25) == 1.0
    assert gain_over_chance(0.0, 0.25) == pytest.approx(-1 / 3)
    assert math.isnan(gain_over_chance(1.0, 1.0))


def test_means_go_by_mutant_then_cell():
    right, wrong = says(1.0, 0.0, 0.0), says(0.0, 1.0, 0.0)
    cases = [
        score_case(right, truth("a"), 3),
        score_case(wrong, truth("a"), 3),
        score_case(right, truth("a"), 3),
        score_case(right, truth("a"), 3),
        score_case(wrong, truth("b"), 3),
        score_case(right, truth("c", fault="HLR"), 3),
    ]
    assert cell_weighted_mean(cases, hit1) == pytest.approx(((0.75 + 0.0) / 2 + 1.0) / 2)
    assert math.isnan(cell_weighted_mean([], hit1))


def test_summary():
    right = says(2.0, 1.0, 0.0, 0.0)
    cases = [
        score_case(right, truth("a", group="g1", subject="s1"), 4),
        score_case(right, truth("b", [1], group="g2", subject="s2"), 4),
        score_case(says(status="failed"), truth("c", group="g3", subject="s3"), 4),
        score_case(says(2.0, 1.0), truth("d", group="g3", subject="s3"), 2),
    ]
    found = summarise(cases, np.random.default_rng(0), ks=(1, 3), n_resamples=200)
    assert found.hit[1].value == pytest.approx(1 / 3)
    assert (found.hit[1].n_cases, found.hit[1].n_groups, found.hit[1].n_cells) == (3, 3, 3)
    assert found.hit[1].low <= found.hit[1].value <= found.hit[1].high
    assert found.hit[1].low < found.hit[1].high
    assert found.hit[3].n_cases == 0
    assert math.isnan(found.hit[3].value)
    assert found.gain.value == pytest.approx((1 / 3 - 0.25) / 0.75)
    assert found.first_rank.value == pytest.approx((1 + 2 + (5 + 1) / 2) / 3)
    assert found.statuses == {"ok": 3, "failed": 1}
    assert found == summarise(cases, np.random.default_rng(0), ks=(1, 3), n_resamples=200) or any(
        math.isnan(e.value) for e in (*found.hit.values(), *found.whole.values())
    )
    alone = summarise(cases[:1], np.random.default_rng(0), ks=(1,))
    assert alone.hit[1].value == 1.0
    assert math.isnan(alone.hit[1].low)
    with pytest.raises(ConfigError, match="scored at k"):
        summarise(cases, np.random.default_rng(0), ks=(2,))


def test_bootstrap_is_seeded():
    cases = [
        score_case(says(1.0, 0.0, 0.0), truth(f"m{i}", [i % 3], group=f"g{i}"), 3) for i in range(6)
    ]
    first, second = (summarise(cases, np.random.default_rng(5), ks=(1,)) for _ in range(2))
    assert first == second


def test_false_blame():
    found = false_blame(
        [
            ("s", 3, says(1.0, 1.0, 0.0)),
            ("s", 3, says(0.0, 0.0, 1.0)),
            ("s", 3, says(status="abstained")),
            ("s", 3, says(1.0, 0.0, 0.0)),
        ]
    )["s"]
    assert found.frequency == (0.375, 0.125, 0.25)
    assert (found.silent, found.n_cases) == (0.25, 4)
    with pytest.raises(ConfigError, match="differ"):
        false_blame([("s", 3, says(1.0)), ("s", 2, says(1.0))])
