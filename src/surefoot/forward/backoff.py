"""How long to wait before the next attempt.

Owns the growing, jittered wait and the budget. Takes the time in; waits for nothing.
"""

from collections.abc import Callable

from surefoot.forward.options import Retry

_S = 1_000_000_000  # ns
#: The longest wait, whoever asks for it: a backend that says a century means "go away",
#: and a request that waits so long holds room that others need.
LONGEST_S = 300.0


class Backoff:
    """The waits of one request, from its first attempt on."""

    def __init__(self, retry: Retry, began_ns: int, chance: Callable[[], float]) -> None:
        """`chance` gives a number from 0 up to 1."""
        self._retry = retry
        self._began_ns = began_ns
        self._chance = chance
        self._interval_s = min(retry.initial_s, retry.max_s)

    def next_s(self, now_ns: int, asked_s: float | None) -> float | None:
        """Seconds to wait, at least the `asked_s` of the backend; None: give up."""
        retry = self._retry
        if not retry.enabled:
            return None
        jitter = 1 + retry.randomization * (2 * self._chance() - 1)
        wait_s = min(max(self._interval_s * jitter, asked_s or 0.0), LONGEST_S)
        self._interval_s = min(self._interval_s * retry.multiplier, retry.max_s)
        spent_s = (now_ns - self._began_ns) / _S
        if retry.max_elapsed_s and spent_s + wait_s > retry.max_elapsed_s:
            return None
        return wait_s
