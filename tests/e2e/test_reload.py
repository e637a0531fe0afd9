"""Spec files that change under `surefoot run`, with real files and a backend that records."""

from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import NumberDataPoint

from children import surefoot
from emit.builders import attributes
from sinks import Sink
from surefoot.specs import load
from worlds import SPEC, requests

#: Each test starts the program anew.
pytestmark = pytest.mark.slow

EXAMPLE = SPEC.read_text(encoding="utf-8")
STRICTER = EXAMPLE.replace("required: [", "required: [send_email, ")


def config_for(sink: Sink) -> dict[str, Any]:
    return {
        "exporters": {"otlp": {"endpoint": sink.endpoint, "tls": {"insecure": True}}},
        "processors": {"surefoot": {"settle": "200ms", "idle_timeout": "1s"}},
    }


def replace(file: Path, text: str) -> None:
    """As most editors and deployments do."""
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def verdicts(sink: Sink) -> list[dict[str, Any]]:
    """The attributes of each verdict that the backend got, in order."""
    return [
        told
        for body in list(sink.taken["traces"])
        for group in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in group.scope_spans
        for span in scope.spans
        if span.name.startswith("verdict ")
        for told in [attributes(span)]
    ]


def wait_for_verdict(sink: Sink, count: int) -> dict[str, Any]:
    """The last of so many verdicts, once it is there."""
    with sink._changed:
        came = sink._changed.wait_for(lambda: len(verdicts(sink)) >= count, 20)
    assert came, f"{len(verdicts(sink))} of {count} verdicts came"
    return verdicts(sink)[-1]


def last_points(sink: Sink, name: str) -> list[NumberDataPoint]:
    """The points of a gauge in the last metrics."""
    request = ExportMetricsServiceRequest.FromString(sink.taken["metrics"][-1])
    return [
        point
        for metric in request.resource_metrics[0].scope_metrics[0].metrics
        if metric.name == name
        for point in metric.gauge.data_points
    ]


def test_a_file_that_changes_judges_the_next_run_and_a_broken_one_none(
    sink: Sink, tmp_path: Path
) -> None:
    """Each verdict names the set that was in force; what was broken is told in one line.

    The Luck Rate begins anew: of three runs it rests on the one that the new set judged.
    """
    folder = tmp_path / "desk"
    folder.mkdir()
    file = folder / "desk.yaml"
    replace(file, EXAMPLE)
    old = load([folder]).hash
    with surefoot(tmp_path, config_for(sink), folder) as child:
        child.send(*requests("langgraph/good"))
        before = wait_for_verdict(sink, 1)
        replace(file, EXAMPLE.replace("forbidden:", "forbiden:"))
        (rejected,) = child.wait_for("specs_rejected")
        child.send(*requests("openaiagents/good"))
        between = wait_for_verdict(sink, 2)
        replace(file, STRICTER)
        new = load([folder]).hash
        _, loaded = child.wait_for("specs_loaded", 2)
        child.send(*requests("crewai/good"))
        after = wait_for_verdict(sink, 3)
        assert child.terminate() == 0

    assert "forbiden" in rejected["reason"]
    assert len(child.wait_for("specs_rejected")) == 1
    assert loaded["hash"] == new
    assert [one["surefoot.specs.hash"] for one in (before, between, after)] == [old, old, new]
    assert [one["surefoot.path.grade"] for one in (before, between)] == ["ok", "ok"]
    assert after["surefoot.violated"] == "required"
    assert [attributes(one)["hash"] for one in last_points(sink, "surefoot.specs.info")] == [new]
    assert [one.as_int for one in last_points(sink, "surefoot.luck.green")] == [1]
    assert [one.as_int for one in last_points(sink, "surefoot.luck.lucky")] == [1]
    assert {line["logger"] for line in child.lines if "logger" in line} == {"surefoot"}


def test_a_default_folder_that_is_made_later_comes_into_force(tmp_path: Path, sink: Sink) -> None:
    with surefoot(tmp_path, config_for(sink)) as child:
        child.wait_for("no_specs")
        (tmp_path / "specs").mkdir()
        (tmp_path / "specs" / "desk.yaml").write_text(EXAMPLE, encoding="utf-8")
        (loaded,) = child.wait_for("specs_loaded")
        assert child.terminate() == 0

    assert loaded["hash"] == load([SPEC]).hash
