"""The benchmark runs, and prints its table. No time is asserted."""

import pytest

from bench import security
from bench.bench import table


@pytest.mark.bench
def test_the_benchmark_prints_its_table() -> None:
    lines = list(table(seconds=1, rounds=1))

    print("\n".join(lines))  # noqa: T201 - the figures are what it is for
    assert sum(line.count("surefoot run") for line in lines) == 2
    assert any(line.startswith("| as recorded | ") for line in lines)
    assert any(line.startswith("| assemble | ") for line in lines)


@pytest.mark.bench
def test_the_security_checks_are_set_beside_luckrates() -> None:
    lines = list(security.table(steps=50, rounds=1))

    print("\n".join(lines))  # noqa: T201 - the figures are what it is for
    told = {line.split(" | ")[0].removeprefix("| ") for line in lines}
    assert told >= {*security.KINDS, *security.CRAFTED, *security.PATTERNS}
