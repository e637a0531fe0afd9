"""The README's three exporters, each as it stands there, before a Surefoot as it stands there."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from children import send
from collector import collector
from promised import BLOCKS, README, Page, free_address
from sinks import Sink, a_dead_port
from walking import ROOT, Came, Walk, set_out, wait_for_verdicts
from worlds import requests

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PATIENCE_S = 60
TEXT = README.read_text(encoding="utf-8")
#: The LangGraph example's agent behind the README's block; it refunds without the policy.
AGENT_PY = """
import agent

tools = [agent.lookup_order, agent.check_policy, agent.issue_refund]
desk = agent.create_agent(agent.scripted("lucky"), tools{named})
print(desk.invoke({"messages": [("user", agent.TASK)]})["messages"][-1].content)
"""
#: An agent of the AI SDK behind the README's block; its spans are the AI SDK's own.
AGENT_JS = """
import { tool, ToolLoopAgent } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const answer = (finish, content) => ({
  content: [content], finishReason: { unified: finish }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [],
});
const call = (toolName) =>
  answer("tool-calls", { type: "tool-call", toolCallId: toolName, toolName, input: '{"order_id": "88213"}' });
const order = { inputSchema: z.object({ order_id: z.string() }), execute: ({ order_id }) => `${order_id}: done` };
const agent = new ToolLoopAgent({
  model: new MockLanguageModelV3({
    doGenerate: [call("lookup_order"), call("issue_refund"), answer("stop", { type: "text", text: "It is on its way." })],
  }),
  tools: { lookup_order: tool(order), issue_refund: tool(order) },
  experimental_telemetry: { isEnabled: true, functionId: "refund_agent" },
});
console.log((await agent.generate({ prompt: "I want a refund for order 88213." })).text);
"""  # noqa: E501 - JavaScript


def run(walk: Walk, words: list[str], **variables: str) -> "subprocess.CompletedProcess[str]":
    plain = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
    return subprocess.run(
        words, cwd=walk.folder, env=plain | variables,
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip


def judged(sink: Sink) -> tuple[list[Any], Came]:
    """What the README's spec found in the only run."""
    came = wait_for_verdicts(sink, 1)
    ((_, told),) = came.verdicts
    keys = ("spec.name", "service", "agent", "outcome", "evidence")
    return [told[f"surefoot.{key}"] for key in keys], came


@pytest.mark.parametrize(
    ("named", "label"), [(', name="refund_agent"', "refund_agent"), ("", "main")]
)
def test_a_python_agent_is_judged(
    named: str, label: str, page: Page, sink: Sink, tmp_path: Path
) -> None:
    """By the name that it has; without one it is `main`."""
    walk = set_out(ROOT / "examples" / "langgraph", tmp_path)
    (walk.folder / "exporter.py").write_text(
        BLOCKS["python", "exporter"] + AGENT_PY.replace("{named}", named), encoding="utf-8"
    )
    told = Walk(walk.folder, BLOCKS).environment("agent", page.child)
    done = run(walk, [".venv/bin/python", "exporter.py"], **told)

    assert (done.returncode, done.stderr) == (0, "")
    verdict, came = judged(sink)
    assert verdict == ["refund-desk", "refund-desk", label, "lucky", "complete"]
    assert {told["surefoot.violation.check"] for _, told in came.violations} == {
        "required", "before",
    }  # fmt: skip


def javascript(port: int, tmp_path: Path, *, end: str) -> "subprocess.CompletedProcess[str]":
    """Run the README's block, an agent and the script's last line."""
    walk = set_out(ROOT / "examples" / "vercel", tmp_path)
    block = BLOCKS["javascript", "exporter"]
    assert "http://127.0.0.1:4318/" in block
    block = block.replace("127.0.0.1:4318", f"127.0.0.1:{port}")
    (walk.folder / "exporter.mjs").write_text(f"{block}{AGENT_JS}{end}\n", encoding="utf-8")
    return run(walk, ["node", "exporter.mjs"], OTEL_EXPORTER_OTLP_TIMEOUT="1000")


def javascript_end() -> str:
    """The line that the README asks a short script to end with."""
    (line,) = re.findall(r"`(await provider\.shutdown\(\).*?)`", TEXT)
    return f"{line};"


def test_a_javascript_agent_is_judged(page: Page, sink: Sink, tmp_path: Path) -> None:
    """By the AI SDK's own spans: nothing else makes any."""
    done = javascript(page.child.http_port, tmp_path, end=javascript_end())

    assert (done.returncode, done.stdout, done.stderr) == (0, "It is on its way.\n", "")
    verdict, came = judged(sink)
    assert verdict == ["refund-desk", "refund-desk", "refund_agent", "lucky", "complete"]
    assert {told["surefoot.violation.check"] for _, told in came.violations} == {
        "required", "before",
    }  # fmt: skip


def test_a_short_script_that_does_not_shut_down_sends_nothing(page: Page, tmp_path: Path) -> None:
    done = javascript(page.child.http_port, tmp_path, end="")

    assert (done.returncode, done.stdout, done.stderr) == (0, "It is on its way.\n", "")
    assert page.value("surefoot_spans_received_total") == 0


@pytest.mark.parametrize(
    ("end", "code"), [(javascript_end(), 0), ("await provider.shutdown();", 1)]
)
def test_with_surefoot_down_it_is_the_catch_that_lets_the_script_end_well(
    end: str, code: int, tmp_path: Path
) -> None:
    with a_dead_port() as endpoint:
        done = javascript(int(endpoint.rpartition(":")[2]), tmp_path, end=end)

    assert (done.returncode, done.stdout) == (code, "It is on its way.\n")
    assert f"connect ECONNREFUSED {endpoint}" in done.stderr


def test_what_comes_through_a_collector_is_judged(page: Page, sink: Sink, tmp_path: Path) -> None:
    """The Collector regroups nothing, and knows every word of the block."""
    config: dict[str, Any] = yaml.safe_load(BLOCKS["collector", "exporter"])
    (exporter,) = config["exporters"].values()
    assert exporter["endpoint"] == "surefoot:4317"
    exporter["endpoint"] = f"127.0.0.1:{page.child.grpc_port}"
    address = free_address()
    config["receivers"] = {"otlp": {"protocols": {"grpc": {"endpoint": address}}}}
    config["service"]["telemetry"] = {"metrics": {"level": "none"}}
    with collector(tmp_path, yaml.safe_dump(config)) as running:
        send(address, *requests("langgraph/skips"))
        came = wait_for_verdicts(sink, 1)
        assert running.stop() == 0

    ((_, told),) = came.verdicts
    assert told["surefoot.outcome"] == "lucky"
    assert running.complaints() == []
