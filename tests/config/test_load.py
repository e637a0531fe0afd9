"""A configuration, from file and environment to what the parts are handed."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from surefoot.config import Config, Endpoint, Retry, load_config
from surefoot.errors import ConfigError

EXAMPLE = Path(__file__).parents[2] / "examples" / "surefoot.yaml"
SECOND = 1_000_000_000
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


class Loader:
    """Writes a file and loads it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "surefoot.yaml"

    def __call__(self, text: str, environ: Mapping[str, str] | None = None) -> Config:
        self.path.write_text(text)
        return load_config(self.path, environ or {})

    def refuse(self, text: str, environ: Mapping[str, str] | None = None) -> list[str]:
        """The lines of the refusal, without the file's name."""
        with pytest.raises(ConfigError) as refusal:
            self(text, environ)
        return [line.removeprefix(f"{self.path}: ") for line in str(refusal.value).splitlines()]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loader:
    monkeypatch.chdir(tmp_path)
    return Loader(tmp_path)


def refuse_environment(environ: Mapping[str, str]) -> str:
    with pytest.raises(ConfigError) as refusal:
        load_config(None, environ)
    return str(refusal.value)


# Without a file.


def test_without_a_file_it_listens_at_home_and_prints(load: Loader) -> None:
    config = load_config(None, {})

    assert config.grpc is not None
    assert config.http is not None
    assert str(config.grpc.endpoint) == "127.0.0.1:4317"
    assert str(config.http.endpoint) == "127.0.0.1:4318"
    assert config.exporter is None
    assert config.console
    assert config.metrics is None
    assert config.health is None
    assert config.spec_paths() == ()
    assert config.service_name == "surefoot"
    assert load("") == config


def test_the_specs_folder_counts_if_there_are_any_in_it(load: Loader, tmp_path: Path) -> None:
    config = load("")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "notes.txt").touch()
    assert config.spec_paths() == ()

    (tmp_path / "specs" / "desk.yaml").touch()

    assert config.spec_paths() == (Path("specs"),)


def test_it_says_where_specs_were_sought(load: Loader, tmp_path: Path) -> None:
    assert load("").specs_sought == f"looked in ./specs, which is {tmp_path}/specs"
    assert load("processors: {surefoot: {specs: []}}").specs_sought == (
        "processors.surefoot.specs is empty"
    )


def test_specs_that_are_not_there_are_told_with_file_and_line(load: Loader, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "desk.yml").touch()
    (tmp_path / "desk.yaml").touch()
    load(
        "processors:\n  surefoot:\n    specs:\n      - desk.yaml\n      - gone\n      - full\n"
        f"      - empty\n      - {tmp_path}/away.yaml\n    settle: 1s\n"
    )
    with pytest.raises(ConfigError) as refusal:
        load_config(load.path, {}, seek_specs=True)
    at = f"{load.path}: processors.surefoot.specs"
    gone = "no such file; paths are relative to where surefoot was started"
    empty = "no spec file in this folder; add one that ends in .yaml"

    assert str(refusal.value).splitlines() == [
        f"{at}[1]: {tmp_path}/gone: {gone} (line 5)",
        f"{at}[3]: {tmp_path}/empty: {empty} (line 7)",
        f"{at}[4]: {tmp_path}/away.yaml: {gone} (line 8)",
    ]


