"""A span that an SDK's exporter sends says what the server's would."""

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.emit.readable import readable
from surefoot.specs import load
from worlds import IDLE_NS, SPEC, World, requests


@pytest.mark.parametrize("recording", ["langgraph/good", "crewai/skips", "langgraph/hidden"])
def test_the_sdk_makes_the_same_of_it_again(recording: str) -> None:
    world = World(load([SPEC]))
    world.send(*requests(recording))
    world.wait(IDLE_NS / 1e9 + 1)
    (body,) = world.verdicts.bodies

    again = encode_spans(list(readable(body)))

    assert again.ByteSize() > 1000
    assert plain(again) == plain(ExportTraceServiceRequest.FromString(body))


def plain(request: ExportTraceServiceRequest) -> ExportTraceServiceRequest:
    """Without what the SDK adds to each span: flags, and a status that says nothing."""
    for group in request.resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                span.flags = 0
                for link in span.links:
                    link.flags = 0
                if not span.status.code:
                    span.ClearField("status")
    return request
