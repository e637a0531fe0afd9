"""Who the backend is, after the file and the environment have both spoken.

Owns the meaning of the standard `OTEL_EXPORTER_OTLP_*` variables. What the file says
wins, key by key; a variable for traces (`_TRACES_`) wins over the general one; an empty
variable is one that is not set. A scheme decides over every other word about TLS.
Requests are forwarded as gRPC, so an endpoint that the variables mean for HTTP is
refused, with what to write instead: taking it anyway would fail at the first request.

Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from surefoot.config.schema import LONGEST_TIMEOUT_NS, OtlpExporter, Retry, check_header
from surefoot.config.values import Endpoint, backend, shown

#: The OTLP specification's default.
DEFAULT_TIMEOUT_NS: Final = 10_000_000_000
#: A timeout below this can only be meant in seconds, as some SDKs read the variable.
LEAST_TIMEOUT_MS: Final = 100
_MS_DIGITS: Final = 9
_HTTP_PORT: Final = 4318
_GRPC_PORT: Final = 4317
_NS_PER_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Exporter:
    """The backend that requests are forwarded to and verdicts are sent to.

    origin: the key or the variable that named the endpoint. Header names are lower
    case, as gRPC wants them.
    """

    endpoint: Endpoint
    origin: str
    insecure: bool
    gzip: bool
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    timeout_ns: int
    retry: Retry
    queue_size: int


class Variables:
    """The standard variables, read one by one; what is wrong with them is kept."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.problems: list[str] = []

    def get(self, key: str) -> tuple[str, str] | None:
        """The name and the text of the variable in force for `key`, or None."""
        for name in (f"OTEL_EXPORTER_OTLP_TRACES_{key}", f"OTEL_EXPORTER_OTLP_{key}"):
            if text := self._environ.get(name, "").strip():
                return name, text
        return None

    def refuse(self, name: str, problem: str) -> None:
        """Keep a problem with a variable."""
        self.problems.append(f"environment: {name}: {problem}")

    def compression(self) -> bool:
        """Whether requests are to be compressed with gzip."""
        if (found := self.get("COMPRESSION")) is None:
            return False
        name, text = found
        if text not in ("none", "gzip"):
            self.refuse(name, f"{shown(text)} is not spoken here; write none or gzip")
        return text == "gzip"

    def insecure(self) -> bool:
        """Whether an endpoint without a scheme is spoken to in plain text."""
        if (found := self.get("INSECURE")) is None:
            return False
        name, text = found
        if text.lower() not in ("true", "false"):
            self.refuse(name, f"{shown(text)} is neither; write true or false")
        return text.lower() == "true"

    def timeout_ns(self) -> int:
        """How long one try may take."""
        if (found := self.get("TIMEOUT")) is None:
            return DEFAULT_TIMEOUT_NS
        name, text = found
        is_number = text.isascii() and text.isdigit() and len(text) <= _MS_DIGITS
        if not is_number or not LEAST_TIMEOUT_MS <= int(text) <= LONGEST_TIMEOUT_NS // _NS_PER_MS:
            self.refuse(
                name,
                f"{shown(text)} is no timeout in milliseconds that a request could meet; "
                f"write 10000, or exporters.otlp.timeout: 10s in the file",
            )
            return DEFAULT_TIMEOUT_NS
        return int(text) * _NS_PER_MS

    def headers(self) -> dict[str, str]:
        """The headers, of the form `key=value,key=value`, percent-encoded."""
        if (found := self.get("HEADERS")) is None:
            return {}
        name, text = found
        headers = {}
        for pair in filter(str.strip, text.split(",")):
            key, equals, value = pair.partition("=")
            try:
                if not equals:
                    raise ValueError("a header has no '='; write key=value,key=value")  # noqa: TRY301 - one answer for both
                key, value = unquote(key.strip()), unquote(value.strip())
                check_header(key, value)
            except ValueError as problem:
                self.refuse(name, str(problem))
            else:
                headers[key] = value
        return headers

    def endpoint(self) -> tuple[str, Endpoint, bool] | None:
        """The variable, the endpoint, and whether it is meant for OTLP/HTTP."""
        if (found := self.get("ENDPOINT")) is None:
            return None
        name, text = found
        scheme, mark, rest = text.rpartition("://")
        authority, _slash, path = rest.partition("/")
        try:
            endpoint = backend(scheme + mark + authority)
        except ValueError as problem:
            self.refuse(name, str(problem))
            return None
        protocol = self.get("PROTOCOL")
        if protocol is not None:
            return name, endpoint, protocol[1] != "grpc"
        return name, endpoint, bool(path) or endpoint.port == _HTTP_PORT

    def refuse_http(self, name: str, endpoint: Endpoint) -> None:
        """Say that an endpoint meant for OTLP/HTTP cannot be forwarded to."""
        protocol = self.get("PROTOCOL")
        why = (
            f"{protocol[0]} is {shown(protocol[1])}" if protocol else "it is an OTLP/HTTP endpoint"
        )
        grpc = Endpoint(endpoint.host, _GRPC_PORT, endpoint.scheme or "http")
        self.refuse(
            name,
            f"{why}, and Surefoot forwards by gRPC only; set {name}={grpc.scheme}://{grpc} and "
            "OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or name exporters.otlp.endpoint in the file",
        )

    def refuse_certificates(self) -> None:
        """Say that certificates of one's own cannot be used yet."""
        for key in ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"):
            if (found := self.get(key)) is not None:
                self.refuse(
                    found[0], "not supported yet; unset it to use the system's certificates"
                )


def resolve(said: OtlpExporter | None, variables: Variables) -> tuple[Exporter | None, bool]:
    """Return the exporter, and whether its endpoint is meant for OTLP/HTTP.

    None if neither the file nor the environment names an endpoint, or if the
    environment's cannot be read (then `variables.problems` says why).
    """
    origin, for_http = "exporters.otlp.endpoint", False
    endpoint = said.endpoint if said else None
    if endpoint is None:
        if (found := variables.endpoint()) is None:
            return None, False
        origin, endpoint, for_http = found
    said = said or OtlpExporter()
    if endpoint.scheme:
        insecure = endpoint.scheme == "http"
    else:
        insecure = said.tls.insecure if said.tls else variables.insecure()
    if not insecure:
        variables.refuse_certificates()
    headers = variables.headers() if said.headers is None else said.headers
    exporter = Exporter(
        endpoint=endpoint,
        origin=origin,
        insecure=insecure,
        gzip=said.compression == "gzip" if said.compression else variables.compression(),
        headers=tuple(sorted((key.lower(), value) for key, value in headers.items())),
        timeout_ns=variables.timeout_ns() if said.timeout_ns is None else said.timeout_ns,
        retry=said.retry_on_failure,
        queue_size=said.sending_queue.queue_size,
    )
    return exporter, for_http