def test_specs_that_are_there_are_found(load: Loader, tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").touch()
    load("processors: {surefoot: {specs: desk.yaml}}")

    assert load_config(load.path, {}, seek_specs=True).spec_paths() == (Path("desk.yaml"),)


def test_the_defaults_are_the_designs() -> None:
    config = load_config(None, {})

    assert config.timers.settle_ns == 6 * SECOND
    assert config.timers.idle_ns == 120 * SECOND
    assert config.timers.max_age_ns == 1800 * SECOND
    assert config.limits.kept_ns == 600 * SECOND
    assert config.limits.total_bytes == int(0.6 * 512 * (1 << 20))
    assert config.judging.text_limit.each_bytes == 256 << 10
    assert config.limits.text_bytes == 8 << 20
    assert config.judging.luck.window == 200
    assert config.judging.luck.max_age_ns == 24 * 3600 * SECOND
    assert config.judging.unit == "trace"


# A file.


@pytest.mark.parametrize("mib", [256, 1000, 4096])
def test_what_is_left_of_judged_traces_takes_a_share_of_the_memory(load: Loader, mib: int) -> None:
    limits = load(f"processors: {{surefoot: {{memory_limit_mib: {mib}}}}}").limits

    assert limits.total_bytes == int(0.6 * mib * (1 << 20))
    assert limits.verdict_bytes == limits.total_bytes // 8
    assert limits.remembered == min(500_000, limits.verdict_bytes // 200)


def test_the_example_says_every_key_with_its_default() -> None:
    config = load_config(EXAMPLE, {})

    assert config.exporter is not None
    assert config.exporter.insecure
    assert config.judging.model_copy(update={"specs": None}) == load_config(None, {}).judging
    assert config.exporter.retry == Retry()
    assert (config.grpc, config.http) == (load_config(None, {}).grpc, load_config(None, {}).http)


def test_what_is_said_is_handed_on(load: Loader) -> None:
    config = load(
        """
        receivers: {otlp: {protocols: {grpc: {endpoint: "0.0.0.0:0", max_recv_msg_size_mib: 4}}}}
        exporters:
          otlp:
            endpoint: jaeger:4317
            compression: gzip
            headers: {Authorization: "Bearer ${env:TOKEN}"}
            timeout: 3s
            retry_on_failure: {initial_interval: 1s, max_elapsed_time: 0s}
            sending_queue: {queue_size: 7}
        processors:
          surefoot: {specs: a.yaml, unit: agent, settle: 1s, redact_values: true}
        service: {telemetry: {metrics: , resource: {service.name: judge}}, health: {endpoint: ":9"}}
        """,
        {"TOKEN": "t"},
    )

    assert config.http is None
    assert config.grpc is not None
    assert config.grpc.max_bytes == 4 << 20
    assert config.exporter is not None
    assert config.exporter.endpoint == Endpoint("jaeger", 4317)
    assert not config.exporter.insecure
    assert config.exporter.gzip
    assert config.exporter.headers == (("authorization", "Bearer t"),)
    assert config.exporter.timeout_ns == 3 * SECOND
    assert config.exporter.retry.initial_interval_ns == SECOND
    assert config.exporter.retry.max_elapsed_time_ns == 0
    assert config.exporter.queue_size == 7
    assert config.spec_paths() == (Path("a.yaml"),)
    assert config.judging.redact_values
    assert config.metrics == Endpoint("127.0.0.1", 8888)
    assert config.health == Endpoint("0.0.0.0", 9)  # noqa: S104 - what the file says
    assert config.service_name == "judge"
    assert not config.console


def test_a_listed_protocol_without_settings_is_on_and_the_other_is_off(load: Loader) -> None:
    config = load("receivers: {otlp: {protocols: {grpc: }}}")

    assert config.grpc is not None
    assert config.http is None


def test_no_protocol_at_all_is_refused(load: Loader) -> None:
    (line,) = load.refuse("receivers: {otlp: {protocols: {}}}")

    assert line.startswith("receivers.otlp.protocols: no protocol is listed")


def test_sections_may_be_empty(load: Loader) -> None:
    text = (
        "receivers: \nexporters: {otlp: }\nprocessors: {surefoot: {luck: }}\nservice: {telemetry: }"
    )

    assert load(text).grpc is not None


def test_a_variable_may_hold_a_number_or_a_truth(load: Loader) -> None:
    text = "processors: {surefoot: {redact_values: '${env:R}', luck: {window: '${env:W}'}}}"

    judging = load(text, {"R": "true", "W": "3"}).judging

    assert judging.redact_values
    assert judging.luck.window == 3


def test_all_problems_are_told_at_once(load: Loader) -> None:
    lines = load.refuse(
        """
        receivers: {otlp: {protocols: {grpc: {endpoint: "nowhere"}}}}
        exporters: {otlp: {endpoint: "a:1", headers: {k: "${env:TOKEN}"}, tls: {ca_file: x}}}
        processors: {surefoot: {setle: 6s, unit: run, max_age: 25h}}
        service: {pipelines: {}}
        """
    )

    starts = [
        "exporters.otlp.headers.k: TOKEN is not set; ",
        "receivers.otlp.protocols.grpc.endpoint: 'nowhere' names no port; ",
        "exporters.otlp.tls.ca_file: unknown key; not supported yet",
        "processors.surefoot.unit: not one that is known; write trace, agent or session",
        "processors.surefoot.max_age: too large; write at most 24h",
        "processors.surefoot.setle: unknown key; did you mean settle?",
        "service.pipelines: unknown key; there is one pipeline here",
    ]
    assert len(lines) == len(starts)
    for start in starts:
        assert any(line.startswith(start) for line in lines), start


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a: b: c", "line 1, column 5: "),
        ("exporters: {\n", "line 2, column 1: "),
        ("service:\n  no: {}", "service.no: a key that is no text; put it in quotes (line 2)"),
        ("service:\n  ~: {}", "service.~: a key that is no text; put it in quotes (line 2)"),
        (
            "processors:\n  surefoot:\n    <<: {settle: 1s}\n    settle: 6",
            "processors.surefoot.settle: 6 is no duration; write 500ms, 6s, 30m or 1h30m (line 4)",
        ),
        ("service: {}\nservice: {}", "service: written twice; keep one (line 2)"),
        ("[1]: 2\n", "line 1, column 1: "),
        ("- a", "a list or a text; "),
        ("!!python/object/apply:os.getcwd []", "line 1, column 1: "),
        ("\x07", "not YAML: "),
        ("exporters: {otlp/2: {}}", "exporters.otlp/2: unknown key; did you mean otlp?"),
        ("&a {exporters: *a}", "line 1: *a stands within itself; write out what"),
        ("exporters: " + "[" * 5000, "line 1: nested deeper than 50 levels; "),
        ("exporters: " + "9" * 5000, "line 1: a number of 5000 characters; put it in quotes"),
        ("exporters: 2026-99-99", "not YAML: month must be in 1..12; put texts in quotes"),
        ("exporters: {zipkin: {}}", "exporters.zipkin: unknown key; known here: otlp"),
    ],
)
def test_what_cannot_be_run_is_refused_by_its_place(load: Loader, text: str, start: str) -> None:
    (line,) = load.refuse(text)

    assert line.startswith(start), line


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("3", ": not a section; "),
        ("{specs: {}}", ".specs: not a list; "),
        ("{specs: [1]}", ".specs[0]: not a text; "),
        ("{memory_limit_mib: 5}", ".memory_limit_mib: too small; "),
        ("{luck: {window: 1.5}}", ".luck.window: not a whole "),
        ("{redact_values: maybe}", ".redact_values: neither "),
        ("{text_limit: {each: 9MiB}}", ".text_limit: each is above"),
        ("{idle_timeout: 0}", ".idle_timeout: too small; "),
    ],
)
def test_judging_that_cannot_be_done_is_refused(load: Loader, text: str, rest: str) -> None:
    (line,) = load.refuse(f"processors: {{surefoot: {text}}}")

    assert line.startswith("processors.surefoot" + rest), line


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("{}", ".endpoint: missing; "),
        ("{endpoint: 'http://a:1', tls: {insecure: false}}", ": the endpoint says http, and"),
        ("{sending_queue: {enabled: false}}", ".sending_queue.enabled: a request"),
        ("{retry_on_failure: {max_interval: 1s}}", ".retry_on_failure: initial_interval is"),
        ("{headers: {'a b': x}}", ".headers: 'a b' is no header's name; "),
    ],
)
def test_a_backend_that_cannot_be_sent_to_is_refused(load: Loader, text: str, rest: str) -> None:
    (line,) = load.refuse(f"exporters: {{otlp: {text}}}")

    assert line.startswith("exporters.otlp" + rest), line


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: no such file; "):
        load_config(tmp_path / "none.yaml", {})


