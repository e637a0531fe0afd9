"""The example's suite as its reader runs it: from the built wheel, in a fresh environment.

Slow, and only where pip reaches a package index.
"""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readmes import blocks, unmarked

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pytest"
BLOCKS = blocks(EXAMPLE / "README.md")
#: How pip says that it reached nobody.
UNREACHED = ("connection broken", "ProxyError", "ReadTimeout", "timed out")


def run(*words: object, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd, capture_output=True, text=True, check=False, timeout=400,
    )  # fmt: skip


def pip(*words: object, cwd: Path, python: object = sys.executable) -> None:
    """Run pip, or skip where there is no index to install from."""
    done = run(python, "-m", "pip", "--disable-pip-version-check", *words, cwd=cwd)
    if done.returncode and any(word in done.stderr for word in UNREACHED):
        pytest.skip(f"pip reached no package index: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The Python of an environment that holds the wheel, pytest and what they need."""
    folder = tmp_path_factory.mktemp("fresh")
    tree = folder / "tree"  # as it is built, nothing is left behind in the sources
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        tree.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__"))
    pip("wheel", "--no-deps", "--wheel-dir", "dist", tree, cwd=folder)
    assert run(sys.executable, "-m", "venv", "venv", cwd=folder).returncode == 0
    own = folder / "venv" / "bin" / "python"
    (wheel,) = (folder / "dist").glob("surefoot-*.whl")
    pip("install", wheel, "pytest", cwd=folder, python=own)
    yield own
    shutil.rmtree(folder / "venv")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return shutil.copytree(
        EXAMPLE, tmp_path / "suite", ignore=shutil.ignore_patterns("__pycache__", ".*")
    )


def test_what_its_readme_installs_is_what_is_installed_here() -> None:
    make, install = BLOCKS["command", "install"].strip().split(" && ")

    assert make == "python3 -m venv .venv"
    assert install == ".venv/bin/pip install -q ../.. pytest"
    assert unmarked(EXAMPLE / "README.md") == 0
    assert set(BLOCKS) == {("command", "install"), ("command", "run")}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_one_test_passes_and_one_fails_as_expected(python: Path, suite: Path) -> None:
    """And pytest says what the example's README says that it does."""
    pytest_there, *options = shlex.split(BLOCKS["command", "run"])
    assert pytest_there == ".venv/bin/pytest"
    done = run(python, "-m", "pytest", *options, "-p", "no:cacheprovider", cwd=suite)

    assert done.returncode == 0, done.stdout
    assert shown("1 passed, 1 xfailed") <= set(lines(done.stdout))
    assert "plugins: surefoot-" in done.stdout


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_failure_is_the_text_of_the_command(python: Path, suite: Path) -> None:
    done = run(python, "-m", "pytest", "--runxfail", "-p", "no:cacheprovider", cwd=suite)

    assert done.returncode == 1
    assert shown("E       gate: ") <= set(lines(done.stdout))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_other_suites_there_load_nothing_of_it(python: Path, tmp_path: Path) -> None:
    """The plugin itself is loaded for every suite; what it needs, for those that use it."""
    (tmp_path / "test_other.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    assert 'surefoot.pytest_plugin' in sys.modules\n"
        "    assert {'pydantic', 'grpc', 'opentelemetry', 'rich'}.isdisjoint(sys.modules)\n",
        encoding="utf-8",
    )

    done = run(python, "-m", "pytest", "-p", "no:cacheprovider", cwd=tmp_path)

    assert done.returncode == 0, done.stdout


def lines(output: str) -> list[str]:
    """Output as the README has it: without a trace's id, a line's padding, a summary's frame."""
    plain = re.sub(r"\b[0-9a-f]{32}\b", "<trace>", output)
    return [
        re.sub(r"^=+ | in [0-9.]+s =+$|\s+\[100%\]$", "", line).rstrip()
        for line in plain.splitlines()
    ]


def shown(holds: str) -> set[str]:
    """The lines of the README's block of output that holds this text."""
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n)+", text, flags=re.MULTILINE)
    (block,) = (block for block in blocks if holds in block)
    return {line.removeprefix("    ") for line in block.splitlines()}
