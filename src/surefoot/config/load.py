"""Read a configuration: file and environment in, one frozen `Config` out.

The only reader of both. Owns the order (YAML, variables, shape, sense) and the wording
of what is wrong: every problem is found that can be, and all are told at once, a line
each, as `file: path.inside: what is wrong; what would be right (line 3)`.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml
from pydantic import ValidationError

from surefoot.buffer.limits import ID_BYTES, IDS, VERDICT_SHARE, Limits, Timers
from surefoot.config import problems
from surefoot.config.expand import expand
from surefoot.config.exporter import Exporter, Variables, resolve
from surefoot.config.own import collide, reaches
from surefoot.config.schema import File, Grpc, Http, Judging, Logs
from surefoot.config.values import Endpoint
from surefoot.errors import ConfigError
from surefoot.yamlfile import Place, dotted, line_number, read, spelled

#: The share of the memory limit that spans may take; the rest is the process itself.
BUFFER_SHARE: Final = 0.6
DEFAULT_SPECS: Final = Path("specs")


@dataclass(frozen=True, slots=True)
class Config:
    """All that a running Surefoot is told.

    grpc and http are None where that way in is off, exporter is None where no backend
    is named, metrics and health where nobody is to listen. console: verdicts are
    printed. resource: further attributes of what Surefoot emits. not_built: keys that
    were written for what a later version does.
    """

    grpc: Grpc | None
    http: Http | None
    exporter: Exporter | None
    judging: Judging
    metrics: Endpoint | None
    health: Endpoint | None
    logs: Logs
    console: bool
    resource: Mapping[str, str] = field(default_factory=dict, hash=False)
    not_built: tuple[str, ...] = ()

    @property
    def limits(self) -> Limits:
        """What the buffer may hold."""
        total_bytes = int(self.judging.memory_limit_bytes * BUFFER_SHARE)
        let_go_bytes = total_bytes // VERDICT_SHARE
        return Limits(
            total_bytes=total_bytes,
            verdict_bytes=let_go_bytes,
            remembered=min(IDS, let_go_bytes // ID_BYTES),
            text_bytes=self.judging.text_limit.trace_bytes,
            kept_ns=self.judging.amend_for_ns,
            remembered_ns=self.judging.luck.max_age_ns,
        )

    @property
    def timers(self) -> Timers:
        """How long a trace is waited for, where no spec says more."""
        judging = self.judging
        return Timers(judging.settle_ns, judging.idle_timeout_ns, judging.max_age_ns)

    @property
    def service_name(self) -> str:
        """The `service.name` under which Surefoot emits."""
        return self.resource.get("service.name", "surefoot")

    def spec_paths(self) -> tuple[Path, ...]:
        """The spec files and folders; `./specs` if none are named and it has any."""
        if self.judging.specs is not None:
            return tuple(Path(name) for name in self.judging.specs)
        return (DEFAULT_SPECS,) if _some_spec(DEFAULT_SPECS.glob("*")) else ()

    @property
    def specs_sought(self) -> str:
        """In words, where specs were looked for if there is none."""
        if self.judging.specs is not None:
            return "processors.surefoot.specs is empty"
        return f"looked in ./{DEFAULT_SPECS}, which is {DEFAULT_SPECS.absolute()}"


def load_config(
    path: Path | None, environ: Mapping[str, str], *, seek_specs: bool = False
) -> Config:
    """Return the configuration in `path`, or the one that holds without a file.

    seek_specs: the spec files and folders that it names must be there.

    Raises:
        ConfigError: It cannot be read or run. The message has a line a problem.
    """
    place = _Places(path)
    said = File() if path is None else _read(path, environ, place)
    variables = Variables(environ)
    exporter, for_http = resolve(said.exporters.otlp, variables)
    wrong = [place.tell(key.split("."), problem) for key, problem in _senseless(said)]
    if seek_specs:
        wrong += [place.tell(at, problem) for at, problem in _unfound(said)]
    if exporter is not None:
        ours = _own(said, exporter.endpoint)
        if ours and exporter.origin.startswith("exporters."):
            wrong.append(place.tell(exporter.origin.split("."), ours))
        elif ours:
            unset = "or unset the variable here: it is meant for the agent"
            wrong.append(f"environment: {exporter.origin}: {ours}, {unset}")
        elif for_http:
            variables.refuse_http(exporter.origin, exporter.endpoint)
    elif said.exporters.otlp is not None and not variables.problems:
        wrong.append(
            place.tell(
                ("exporters", "otlp", "endpoint"),
                "missing; write host:port, such as jaeger:4317, or set OTEL_EXPORTER_OTLP_ENDPOINT",
            )
        )
    if wrong := wrong + variables.problems:
        raise ConfigError("\n".join(wrong))
    return _config(said, exporter, console=path is None or exporter is None)


def _config(said: File, exporter: Exporter | None, *, console: bool) -> Config:
    protocols, service = said.receivers.otlp.protocols, said.service
    return Config(
        grpc=protocols.grpc,
        http=protocols.http,
        exporter=exporter,
        judging=said.processors.surefoot,
        metrics=service.telemetry.metrics.address if service.telemetry.metrics else None,
        health=service.health.endpoint if service.health else None,
        logs=service.telemetry.logs,
        console=console,
        resource=dict(service.telemetry.resource),
        not_built=tuple(_not_built(said)),
    )


def _not_built(said: File) -> Iterator[str]:
    """Keys that are the design's and do nothing yet."""
    if said.exporters.otlp is not None and said.exporters.otlp.sending_queue.storage:
        yield "exporters.otlp.sending_queue.storage"
    if said.processors.surefoot.storage:
        yield "processors.surefoot.storage"


