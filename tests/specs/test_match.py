from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run
from surefoot.model import Resource
from surefoot.specs import Spec, SpecSet

RUN = a_run(
    a_call("lookup", agent="desk_1"),
    attributes={"env": "prod", "tags": ("a", "b"), "beta": True, "n": 5},
    service="refund-api",
    agent="triage",
    resource=Resource("refund-api", {"deployment.environment": "eu", "env": "resource"}),
)


def a_set(*specs: dict[str, Any]) -> SpecSet:
    return SpecSet.of(Spec.model_validate({"name": str(i)} | keys) for i, keys in enumerate(specs))


def matches(**match: Any) -> bool:
    return bool(a_set({"match": match}).matching(RUN))


@pytest.mark.parametrize(
    "match",
    [
        {},
        {"service": "refund-*"},
        {"service": ["x", "refund-api"]},
        {"agent": "triage"},
        {"agent": "desk_?"},
        {"attributes": {"env": "prod"}},
        {"attributes": {"env": "res*"}},
        {"attributes": {"deployment.environment": ["us", "eu"]}},
        {"attributes": {"tags": "b"}},
        {"attributes": {"beta": True, "n": 5}},
        {"attributes": {"beta": "true", "n": "5"}},
        {"service": "*", "agent": "*", "attributes": {"env": "*"}},
    ],
)
def test_a_spec_meets_a_run_if_all_that_it_asks_holds(match: dict[str, Any]) -> None:
    assert matches(**match)


@pytest.mark.parametrize(
    "match",
    [
        {"service": "Refund-*"},
        {"service": "refund"},
        {"agent": "desk"},
        {"attributes": {"env": "dev"}},
        {"attributes": {"absent": "*"}},
        {"attributes": {"beta": False}},
        {"service": "refund-*", "agent": "other"},
        {"service": "refund-*", "attributes": {"env": "prod", "absent": "x"}},
    ],
)
def test_it_does_not_if_anything_does_not_hold(match: dict[str, Any]) -> None:
    assert not matches(**match)


def test_specs_judge_in_the_order_of_loading() -> None:
    specs = a_set({}, {"match": {"agent": "x"}}, {"match": {"agent": "triage"}})

    assert [spec.name for spec in specs.matching(RUN)] == ["0", "2"]


def test_the_largest_timers_of_a_service_hold() -> None:
    specs = a_set(
        {"settle": "10s", "match": {"service": "refund-*", "agent": "x"}},
        {"settle": "20s", "idle_timeout": "5m"},
        {"settle": "1h", "root": "agent", "match": {"service": "other"}},
    )

    timers = specs.timers("refund-api")

    assert (timers.settle_ns, timers.idle_timeout_ns) == (20 * 10**9, 300 * 10**9)
    assert (timers.max_age_ns, timers.root_agent) == (None, False)
    assert specs.timers("other").root_agent


def test_specs_tell_which_attributes_they_read() -> None:
    specs = a_set(
        {"match": {"attributes": {"env": "prod"}}, "output_ok": [{"attribute": "app.ok"}]},
        {},
    )

    assert specs.wanted_keys() == {"env", "app.ok", "surefoot.output_ok"}
    assert specs.wanted().keys >= specs.wanted_keys()


def test_the_hash_tells_what_a_spec_says_and_not_how() -> None:
    written, spelled = (
        a_set({"match": {"service": "a"}, "settle": "60s"}),
        a_set({"match": {"service": ["a"]}, "settle": "1m", "ground": True}),
    )
    other = a_set({"match": {"service": "b"}, "settle": "60s"})

    assert written.hash == spelled.hash
    assert written.specs[0].hash == spelled.specs[0].hash
    assert written.hash != other.hash
    assert len(written.specs[0].hash) == 16
    assert int(written.hash, 16) >= 0


@given(st.permutations(range(4)))
def test_the_hash_of_a_set_does_not_depend_on_its_order(order: list[int]) -> None:
    specs = [Spec.model_validate({"name": str(i), "max_steps": i}) for i in range(4)]

    assert SpecSet.of(specs[i] for i in order).hash == SpecSet.of(specs).hash


def test_a_run_without_steps_is_met_by_its_own_agent() -> None:
    run = replace(RUN, steps=[], evidence=[])

    assert a_set({"match": {"agent": "triage"}}).matching(run)
