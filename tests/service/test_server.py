"""The server in this process."""

import threading
from dataclasses import replace

from surefoot.config import Endpoint, Grpc, load_config
from surefoot.service import started
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
