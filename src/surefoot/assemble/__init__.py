"""The spans of a trace to the agent's steps."""

from surefoot.assemble.dialects import WANTED
from surefoot.assemble.door import reduce
from surefoot.assemble.join import join
from surefoot.assemble.runs import assemble

__all__ = ["WANTED", "assemble", "join", "reduce"]
