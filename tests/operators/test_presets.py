"""Presets: what their sources say, scaled to the fault types that there are."""

import dataclasses

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.operators.presets import PRACTITIONER, PRESETS, SO_GITHUB, UNIFORM, Preset, preset
from faultloom.operators.registry import operators
from hypothesis import given
from hypothesis import strategies as st

TYPES = {known.fault_type for known in operators()}
SOURCED = (SO_GITHUB, PRACTITIONER)


def test_presets_are_found_by_name_and_cannot_be_changed() -> None:
    assert set(PRESETS) == {"uniform", "so_github", "practitioner"}
    assert all(preset(name) is PRESETS[name] for name in PRESETS)
    assert all(found.source for found in PRESETS.values())
    with pytest.raises(dataclasses.FrozenInstanceError):
        UNIFORM.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "advice"), [("so-github", "did you mean 'so_github'"), ("zzz", "choose one of them")]
)
def test_an_unknown_preset_is_refused(name: str, advice: str) -> None:
    with pytest.raises(ConfigError, match=f"expected one of uniform.*received '{name}'; {advice}"):
        preset(name)


@pytest.mark.parametrize("found", SOURCED, ids=lambda found: found.name)
def test_shares_are_percentages_and_no_type_is_in_two_families(found: Preset) -> None:
    assert sum(share.weight for share in found.shares) == pytest.approx(100, abs=0.15)
    types = [code for share in found.shares for code in share.fault_types]
    assert len(types) == len(set(types))
    assert sum(chance for _, chance in found.arities) == pytest.approx(1)


@pytest.mark.parametrize("found", SOURCED, ids=lambda found: found.name)
def test_every_type_of_a_preset_is_that_of_an_operator(found: Preset) -> None:
    assert {code for share in found.shares for code in share.fault_types} <= TYPES


def test_a_family_keeps_its_weight_whichever_of_its_types_there_are() -> None:
    every = SO_GITHUB.weights(TYPES)
    assert sum(every[code] for code in ("ACH", "AAL", "ARM", "RRA")) == pytest.approx(0.172)
    assert every["HNE"] == pytest.approx(0.141)
    assert every["CPP"] == pytest.approx(0.111)
    assert SO_GITHUB.weights(TYPES - {"AAL", "ARM", "RRA"})["ACH"] == pytest.approx(0.172)


def test_types_that_no_operator_has_are_scaled_away_and_named() -> None:
    found = PRACTITIONER.weights(TYPES)
    assert found["CPP"] == pytest.approx(22.9 / (99.9 - 1.8))
    assert [share.family for share in PRACTITIONER.left_out(TYPES)] == ["augmentation"]
    assert SO_GITHUB.left_out(TYPES) == ()
    pair = SO_GITHUB.weights(["HNE", "HLR"])
    assert pair == pytest.approx({"HLR": 6.1 / 20.2, "HNE": 14.1 / 20.2})
    assert "epochs" not in [share.family for share in SO_GITHUB.left_out(["HNE"])]
    assert len(SO_GITHUB.left_out(["HNE"])) == len(SO_GITHUB.shares) - 1


def test_uniform_has_all_types_alike_also_those_of_no_family() -> None:
    assert UNIFORM.weights(["NGF", "ACH", "CPP"]) == pytest.approx(
        {"ACH": 1 / 3, "CPP": 1 / 3, "NGF": 1 / 3}
    )
    assert UNIFORM.weights([]) == {} == SO_GITHUB.weights(["NGF"])
    assert UNIFORM.left_out([]) == ()


@given(st.sets(st.sampled_from(sorted(TYPES)), min_size=1), st.sampled_from(sorted(PRESETS)))
def test_weights_are_a_distribution_in_one_order(types: set[str], name: str) -> None:
    found = preset(name).weights(types)
    assert list(found) == sorted(found) and set(found) <= types
    if found:
        assert sum(found.values()) == pytest.approx(1)
        assert min(found.values()) > 0


def test_arities_are_those_of_higher_order() -> None:
    assert SO_GITHUB.higher_arities(9) == pytest.approx(
        {2: 0.22 / 0.53, 3: 0.19 / 0.53, 4: 0.11 / 0.53, 5: 0.01 / 0.53}
    )
    assert SO_GITHUB.higher_arities(3) == pytest.approx({2: 22 / 41, 3: 19 / 41})
    assert UNIFORM.higher_arities(4) == {2: 1.0}
    assert UNIFORM.higher_arities(1) == {} == SO_GITHUB.higher_arities(1)
