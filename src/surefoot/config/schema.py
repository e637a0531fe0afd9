"""What a configuration file may say: one model a section, in the Collector's words.

Owns keys, shapes and defaults. Knows neither files nor the environment. Every model
refuses keys that it does not know and is frozen; a field whose unit is not plain from
its key carries it in its name, and the key as its alias.

As in the Collector, a protocol that `protocols` does not list is off, and a listed one
without settings (`grpc:`) has its defaults.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from surefoot.buffer.limits import HOUR_NS, MIB, MINUTE_NS, SECOND_NS
from surefoot.config.values import Endpoint, backend, duration_ns, listener, size_bytes

KIB: Final = 1 << 10
#: The process itself takes some 75 MiB, spans 60 % of the limit, and at 90 % requests are
#: refused: below this, a full buffer alone would make it refuse.
LEAST_MEMORY_MIB: Final = 256
LONGEST_AGE_NS: Final = 24 * HOUR_NS
#: One try, and the wait before the next. Who asks for more means that a backend is away,
#: which max_elapsed_time says.
LONGEST_TIMEOUT_NS: Final = HOUR_NS
LONGEST_INTERVAL_NS: Final = HOUR_NS
#: The Luck Rate's window may span a week: agents that run once a day have one, too.
LONGEST_WINDOW_NS: Final = 7 * 24 * HOUR_NS

Duration: TypeAlias = Annotated[int, BeforeValidator(duration_ns)]
Size: TypeAlias = Annotated[int, BeforeValidator(size_bytes), Field(gt=0)]
Listener: TypeAlias = Annotated[Endpoint, BeforeValidator(listener)]
Backend: TypeAlias = Annotated[Endpoint, BeforeValidator(backend)]


def _default_if_null(value: Any) -> Any:
    return {} if value is None else value


#: `key:` with nothing behind it is the section with its defaults.
Defaults: Final = BeforeValidator(_default_if_null)


class Section(BaseModel):
    """What all sections have in common."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, arbitrary_types_allowed=True
    )


class Grpc(Section):
    """OTLP/gRPC in."""

    endpoint: Listener = Endpoint("127.0.0.1", 4317)
    #: After decompression; the OTLP specification recommends 64 MiB.
    max_recv_msg_size_mib: int = Field(default=64, gt=0, le=1024)

    @property
    def max_bytes(self) -> int:
        """The largest request that is taken."""
        return self.max_recv_msg_size_mib * MIB


class Http(Section):
    """OTLP/HTTP in."""

    endpoint: Listener = Endpoint("127.0.0.1", 4318)
    #: After decompression, as for gRPC.
    max_bytes: Size = Field(default=64 * MIB, alias="max_request_body_size")


class Protocols(Section):
    """The ways in."""

    grpc: Annotated[Grpc | None, Defaults] = None
    http: Annotated[Http | None, Defaults] = None

    @model_validator(mode="after")
    def _some(self) -> "Protocols":
        if self.grpc is None and self.http is None:
            raise ValueError("no protocol is listed, so nothing could come in; list grpc or http")
        return self


BOTH: Final = Protocols(grpc=Grpc(), http=Http())


def _both_if_null(value: Any) -> Any:
    return BOTH if value is None else value


class OtlpReceiver(Section):
    """The receiver."""

    protocols: Annotated[Protocols, BeforeValidator(_both_if_null)] = BOTH


class Receivers(Section):
    """What comes in."""

    otlp: Annotated[OtlpReceiver, Defaults] = OtlpReceiver()


class Tls(Section):
    """How the backend is spoken to. `insecure: true` is plain text."""

    insecure: bool = False


class Retry(Section):
    """How often a request that the backend did not take is sent again."""

    enabled: bool = True
    initial_interval_ns: Duration = Field(
        default=5 * SECOND_NS, alias="initial_interval", gt=0, le=LONGEST_INTERVAL_NS
    )
    max_interval_ns: Duration = Field(
        default=30 * SECOND_NS, alias="max_interval", gt=0, le=LONGEST_INTERVAL_NS
    )
    #: 0 is for ever.
    max_elapsed_time_ns: Duration = Field(
        default=300 * SECOND_NS, alias="max_elapsed_time", ge=0, le=LONGEST_AGE_NS
    )

    @model_validator(mode="after")
    def _in_order(self) -> "Retry":
        if self.initial_interval_ns > self.max_interval_ns:
            raise ValueError("initial_interval is above max_interval; it starts there and grows")
        return self


class SendingQueue(Section):
    """Requests that wait for the backend."""

    enabled: bool = True
    queue_size: int = Field(default=1000, gt=0)
    #: Not built yet: what would stand there is in memory, and that is said at start.
    storage: str | None = None

    @field_validator("enabled")
    @classmethod
    def _always(cls, value: bool) -> bool:  # noqa: FBT001 - the shape pydantic calls
        if not value:
            raise ValueError(
                "a request is acknowledged once it stands in this queue, so there is always one; "
                "set queue_size: 1 for the smallest"
            )
        return value


