"""What a corpus holds: one Arrow schema per table, with a description of every column."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import pyarrow as pa

SCHEMA_VERSION: Final = "1"
SPLITS: Final = ("train", "validation", "test")

_TEXT: Any = pa.string()
_ENUM: Any = pa.dictionary(pa.int32(), pa.string())
_INT: Any = pa.int32()
_LONG: Any = pa.int64()
_REAL: Any = pa.float64()
_FLAG: Any = pa.bool_()
_BLOB: Any = pa.large_binary()
_INTS: Any = pa.list_(pa.int32())
_LONGS: Any = pa.list_(pa.int64())
_REALS: Any = pa.list_(pa.float64())
_FLOATS: Any = pa.list_(pa.float32())
_TEXTS: Any = pa.list_(pa.string())

Field: TypeAlias = "pa.Field[Any]"


def _field(name: str, kind: Any, description: str, *, required: bool = False) -> Field:
    metadata = {"description": description}
    return pa.field(name, kind, nullable=not required, metadata=metadata)


def _required(name: str, kind: Any, description: str) -> Field:
    return _field(name, kind, description, required=True)


_KEYS: Final[Mapping[str, tuple[Any, str]]] = {
    "subject": (_TEXT, "name of the clean program"),
    "data_group": (_TEXT, "data set that the subject uses; subjects of one group are one group"),
    "split": (_ENUM, "train, validation or test; pinned per data group"),
    "operator": (_ENUM, "operator code; codes of a higher-order mutant are joined by +"),
    "mutant_id": (_TEXT, "hash of the clean program and the ordered mutations; null for clean"),
    "program_id": (_TEXT, "SHA-256 of the canonical program"),
    "run_id": (_TEXT, "hash of program, campaign seed, replicate and environment class"),
    "environment_id": (_TEXT, "the environment class it was made in"),
}


def _keys(*names: str) -> list[Field]:
    """Key columns; a name with an exclamation mark must never be null."""
    return [
        _field(name.rstrip("!"), *_KEYS[name.rstrip("!")], required=name.endswith("!"))
        for name in names
    ]


_LAYER: Any = pa.struct(
    [
        pa.field("name", _TEXT),
        pa.field("class", _TEXT),
        pa.field("index", _INT),
        pa.field("units", _INT),
        pa.field("params", _LONG),
    ]
)
_MUTATION: Any = pa.struct(
    [
        pa.field("code", _TEXT),
        pa.field("name", _TEXT),
        pa.field("layer", _TEXT),
        pa.field("layer_index", _INT),
        pa.field("parameters", _TEXT),
    ]
)
_SUSPECT: Any = pa.struct(
    [
        pa.field("fault_type", _TEXT),
        pa.field("layer", _TEXT),
        pa.field("neurons", _INTS),
        pa.field("score", _REAL),
    ]
)

_SUBJECTS = [
    *_keys("subject!", "program_id!", "data_group", "split"),
    _field("task", _ENUM, "what the model learns: classification or regression"),
    _field("dataset_name", _TEXT, "name of the data set"),
    _field("dataset_version", _TEXT, "version of the data set"),
    _field("dataset_origin", _ENUM, "real or synthetic"),
    _field("dataset_licence", _TEXT, "licence of the data set"),
    _field("dataset_hashes", _TEXT, "JSON: role to content hashes"),
    _required("data_embedded", _FLAG, "whether the arrays are in the artifacts table"),
    _field("n_train", _LONG, "number of training rows"),
    _field("n_validation", _LONG, "number of validation rows"),
    _field("n_judge", _LONG, "number of rows that killing looks at"),
    _field("n_test", _LONG, "number of rows that localisers look at"),
    _required("judge_test_disjoint", _FLAG, "whether judge and test rows are disjoint"),
    _field("layers", pa.list_(_LAYER), "layers in order, nested flattened, without InputLayer"),
    _field("clean_metric_name", _TEXT, "the judge metric"),
    _field("clean_metric_mean", _REAL, "mean of the judge metric over clean runs"),
    _field("clean_metric_sd", _REAL, "standard deviation of the judge metric over clean runs"),
    _field("clean_metric_n", _INT, "number of clean runs"),
    _field("sham_kill_rate", _REAL, "share of SHAM mutants that were killed"),
    _field("sham_kill_low", _REAL, "lower end of the interval of the SHAM kill rate"),
    _field("sham_kill_high", _REAL, "upper end of the interval of the SHAM kill rate"),
    _field("script", _TEXT, "the clean training script"),
    _field("program_json", _TEXT, "JSON: the canonical clean program"),
]
_MUTANTS = [
    *_keys("mutant_id!", "program_id", "subject!", "data_group", "split", "operator"),
    _field("clean_program_id", _TEXT, "the program that was mutated"),
    _field("arity", _INT, "number of mutations; 1 is first order"),
    _field("stage", _ENUM, "when it acts: data, architecture, compile, fit or trained"),
    _field("mutations", pa.list_(_MUTATION), "the ordered mutations; parameters are JSON"),
    _required(
        "outcome",
        _ENUM,
        "killed, survived, undecided, equivalent, incompetent, diverged, unstable, "
        "not_applicable or unfinished",
    ),
    _field("flags", _TEXTS, "trivial, redundant"),
    _field("killing_probability", _REAL, "estimated probability that the criterion kills it"),
    _field("p", _REAL, "p value of the decision"),
    _field("effect_size", _REAL, "effect size of the decision"),
    _field("criterion", _ENUM, "name of the criterion that decided"),
    _field("alpha", _REAL, "significance level of the criterion"),
    _field("n_clean", _INT, "clean runs that the decision used"),
    _field("n_faulty", _INT, "runs of the mutant that the decision used"),
    _field("killed_by_train", _ENUM, "yes, no or too_few_runs: the criterion on training rows"),
    _field("killed_by_judge", _ENUM, "yes, no or too_few_runs: the criterion on judge rows"),
    _field("killed_by_weak", _ENUM, "yes, no or too_few_runs: the criterion on a weak test set"),
    _field("triviality", _REAL, "share of judge rows that every run of the mutant fails"),
    _field("search", _TEXT, "JSON: bounds, steps and end of the search that found it, else null"),
    _field("clean_script", _TEXT, "the clean program as a script"),
    _field("faulty_script", _TEXT, "the mutant as a script"),
    _field("patch", _TEXT, "unified diff from clean to faulty script"),
    _field("program_json", _TEXT, "JSON: the canonical faulty program"),
    _field("reason", _TEXT, "why it has this outcome, where there is more to say"),
]
_FAULTS = [
    *_keys("mutant_id!", "subject!", "data_group", "split", "operator"),
    _required("answer_set", _INT, "0 is the seeded faults, others are alternatives"),
    _required("ordinal", _INT, "place of the fault within its answer set, from 0"),
    _required("is_minimal", _FLAG, "whether no part of this answer set is an answer"),
    _field("fault_type", _ENUM, "kind of fault, as the operator declares it"),
    _field("granularity", _ENUM, "data, program, layer or neuron"),
    _field("layer", _TEXT, "layer in the faulty program"),
    _field("clean_layer", _TEXT, "layer in the clean program"),
    _field("layer_index", _INT, "0-based, depth first, nested flattened, without InputLayer"),
    _field("acceptable", _INTS, "layers of the faulty program that are as right as layer_index"),
    _field("position", _ENUM, "first, middle or last"),
    _field("neurons", _INTS, "neurons of the layer, for faults of neurons"),
    _field("slot", _TEXT, "JSON pointer into the canonical program"),
    _field("old", _TEXT, "JSON: value in the clean program"),
    _field("new", _TEXT, "JSON: value in the faulty program"),
    _field("lines", _INTS, "lines of the faulty script"),
    _required("layer_localisable", _FLAG, "whether naming a layer can be right"),
    _field("p", _REAL, "for alternatives: p value"),
    _field("margin", _REAL, "for alternatives: the margin that it was tested against"),
]
_RUNS = [
    *_keys("run_id!", "program_id!", "mutant_id", "subject!", "data_group", "split", "operator"),
    _required("role", _ENUM, "clean, sham, faulty, trial (of a search) or alternative"),
    _required("k", _INT, "replicate: the k-th training of the program"),
    _field("metric_name", _TEXT, "the judge metric"),
    _field("metric_train", _REAL, "judge metric on the training rows"),
    _field("metric_validation", _REAL, "judge metric on the validation rows"),
    _field("metric_judge", _REAL, "judge metric on the judge rows"),
    _field("loss_train", _REAL, "loss on the training rows"),
    _field("loss_validation", _REAL, "loss on the validation rows"),
    _field("loss_judge", _REAL, "loss on the judge rows"),
    _field("epochs", _INT, "epochs that were trained"),
    _field("steps", _LONG, "optimiser steps that were taken"),
    _field("engine", _ENUM, "how it was trained: the compiled loop or fit"),
    _required("outcome", _ENUM, "completed, diverged, crashed, timed_out, out_of_memory or lost"),
    _field("error", _TEXT, "the error, if it ended in one"),
    _field("wall_s", _REAL, "wall time in seconds"),
    _field("cpu_s", _REAL, "CPU time in seconds"),
    _field("worker", _TEXT, "the worker that trained it"),
    _field("attempts", _INT, "attempts until it was done"),
    *_keys("environment_id"),
]
_PREDICTIONS = [
    *_keys("run_id!", "program_id", "mutant_id", "subject", "data_group", "split", "operator"),
    *(
        field
        for rows in ("judge", "test", "train")
        for field in (
            _field(f"n_{rows}", _LONG, f"number of {rows} rows"),
            _field(f"correct_{rows}", _BLOB, f"{rows} rows answered right, one bit each, packed"),
            _field(f"values_{rows}", _FLOATS, f"class label or value per {rows} row"),
            _field(f"confidence_{rows}", _FLOATS, f"confidence per {rows} row"),
        )
    ),
]
_MODELS = [
    *_keys("run_id!", "program_id", "mutant_id", "subject", "data_group", "split", "operator"),
    _required("k", _INT, "replicate: the k-th training of the program"),
    _field("architecture", _TEXT, "JSON: the architecture in Keras's serialisation"),
    _field("weights", _BLOB, "the weights as safetensors bytes"),
    _field("sha256", _TEXT, "SHA-256 of the weights"),
    _field("n_params", _LONG, "number of parameters"),
    _field("dtype", _ENUM, "number format of the weights"),
]
_SPECTRA = [
    *_keys("run_id!", "program_id", "mutant_id", "subject", "data_group", "split", "operator"),
    _required("layer", _TEXT, "the layer"),
    _field("layer_index", _INT, "0-based, depth first, nested flattened, without InputLayer"),
    _field("neuron_rule", _ENUM, "what counts as a neuron of the layer"),
    _field("activation_rule", _ENUM, "when a neuron counts as active"),
    _field("n_neurons", _INT, "number of neurons"),
    _field("ef", _LONGS, "failing tests that activate each neuron"),
    _field("ep", _LONGS, "passing tests that activate each neuron"),
    _field("nf", _LONGS, "failing tests that do not activate each neuron"),
    _field("np", _LONGS, "passing tests that do not activate each neuron"),
    _field("ef_weighted", _REALS, "ef, tests weighted"),
    _field("ep_weighted", _REALS, "ep, tests weighted"),
    _field("nf_weighted", _REALS, "nf, tests weighted"),
    _field("np_weighted", _REALS, "np, tests weighted"),
    _field("status", _ENUM, "ok, or why there are no counts"),
]
_DIAGNOSES = [
    _required("localizer", _ENUM, "name of the localizer"),
    _required("version", _TEXT, "version of the localizer; another version is asked anew"),
    _required("case_id", _TEXT, "the blinded case"),
    *_keys("run_id", "program_id", "mutant_id", "subject", "data_group", "split", "operator"),
    _required("status", _ENUM, "ok, abstained, not_applicable, failed or timed_out"),
    _field("reason", _TEXT, "why there is no answer; null where the status is ok"),
    _field("suspects", pa.list_(_SUSPECT), "scored suspects; a higher score is worse"),
    _field("wall_s", _REAL, "wall time in seconds"),
    _field("mode", _ENUM, "faithful or intent, for published tools"),
    *_keys("environment_id"),
]
_SCORES = [
    _required("localizer", _ENUM, "name of the localizer"),
    _required(
        "version",
        _TEXT,
        "version of the localizer; of a prior RULE+N.HASH: the version of its rule, the number "
        "and the hash of the killed mutants that it was fitted on",
    ),
    _field("mode", _ENUM, "faithful or intent, for published tools"),
    *_keys("mutant_id!", "subject", "data_group", "split", "operator"),
    _required("answer_set_mode", _ENUM, "which answer sets count; seeded: one layer per fault"),
    _field("rank_best", _REAL, "first-hit rank, ties in favour"),
    _field("rank_expected", _REAL, "first-hit rank, ties by expectation"),
    _field("rank_worst", _REAL, "first-hit rank, ties against"),
    *(_field(f"hit_{k}", _REAL, f"a faulty layer among the first {k}") for k in (1, 3, 5)),
    *(_field(f"all_{k}", _REAL, f"a whole answer set among the first {k}") for k in (1, 3, 5)),
    _field("precision", _REAL, "precision of the named layers"),
    _field("recall", _REAL, "recall of the named layers"),
    _field("f1", _REAL, "F1 of the named layers"),
    _field("f3", _REAL, "F3 of the named layers"),
    _field("exam", _REAL, "EXAM score"),
    _field("wasted_effort", _REAL, "layers looked at in vain"),
    _field("auc", _REAL, "area under the curve"),
    _required("in_scope", _FLAG, "whether the localizer claims faults of this kind"),
    _required("seen", _FLAG, "whether a learned localizer was fitted on this data group"),
]
_ENVIRONMENTS = [
    *_keys("environment_id!"),
    *(_field(name, _TEXT, f"version of {name}") for name in ("python", "tensorflow", "keras")),
    *(_field(name, _TEXT, f"version of {name}") for name in ("numpy", "ray", "faultloom")),
    _field("cpu", _TEXT, "model of the processor"),
    _field("gpu", _TEXT, "model of the accelerator, null for none"),
    _field("instruction_set", _TEXT, "instruction set that the kernels used"),
    _field("threads", _INT, "threads per training"),
    _field("flags", _TEXT, "JSON: settings that can change results"),
]
_ARTIFACTS = [
    _required("sha256", _TEXT, "SHA-256 of the bytes"),
    _required("kind", _ENUM, "array, initial weights, script or log"),
    _required("bytes", _BLOB, "the bytes"),
]


def _schema(table: str, fields: list[Field]) -> pa.Schema:
    return pa.schema(fields, metadata={"schema_version": SCHEMA_VERSION, "table": table})


SCHEMAS: Final[Mapping[str, pa.Schema]] = MappingProxyType(
    {
        table: _schema(table, fields)
        for table, fields in {
            "subjects": _SUBJECTS,
            "mutants": _MUTANTS,
            "faults": _FAULTS,
            "runs": _RUNS,
            "predictions": _PREDICTIONS,
            "models": _MODELS,
            "spectra": _SPECTRA,
            "diagnoses": _DIAGNOSES,
            "scores": _SCORES,
            "environments": _ENVIRONMENTS,
            "artifacts": _ARTIFACTS,
        }.items()
    }
)
TABLES: Final = tuple(SCHEMAS)

_ANSWERER: Final = ("localizer", "version", "mode")

#: The rows of a table are sorted by these columns.
SORT_KEYS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "subjects": ("subject", "program_id"),
        "mutants": ("subject", "operator", "mutant_id"),
        "faults": ("subject", "operator", "mutant_id", "answer_set", "ordinal"),
        "runs": ("subject", "operator", "mutant_id", "program_id", "k", "run_id"),
        "predictions": ("subject", "operator", "mutant_id", "program_id", "run_id"),
        "models": ("subject", "operator", "mutant_id", "program_id", "k", "run_id"),
        "spectra": ("subject", "operator", "mutant_id", "run_id", "layer_index", "layer"),
        "diagnoses": ("subject", "operator", "mutant_id", *_ANSWERER, "case_id"),
        "scores": ("subject", "operator", "mutant_id", *_ANSWERER, "answer_set_mode"),
        "environments": ("environment_id",),
        "artifacts": ("kind", "sha256"),
    }
)

#: Columns in which two equal campaigns may differ.
VOLATILE_COLUMNS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        **{table: frozenset[str]() for table in TABLES},
        "runs": frozenset({"wall_s", "cpu_s", "worker", "attempts"}),
        "diagnoses": frozenset({"wall_s"}),
    }
)
