"""Reaching a cluster, or one line that says why not."""

import os
import socket
from typing import Any

import pytest
from faultloom.datasets.errors import RunnerError
from faultloom.generator.ray_cluster import connect, cpus


class Starting:
    """In the place of Ray: remembers how it was started, or cannot be."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.options: dict[str, Any] = {}

    def init(self, **options: Any) -> None:
        self.options = options
        if self.error is not None:
            raise self.error


def test_a_private_cluster_has_the_slots_and_room_for_the_arrays_twice() -> None:
    ray = Starting()
    connect(ray, None, 3, 400 * 1024 * 1024)
    assert ray.options["address"] == "local"
    assert ray.options["num_cpus"] == 3
    assert ray.options["object_store_memory"] == 800 * 1024 * 1024
    connect(ray, None, 1, 10)
    assert ray.options["object_store_memory"] == 300 * 1024 * 1024


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}", "ray://localhost:{}"])
def test_a_cluster_that_listens_is_left_to_ray(form: str) -> None:
    ray = Starting()
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = form.format(server.getsockname()[1])
        connect(ray, address, 1, 0)
    assert ray.options["address"] == address
    assert "num_cpus" not in ray.options


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_where_nobody_listens_ray_is_not_asked(form: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ray = Starting()
    address = form.format(port)
    with pytest.raises(RunnerError, match="Connection refused; check the address") as caught:
        connect(ray, address, 1, 0)
    assert address in str(caught.value)
    assert ray.options == {}


@pytest.mark.parametrize("address", ["auto", "somewhere", None])
def test_what_ray_says_is_one_short_line(address: str | None) -> None:
    ray = Starting(ConnectionError("no cluster\n  found " + "x" * 1000))
    with pytest.raises(RunnerError, match="received ConnectionError: no cluster found") as caught:
        connect(ray, address, 1, 0)
    assert (address or "a local Ray cluster") in str(caught.value)
    assert len(str(caught.value)) < 500


def test_cpus_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {4, 7, 9}, raising=False)
    assert cpus() == 3
    with monkeypatch.context() as patch:
        patch.delattr(os, "sched_getaffinity")
        patch.setattr(os, "cpu_count", lambda: 6)
        assert cpus() == 6
