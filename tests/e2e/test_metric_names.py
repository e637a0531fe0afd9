"""What leaves by OTLP and what `/metrics` says are the same series, as others read them."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from children import Child, surefoot
from emit.mapped import Labels, prometheus_name, scraped_families
from sinks import Refuse, Sink
from surefoot.emit.instruments import INSTRUMENTS
from victoria import victoria
from worlds import SPEC, requests

PATIENCE_S = 30.0
RUNS = ("langgraph/good", "langgraph/fabricates", "langgraph/skips")
Samples = dict[tuple[str, Labels], float]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_an_otlp_intake_and_a_scrape_show_the_same_series(tmp_path: Path) -> None:
    """The intake's labels are the scrape's and those of its `target_info`."""
    with Sink() as sink:
        last_page = scraped_after_all_kinds_of_traffic(sink, tmp_path)
        exported = sink.taken["metrics"][-1]
    with victoria(tmp_path) as reader:
        reader.take(exported)
        found = reader.series()

    scrape = samples_of(last_page)
    ((_, resource),) = [one for one in scrape if one[0] == "target_info"]
    del scrape["target_info", resource]
    added = resource | {
        ("scope_name", "surefoot"),
        ("scope_version", dict(resource)["service_version"]),
    }
    assert [one for one in found if not added <= one.labels] == []
    intake = {(one.name, one.labels - added): one.value for one in found}
    # Between the scrape and the export it stopped, and let go of the spans that it kept.
    assert scrape["surefoot_buffer_bytes", frozenset()] > 0
    scrape["surefoot_buffer_bytes", frozenset()] = 0
    assert intake == pytest.approx(scrape, rel=1e-9)  # it stores some 15 digits


@pytest.mark.slow
def test_every_instrument_has_a_series_and_what_can_be_counted_is(tmp_path: Path) -> None:
    """So that the comparison of the two ways out leaves none out."""
    with Sink() as sink:
        page = scraped_after_all_kinds_of_traffic(sink, tmp_path)

    families = scraped_families(page)
    del families["target_info"]
    assert set(families) == {
        prometheus_name(one.name, one.unit, one.kind.value) for one in INSTRUMENTS
    }
    assert {
        name
        for name, family in families.items()
        if not any(value for samples in family.samples.values() for value in samples.values())
    } == {
        "surefoot_spans_lost_total",
        "surefoot_spans_open",
        "surefoot_traces_open",
        "surefoot_forward_queue",
        "surefoot_forward_dropped_total",
    }


def scraped_after_all_kinds_of_traffic(sink: Sink, folder: Path) -> str:
    """The last scrape of a child that met all it counts, once nothing changes any more."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    config = {
        "exporters": {"otlp": {"endpoint": sink.endpoint, "tls": {"insecure": True}}},
        "processors": {"surefoot": {"settle": "300ms", "idle_timeout": "1s"}},
        "service": {"telemetry": {"metrics": {"address": address}}},
    }
    with surefoot(folder, config, SPEC) as child:

        def wait_until(holds: Callable[[Samples], bool]) -> str:
            pause = threading.Event()
            page = ""
            for _ in range(int(PATIENCE_S / 0.1)):
                page = httpx.get(f"http://{address}/metrics", timeout=PATIENCE_S).text
                if holds(samples_of(page)):
                    return page
                pause.wait(0.1)
            raise AssertionError(f"it never held:\n{page}")

        for run in RUNS:
            child.send(*requests(run))
        wait_until(lambda now: told(now, "surefoot_verdicts_total") == len(RUNS))
        sink.answers.append(Refuse(grpc.StatusCode.INVALID_ARGUMENT))
        send_what_is_odd(child)
        page = wait_until(lambda now: is_at_rest(now, sink))
        assert child.terminate() == 0
        return page


def send_what_is_odd(child: Child) -> None:
    """Spans that come again, late, broken or from ourselves; and what is no request."""
    first = requests(RUNS[0])[0]
    known = ExportTraceServiceRequest.FromString(first).resource_spans[0].scope_spans[0].spans[0]
    trace, root = known.trace_id, known.span_id
    child.send(
        first,
        a_request(trace, b"late-llm", root, kind="TOOL", name="issue_refund"),
        a_request(trace, b"late-web", root),
        a_request(b"short", b"no-trace"),
        a_request(trace, b"short"),
        a_request(b"another-trace-id", b"our-span", scope="surefoot"),
        a_request(b"a-web-server-ran", b"web-span"),
    )
    with pytest.raises(grpc.RpcError):
        child.send(b"\xff no request")
    answer = httpx.post(
        f"http://127.0.0.1:{child.http_port}/v1/traces",
        content=first,
        headers={"content-type": "application/x-protobuf"},
    )
    assert answer.status_code == 200


def a_request(
    trace: bytes,
    span: bytes,
    parent: bytes = b"",
    *,
    scope: str = "",
    kind: str = "",
    name: str = "",
) -> bytes:
    """A request with one span: a tool's with its arguments, or one that no agent made."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add().scope_spans.add()
    group.scope.name = scope
    made = group.spans.add(trace_id=trace, span_id=span, parent_span_id=parent, name=name)
    if kind:
        told = {"openinference.span.kind": kind, "tool.name": name, "input.value": "{}"}
        for key, value in told.items():
            made.attributes.add(key=key).value.string_value = value
    return request.SerializeToString()


def is_at_rest(now: Samples, sink: Sink) -> bool:
    """Whether all that was sent has been counted, judged, amended and delivered."""
    spans = {
        name: told(now, f"surefoot_spans_{name}_total")
        for name in ("received", "judged", "duplicate", "late", "rejected", "ignored", "lost")
    }
    delivered = told(now, "surefoot_forward_sent_total")
    return (
        told(now, "surefoot_spans_open") == 0
        and spans.pop("received") == sum(spans.values())
        and told(now, "surefoot_spans_ignored_total", reason="no_run") == 1
        and told(now, "surefoot_forward_failed_total") == 1
        and delivered == len(sink.taken["traces"])
        and b" (revision 1)" in b"".join(sink.taken["traces"])
    )


def samples_of(page: str) -> Samples:
    return {
        (name, labels): value
        for family in scraped_families(page).values()
        for name, samples in family.samples.items()
        for labels, value in samples.items()
    }


def told(samples: Samples, name: str, **labels: str) -> float:
    """The sum of the samples of that name that have these labels."""
    return sum(
        value for (one, has), value in samples.items() if one == name and labels.items() <= has
    )
