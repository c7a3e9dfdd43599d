"""What several test modules share."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

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


# A subject that trains in a tenth of a second. Integer labels make most other losses incompetent.
TINY_SCRIPT = """
import keras
from sklearn.datasets import load_digits

x, y = load_digits(return_X_y=True)
x = (x / 16.0).astype("float32")
model = keras.Sequential(
    [
        keras.layers.Input(shape=(64,)),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x[:320], y[:320], batch_size=32, epochs=8, verbose=0)
model.evaluate(x[320:640], y[320:640], verbose=0)
"""


class CommandLine:
    """Runs ``faultloom`` in a process of its own."""

    def command(self, *arguments: object, before: str = "") -> list[str]:
        """The command; ``before`` is Python that runs first, to break something."""
        code = f"{before}\nfrom faultloom.generator.cli.app import main\nmain()"
        return [sys.executable, "-c", code, *map(str, arguments)]

    def start(self, *arguments: object, before: str = "") -> "subprocess.Popen[str]":
        """Start it in a process group of its own."""
        return subprocess.Popen(
            self.command(*arguments, before=before),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __call__(
        self, *arguments: object, before: str = "", **options: object
    ) -> "subprocess.CompletedProcess[str]":
        """Run it to its end."""
        return subprocess.run(  # type: ignore[call-overload,no-any-return]
            self.command(*arguments, before=before),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            **options,
        )


class InProcess:
    """Calls the command line's ``main`` in this process; returns exit code, stdout, stderr."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        from faultloom.generator import trainer
        from faultloom.generator.cli.app import main

        self.capsys.readouterr()
        with self.monkeypatch.context() as patch:
            # TensorFlow cannot change its threads once it runs, as it does here.
            patch.setattr(trainer, "pin_threads", lambda: None)
            patch.setattr(sys, "argv", ["faultloom", *map(str, arguments)])
            patch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
            code = 0
            try:
                main()
            except SystemExit as end:
                code = int(end.code or 0)
        out, err = self.capsys.readouterr()
        return code, out, err


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    return CommandLine()


@pytest.fixture
def faultloom(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[InProcess]:
    logger = logging.getLogger("tensorflow")
    level = logger.level
    yield InProcess(monkeypatch, capsys)
    logger.setLevel(level)


@pytest.fixture(scope="session")
def tiny_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script that trains quickly."""
    script = tmp_path_factory.mktemp("tiny") / "tiny.py"
    script.write_text(TINY_SCRIPT, encoding="utf-8")
    return script


@pytest.fixture(scope="session")
def tiny(tiny_script: Path, command_line: CommandLine) -> Path:
    """The folder of the captured script."""
    folder = tiny_script.parent / "subject"
    done = command_line("capture", tiny_script, "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def campaign_options(tiny: Path) -> tuple[object, ...]:
    """Arguments of a campaign of some seconds that has killed faults of several layers."""
    return (
        tiny,
        *("--workers", 0, "--operators", "ACH,ARM,HNE,LCH,NGF,TRD", "--limit", 3),
        *("--clean-replicates", 5, "--faulty-replicates", 3),
        *("--criterion", "welch"),
        *("--keep-models", 2, "--sham-mutants", 12),
    )


@pytest.fixture(scope="session")
def corpus(
    tmp_path_factory: pytest.TempPathFactory,
    command_line: CommandLine,
    campaign_options: tuple[object, ...],
) -> Path:
    """What that campaign makes when nothing disturbs it; copy it before changing anything."""
    root = tmp_path_factory.mktemp("campaign") / "corpus"
    done = command_line("generate", *campaign_options, "--out", root)
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="session")
def stable_rows() -> Callable[[Path], dict[str, list[str]]]:
    """Return the rows of every table of a corpus, without what two equal campaigns may differ in.

    Rows are text, so that undefined numbers are equal.
    """
    from faultloom.datasets.corpus import reader
    from faultloom.datasets.corpus.schema import SCHEMAS, VOLATILE_COLUMNS

    def rows(root: Path) -> dict[str, list[str]]:
        return {
            table: [
                repr(row)
                for row in reader.read(
                    root, table, [n for n in schema.names if n not in VOLATILE_COLUMNS[table]]
                ).to_pylist()
            ]
            for table, schema in SCHEMAS.items()
        }

    return rows
