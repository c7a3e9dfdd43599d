"""Wrong training data: what happens to the rows is in `datasets.transforms`."""

from __future__ import annotations

from .transforming import ShareOperator

DEEPMUTATION = "DeepMutation (Ma et al., ISSRE 2018), operator {}; re-implemented"
_QUARTERS = (25.0, 50.0, 75.0, 100.0)


class _TrainingData(ShareOperator):
    group = "data"


class ChangeLabels(_TrainingData):
    """Give rows of the most frequent class another label; in regression, add noise to all."""

    code = "TCL"
    name = "change-labels"
    fault_type = "TCL"
    transform = "change_labels"
    percentages = (12.5, 25.0, 50.0, 100.0)


class DeleteTrainingData(_TrainingData):
    """Delete training rows of every class alike."""

    code = "TRD"
    name = "delete-training-data"
    fault_type = "TRD"
    transform = "delete_rows"
    highest = 99.0
    percentages = (25.0, 50.0, 75.0, 90.0, 99.0)


class UnbalanceTrainingData(_TrainingData):
    """Delete training rows of the classes that have fewer rows than the mean class."""

    code = "TUD"
    name = "unbalance-training-data"
    fault_type = "TUD"
    transform = "unbalance_rows"
    percentages = (*_QUARTERS, 90.0)


class AddNoise(_TrainingData):
    """Add noise to the inputs of training rows; one percentage sets how many and how strong."""

    code = "TAN"
    name = "add-noise"
    fault_type = "TAN"
    transform = "add_noise"
    percentages = _QUARTERS


class OverlapClasses(_TrainingData):
    """Add copies of rows of the most frequent class, labelled as the second most frequent."""

    code = "TCO"
    name = "overlap-classes"
    fault_type = "TCO"
    transform = "overlap_classes"
    percentages = _QUARTERS


class RepeatRows(_TrainingData):
    """Train on copies of some rows, of all classes or of the most frequent one."""

    code = "DRP"
    source = DEEPMUTATION.format("DR")
    name = "repeat-rows"
    fault_type = "DRP"
    parameters = ("percentage", "task", "which")
    transform = "repeat_rows"
    highest = 1000.0
    percentages = (100.0, 400.0)
    choice = ("which", ("all", "most_frequent"))


class ShuffleLabels(_TrainingData):
    """Shuffle the labels of training rows against their inputs."""

    code = "DSH"
    source = f"{DEEPMUTATION.format('DF')}, for labels instead of whole rows"
    name = "shuffle-labels"
    fault_type = "TCL"
    parameters = ("percentage",)
    transform = "shuffle_labels"
    percentages = (12.5, *_QUARTERS)


class DeleteClass(_TrainingData):
    """Delete training rows of one class only, the most or the least frequent."""

    code = "DCR"
    source = f"{DEEPMUTATION.format('DM')}, per class"
    name = "delete-class"
    fault_type = "TUD"
    parameters = ("percentage", "task", "which")
    transform = "delete_class"
    percentages = (50.0, 90.0, 99.0, 100.0)
    choice = ("which", ("most_frequent", "least_frequent"))


class ConfuseClasses(_TrainingData):
    """Exchange labels of two classes: the two most frequent, or the two that look most alike."""

    code = "TLN"
    source = f"{DEEPMUTATION.format('LE')}, for a pair of classes"
    name = "confuse-classes"
    fault_type = "TCL"
    requires = ("classification",)
    parameters = ("pair", "percentage")
    transform = "confuse_classes"
    percentages = _QUARTERS
    choice = ("pair", ("frequent", "nearest"))
    classifiers_only = True


OPERATORS = (
    ChangeLabels,
    DeleteTrainingData,
    UnbalanceTrainingData,
    AddNoise,
    OverlapClasses,
    RepeatRows,
    ShuffleLabels,
    DeleteClass,
    ConfuseClasses,
)
