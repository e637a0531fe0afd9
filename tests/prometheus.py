"""Debian's Prometheus as a child process on a free port of 127.0.0.1, and what to ask it.

with prometheus(folder, config_text) as server:
    server.once("surefoot_verdicts_total", lambda rows: len(rows) >= 2)
    server.rows("sum(surefoot_verdicts_total)")
"""

import json
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from cache import needed

PATIENCE_S = 60.0
#: Between two looks at what only time can bring: the next scrape.
PACE_S = 0.25


class Row(NamedTuple):
    """A series' labels, without its name, and its value at one time."""

    labels: dict[str, str]
    value: float


class Prometheus:
    """Its HTTP API, at `host:port`."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def api(self, path: str, **words: str) -> Any:
        """The `data` of an answer."""
        url = f"http://{self.endpoint}/api/v1/{path}?{urllib.parse.urlencode(words)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                body = json.load(answer)
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{refused.read().decode()}: {words}") from refused
        assert body["status"] == "success", body
        return body["data"]

    def rows(self, query: str, at_s: float | None = None) -> list[Row]:
        """What an instant query answers, at the present unless said otherwise."""
        told = self.api("query", query=query, **({} if at_s is None else {"time": str(at_s)}))
        assert told["resultType"] == "vector", told
        return [_row(one["metric"], one["value"]) for one in told["result"]]

    def points(self, query: str, *, start_s: int, end_s: int, step_s: int) -> list[list[Row]]:
        """What a range query answers: the points by series."""
        times = {"start": str(start_s), "end": str(end_s), "step": str(step_s)}
        told = self.api("query_range", query=query, **times)
        return [[_row(one["metric"], pair) for pair in one["values"]] for one in told["result"]]

    def once(self, query: str, good: Callable[[list[Row]], bool]) -> list[Row]:
        """Ask until the answer is good; what it was."""
        pace, last = threading.Event(), time.monotonic() + PATIENCE_S
        while not good(rows := self.rows(query)):
            assert time.monotonic() < last, f"{query} still answers {rows}"
            pace.wait(PACE_S)
        return rows


@contextmanager
def prometheus(folder: Path, config: str) -> Iterator[Prometheus]:
    """Run it with this configuration's text; its data stay in `folder`."""
    program = needed("prometheus")
    file = folder / "prometheus.yaml"
    file.write_text(config, encoding="utf-8")
    port = free_port()
    command = [
        program, f"--config.file={file}", f"--storage.tsdb.path={folder / 'tsdb'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stderr
        said: list[str] = []
        try:
            for line in process.stderr:
                said.append(line)
                if "Server is ready" in line:
                    break
            else:
                raise AssertionError("".join(said))
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield Prometheus(f"127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody has yet."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _row(labels: dict[str, str], pair: list[Any]) -> Row:
    return Row({key: text for key, text in labels.items() if key != "__name__"}, float(pair[1]))
