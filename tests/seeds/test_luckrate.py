"""luckrate's own tests of `check()` pass with Surefoot in its place.

They come from luckrate's source distribution, by pip, at test time, and run in a child
process whose `luckrate` is the package in `shim`. Slow, since that needs the network.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import surefoot

SHIM = Path(__file__).with_name("shim")
SOURCE = Path(surefoot.__file__).parents[1]
#: These tests are run as they were read once: another file of that name is refused.
PINNED = (
    "luckrate==0.3.0 --hash=sha256:03598dcf051c04b5677ff349197b57402837a74dc27683b7ef625ae731f790b7"
)
#: What of its tests concerns `check()`, and how many tests that is.
THEIRS = {
    "tests/test_check.py": 16,
    "tests/test_taint.py": 7,
    "tests/test_secrets.py": 7,
    "tests/test_regressions.py": 6,
    "tests/test_security.py::TestProvenanceIsBounded": 5,
    "tests/test_security.py::TestSecretScanStillCoversTheWholeTrajectory": 1,
}
#: How pip says that it reached nobody.
UNREACHED = ("connection broken", "ProxyError", "ReadTimeout", "timed out")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def luckrate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fetch and unpack luckrate's source distribution."""
    folder = tmp_path_factory.mktemp("luckrate")
    wanted = folder / "wanted.txt"
    wanted.write_text(PINNED, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1"]
    command += ["--no-binary", "luckrate", "--dest", str(folder), "--requirement", str(wanted)]
    fetched = subprocess.run(command, capture_output=True, text=True, check=False)
    if fetched.returncode and any(word in fetched.stderr for word in UNREACHED):
        pytest.skip("luckrate's tests are fetched by pip, which reached no package index")
    assert not fetched.returncode, fetched.stderr
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "luckrate-0.3.0"


def run(luckrate: Path, **environment: str) -> tuple[dict[str, int], str]:
    """Run luckrate's tests against Surefoot; what became of how many, and all that was said."""
    report = luckrate / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command += [f"--junitxml={report}", *THEIRS]
    path = os.pathsep.join([str(SHIM), str(SOURCE)])
    source = str(luckrate / "src" / "luckrate")
    child = subprocess.run(
        command,
        cwd=luckrate,
        env=os.environ | {"PYTHONPATH": path, "LUCKRATE_SOURCE": source} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), child.stdout + child.stderr
    (suite,) = ET.parse(report).iter("testsuite")  # noqa: S314 - pytest wrote it
    counts = {key: int(suite.attrib[key]) for key in ("tests", "failures", "errors", "skipped")}
    return counts, child.stdout


def test_they_pass(luckrate: Path) -> None:
    counts, said = run(luckrate)

    assert counts == {
        "tests": sum(THEIRS.values()),
        "failures": 0,
        "errors": 0,
        "skipped": 0,
    }, said


def test_they_fail_if_nothing_is_found(luckrate: Path) -> None:
    """The control: it is by Surefoot's findings that they pass.

    The other tests say what must not be found, or are of the adapters and the runner.
    """
    counts, said = run(luckrate, LUCKRATE_SABOTAGE="1")

    assert counts["tests"] == sum(THEIRS.values()), said
    assert counts["failures"] == 24, said
