"""What `import surefoot` gives, and what it costs."""

import subprocess
import sys

import pytest

import surefoot


def test_the_public_names_are_these() -> None:
    assert sorted(surefoot.__all__) == [
        "SpanProcessor",
        "Spec",
        "Step",
        "Violation",
        "check",
    ]
    assert all(hasattr(surefoot, name) for name in surefoot.__all__)


def test_a_step_has_exactly_six_fields() -> None:
    step = surefoot.Step("lookup")

    assert {name: getattr(step, name) for name in step.__slots__} == {
        "tool": "lookup",
        "args": {},
        "ok": True,
        "result": "",
        "t": 0.0,
        "agent": "main",
    }


def test_a_line_of_a_violation_says_how_much_it_weighs() -> None:
    steps = [surefoot.Step("refund", {"id": "88213"})] * 2

    assert [
        str(one) for one in surefoot.check(steps, {"forbidden": ["refund"], "max_steps": 1})
    ] == [
        "called forbidden tool: refund",
        "soft: 2 steps > max 1",
        *["warn: ungrounded arg refund.id='88213'"] * 2,
    ]


def test_the_judge_alone_needs_no_server_and_no_wire() -> None:
    code = (
        "import sys, surefoot; surefoot.check([], {});"
        "print(*{'grpc', 'google.protobuf', 'opentelemetry', 'starlette'} & set(sys.modules))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert loaded.split() == []


def test_a_public_name_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys, surefoot; print('pydantic' in sys.modules);"
        "from surefoot import Spec; print('pydantic' in sys.modules)"
    )

    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert told.split() == ["False", "True"]


def test_another_name_is_none() -> None:
    with pytest.raises(AttributeError, match="module 'surefoot' has no attribute 'spec'"):
        _ = surefoot.spec  # type: ignore[attr-defined]
