"""Pipelines for tests."""

from collections.abc import Callable

import pytest

from surefoot.specs import SpecSet, load
from worlds import SPEC, World


@pytest.fixture(scope="session")
def specs() -> SpecSet:
    return load([SPEC])


@pytest.fixture
def make_world(specs: SpecSet) -> Callable[..., World]:
    """Make a pipeline that judges by the example spec."""
    return lambda limits=None, **others: World(specs, limits, **others)


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    return make_world()