class OtlpExporter(Section):
    """The backend: forwarded requests, verdicts and metrics go there.

    What is None was not said, and may come from the environment.
    """

    endpoint: Backend | None = None
    tls: Tls | None = None
    compression: Literal["none", "gzip"] | None = None
    headers: dict[str, str] | None = Field(default=None, repr=False)
    timeout_ns: Duration | None = Field(default=None, alias="timeout", gt=0, le=LONGEST_TIMEOUT_NS)
    retry_on_failure: Annotated[Retry, Defaults] = Retry()
    sending_queue: Annotated[SendingQueue, Defaults] = SendingQueue()

    @model_validator(mode="after")
    def _of_one_mind(self) -> "OtlpExporter":
        scheme = self.endpoint.scheme if self.endpoint else ""
        if self.tls and scheme and self.tls.insecure != (scheme == "http"):
            raise ValueError(
                f"the endpoint says {scheme}, and tls.insecure the opposite; "
                "http is insecure: true, https is insecure: false"
            )
        return self

    @field_validator("headers")
    @classmethod
    def _sendable(cls, value: Mapping[str, str] | None) -> Mapping[str, str] | None:
        for key, text in (value or {}).items():
            check_header(key, text)
        return value


def check_header(key: str, value: str) -> None:
    """Refuse what gRPC cannot send as metadata. The value is not shown: it is a secret."""
    if not key or not all(c.isascii() and (c.isalnum() or c in "-_.") for c in key):
        raise ValueError(f"{key!r} is no header's name; write letters, digits, - _ .")
    if not (value.isascii() and value.isprintable()):
        raise ValueError(f"the value of {key!r} cannot be sent; write printable ASCII")


class Exporters(Section):
    """What goes out."""

    otlp: OtlpExporter | None = None


class TextLimit(Section):
    """How much distinct text is held: of each message or result, and of a trace."""

    each_bytes: Size = Field(default=256 * KIB, alias="each")
    trace_bytes: Size = Field(default=8 * MIB, alias="trace")

    @model_validator(mode="after")
    def _in_order(self) -> "TextLimit":
        if self.each_bytes > self.trace_bytes:
            raise ValueError("each is above trace; one text cannot be larger than them all")
        return self


class Luck(Section):
    """The window over which the Luck Rate is taken."""

    window: int = Field(default=200, gt=0)
    max_age_ns: Duration = Field(default=24 * HOUR_NS, alias="max_age", gt=0, le=LONGEST_WINDOW_NS)


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Judging(Section):
    """How traces are put together and judged."""

    #: None: `./specs/*.yaml`, if there are any.
    specs: Annotated[tuple[str, ...], BeforeValidator(_one_or_more)] | None = None
    unit: Literal["trace", "agent", "session"] = "trace"
    settle_ns: Duration = Field(default=6 * SECOND_NS, alias="settle", ge=0, le=LONGEST_AGE_NS)
    idle_timeout_ns: Duration = Field(
        default=120 * SECOND_NS, alias="idle_timeout", gt=0, le=LONGEST_AGE_NS
    )
    max_age_ns: Duration = Field(default=30 * MINUTE_NS, alias="max_age", gt=0, le=LONGEST_AGE_NS)
    amend_for_ns: Duration = Field(
        default=10 * MINUTE_NS, alias="amend_for", ge=0, le=LONGEST_AGE_NS
    )
    memory_limit_mib: int = Field(default=512, ge=LEAST_MEMORY_MIB)
    text_limit: Annotated[TextLimit, Defaults] = TextLimit()
    redact_values: bool = False
    #: Not built yet: what would stand there is in memory, and that is said at start.
    storage: str | None = None
    luck: Annotated[Luck, Defaults] = Luck()

    @property
    def memory_limit_bytes(self) -> int:
        """How much memory the process may take."""
        return self.memory_limit_mib * MIB


class Processors(Section):
    """What happens in between."""

    surefoot: Annotated[Judging, Defaults] = Judging()


class Metrics(Section):
    """Where Prometheus scrapes; the Collector's address unless said otherwise."""

    address: Listener = Endpoint("127.0.0.1", 8888)


class Logs(Section):
    """What Surefoot says about itself, on stderr."""

    level: Literal["debug", "info", "warn", "error"] = "info"
    encoding: Literal["json", "console"] = "console"


class Telemetry(Section):
    """Surefoot's own telemetry. `resource` is who it says it is."""

    metrics: Annotated[Metrics | None, Defaults] = None
    logs: Annotated[Logs, Defaults] = Logs()
    resource: dict[str, str] = Field(default_factory=dict)


class Health(Section):
    """Where `/healthz` and `/readyz` answer; the Collector's port unless said otherwise."""

    endpoint: Listener = Endpoint("127.0.0.1", 13133)


class Service(Section):
    """The process itself."""

    telemetry: Annotated[Telemetry, Defaults] = Telemetry()
    health: Annotated[Health | None, Defaults] = None


class File(Section):
    """A whole configuration file."""

    receivers: Annotated[Receivers, Defaults] = Receivers()
    exporters: Annotated[Exporters, Defaults] = Exporters()
    processors: Annotated[Processors, Defaults] = Processors()
    service: Annotated[Service, Defaults] = Service()
