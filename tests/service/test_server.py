"""The server in this process."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

from emit.readings import values_of
from surefoot.config import Endpoint, Grpc, load_config
from surefoot.service import Server, started
from surefoot.specs import SpecSet
from worlds import SPEC


def test_no_thread_of_ours_outlives_the_server() -> None:
    """The one that watches the specs among them."""
    grpc = Grpc(endpoint=Endpoint("127.0.0.1", 0))
    config = replace(load_config(None, {}), grpc=grpc, http=None)
    with started(config, [SPEC]):
        during = {thread.name for thread in threading.enumerate()}
    after = {thread.name for thread in threading.enumerate()}

    assert {"judge", "specs"} <= during
    assert not {"judge", "specs"} & after


class Meeting(dict[Any, Any]):
    """A table in which whoever looks first waits a moment for another who does."""

    def __init__(self) -> None:
        super().__init__()
        self._meet = threading.Barrier(2)

    def get(self, key: Any, default: Any = None) -> Any:
        """See `dict`."""
        found = super().get(key, default)
        with suppress(threading.BrokenBarrierError):
            self._meet.wait(0.2)
        return found


def test_a_scrape_during_an_export_counts_nothing_twice() -> None:
    """Each of them carries over what was counted since the last one."""
    server = Server(load_config(None, {}), SpecSet(()))
    line = server._line
    line.shared.buffer.counts.received = line.shared.buffer.counts.judged = 3
    line._ledger._told = Meeting()
    with ThreadPoolExecutor(2) as pool:
        readings = [pool.submit(server._read_metrics) for _ in range(2)]

    for reading in readings:
        assert values_of(reading.result(), "surefoot.spans.received") == {(): 3}