def test_secrets_are_never_shown(load: Loader) -> None:
    config = load("exporters: {otlp: {endpoint: 'a:1', headers: {k: hunter2}}}")
    lines = load.refuse("exporters: {otlp: {endpoint: 'a:1', headers: {k: \"hunter2\\n\", b: 1}}}")

    assert "hunter2" not in repr(config)
    assert "hunter2" not in str(lines)


# Listeners.


def test_two_listeners_on_one_port_are_refused(load: Loader) -> None:
    (line,) = load.refuse("service: {health: {endpoint: ':4317'}}")

    assert line.startswith("service.health.endpoint: 0.0.0.0:4317 is taken by receivers.otlp.")


@pytest.mark.parametrize("port", [1, 2, 3, 4])
def test_each_of_our_own_listeners_is_refused_as_the_backend(load: Loader, port: int) -> None:
    lines = load.refuse(
        f"""
        receivers: {{otlp: {{protocols: {{grpc: {{endpoint: ":1"}}, http: {{endpoint: ":2"}}}}}}}}
        service: {{telemetry: {{metrics: {{address: ":3"}}}}, health: {{endpoint: ":4"}}}}
        exporters: {{otlp: {{endpoint: "localhost:{port}"}}}}
        """
    )

    assert len(lines) == 1
    assert lines[0].startswith(f"exporters.otlp.endpoint: localhost:{port} is our own listener (")


