"""OTLP files made out of the recordings."""

import base64
import json
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

FIXTURES = Path(__file__).parents[2] / "proto_fixtures"
_IDS = ("traceId", "spanId", "parentSpanId")


def recorded(framework: str, run: str) -> list[bytes]:
    """The requests of a recording, in order."""
    return [path.read_bytes() for path in sorted((FIXTURES / framework / run).glob("*.binpb"))]


def as_json(request: bytes) -> str:
    """The request as OTLP/JSON: ids in hex, enums as numbers, on one line."""
    message = ExportTraceServiceRequest.FromString(request)
    return json.dumps(
        _hex_ids(json_format.MessageToDict(message, use_integers_for_enums=True)),
    )


def _hex_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_hex_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(item).hex()
        if key in _IDS and isinstance(item, str)
        else _hex_ids(item)
        for key, item in value.items()
    }
