"""A recording backend, and the Surefoot of the README before it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from promised import Page, as_written
from sinks import Sink


@pytest.fixture
def sink() -> Iterator[Sink]:
    with Sink() as backend:
        yield backend


@pytest.fixture
def page(tmp_path: Path, sink: Sink) -> Iterator[Page]:
    with as_written(tmp_path, sink.endpoint) as running:
        yield running
