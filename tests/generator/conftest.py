"""Small trainings that the tests of the trainer and its parts share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest


@dataclass
class Lab:
    """Makes programs of Keras models and trains them; keeps the arrays by hash."""

    arrays: dict[str, Any] = field(default_factory=dict)

    def program(
        self,
        model: Any,
        rows: Any,
        *,
        optimizer: Any = "sgd",
        fit: Mapping[str, Any] | None = None,
        validation: Any = None,
        held: Any = None,
        **fields: Any,
    ) -> Any:
        """Return the canonical program of a model on rows; three epochs in batches of 16."""
        import keras
        from faultloom.datasets.arrays import by_hash
        from faultloom.datasets.canonical import canonical_model, canonicalize
        from faultloom.datasets.program import TrainingProgram

        held = rows.take(np.arange(20)) if held is None else held
        roles = {"train": rows, "validation": validation, "judge": held, "test": held}
        self.arrays |= by_hash([found for found in roles.values() if found is not None])
        setting = {"batch_size": 16, "class_weight": None, "epochs": 3, "shuffle": True}
        document = {
            "architecture": canonical_model(model),
            "callbacks": [],
            "data": {role: found and found.record() for role, found in roles.items()},
            "fit": setting | dict(fit or {}),
            "initial_weights": None,
            "loss": "sparse_categorical_crossentropy",
            "metrics": ["accuracy"],
            "optimizer": keras.saving.serialize_keras_object(keras.optimizers.get(optimizer)),
            "transforms": [],
            "weight_edits": [],
        }
        callbacks = fields.pop("callbacks", [])
        program = canonicalize(document | fields)
        return TrainingProgram.of({**program.document(), "callbacks": callbacks})

    def trainer(self, program: Any, keep: int = 2) -> Any:
        """Return a trainer for the program; one output learns classes, more learn numbers."""
        from faultloom.datasets.transforms import task_of
        from faultloom.generator.scoring import Judge
        from faultloom.generator.trainer import Trainer

        return Trainer(self.arrays, Judge.of(program, task_of(program.document())), keep)

    @staticmethod
    def initial_weights(trainer: Any, program: Any, streams: Any) -> list[Any]:
        """Return the weights with which a run begins."""
        compiled = trainer.compiled(program)
        compiled.reset(program, streams)
        found: list[Any] = compiled.weights()
        return found

    @staticmethod
    def compile(model: Any, program: Any, initial: list[Any]) -> Any:
        """Return the model, compiled as Keras does it, with the given weights."""
        from faultloom.datasets.build import build_loss, build_metrics, build_optimizer

        document = program.document()
        model.compile(
            optimizer=build_optimizer(document["optimizer"]),
            loss=build_loss(document["loss"]),
            metrics=build_metrics(document["metrics"]) or None,
            jit_compile=False,
        )
        model.set_weights(initial)
        return model

    @staticmethod
    def fit(model: Any, program: Any, rows: Any, **options: Any) -> Any:
        """Call Keras's `fit` on rows in the order in which they come."""
        setting = program.document()["fit"]
        weights = setting["class_weight"]
        return model.fit(
            Lab.listed(rows.x),
            Lab.listed(rows.y),
            sample_weight=rows.sample_weight,
            class_weight=weights and {int(label): weight for label, weight in weights.items()},
            batch_size=setting["batch_size"],
            shuffle=False,
            verbose=0,
            **options,
        )

    @staticmethod
    def listed(arrays: tuple[Any, ...]) -> Any:
        """Return arrays as `fit` takes them."""
        return arrays[0] if len(arrays) == 1 else list(arrays)

    @staticmethod
    def difference(ours: list[Any], theirs: list[Any]) -> float:
        """Return the largest absolute difference of two lists of arrays."""
        assert [a.shape for a in ours] == [b.shape for b in theirs]
        return max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab()


@pytest.fixture(scope="session")
def edited() -> Callable[..., Any]:
    """Return a program with one value put at a slot."""
    from faultloom.datasets.program import TrainingProgram
    from faultloom.datasets.slots import replaced

    def with_value(program: Any, slot: str, value: Any) -> Any:
        return TrainingProgram.of(replaced(program.document(), slot, value))

    return with_value
