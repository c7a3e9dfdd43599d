"""`Recorder`: what a script compiles, fits and evaluates, as a subject."""

from __future__ import annotations

import runpy
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import keras

from ..arrays import Array, Rows, by_hash, split_held_out
from ..canonical import canonical_float
from ..errors import SubjectError
from ..program import Json, TrainingProgram, content_hash
from ..subjects.catalogue import data_set_of_script
from .compiled import (
    architecture_of,
    callbacks_of,
    check_own_code,
    loss_of,
    metrics_of,
    one_line,
    optimizer_of,
)
from .interception import as_main, intercepted, untrained_history
from .rows import (
    check_no_stream,
    hold_out,
    is_classification,
    rows_from,
    rows_of_file,
    validation_tail,
)
from .subject import HeldOutSource, Subject


class _Stop(BaseException):
    """Ends the script; not an `Exception`, so that the script does not catch it."""


@dataclass
class _Fitted:
    model: Any
    document: dict[str, Json]
    train: Rows
    validation: Rows | None
    notes: list[str]
    evaluated: Rows | None = None


@dataclass
class Recorder:
    """Records one fit of a script.

    Args:
        script: the script.
        fit: which call of ``fit`` counts, from 1; None for the only one.
        on_fit: called once, when that fit was recorded.
    """

    script: Path
    fit: int | None = None
    on_fit: Callable[[], None] = lambda: None
    _calls: int = 0
    _compiled: dict[int, tuple[Any, dict[str, Any]]] = field(default_factory=dict)
    _fitted: _Fitted | None = None
    _failure: SubjectError | None = None
    _loaded: bool = False

    def run(self, args: Sequence[str] = ()) -> None:
        """Run the script to its end; what it raises after its fit is ignored.

        Raises:
            SubjectError: the script cannot serve as a subject.
        """
        handlers = {
            "compile": self._compile,
            "fit": self._fit,
            "evaluate": self._evaluate,
            "load_weights": self._load_weights,
        }
        with intercepted(handlers), as_main(self.script, args):
            try:
                runpy.run_path(str(self.script), run_name="__main__")
            except _Stop:
                pass
            except SystemExit as error:
                if self._fitted is None and error.code not in (None, 0):
                    self._failure = SubjectError(
                        f"script {self.script.name}: it exits before fit; {error.code}"
                    )
            except Exception as error:
                if self._fitted is None and self._failure is None:
                    where = f"line {line}: " if (line := self._line(error)) else ""
                    self._failure = SubjectError(
                        f"script {self.script.name}: {where}it raises before fit; {one_line(error)}"
                    )
        if self._failure is not None:
            raise self._failure
        if self._fitted is None:
            which = "never calls fit" if not self._calls else f"calls fit {self._calls} times only"
            raise SubjectError(f"script {self.script.name}: it {which} of a Keras model")

    def subject(
        self, name: str | None = None, test: Path | None = None
    ) -> tuple[Subject, dict[str, Array]]:
        """Return what was recorded, and its arrays by content hash."""
        fitted = self._fitted
        assert fitted is not None
        train, held, source = self._held_out(fitted, test)
        judge, test_rows, disjoint = split_held_out(held, seed=0)
        roles = {
            "train": train,
            "validation": fitted.validation,
            "judge": judge,
            "test": test_rows,
        }
        present = {role: rows for role, rows in roles.items() if rows is not None}
        records = {role: rows.record() for role, rows in present.items()}
        data = {"validation": None, **records}
        losses = fitted.document["loss"]
        losses = losses if isinstance(losses, list) else [losses]
        names = [loss if isinstance(loss, str) else loss["class_name"].lower() for loss in losses]
        known = data_set_of_script(self.script)
        unnamed = f"data-{content_hash(records['train']['x'])[:12]}"
        data_set = known or {
            "name": unnamed,
            "group": unnamed,
            "version": None,
            "origin": "unknown",
            "licence": "unknown",
        }
        subject = Subject(
            name=name or self.script.stem.replace("_", "-"),
            program=TrainingProgram.of({**fitted.document, "data": data}),
            script=self.script.read_text(encoding="utf-8"),
            task="classification" if is_classification(names, train.y) else "regression",
            held_out_source=source,
            disjoint=disjoint,
            data_group=str(data_set["group"]),
            data_set=data_set,
            notes=tuple(fitted.notes),
        )
        return subject, by_hash(list(present.values()))

    def _held_out(self, fitted: _Fitted, test: Path | None) -> tuple[Rows, Rows, HeldOutSource]:
        found: tuple[Rows, HeldOutSource] | None = None
        if fitted.evaluated is not None:
            found = fitted.evaluated, "evaluate"
        elif fitted.validation is not None:
            found = fitted.validation, "validation_data"
            fitted.notes.append("the validation rows are the held-out rows too")
        if test is not None and found is not None:
            fitted.notes.append(f"--test was not used: the script's {found[1]} rows are held out")
        elif test is not None:
            floatx = keras.config.floatx()
            found = rows_of_file(fitted.model, test, floatx=floatx), "file"
        if found is not None:
            return fitted.train, *found
        train, held = hold_out(fitted.train)
        fitted.notes.append("the script has no held-out rows: a fifth of its training rows is")
        return train, held, "hold_out"

    def _line(self, error: BaseException) -> int | None:
        if isinstance(error, SyntaxError) and error.filename == str(self.script):
            return error.lineno
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(self.script)
        ]
        return lines[-1] if lines else None

    def _compile(self, original: Callable[[], Any], model: Any, values: dict[str, Any]) -> Any:
        self._compiled[id(model)] = model, values
        return original()

    def _load_weights(self, original: Callable[[], Any], model: Any, values: dict[str, Any]) -> Any:
        self._loaded = self._loaded or self._fitted is None
        return original()

    def _evaluate(self, original: Callable[[], Any], model: Any, values: dict[str, Any]) -> Any:
        fitted = self._fitted
        if fitted is not None and fitted.model is model and fitted.evaluated is None:
            try:
                floatx = keras.config.floatx()
                x, y, weight = values["x"], values["y"], values["sample_weight"]
                rows = rows_from(model, x, y, weight, floatx=floatx, what="evaluate")
            except SubjectError as error:
                fitted.notes.append(f"evaluate was not used: {error}")
            else:
                if rows.record() != fitted.train.record():
                    fitted.evaluated = rows
        return original()

    def _fit(self, original: Callable[[], Any], model: Any, values: dict[str, Any]) -> Any:
        self._calls += 1
        if self._fitted is not None and self.fit is None:
            self._fail(
                SubjectError(
                    f"script {self.script.name}: it calls fit more than once; "
                    "say which call counts with --fit N"
                )
            )
        if self._fitted is None and self._calls == (self.fit or 1):
            model._assert_compile_called("fit")
            try:
                with warnings.catch_warnings(action="ignore"):
                    self._fitted = self._recorded(model, values)
            except SubjectError as error:
                self._fail(SubjectError(f"script {self.script.name}: {error}"))
            self.on_fit()
        return untrained_history(model, values["epochs"])

    def _fail(self, error: SubjectError) -> NoReturn:
        self._failure = error
        raise _Stop

    def _recorded(self, model: Any, values: Mapping[str, Any]) -> _Fitted:
        floatx = keras.config.floatx()
        _check_fit(values)
        check_no_stream(values["x"], "fit x")
        _build(model, values["x"])
        check_own_code(model)
        train = rows_from(
            model, values["x"], values["y"], values["sample_weight"], floatx=floatx, what="fit"
        )
        validation = None
        if values["validation_data"] is not None:
            x, y, weight = keras.utils.unpack_x_y_sample_weight(values["validation_data"])
            validation = rows_from(model, x, y, weight, floatx=floatx, what="fit validation_data")
        elif values["validation_split"]:
            train, validation = validation_tail(train, values["validation_split"])
        _, compiled = self._compiled[id(model)]
        for name in ("loss_weights", "weighted_metrics"):
            if compiled[name]:
                raise SubjectError(f"compile {name}: not supported; leave it out")
        metrics, aliases = metrics_of(compiled["metrics"], model)
        callbacks, notes = callbacks_of(values["callbacks"], aliases)
        if self._loaded:
            notes.append("weights that the script loads before fit are not kept")
        if self._calls > 1:
            notes.append(f"call {self._calls} of fit counts; the calls before it did not train")
        document = {
            "architecture": architecture_of(model),
            "callbacks": callbacks,
            "data": None,
            "fit": {
                "batch_size": int(values["batch_size"] or 32),
                "class_weight": _class_weight(values["class_weight"]),
                "epochs": int(values["epochs"]),
                "shuffle": bool(values["shuffle"]),
            },
            "initial_weights": None,
            "loss": loss_of(compiled["loss"], model, train.y),
            "metrics": metrics,
            "optimizer": optimizer_of(model),
            "transforms": [],
            "weight_edits": [],
        }
        return _Fitted(model, document, train, validation, notes)


def _check_fit(values: Mapping[str, Any]) -> None:
    ordinary = {
        "steps_per_epoch": None,
        "validation_steps": None,
        "validation_freq": 1,
        "initial_epoch": 0,
    }
    for name, value in ordinary.items():
        if values[name] != value:
            raise SubjectError(f"fit {name}: only {value} is supported; received {values[name]!r}")
    if values["shuffle"] not in (True, False):
        raise SubjectError(f"fit shuffle: expected a bool; received {values['shuffle']!r}")


def _class_weight(weights: Mapping[int, float] | None) -> Json:
    if not weights:
        return None
    return {str(int(label)): canonical_float(float(value)) for label, value in weights.items()}


def _build(model: Any, x: Any) -> None:
    """Build a model from the shape of its data, as fit would."""
    if model.built or not isinstance(model, keras.Sequential):
        return
    value = x[0] if isinstance(x, (list, tuple)) and len(x) == 1 else x
    shape = getattr(value, "shape", None)
    if shape is not None:
        model.build((None, *(shape[1:] or (1,))))