# Shape: from bytes to `File`.


class _Places:
    """Says of what stands in the file where that is. Without a file it has no lines."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.tree: yaml.Node | None = None

    def tell(self, at: Iterable[str | int], problem: str) -> str:
        """One problem's line: the file, the path inside, the problem, the number."""
        place = tuple(at)
        file = [str(self._path)] if self._path else []
        inside = [dotted(spelled(self.tree, place))] if place else []
        told = ": ".join((*file, *inside, problem))
        number = line_number(self.tree, place)
        return f"{told} (line {number})" if number else told


def _read(path: Path, environ: Mapping[str, str], place: _Places) -> File:
    try:
        found = read(path)
    except ConfigError as failure:
        raise ConfigError(f"{path}: {failure}") from failure
    document, place.tree = found.content, found.tree
    if document is None:
        document = {}
    if not isinstance(document, dict):
        problem = "a list or a text; write sections such as 'receivers:'"
        raise ConfigError(place.tell((), problem))
    expanded, wrong = expand(document, environ)
    told = [place.tell(at, problem) for at, problem in wrong.items()]
    try:
        said = File.model_validate(expanded)
        if not told:
            return said
    except ValidationError as failure:
        told += [place.tell(*one) for one in problems.of_model(failure, File, besides=wrong)]
    raise ConfigError("\n".join(told))


# Sense: what no single key can know.


def _listeners(said: File) -> dict[str, Endpoint]:
    protocols, service = said.receivers.otlp.protocols, said.service
    places = {}
    if protocols.grpc:
        places["receivers.otlp.protocols.grpc.endpoint"] = protocols.grpc.endpoint
    if protocols.http:
        places["receivers.otlp.protocols.http.endpoint"] = protocols.http.endpoint
    if service.telemetry.metrics:
        places["service.telemetry.metrics.address"] = service.telemetry.metrics.address
    if service.health:
        places["service.health.endpoint"] = service.health.endpoint
    return places


def _senseless(said: File) -> Iterator[tuple[str, str]]:
    """Keys that are no good beside another one, and why."""
    pairs = itertools.combinations(_listeners(said).items(), 2)
    for (key, endpoint), (later_key, later) in pairs:
        if collide(endpoint, later):
            yield later_key, f"{later} is taken by {key}; give it a port of its own"


def _unfound(said: File) -> Iterator[tuple[Place, str]]:
    """Spec files and folders that are not there."""
    for index, name in enumerate(said.processors.surefoot.specs or ()):
        if problem := _absent(path := Path(name)):
            yield ("processors", "surefoot", "specs", index), f"{path.absolute()}: {problem}"


def _absent(path: Path) -> str:
    try:
        if not path.exists():
            return "no such file; paths are relative to where surefoot was started"
        if path.is_dir() and not _some_spec(path.iterdir()):
            return "no spec file in this folder; add one that ends in .yaml"
    except OSError as failure:
        return f"cannot be read: {failure.strerror}; let us list and enter it"
    return ""


def _some_spec(paths: Iterable[Path]) -> bool:
    return any(path.suffix in (".yaml", ".yml") for path in paths)


def _own(said: File, endpoint: Endpoint) -> str:
    for key, listener in _listeners(said).items():
        if reaches(endpoint, listener):
            return f"{endpoint} is our own listener ({key}); name the backend behind Surefoot"
    return ""
