"""`surefoot demo`: the whole job on recorded runs of real agents, on one machine.

Starts the server on free ports with a small backend behind it, sends the recordings
that come with the package over gRPC, and prints what the backend got: the verdict spans
and violation spans, read back from the wire. No network, no model, no key.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final

import yaml
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from surefoot.cli.inbox import Inbox, Returned, Sink
from surefoot.cli.replay import FOLDER, SPEC, Recording, recordings, send
from surefoot.cli.show import STYLES, WORD_WIDTH, asides, luck_rate, plain, results, undecided, word
from surefoot.config import Config, Endpoint, Grpc, Judging, load_config
from surefoot.errors import InputError
from surefoot.evaluate import mask
from surefoot.model import Outcome, Severity
from surefoot.telemetry import configure_logging

#: Recordings come whole within moments, so the waits that live agents need are cut.
SETTLE: Final = "1s"
IDLE: Final = "2s"
#: Far above what it takes; a demo that hangs is worse than one that says so.
PATIENCE_S: Final = 20.0
_FRAMEWORK_WIDTH: Final = 14
_INDENT: Final = "  "
_WEIGHT: Final = [severity.value for severity in Severity]
#: What stands between two calls in `surefoot.trajectory`.
_ARROW: Final = " → "


@dataclass(frozen=True, slots=True)
class _About:
    """What a person should know of the recordings."""

    task: str
    runs: dict[str, str]


def demo() -> None:
    """Judge recorded runs of real agents; print what a backend gets."""
    configure_logging("error", mask=mask)
    about = _about(FOLDER / "about.yaml")
    order = list(about.runs)
    replayed = sorted(recordings(), key=lambda one: (order.index(one.run), one.framework))
    out, inbox = results(), Inbox()
    with Sink(inbox.take) as sink, _serve(sink.port) as address:
        _head(out, about, replayed, address)
        verdicts = _replay(replayed, inbox, address)
    for run, group in groupby(verdicts, key=lambda pair: pair[0].run):
        out.print(Text(f"{run}: {about.runs[run]}", style="bold"))
        for recording, returned in group:
            for one in returned:
                _verdict(out, recording, one)
        out.print()
    _foot(out, [one for _recording, returned in verdicts for one in returned])


def _about(path: Path) -> _About:
    told = yaml.safe_load(path.read_text("utf-8"))
    return _About(task=told["task"], runs=told["runs"])


def _config(backend_port: int) -> Config:
    """The server's configuration: free ports, short waits, our own backend."""
    usual = load_config(None, {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{backend_port}"})
    return replace(
        usual,
        grpc=Grpc(endpoint=Endpoint("127.0.0.1", 0)),
        http=None,
        judging=Judging.model_validate({"settle": SETTLE, "idle_timeout": IDLE}),
        console=False,
    )


@contextmanager
def _serve(backend_port: int) -> Iterator[str]:
    """Run the server; give the address at which it takes OTLP/gRPC."""
    from surefoot import service  # noqa: PLC0415 - the servers' libraries take a while to load

    with service.started(_config(backend_port), (SPEC,)) as server:
        yield f"127.0.0.1:{server.grpc_port}"


def _replay(
    replayed: Sequence[Recording], inbox: Inbox, address: str
) -> list[tuple[Recording, list[Returned]]]:
    """Send all recordings, then wait for what comes back."""
    aside = asides()
    with Progress(console=aside, transient=True, disable=not aside.is_terminal) as progress:
        sending = progress.add_task("replaying", total=len(replayed))
        for recording in replayed:
            send(recording, address)
            progress.advance(sending)
        deadline_s = time.monotonic() + PATIENCE_S
        judging = progress.add_task("judging", total=len(replayed))
        verdicts = []
        for recording in replayed:
            returned = inbox.wait(recording.traces, deadline_s - time.monotonic())
            if not returned:
                name = f"{recording.framework} {recording.run}"
                raise InputError(f"no verdict on {name} came within {PATIENCE_S:g} s")
            verdicts.append((recording, returned))
            progress.advance(judging)
    return verdicts


def _head(out: Console, about: _About, replayed: Sequence[Recording], address: str) -> None:
    frameworks = len({one.framework for one in replayed})
    out.print(
        f"{len(replayed)} recorded runs of {frameworks} agent frameworks, sent over OTLP/gRPC to "
        f"Surefoot on {address}."
    )
    out.print(f"Each agent was told: {about.task}")
    out.print(f"Judged by: {SPEC}")
    out.print(
        f"Waits are cut for the demo: settle {SETTLE} (default 6s), idle_timeout {IDLE} (default "
        "120s)."
    )
    out.print("What follows is read from the spans that Surefoot sent to its backend.")
    out.print()


def _verdict(out: Console, recording: Recording, returned: Returned) -> None:
    line = Text(_INDENT).append_text(word(returned.outcome, upper=True))
    name = recording.framework.ljust(_FRAMEWORK_WIDTH)
    out.print(line.append(f" {name} {_trajectory(returned)}"))
    indent = _INDENT + " " * (WORD_WIDTH + 1)
    worst_first = sorted(returned.violations, key=lambda one: _WEIGHT.index(one.severity))
    alike = Counter((one.severity, one.check, one.message) for one in worst_first)
    for (severity, check, message), times in alike.items():
        again = f" ({times} times)" if times > 1 else ""
        told = Text(indent).append_text(word(severity, width=4))
        out.print(told.append(f" {check}: {plain(message)}{again}"))
    if returned.inconclusive:
        pairs = (one.partition(": ") for one in returned.inconclusive.split("; "))
        reasons = undecided((check, reason) for check, _, reason in pairs)
        out.print(Text(f"{indent}cannot be decided: {plain(reasons)}", style="dim"))


def _trajectory(returned: Returned) -> str:
    """The trajectory, calls of one tool in a row told once."""
    rows = [(tool, len(list(row))) for tool, row in groupby(returned.trajectory.split(_ARROW))]
    told = (f"{tool} x{times}" if times > 1 else tool for tool, times in rows)
    return plain(_ARROW.join(told)) or "no tool call"


def _foot(out: Console, verdicts: Sequence[Returned]) -> None:
    counts = Counter(one.outcome for one in verdicts)
    lucky = sum(one.is_lucky for one in verdicts)
    green = sum(one.is_green for one in verdicts)
    told = ", ".join(f"{counts[kind]} {kind.value}" for kind in Outcome if counts[kind])
    out.print(f"Outcomes   {told}")
    out.print(Text("Luck Rate  ").append(luck_rate(lucky, green), style=STYLES["lucky"]))
    out.print(f"           {green} answers looked right, {lucky} of them reached on a bad path")
    out.print()
    out.print("Your own agents: surefoot run --specs FILE, and let them export OTLP to it.")
