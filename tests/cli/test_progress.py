"""A bar for a long read."""

import io

from rich.console import Console

from surefoot.cli.progress import PATIENCE_S, Reading, reading


def console(*, terminal: bool) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, force_terminal=terminal, width=80), file


def shown(times_s: list[float]) -> tuple[bool, str]:
    """What is shown of a read of 1,000 bytes a time."""
    out, file = console(terminal=True)
    at = iter([0.0, *times_s])
    bar = Reading(out, 5000, lambda: next(at))
    for _ in times_s:
        bar.advance(1000)
    bar.stop()
    return bar.is_shown, file.getvalue()


def test_a_short_read_shows_nothing() -> None:
    assert shown([0.1, 0.2, PATIENCE_S - 0.01]) == (False, "")


def test_a_long_read_shows_how_far_it_is() -> None:
    is_shown, text = shown([0.1, PATIENCE_S, PATIENCE_S])

    assert is_shown
    assert "reading" in text
    assert "3.0/5.0 kB" in text


def test_away_from_a_terminal_nothing_is_shown() -> None:
    out, file = console(terminal=False)
    with reading(out, None) as advance:
        advance(10)

    assert file.getvalue() == ""
