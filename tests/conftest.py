"""What several test modules share."""

import os
import sys
from collections.abc import Iterator

import pytest

# Work for the runners, in a module of its own because workers import it by name.
RUNNER_WORK = """
import os
import time


def double(payload, arrays):
    return {"twice": 2 * payload["n"], "sum": float(arrays["x"].sum())}


def writeable(payload, arrays):
    try:
        arrays["x"][0] = 1.0
    except ValueError:
        return False
    return True


def broken(payload, arrays):
    raise KeyError("a fault of ours")


def hungry(payload, arrays):
    raise MemoryError("too much")


def die(payload, arrays):
    os._exit(7)


def die_once(payload, arrays):
    if not os.path.exists(payload["mark"]):
        open(payload["mark"], "w").close()
        os._exit(7)
    return "alive"


def sleep(payload, arrays):
    time.sleep(payload["s"])
    return payload["s"]


def interval(payload, arrays):
    began = time.time()
    time.sleep(0.5)
    return [began, time.time()]


def environment(payload, arrays):
    return {name: os.environ.get(name) for name in payload}


def process(payload, arrays):
    return os.getpid()
"""


@pytest.fixture(scope="session")
def runner_work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a module with work functions that this process and workers can import."""
    folder = tmp_path_factory.mktemp("runner_work")
    (folder / "faultloom_runner_work.py").write_text(RUNNER_WORK)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), before]))
    sys.path.insert(0, str(folder))
    yield "faultloom_runner_work"
    sys.path.remove(str(folder))
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="session")
def ray_cluster(runner_work: str) -> Iterator[None]:
    """One local Ray cluster for all tests that need one."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    ray = pytest.importorskip("ray")
    ray.init(
        address="local",
        num_cpus=2,
        object_store_memory=200 * 1024 * 1024,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _node_ip_address="127.0.0.1",
    )
    yield
    ray.shutdown()
