"""Traffic after which no panel of the dashboard is empty, and what it makes them answer."""

import math
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
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
#: Who has good, lucky and broken runs.
LUCKY = {"service": "refund-langgraph", "agent": "refund_agent", "spec": "refund-desk"}
BACK_S = 120
ASKED = {asked.name: asked for asked in queries()}
_VERDICT = re.compile(r"verdict (\w+): ")
_VIOLATION = re.compile(r"violation (?:\(\w+\) )?(.+)")


@dataclass(frozen=True)
class Page:
    """What answers the dashboard after all traffic, and what Surefoot sent to its backend.

    step_s: of Grafana's `$__interval`. window_s: of its `$__rate_interval`.
    """

    server: Prometheus
    sent: Counter[str]
    step_s: int
    window_s: int

    def rows(self, asked: Asked, values: Mapping[str, str]) -> list[Row]:
        """Each series, its value over time the sum of its points. NaN is no point."""
        times = {
            "__interval": f"{self.step_s}s", "__rate_interval": f"{self.window_s}s",
            "__range": "1h",
        }  # fmt: skip
        query, end_s = filled(asked.expr, {**times, **values}), self._step_end()
        if asked.instant:
            series = [[row] for row in self.server.rows(query, at_s=end_s)]
        else:
            series = self.server.points(
                query, start_s=end_s - BACK_S, end_s=end_s, step_s=self.step_s
            )
        points = [[row for row in rows if not math.isnan(row.value)] for rows in series]
        return [Row(rows[0].labels, sum(row.value for row in rows)) for rows in points if rows]

    def values(self, name: str) -> list[float]:
        """What the query of that name answers with everything chosen."""
        return [row.value for row in self.rows(ASKED[name], ALL)]

    def counts(self, name: str, label: str) -> Counter[str]:
        """The same, added up by a label."""
        found: Counter[str] = Counter()
        for row in self.rows(ASKED[name], ALL):
            found[row.labels[label]] += int(row.value)
        return found

    def legend(self, panel: str) -> Counter[str]:
        """What each query of a panel answers in all, by the name in the panel's legend."""
        asked = [one for one in ASKED.values() if one.panel == panel]
        return +Counter({one.legend: int(sum(self.values(one.name))) for one in asked})

    def _step_end(self) -> int:
        """The end of the step that is under way: what happens in it is not told before."""
        now_s = int(time.time())  # noqa: TID251 - Prometheus' clock
        return (now_s // self.step_s + 1) * self.step_s


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


def play(child: Child) -> tuple[int, int]:
    """Send the demo's runs, one that is never green, a span without ids; the runs, the judged."""
    recorded = recordings()
    for one in recorded:
        child.send(*one.requests)
    [hidden] = [one for one in recorded if one.run == "hidden"]
    child.send(*(renamed(body, NEVER_GREEN, bytes(range(16))) for body in hidden.requests))
    child.send(renamed(recorded[0].requests[0], "nobody", b"short"))
    unjudged = sum(f"refund-{one.framework}" == UNJUDGED for one in recorded)
    return len(recorded) + 1, len(recorded) + 1 - unjudged


def sent(sink: Sink, verdicts: int) -> Counter[str]:
    """Outcomes and checks, by the names of the spans that left, once so many verdicts did."""
    bodies: list[bytes] = []
    while True:
        bodies = sink.wait_for(len(bodies) + 1)
        names = [
            span.name
            for body in bodies
            for group in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in group.scope_spans
            for span in scope.spans
        ]
        outcomes = [found[1] for name in names if (found := _VERDICT.match(name))]
        checks = [found[1] for name in names if (found := _VIOLATION.match(name))]
        if len(outcomes) >= verdicts:
            return Counter(outcomes + checks)
