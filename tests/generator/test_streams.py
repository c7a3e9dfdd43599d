import itertools

import numpy as np
import pytest
from faultloom.generator.streams import Streams
from hypothesis import given
from hypothesis import strategies as st

NAMES = ("init", "shuffle", "dropout", "data", "sampling")
SEEDS = st.integers(-(2**63), 2**64)
KEYS = st.text(st.characters(exclude_characters="\0", codec="utf-8"))


@pytest.mark.parametrize(
    ("streams", "stream", "key", "seed"),
    [
        (Streams(0, 0), "init", "dense/kernel", 9164493726151631703),
        (Streams(7, 3), "shuffle", "2", 3494777113688368494),
        (Streams(7, 3, "sham"), "shuffle", "2", 9066954377453181295),
    ],
)
def test_seeds_stay_what_they_are(streams: Streams, stream: str, key: str, seed: int) -> None:
    assert streams.seed(stream, key) == seed  # type: ignore[arg-type]


def test_the_generator_stays_what_it_is() -> None:
    order = Streams(7, 3).generator("shuffle", "2").permutation(10)
    assert order.tolist() == [1, 8, 5, 4, 0, 6, 9, 2, 7, 3]


def test_every_use_has_a_seed_of_its_own() -> None:
    keys = ["", "0", "1", "10", "dense/kernel", "dense/bias", "dense_1/kernel"]
    salts = ["", "sham", "0"]
    seeds = [
        Streams(campaign, k, salt).seed(stream, key)  # type: ignore[arg-type]
        for campaign, k, salt, stream, key in itertools.product(
            range(11), range(11), salts, NAMES, keys
        )
    ]
    assert len(set(seeds)) == len(seeds) == 11 * 11 * 3 * 5 * 7


@given(SEEDS, SEEDS, KEYS)
def test_the_number_of_the_campaign_and_of_the_run_are_not_confused(
    seed: int, k: int, key: str
) -> None:
    one, other = Streams(seed, k).seed("init", key), Streams(k, seed).seed("init", key)
    assert (one == other) == (seed == k)


@given(KEYS, KEYS)
def test_a_salt_is_not_a_key(salt: str, key: str) -> None:
    one = Streams(0, 0, salt).seed("init", key)
    assert (one == Streams(0, 0).seed("init", key)) == (salt == "")


@given(SEEDS, st.integers(0, 1000), KEYS)
def test_seeds_are_in_the_ranges_that_are_promised(seed: int, k: int, key: str) -> None:
    streams = Streams(seed, k)
    assert 0 <= streams.seed("dropout", key) < 2**63
    assert 0 <= streams.keras_seed("dropout", key) < 2**31
    assert streams.keras_seed("dropout", key) == Streams(seed, k).keras_seed("dropout", key)


def test_generators_of_two_keys_are_unlike() -> None:
    a, b = (Streams(0, 0).generator("data", key).random(1000) for key in ("a", "b"))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.1
