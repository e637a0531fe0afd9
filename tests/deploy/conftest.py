"""The engine, and the image of this tree in it: made once for all tests that run it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from containers import Podman, build, engine


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    with engine() as started:
        build(started, "--build-arg=REVISION=abc", "--build-arg=CREATED=2026-01-01T00:00:00Z")
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One that a container's user may read."""
    tmp_path.chmod(0o755)
    return tmp_path
