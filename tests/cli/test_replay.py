"""The recordings that come with the package."""

from pathlib import Path

import pytest
import yaml

from cli.otlp_files import FIXTURES, recorded
from surefoot.cli.inbox import Sink
from surefoot.cli.replay import FOLDER, SPEC, recordings, send
from surefoot.errors import InputError


def test_there_are_a_dozen_recordings_and_more_of_several_frameworks() -> None:
    found = recordings()

    assert len(found) >= 12
    assert len({one.framework for one in found}) >= 6
    assert {one.run for one in found} >= {"good", "skips", "loops", "fabricates", "crash"}
    assert any((one.framework, one.run) == ("langgraph", "injected") for one in found)
    assert all(one.traces for one in found)


def test_every_run_is_told_of() -> None:
    about = yaml.safe_load((FOLDER / "about.yaml").read_text("utf-8"))

    assert set(about["runs"]) == {one.run for one in recordings()}


def test_the_recordings_are_those_of_proto_fixtures() -> None:
    for one in recordings():
        assert list(one.requests) == recorded(one.framework, one.run)


def test_requests_are_sent_as_recorded() -> None:
    taken: list[bytes] = []
    one = recordings()[0]
    with Sink(taken.append) as sink:
        send(one, f"127.0.0.1:{sink.port}")

    assert taken == list(one.requests)


def test_a_refusal_is_told(tmp_path: Path) -> None:
    def refuse(_body: bytes) -> None:
        raise RuntimeError(tmp_path)

    with Sink(refuse) as sink, pytest.raises(InputError, match="did not take a recording"):
        send(recordings()[0], f"127.0.0.1:{sink.port}")


def test_the_demo_judges_by_the_example() -> None:
    example = FIXTURES.parent / "examples" / SPEC.name

    assert SPEC.read_text("utf-8") == example.read_text("utf-8")
