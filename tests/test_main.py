"""The program's first moments, and what an import must leave alone."""

import subprocess
import sys

import pytest

FIRST = ("unshare", "--user", "--map-root-user", "--pid", "--fork")
LEFT_ALONE = """
import os, signal, sys
own = signal.SIG_DFL if len(sys.argv) < 2 else lambda *_: None
signal.signal(signal.SIGTERM, own)
import surefoot.testing, surefoot.cli, surefoot.__main__
print(os.getpid() == 1, signal.getsignal(signal.SIGTERM) == own, "GRPC_VERBOSITY" in os.environ)
"""
IN_A_THREAD = """
import threading
def load():
    import surefoot.testing
    print("loaded")
one = threading.Thread(target=load)
one.start()
one.join()
"""
HANDLED = """
import signal, sys
from surefoot.__main__ import end_when_asked
if sys.argv[1] == "handled":
    signal.signal(signal.SIGTERM, lambda *_: None)
if sys.argv[1] == "ignored":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
before = signal.getsignal(signal.SIGTERM)
end_when_asked(sys.argv[2:])
if signal.getsignal(signal.SIGTERM) == before:
    print("left alone")
else:
    signal.raise_signal(signal.SIGTERM)
"""


def python(*arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, *arguments], capture_output=True, text=True, check=False,
        timeout=60, env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip


def as_the_first(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a namespace of its own, as a container's first process."""
    try:
        able = subprocess.run([*FIRST, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        pytest.skip("no namespaces here")
    return python(*arguments, before=FIRST)


@pytest.mark.parametrize("own", [(), ("own",)])
def test_an_import_changes_neither_the_first_process_nor_its_environment(
    own: tuple[str, ...],
) -> None:
    """That is the agent's or pytest's own, of which we are a part."""
    done = as_the_first("-c", LEFT_ALONE, *own)

    assert (done.stderr, done.stdout) == ("", "True True False\n")


def test_the_first_process_may_import_us_in_a_thread() -> None:
    assert as_the_first("-c", IN_A_THREAD).stdout == "loaded\n"


@pytest.mark.parametrize(
    ("arguments", "code"), [(["run", "-c", "x"], 0), (["check"], 143), ([], 143)]
)
def test_the_program_as_the_first_process_ends_when_asked_from_the_start(
    arguments: list[str], code: int
) -> None:
    done = as_the_first("-c", HANDLED, "bare", *arguments)

    assert (done.stderr, done.stdout, done.returncode) == ("", "", code)


@pytest.mark.parametrize("state", ["handled", "ignored"])
def test_a_signal_that_somebody_saw_to_is_left_to_them(state: str) -> None:
    assert as_the_first("-c", HANDLED, state, "run").stdout == "left alone\n"


def test_another_process_than_the_first_is_left_to_the_system() -> None:
    assert python("-c", HANDLED, "bare", "run").stdout == "left alone\n"


def test_the_program_is_the_command_line() -> None:
    done = python("-m", "surefoot", "--version")

    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith("surefoot ")
