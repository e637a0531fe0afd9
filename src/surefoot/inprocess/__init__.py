"""Judge an agent in its own process: a span processor of the OpenTelemetry SDK.

    agent ─span ends─> queue ─> thread: encode ─> Pipeline ─> Exporting ─> exporter

For notebooks, tests and programs without a sidecar. Spans are encoded as they would be sent
and go the way that they go in the server (`pipeline`), so the verdicts are the server's.

    processor   what the SDK calls, settings, forks
    worker      the thread that does all of it
"""

from surefoot.inprocess.processor import Settings, SpanProcessor

__all__ = ["Settings", "SpanProcessor"]
