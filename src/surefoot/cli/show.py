"""Words and colours that a person reads on a terminal.

Owns how outcomes and severities look, and that no text out of telemetry can steer the
terminal: control characters are shown, not sent.
"""

from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.text import Text

#: By an outcome's or a severity's word. LUCKY stands out: it is what nobody else shows.
STYLES: Final = {
    "pass": "green",
    "lucky": "bold yellow",
    "violated": "bold red",
    "fail": "red",
    "inconclusive": "cyan",
    "unmatched": "dim",
    "hard": "red",
    "soft": "yellow",
    "warn": "magenta",
}
#: Wide enough for INCONCLUSIVE.
WORD_WIDTH: Final = 12


class _Console(Console):
    """A console that lets the program decide what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Leave it to the top of the program."""
        raise BrokenPipeError


def results() -> Console:
    """Where results go: stdout, unwrapped, in colours only on a terminal."""
    return _Console(soft_wrap=True, highlight=False, markup=False, emoji=False)


def asides() -> Console:
    """Where all else goes: stderr."""
    return _Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)


def word(text: str, *, width: int = WORD_WIDTH, upper: bool = False) -> Text:
    """An outcome or a severity in its colour, padded."""
    shown = text.upper() if upper else text
    return Text(shown.ljust(width), style=STYLES.get(text, ""))


def plain(text: str) -> str:
    """The text on one line, its control characters shown as escapes."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def undecided(checks: Iterable[tuple[str, str]]) -> str:
    """Checks that could not be decided and why, by reason: `root_missing: required, taint`."""
    reasons: dict[str, list[str]] = {}
    for check, reason in checks:
        reasons.setdefault(reason, []).append(check)
    return "; ".join(f"{reason}: {', '.join(named)}" for reason, named in reasons.items())


def luck_rate(lucky: int, green: int) -> str:
    """The Luck Rate with both its counts; without a green run there is none."""
    if not green:
        return "undefined (no green run)"
    percent = f"{100 * lucky / green:.1f}".removesuffix(".0")
    return f"{lucky}/{green} = {percent} %"
