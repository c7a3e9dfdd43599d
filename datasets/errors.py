"""The one family of errors that faultloom raises on purpose."""


class FaultloomError(Exception):
    """Root of all errors with a message for the user: what, expected, received, what to do."""

    exit_code = 2


class ConfigError(FaultloomError):
    """A configuration, an option or a name that cannot be used."""


class SubjectError(FaultloomError):
    """A training script or program that cannot serve as a subject."""


class NotApplicable(FaultloomError):
    """An operator has nothing to change at this site, or the change would be none."""


class TrainingFailed(FaultloomError):
    """A training that could not be carried out."""

    exit_code = 3


class CorpusError(FaultloomError):
    """A corpus that cannot be read or written."""


class UnsafeModel(FaultloomError):
    """A stored model that names classes outside the allow-list."""


class RunnerError(FaultloomError):
    """The machinery that runs trainings gave up."""

    exit_code = 3
