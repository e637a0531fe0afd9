"""Every error that Surefoot raises, by who must act.

    SurefootError
    ├── ConfigError    the operator: the configuration says something we cannot do
    │   └── SpecError  the operator: a spec file does
    ├── DecodeError    the sender: these bytes are no OTLP; sending them again won't help
    ├── Overloaded     nobody: try again after `retry_after_s`
    └── InputError     whoever typed the command: a file that cannot be read

Bad telemetry *content* is not here. It is data: a defect, an evidence level, a count.
"""


class SurefootError(Exception):
    """The root of the tree: catch this to catch all of them."""


class ConfigError(SurefootError):
    """A configuration that cannot be run.

    The message reads `file: path.inside: what is wrong; what would be right`.
    """


class SpecError(ConfigError):
    """A spec that cannot be judged by: the same shape of message as its parent."""


class InputError(SurefootError):
    """A file named on the command line that cannot be read or is no OTLP."""


class DecodeError(SurefootError):
    """Bytes that are no OTLP request. Never worth a retry."""


class Overloaded(SurefootError):  # noqa: N818 - what it is, not that it is an error
    """No room just now; nothing of the request was taken."""

    def __init__(self, reason: str, retry_after_s: float) -> None:
        """Say why, and after how many seconds another try makes sense."""
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s

    def __str__(self) -> str:
        """Say the reason and when to come back."""
        return f"{self.reason}; try again in {self.retry_after_s:g} s"