# The standard variables.


def test_the_environment_names_the_backend_where_the_file_does_not(load: Loader) -> None:
    environ = {
        ENDPOINT: "http://collector:4317",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, Tenant = c",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
    }

    for config in (
        load_config(None, environ),
        load("exporters: {otlp: {}}", environ),
        load("", environ),
    ):
        assert config.exporter is not None
        assert config.exporter.endpoint == Endpoint("collector", 4317, "http")
        assert config.exporter.origin == ENDPOINT
        assert config.exporter.insecure
        assert config.exporter.headers == (("api-key", "a b"), ("tenant", "c"))
        assert config.exporter.gzip
        assert config.exporter.timeout_ns == 2_500_000_000


def test_the_file_wins_key_by_key(load: Loader) -> None:
    text = "exporters: {otlp: {endpoint: 'file:4317', headers: {a: b}, tls: {insecure: true}}}"

    exporter = load(
        text,
        {
            ENDPOINT: "http://collector:4318",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_HEADERS": "c=d",
            "OTEL_EXPORTER_OTLP_INSECURE": "false",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
        },
    ).exporter

    assert exporter is not None
    assert exporter.endpoint.host == "file"
    assert exporter.headers == (("a", "b"),)
    assert exporter.insecure
    assert exporter.gzip


def test_the_variables_for_traces_win_over_the_general_ones() -> None:
    exporter = load_config(
        None,
        {
            ENDPOINT: "http://general:4317",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "traces:4317",
            "OTEL_EXPORTER_OTLP_INSECURE": "false",
            "OTEL_EXPORTER_OTLP_TRACES_INSECURE": "TRUE",
        },
    ).exporter

    assert exporter is not None
    assert exporter.endpoint == Endpoint("traces", 4317)
    assert exporter.insecure


def test_an_empty_variable_is_not_set() -> None:
    assert load_config(None, {ENDPOINT: " "}).exporter is None


def test_an_endpoint_without_a_scheme_is_secure_unless_said_otherwise() -> None:
    exporter = load_config(None, {ENDPOINT: "collector:4317"}).exporter

    assert exporter is not None
    assert not exporter.insecure


