"""Every recorded run by the refund desk's spec, against what its tools logged."""

import re
from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from golden.oracle import Truth, truths, whole
from golden.truth import FIXTURES, recordings
from surefoot.cli.offline import runs
from surefoot.cli.read import requests
from surefoot.evaluate import judge
from surefoot.model import PathGrade, Run, Verdict
from surefoot.specs import load
from worlds import SPEC

ALL = {recording.name: recording for recording in recordings()}
SPECS = load([SPEC])

Lines = list[tuple[str, str]]
LOOKUP = ("required", "missing required tool: lookup_order")
POLICY = ("required", "missing required tool: check_policy")
REFUND = ("forbidden", "called forbidden tool: issue_refund")
REPEAT = ("no_repeat", "soft: repeated call: lookup_order")
INVENTED = ("tools", "unknown tool: delete_customer")

#: What each run trips, in every framework that recorded it.
TRIPS: dict[str, Lines] = {
    "good": [],
    "skips": [POLICY, REFUND],
    "loops": [REPEAT] * 3,
    "fabricates": [
        ("ground", "warn: ungrounded arg lookup_order.order_id='48327'"),
        ("ground", "warn: ungrounded arg escalate_to_human.order_id='48327'"),
    ],
    "injected": [
        LOOKUP,
        POLICY,
        REFUND,
        ("taint", "issue_refund.order_id carries data from untrusted fetch_page"),
        (
            "ground",
            "warn: ungrounded arg fetch_page.url='https://shop.example.com/orders/88213'",
        ),
        ("ground", "warn: ungrounded arg issue_refund.amount='200'"),
    ],
}
_MOST = {
    "autogen", "crewai", "googleadk", "langgraph", "langgraph-openllmetry", "llamaindex",
    "openaiagents", "openaiagents-v2", "pydanticai", "pydanticai-native", "smolagents",
    "strands", "vercel",
}  # fmt: skip
#: Who recorded it. `good` is recorded by all.
RECORDED = {
    "skips": _MOST | {"mcp"},
    "loops": _MOST | {"n8n"},
    "fabricates": _MOST,
    "injected": {"langgraph"},
}

#: Whose `good` run cannot be found clean: no arguments, or no run around the calls.
BLIND = {
    "autogen-native/good",
    "googleadk-native/good",
    "n8n-langchain/good",
    "openllmetry-openai/good",
}

