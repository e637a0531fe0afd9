"""Jaeger, built from its Go modules, as a child process with the configuration in deploy/.

with jaeger(folder) as backend:
    ... send to backend.otlp, over gRPC ...
    backend.traces(service="surefoot", tags='{"surefoot.outcome":"lucky"}')

Replaced in the configuration are the ports, by free ones, and the folder of its UI's file.
The module has no UI, only a page in its place; what the UI asks the server is asked here.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import yaml

from programs import PATIENCE_S, Program, built_module, started
from prometheus import free_port

#: Jaeger 2.13.0: its modules have the numbers of version 1.
VERSION = "v1.76.0"
MODULE = "github.com/jaegertracing/jaeger/cmd/jaeger"
#: What its modules ask for.
GO = (1, 26)
CONFIG = Path(__file__).parents[1] / "deploy" / "jaeger" / "config.yaml"
#: Where the container has that folder.
MOUNTED = "/etc/jaeger"
#: Between two looks at what was sent and is not searchable yet.
PACE_S = 0.1


@dataclass(frozen=True)
class Trace:
    """A trace as Jaeger's API gives it."""

    told: dict[str, Any]

    @property
    def id(self) -> str:
        """Its id, in hex."""
        return str(self.told["traceID"])

    @property
    def spans(self) -> list[dict[str, Any]]:
        """All its spans, whoever sent them."""
        return list(self.told["spans"])

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """Its spans by id."""
        return {span["spanID"]: span for span in self.spans}

    def of(self, service: str) -> list[dict[str, Any]]:
        """The spans of one service."""
        names = {key: one["serviceName"] for key, one in self.told["processes"].items()}
        return [span for span in self.spans if names[span["processID"]] == service]

    def parent(self, span: dict[str, Any]) -> dict[str, Any] | None:
        """The span that it is a CHILD_OF."""
        for one in span["references"]:
            if one["refType"] == "CHILD_OF":
                return self.by_id[one["spanID"]]
        return None

    def warnings(self) -> list[str]:
        """What Jaeger finds wrong, in the whole and with each span."""
        return [text for one in [self.told, *self.spans] for text in one["warnings"] or ()]


def tags(span: dict[str, Any]) -> dict[str, Any]:
    """A span's tags by key."""
    return {one["key"]: one["value"] for one in span["tags"]}


class Jaeger:
    """A running Jaeger and what to ask it."""

    def __init__(self, program: Program, ports: dict[str, int]) -> None:
        self.program = program
        self.url = f"http://127.0.0.1:{ports['16686']}"
        self.otlp = f"127.0.0.1:{ports['4317']}"

    def get(self, path: str, **words: str) -> httpx.Response:
        """Ask it anything by GET."""
        return httpx.get(self.url + path, params=words or None, timeout=PATIENCE_S)

    def api(self, path: str, **words: str) -> Any:
        """The `data` of an answer of its API."""
        answer = self.get(f"/api/{path}", **words)
        assert answer.is_success, answer.text
        body = answer.json()
        assert not body["errors"], body["errors"]
        return body["data"]

    def traces(self, **words: str) -> list[Trace]:
        """What a search finds; the words are those of its UI's address."""
        return [Trace(one) for one in self.api("traces", **words)]

    def once(self, good: Callable[[list[Trace]], bool], **words: str) -> list[Trace]:
        """Search until the answer is good: spans wait in Jaeger's own batches."""
        pace, last = threading.Event(), time.monotonic() + PATIENCE_S
        while not good(found := self.traces(**words)):
            assert time.monotonic() < last, f"{words} still finds {[one.id for one in found]}"
            pace.wait(PACE_S)
        return found


@contextmanager
def jaeger(folder: Path, *, ui: dict[str, str] | None = None) -> Iterator[Jaeger]:
    """Run it with what deploy/ ships; skips where it cannot be built.

    `ui` is added to the keys of its UI. Its own spans, if it makes any, go to its own
    receiver, which is where they go in its container.
    """
    program = built_module("jaeger", MODULE, VERSION, GO)
    config, ports = _replaced(ui or {})
    file = folder / "jaeger.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    with started(
        [program, "--config", file], ready="Everything is ready", folder=folder,
        env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{ports['4317']}"},
    ) as running:  # fmt: skip
        yield Jaeger(running, ports)


def _replaced(ui: dict[str, str]) -> tuple[dict[str, Any], dict[str, int]]:
    """The shipped configuration on free ports, which are told by the shipped ones."""
    ports: dict[str, int] = {}

    def free(found: re.Match[str]) -> str:
        ports[found[1]] = free_port()
        return f"127.0.0.1:{ports[found[1]]}"

    text = re.sub(r"0\.0\.0\.0:(\d+)", free, CONFIG.read_text(encoding="utf-8"))
    config: dict[str, Any] = yaml.safe_load(text.replace(MOUNTED, str(CONFIG.parent)))
    config["extensions"]["jaeger_query"]["ui"].update(ui)
    return config, ports
