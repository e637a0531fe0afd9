"""Agents for tests."""

from collections.abc import Iterator

import pytest

from inprocess.agents import Agent


@pytest.fixture
def agent() -> Iterator[Agent]:
    made = Agent()
    yield made
    made.provider.shutdown()
