"""The process: parts built and joined, started and stopped in order.

    server   builds the parts, starts them downstream first, stops them upstream first
    worker   the judge's thread
    inforce  the set of specs that counts now
    reload   the thread that takes over what spec files say
    health   /healthz, /readyz, /metrics
    memory   what the kernel says we take

`run` is the server until a signal; `started` is the server for as long as a block lasts.
"""

from surefoot.service.server import Server, run, started

__all__ = ["Server", "run", "started"]