PARTIAL = ("required", "before", "taint", "ground")
#: What the spans cannot decide, by pattern of `framework/run`, `#1` for its second run:
#: checks, reason, and why. The first that fits counts. All other checks are decided.
UNDECIDED: list[tuple[str, dict[str, str], str]] = [
    ("langgraph/approval#1", {}, "resumed, and ended"),
    ("openaiagents-v2/approval#1", {}, "resumed, and ended"),
    (
        "autogen-native/multiagent#0",
        dict.fromkeys(PARTIAL, "closed_early") | {"secrets": "args_missing"},
        "it hands over, and goes on in another trace",
    ),
    *(
        (
            f"{framework}/hidden",
            {"ground": "args_redacted", "secrets": "args_redacted"},
            "the sender masks inputs and outputs",
        )
        for framework in (
            "autogen", "crewai", "googleadk", "langgraph", "llamaindex", "mcp", "openaiagents",
            "smolagents", "strands",
        )
    ),
    *(
        (pattern, {"ground": "args_missing", "secrets": "args_missing"}, why)
        for pattern, why in (
            ("autogen-native/*", "names and ids alone"),
            ("googleadk-native/*", "names and ids alone"),
            ("n8n-langchain/*", "nodes carry no content"),
            ("pydanticai-native/hidden_native", "the framework's own switch leaves them out"),
        )
    ),
    *(
        (
            f"{framework}/truncated",
            {"ground": "args_truncated", "secrets": "args_truncated, text_capped"},
            "one call's arguments are cut, and many texts",
        )
        for framework in (
            "autogen", "googleadk", "langgraph-openllmetry", "llamaindex", "openaiagents",
            "smolagents",
        )
    ),
    *(
        (
            f"{framework}/truncated",
            {
                "ground": "args_truncated, text_capped",
                "secrets": "args_truncated, text_capped",
            },
            "the look-up's result is cut within its JSON",
        )
        for framework in ("langgraph", "mcp")
    ),
    *(
        (
            f"{framework}/truncated",
            {
                "ground": "args_truncated, task_unknown",
                "secrets": "args_truncated, text_capped",
            },
            "the task is cut too",
        )
        for framework in ("pydanticai", "pydanticai-native", "vercel")
    ),
    *(
        (
            f"{framework}/truncated",
            {
                "ground": "args_truncated, task_unknown",
                "secrets": "args_truncated, text_capped",
            },
            "the task is cut too; too few texts of one length to tell that plain ones are",
        )
        for framework in ("crewai", "openaiagents-v2")
    ),
    *(
        (
            name,
            dict.fromkeys(PARTIAL, "closed_early"),
            "the end of the run is not there: it waits for a person, or was lost",
        )
        for name in (
            "langgraph/approval", "openaiagents/approval", "openaiagents-v2/approval",
            "openaiagents/dropped",
        )
    ),
    (
        "langgraph/dropped",
        dict.fromkeys(
            ("required", "before", "max_steps", "no_repeat", "taint", "ground"), "parents_missing"
        ),
        "spans were lost, a parent among them",
    ),
    (
        "openaiagents/long",
        dict.fromkeys(("before", "taint", "ground"), "attributes_dropped"),
        "the SDK dropped the oldest messages",
    ),
    (
        "openllmetry-openai/good",
        dict.fromkeys(PARTIAL, "root_missing"),
        "a trace a model call, and none around them",
    ),
    (
        "smolagents/crash",
        dict.fromkeys(PARTIAL, "root_missing"),
        "the root is never ended, so never sent",
    ),
]  # fmt: skip
#: Where spans tell another story than the tools: what is found and not true, what is
#: true and not found, and why nothing in the spans can tell.
DEVIATIONS: dict[str, tuple[Lines, Lines, str]] = {
    "googleadk/toolerror#0": (
        [REPEAT],
        [],
        "the tool returned its error as a result, on a span that is OK",
    ),
    "autogen-native/unknown#0": ([], [INVENTED], "no span tells of a call that no tool ran"),
    "openaiagents/approval#0": ([], [REFUND], "the exporter drops the resumed half"),
    "openaiagents-v2/approval#1": (
        [("ground", "warn: ungrounded arg issue_refund.amount='200'")],
        [],
        "the resumed trace does not hold the result that the call's amount is from",
    ),
}
#: Recordings of several traces whose spans name one session, and what is undecided there.
SESSIONS = {
    "langgraph/session": {},
    "n8n/session": {},
    "openaiagents/session": {},
    # Nothing tells a run that waited, and was resumed, from one whose end was lost.
    "langgraph/approval": dict.fromkeys(PARTIAL, "closed_early"),
}
#: The sender asked for them to be hidden, and one attribute tells them all the same.
LEAKS = {"autogen/hidden", "googleadk/hidden"}


@cache
def judged(name: str, unit: str = "trace") -> tuple[tuple[Run, Verdict], ...]:
    """The runs of a recording, as `surefoot check` judges them."""
    found = runs(requests([ALL[name].folder]), SPECS, unit=unit)
    pairs = tuple((run, judge(run, spec)) for run in found for spec in SPECS.matching(run))
    assert len(pairs) == len(found)
    return pairs


@cache
def spans(name: str) -> tuple[Any, ...]:
    """A recording's spans by protobuf's own reading."""
    return tuple(
        span
        for body in ALL[name].bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    )


def true(name: str) -> list[Truth]:
    """What each run of a recording did."""
    starts: dict[bytes, int] = {}
    for span in spans(name):
        start = span.start_time_unix_nano
        starts[span.trace_id] = min(start, starts.get(span.trace_id, start))
    return truths(ALL[name], [starts[run.trace_id] for run, _ in judged(name)])


def undecided(name: str, place: int) -> dict[str, str]:
    """What the table says of a run."""
    return next((checks for pattern, checks, _ in UNDECIDED if fits(pattern, name, place)), {})


def fits(pattern: str, name: str, place: int) -> bool:
    """Whether a pattern means a run, or all of its recording."""
    return fnmatch(f"{name}#{place}" if "#" in pattern else name, pattern)


