"""The operator's word: one YAML file and the standard variables, in the Collector's terms.

    file ─YAML─> expand ${env:…} ─> schema (shape) ─┐
    OTEL_EXPORTER_OTLP_* ─────────> exporter ───────┴─> load (sense) ─> Config

`load_config` is the only reader of the environment. A `Config` that came out can be
run: what cannot be is a ConfigError with every problem in it, at start and not later.

Why pydantic here and nowhere behind: people write these files, so errors need paths
and closed sets of keys; what is handed on is frozen and plain.
"""

from surefoot.config.exporter import Exporter
from surefoot.config.load import Config, load_config
from surefoot.config.schema import Grpc, Http, Judging, Logs, Luck, Retry, TextLimit
from surefoot.config.values import Endpoint

__all__ = [
    "Config",
    "Endpoint",
    "Exporter",
    "Grpc",
    "Http",
    "Judging",
    "Logs",
    "Luck",
    "Retry",
    "TextLimit",
    "load_config",
]
