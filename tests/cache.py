"""What slow tests install or build: once a machine, in a cache outside the repository.

The cache is `$SUREFOOT_CACHE`, else `surefoot` in the user's cache folder. What a name and
a key made is used again until the key changes. Where a package index cannot be reached the
test is skipped with the reason; anything else that goes wrong fails it.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

#: How package clients say that they reached nobody.
UNREACHED = (
    "connection broken", "ProxyError", "ReadTimeout", "timed out", "ENOTFOUND", "EAI_AGAIN",
    "ECONNREFUSED", "ETIMEDOUT", "no such host", "connection refused", "i/o timeout",
)  # fmt: skip
PATIENCE_S = 900


def folder() -> Path:
    """Where the cache is."""
    named = os.environ.get("SUREFOOT_CACHE")
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(usual) / "surefoot"


def kept(name: str, key: str, make: Callable[[Path], None]) -> Path:
    """The folder that `make` filled for this name and key, now or in an earlier run.

    What an older key made is removed. Runs beside this one wait.
    """
    top = folder()
    top.mkdir(parents=True, exist_ok=True)
    place = top / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    done = place / ".done"
    with (top / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            for old in top.glob(f"{name}-????????????"):
                shutil.rmtree(old)
            place.mkdir()
            make(place)
            done.touch()
    return place


def install(*words: object, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a package client or a compiler; its output. Skips where it reached no index."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=None if env is None else {**os.environ, **env},
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    said = done.stdout + done.stderr
    if done.returncode and any(word in said for word in UNREACHED):
        pytest.skip(f"{words[0]} reached no package index: {said.strip().splitlines()[-1]}")
    assert done.returncode == 0, said
    return said


def needed(program: str) -> str:
    """The path of a program; skips the test where it is not installed."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def python_env(name: str, requirements: str) -> Path:
    """The Python of an environment that holds these requirements (a requirements.txt's text)."""

    def make(place: Path) -> None:
        (place / "requirements.txt").write_text(requirements, encoding="utf-8")
        install(sys.executable, "-m", "venv", place / "venv", cwd=place)
        python = place / "venv" / "bin" / "python"
        install(python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                "-r", "requirements.txt", cwd=place)  # fmt: skip

    key = f"{sys.version_info[:2]} {requirements}"
    return kept(name, key, make) / "venv" / "bin" / "python"


def node_env(name: str, package_json: str) -> Path:
    """A folder whose `node_modules` hold what this package.json asks for."""
    npm = needed("npm")

    def make(place: Path) -> None:
        (place / "package.json").write_text(package_json, encoding="utf-8")
        install(npm, "install", "--no-audit", "--no-fund", "--no-package-lock", cwd=place)

    return kept(name, package_json, make)
