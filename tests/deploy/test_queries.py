"""What the dashboard's bars count, on series that are made up, by Prometheus' own test runner."""

import subprocess
from pathlib import Path

import pytest
import yaml

from cache import needed
from dashboards import ALL, filled, queries

VERDICTS = 'surefoot_verdicts_total{service="desk",agent="refunds",spec="s",outcome="lucky"}'
PANEL = "Verdicts by outcome"


def answers(values: str, *expected: float | None, expr: str | None = None) -> str:
    """A test for promtool: the bars of one counter, one a minute.

    values: the counter's samples in promtool's words (`_` is none, `stale` is a failed scrape).
    expected: each minute's bar; None is no bar.
    """
    [bars] = [one.expr for one in queries() if (one.panel, one.legend) == (PANEL, "lucky")]
    query = filled(expr or bars.replace("$__interval", "1m"), ALL)
    cases = [
        {
            "expr": query,
            "eval_time": f"{minute}m",
            "exp_samples": [] if bar is None else [{"labels": "{}", "value": bar}],
        }
        for minute, bar in enumerate(expected)
    ]
    series = [{"series": VERDICTS, "values": values}]
    test = {"interval": "1m", "input_series": series, "promql_expr_test": cases}
    return yaml.safe_dump({"evaluation_interval": "1m", "tests": [test]})


def wrong(text: str, folder: Path) -> str:
    """What promtool finds wrong with a test; empty if nothing is."""
    file = folder / "test.yaml"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [needed("promtool"), "test", "rules", str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) == ("SUCCESS" in done.stdout), done.stderr
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "bars"),
    [
        pytest.param("_ 1 1 3", [None, 1, 0, 2], id="its first event counts"),
        pytest.param("4 6 1 2", [4, 2, 1, 1], id="after a restart it counts from 0"),
        pytest.param("4 stale 5", [4, None, 1], id="a failed scrape doubles nothing"),
        pytest.param(
            "1 stale" + " _" * 5 + " 1", [1] + [None] * 6 + [1], id="it may end and begin again"
        ),
    ],
)
def test_a_bar_is_what_was_counted_in_its_step(
    values: str, bars: list[float | None], tmp_path: Path
) -> None:
    assert wrong(answers(values, *bars), tmp_path) == ""


@pytest.mark.slow
def test_increase_would_miss_the_first_event(tmp_path: Path) -> None:
    increase = "sum (increase(surefoot_verdicts_total[3m]))"

    assert wrong(answers("_ 1 1 1", None, None, 0, 0, expr=increase), tmp_path) == ""


@pytest.mark.slow
def test_another_count_would_be_noticed(tmp_path: Path) -> None:
    assert "exp:" in wrong(answers("_ 1", None, 2), tmp_path)
