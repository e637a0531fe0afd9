"""Join the stages: requests in, verdicts out. The only package that knows them all.

    Intake   decode ─> is there room? ─> forward queue ─> buffer     (receiving threads)
    Judge    buffer ─due─> assemble ─> match ─> judge ─> plan
    Outgoing plans ─> encode, many a request ─> verdict queue
    Ledger   what the buffer counted ─> our metrics
    Pipeline all of these, joined

Opens no socket, starts no thread and handles no signal: the service does, and calls in.
One lock guards the buffer. It is held for adding a request's spans and for taking out a
trace; decoding and judging run outside it. One thread judges, so the verdicts of one
trace leave in order.
"""

from surefoot.pipeline.intake import Intake, Pressure
from surefoot.pipeline.joined import Pipeline
from surefoot.pipeline.judging import Judge
from surefoot.pipeline.ledger import Ledger
from surefoot.pipeline.outgoing import Outgoing
from surefoot.pipeline.shared import Judgement, Outlet, SharedBuffer, SharedLuck

__all__ = [
    "Intake",
    "Judge",
    "Judgement",
    "Ledger",
    "Outgoing",
    "Outlet",
    "Pipeline",
    "Pressure",
    "SharedBuffer",
    "SharedLuck",
]
