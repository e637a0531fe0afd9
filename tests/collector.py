"""An OpenTelemetry Collector as a child process, built from its Go modules.

with collector(folder, config_text) as running:
    ... send to the port that the configuration names ...
    running.stop()
    running.complaints()

It has OTLP on both sides and nothing between: `data/collector`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from programs import Program, built, started

SOURCES = Path(__file__).parent / "data" / "collector"
#: What its modules ask for.
GO = (1, 26)


@contextmanager
def collector(folder: Path, config: str) -> Iterator[Program]:
    """Run it with a configuration's text; skips where it cannot be built."""
    program = built("collector", "otelcol", SOURCES, GO)
    file = folder / "collector.yaml"
    file.write_text(config, encoding="utf-8")
    command = [program, f"--config={file}"]
    with started(command, ready="Everything is ready", folder=folder) as running:
        yield running
