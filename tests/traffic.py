"""Traffic after which no panel of the dashboard is empty, and how they are asked.

What they must answer is in `expected.py`.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from children import Child
from dashboards import ALL, Asked, filled, queries
from prometheus import Prometheus, Row
from sinks import Sink
from surefoot.cli.replay import SPEC, recordings

#: Whose runs no spec judges here.
UNJUDGED = "refund-strands"
#: Its one run hid what it did, so that none is green.
NEVER_GREEN = "refund-openaiagents-hidden"
#: Spans of the demo's runs that are a trace of their own: AutoGen's `create_agent`.
ALONE = 1
#: Spans of the trace that is open for a while: more than all others, which tells the time.
HELD = 300
#: Who has good, lucky and broken runs.
LUCKY = {"service": "refund-langgraph", "agent": "refund_agent", "spec": "refund-desk"}
BACK_S = 120
ASKED = {asked.name: asked for asked in queries()}


@dataclass(frozen=True)
class Page:
    """What answers the dashboard after all traffic.

    step_s: of Grafana's `$__interval`. window_s: of its `$__rate_interval`. open_s: when the
    trace that `hold` sends was open, in Prometheus' seconds.
    """

    server: Prometheus
    step_s: int
    window_s: int
    open_s: float = math.nan

    def rows(self, asked: Asked, values: Mapping[str, str]) -> list[Row]:
        """Each series, with the one figure that the panel makes of its points. NaN is none."""
        query, end_s = self._filled(asked, values), self._step_end()
        if asked.instant:
            series = [[row] for row in self.server.rows(query, at_s=end_s)]
        else:
            series = self.server.points(
                query, start_s=end_s - BACK_S, end_s=end_s, step_s=self.step_s
            )
        points = [[row for row in rows if not math.isnan(row.value)] for rows in series]
        figure = _summed if asked.calc == "sum" else _last
        return [figure(rows) for rows in points if rows]

    def while_open(self, asked: Asked) -> list[Row]:
        """The same with everything chosen, of the time when a trace was open."""
        return self.server.rows(self._filled(asked, ALL), at_s=self.open_s)

    def _filled(self, asked: Asked, values: Mapping[str, str]) -> str:
        times = {
            "__interval": f"{self.step_s}s", "__rate_interval": f"{self.window_s}s",
            "__range": "1h",
        }  # fmt: skip
        return filled(asked.expr, {**times, **values})

    def _step_end(self) -> int:
        """The end of the step that is under way: what happens in it is not told before."""
        now_s = int(time.time())  # noqa: TID251 - Prometheus' clock
        return (now_s // self.step_s + 1) * self.step_s


def _summed(rows: list[Row]) -> Row:
    return Row(rows[0].labels, sum(row.value for row in rows))


def _last(rows: list[Row]) -> Row:
    return rows[-1]


def config(sink: Sink, **telemetry: Any) -> dict[str, Any]:
    """Surefoot's, with short waits."""
    return {
        "exporters": {"otlp": {"endpoint": sink.endpoint, "tls": {"insecure": True}}},
        "processors": {"surefoot": {"settle": "300ms", "idle_timeout": "1s"}},
        "service": {"telemetry": telemetry},
    }


def spec(folder: Path) -> Path:
    """The demo's spec, but for one service."""
    told = yaml.safe_load(SPEC.read_text("utf-8"))
    names = {f"refund-{one.framework}" for one in recordings()} | {NEVER_GREEN}
    told["specs"][0]["match"] = {"service": sorted(names - {UNJUDGED})}
    file = folder / "spec.yaml"
    file.write_text(yaml.safe_dump(told), encoding="utf-8")
    return file


def renamed(body: bytes, service: str, trace_id: bytes) -> bytes:
    """A request as another service's, in a trace of that id."""
    request = ExportTraceServiceRequest.FromString(body)
    for group in request.resource_spans:
        for attribute in group.resource.attributes:
            if attribute.key == "service.name":
                attribute.value.string_value = service
        for scope in group.scope_spans:
            for span in scope.spans:
                span.trace_id = trace_id
    return request.SerializeToString()


@dataclass(frozen=True)
class Played:
    """What was sent: requests, their spans, and the runs in them.

    rejected, apart: of the spans, those without ids, those of traces without an agent.
    unmatched: of the runs, those that no spec judges.
    """

    requests: int
    spans: int
    rejected: int
    apart: int
    runs: int
    unmatched: int

    @property
    def judged(self) -> int:
        """How many runs have a verdict."""
        return self.runs - self.unmatched


def play(child: Child) -> Played:
    """Send the demo's runs, one that is never green, spans without ids."""
    recorded = recordings()
    [hidden] = [one for one in recorded if one.run == "hidden"]
    bodies = [body for one in recorded for body in one.requests]
    bodies += [renamed(body, NEVER_GREEN, bytes(range(16))) for body in hidden.requests]
    broken = renamed(recorded[0].requests[0], "nobody", b"short")
    child.send(*bodies, broken)
    return Played(
        requests=len(bodies) + 1,
        spans=sum(map(spans_in, [*bodies, broken])),
        rejected=spans_in(broken),
        apart=ALONE,
        runs=len(recorded) + 1,
        unmatched=sum(f"refund-{one.framework}" == UNJUDGED for one in recorded),
    )


def hold(child: Child, played: Played) -> Played:
    """Send a trace that is open for `idle_timeout`, and then no run; what was sent in all."""
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for number in range(1, HELD + 1):
        spans.add(trace_id=b"h" * 16, span_id=number.to_bytes(8, "big"), parent_span_id=b"nowhere!")
    child.send(request.SerializeToString())
    return replace(
        played,
        requests=played.requests + 1, spans=played.spans + HELD, apart=played.apart + HELD,
    )  # fmt: skip


def spans_in(body: bytes) -> int:
    """How many spans a request has."""
    groups = ExportTraceServiceRequest.FromString(body).resource_spans
    return sum(len(scope.spans) for group in groups for scope in group.scope_spans)