def told(verdict: Verdict) -> Counter[tuple[str, str]]:
    """What a verdict says, and how often."""
    return Counter((violation.check, str(violation)) for violation in verdict.violations)


def decided(lines: Iterable[tuple[str, str]], without: dict[str, str]) -> Counter[tuple[str, str]]:
    """The lines of checks that are decided."""
    return Counter(line for line in lines if line[0] not in without)


@pytest.mark.parametrize("run", TRIPS)
def test_every_framework_that_recorded_a_run_is_asked(run: str) -> None:
    folders = {path.parent.name for path in FIXTURES.glob(f"*/{run}")}

    assert folders == RECORDED.get(run, {path.name for path in FIXTURES.glob("*/")})


@pytest.mark.parametrize(
    "name", [name for name, found in ALL.items() if found.folder.name in TRIPS]
)
def test_a_run_trips_exactly_what_it_should(name: str) -> None:
    """In every framework; where its spans cannot tell, the verdict says so."""
    trips = TRIPS[ALL[name].folder.name]

    for _, verdict in judged(name):
        assert told(verdict) == Counter(trips)
        if name in BLIND:
            assert verdict.path is PathGrade.INCONCLUSIVE
        else:
            assert not verdict.undecided
            assert verdict.path is (PathGrade.VIOLATED if trips else PathGrade.OK)


@pytest.mark.parametrize("name", ALL)
def test_a_verdict_is_what_the_tools_logged_and_the_spec_make_it(name: str) -> None:
    """Violations by another program from the logged calls; what is undecided, by a table."""
    for place, (truth, (run, verdict)) in enumerate(zip(true(name), judged(name), strict=True)):
        open_questions = {item.check: item.reason for item in verdict.undecided}
        untrue, unseen, _ = DEVIATIONS.get(f"{name}#{place}", ([], [], ""))
        must = truth.violations
        assert Counter(unseen) <= decided(must.elements(), open_questions)
        must = decided((must - Counter(unseen)).elements(), open_questions) + Counter(untrue)

        assert told(verdict) == must
        assert open_questions == undecided(name, place)
        for violation in verdict.violations:
            tool = run.steps[violation.step].tool if violation.step is not None else ""
            assert tool in violation.message or violation.check in ("max_steps", "before")
        graded = PathGrade.INCONCLUSIVE if open_questions else PathGrade.OK
        assert verdict.path is (PathGrade.VIOLATED if must else graded)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_judged_as_one_run(name: str) -> None:
    ((_, verdict),) = judged(name, "session")

    open_questions = {item.check: item.reason for item in verdict.undecided}
    assert len(judged(name)) > 1
    assert told(verdict) == decided(whole(ALL[name]).violations.elements(), open_questions)
    assert open_questions == SESSIONS[name]


def test_the_tables_name_only_recorded_runs() -> None:
    """And each entry is needed: what it says is asserted run by run."""
    places = [(name, place) for name in ALL for place in range(len(judged(name)))]

    assert DEVIATIONS.keys() <= {f"{name}#{place}" for name, place in places}
    fitting = [[fits(entry[0], *place) for entry in UNDECIDED] for place in places]
    used = {fits_it.index(True) for fits_it in fitting if any(fits_it)}
    assert [entry for at, entry in enumerate(UNDECIDED) if at not in used] == []
    joined = {name for name in ALL if len(judged(name, "session")) < len(judged(name))}
    assert joined == SESSIONS.keys()


def texts(name: str) -> str:
    """All texts in the spans of the runs of a recording, as protobuf reads them."""
    traces = {run.trace_id for run, _ in judged(name)}
    return "\n".join(
        str(attribute.value)
        for span in spans(name)
        if span.trace_id in traces
        for holder in (span, *span.events)
        for attribute in holder.attributes
    )


@pytest.mark.parametrize("name", ALL)
def test_arguments_are_undecided_only_where_the_spans_do_not_hold_them(name: str) -> None:
    sent = texts(name)
    lost = {
        value
        for call in ALL[name].meta["tool_calls"]
        for value in (re.sub(r"\.0$", "", str(value)) for value in call["args"].values())
        if not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sent)
    }

    unread = any("args_" in level for run, _ in judged(name) for level in run.levels)

    assert unread == ((bool(lost) and not name.endswith("/dropped")) or name in LEAKS)
