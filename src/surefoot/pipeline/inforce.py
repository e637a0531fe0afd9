"""The set of specs in force, and what a set asks of the parts before judging.

Owns what is derived from a set (timers by service, the door's keys) and made anew with
each. Any thread reads; one at a time says `use`. Each reader sees the old or the new.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from surefoot.assemble import reduce
from surefoot.buffer import Timers
from surefoot.config import Config
from surefoot.receive.decode import Decoded, Decoder
from surefoot.specs import SpecSet

#: Services whose timers are kept.
_SERVICES = 1_000


class InForce:
    """The set of specs that counts now.

    A trace that is open when another set comes keeps the timers that it has, unless a
    span of another service raises them. Spans that are held by then were read with the old
    set's keys: what only the new one asks for is not in them.
    """

    def __init__(self, specs: SpecSet, config: Config, instance_id: str) -> None:
        self.specs = specs
        self._usual = usual_timers(config)
        self._text_limit = config.judging.text_limit.each_bytes
        self._instance_id = instance_id
        self._timers = timers_for(self._usual, specs)
        self._looks_at = lru_cache(_SERVICES)(specs.looks_at)
        self._decoder = self._decoder_for(specs)

    def use(self, specs: SpecSet) -> None:
        """Put `specs` in force."""
        if specs.wanted() != self.specs.wanted():  # a new decoder remembers nothing yet
            self._decoder = self._decoder_for(specs)
        self._timers = timers_for(self._usual, specs)
        self._looks_at = lru_cache(_SERVICES)(specs.looks_at)
        self.specs = specs

    def decode(self, body: bytes) -> Decoded:
        """A request's spans, with the attributes that the set asks for.

        Raises:
            DecodeError: The bytes are no request.
        """
        return self._decoder(body)

    def timers(self, service: str) -> Timers:
        """How long a trace with spans of `service` is waited for."""
        return self._timers(service)

    def looks_at(self, service: str) -> bool:
        """Whether open traces with spans of `service` are looked at for early violations."""
        return self._looks_at(service)

    def _decoder_for(self, specs: SpecSet) -> Decoder:
        return Decoder(specs.wanted(), reduce, self._text_limit, self._instance_id)


def usual_timers(config: Config) -> Timers:
    """The configured ones. A session's trace waits `idle_timeout`, whole or not."""
    usual = config.timers
    if config.judging.unit != "session":
        return usual
    return replace(usual, settle_ns=max(usual.settle_ns, usual.idle_ns))


def timers_for(usual: Timers, specs: SpecSet) -> Callable[[str], Timers]:
    """The configured timers, raised by the specs whose service glob fits.

    Kept for the services met last: it is asked for at each trace, and globs take 6 us a spec.
    """

    @lru_cache(_SERVICES)
    def longest(service: str) -> Timers:
        asked = specs.timers(service)
        return usual.longest(
            Timers(
                asked.settle_ns or 0,
                asked.idle_timeout_ns or 0,
                asked.max_age_ns or 0,
                asked.root_agent,
            )
        )

    return longest