@pytest.mark.parametrize(
    "environ",
    [
        {ENDPOINT: "http://collector:4318"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4319/v1/traces"},
        {ENDPOINT: "http://collector:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
        {ENDPOINT: "https://collector:4317", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
    ],
)
def test_an_endpoint_meant_for_http_is_refused_with_what_to_set(environ: dict[str, str]) -> None:
    message = refuse_environment(environ)

    assert message.startswith("environment: OTEL_EXPORTER_OTLP_")
    assert "Surefoot forwards by gRPC only; set OTEL_EXPORTER_OTLP_" in message
    assert "://collector:4317" in message


def test_port_4318_is_taken_where_grpc_is_asked_for() -> None:
    environ = {ENDPOINT: "http://collector:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}

    assert load_config(None, environ).exporter is not None


@pytest.mark.parametrize(
    "endpoint", ["http://localhost:4317", "http://127.0.0.1:4318", "http://[::1]:4318/v1/traces"]
)
def test_a_sidecars_shared_variables_that_point_at_us_are_refused(endpoint: str) -> None:
    message = refuse_environment(
        {ENDPOINT: endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
    )

    assert message.startswith(f"environment: {ENDPOINT}: ")
    assert "is our own listener" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("COMPRESSION", "zstd"),
        ("INSECURE", "yes"),
        ("TIMEOUT", "10"),
        ("TIMEOUT", "10s"),
        ("HEADERS", "abc"),
        ("HEADERS", "a=b%0A"),
        ("CERTIFICATE", "/ca.pem"),
        ("CLIENT_KEY", "/key.pem"),
    ],
)
def test_a_variable_that_cannot_be_honoured_is_named(key: str, text: str) -> None:
    name = f"OTEL_EXPORTER_OTLP_{key}"

    message = refuse_environment({ENDPOINT: "collector:4317", name: text})

    assert message.startswith(f"environment: {name}: ")
    assert "; " in message


@pytest.mark.parametrize("endpoint", ["http://collector", "collector", "://x"])
def test_an_endpoint_without_a_port_is_refused(endpoint: str) -> None:
    message = refuse_environment({ENDPOINT: endpoint})

    assert message.startswith(f"environment: {ENDPOINT}: ")


@pytest.mark.parametrize("host", ["127.1", "2130706433", "localhost.", "ip6-localhost"])
def test_our_own_listener_is_refused_under_any_name(host: str) -> None:
    line = refuse_environment({ENDPOINT: f"http://{host}:4317"})

    assert line.endswith(
        "is our own listener (receivers.otlp.protocols.grpc.endpoint); name the backend "
        "behind Surefoot, or unset the variable here: it is meant for the agent"
    )


def test_our_own_listener_in_a_file_blames_no_variable(load: Loader) -> None:
    (line,) = load.refuse("exporters: {otlp: {endpoint: localhost:4317}}")

    assert line == (
        "exporters.otlp.endpoint: localhost:4317 is our own listener "
        "(receivers.otlp.protocols.grpc.endpoint); name the backend behind Surefoot (line 1)"
    )


# Bounds.


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("timeout: 61m", "exporters.otlp.timeout: too large; write at most 1h"),
        (
            "retry_on_failure: {max_interval: 100000000h}",
            "exporters.otlp.retry_on_failure.max_interval: too large; write at most 1h",
        ),
        (
            "retry_on_failure: {initial_interval: 2h}",
            "exporters.otlp.retry_on_failure.initial_interval: too large; write at most 1h",
        ),
        (
            "retry_on_failure: {max_elapsed_time: 25h}",
            "exporters.otlp.retry_on_failure.max_elapsed_time: too large; write at most 24h",
        ),
        (f"timeout: {'9' * 5000}s", "exporters.otlp.timeout: '999"),
    ],
)
def test_no_duration_is_longer_than_makes_sense(load: Loader, keys: str, problem: str) -> None:
    (line,) = load.refuse(f"exporters: {{otlp: {{endpoint: 'jaeger:9', {keys}}}}}")

    assert line.startswith(problem), line


def test_the_window_may_span_a_week(load: Loader) -> None:
    text = "processors: {surefoot: {luck: {max_age: %s}}}"

    assert load(text % "168h").judging.luck.max_age_ns == 7 * 24 * 3600 * SECOND
    assert load.refuse(text % "169h") == [
        "processors.surefoot.luck.max_age: too large; write at most 168h (line 1)"
    ]


@pytest.mark.parametrize("text", ["9" * 5000, "3600001"])
def test_a_variable_has_the_same_bound(text: str) -> None:
    line = refuse_environment({ENDPOINT: "http://jaeger:9", "OTEL_EXPORTER_OTLP_TIMEOUT": text})

    assert "is no timeout in milliseconds that a request could meet; write 10000" in line


def test_keys_of_what_is_not_built_yet_are_named(load: Loader) -> None:
    """They are the design's, so they load; that they do nothing is said at start."""
    config = load(
        """
        exporters: {otlp: {endpoint: "a:1", sending_queue: {storage: ./state}}}
        processors: {surefoot: {storage: ./state}}
        """
    )

    assert config.not_built == (
        "exporters.otlp.sending_queue.storage",
        "processors.surefoot.storage",
    )


# Where a problem stands.


BROKEN = """\
receivers:
  otlp:
    protocolls:
      grpc: {}
exporters:
  otlp:
    headers:
      token: ${env:NOT_SET}
    timeout: never
"""


def test_each_problem_tells_the_line_of_its_key(load: Loader) -> None:
    lines = load.refuse(BROKEN)

    assert [line.rpartition(" (")[2] for line in lines] == ["line 8)", "line 3)", "line 9)"]


def test_what_makes_no_sense_tells_the_line_of_the_key_to_change(load: Loader) -> None:
    taken = """\
service:
  telemetry:
    metrics:
      address: 127.0.0.1:4318
exporters:
  otlp:
    endpoint: 127.0.0.1:4317
"""

    metrics, exporter = load.refuse(taken)

    assert metrics.startswith("service.telemetry.metrics.address: 127.0.0.1:4318 is taken by ")
    assert metrics.endswith(" (line 4)")
    assert exporter.startswith("exporters.otlp.endpoint: 127.0.0.1:4317 is our own listener ")
    assert exporter.endswith(" (line 7)")


def test_what_is_missing_tells_the_line_of_the_section_above(load: Loader) -> None:
    (line,) = load.refuse("service: {}\nexporters:\n  otlp:\n    compression: none\n")

    assert line.startswith("exporters.otlp.endpoint: missing; ")
    assert line.endswith(" (line 3)")
