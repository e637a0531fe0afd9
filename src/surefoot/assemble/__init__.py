"""The spans of a trace to the agent's steps.

**Theory.** Each span passes the door once (`reduce`): its dialect says what it is, and
what judging has no use for goes, so that an open trace stays small. When the trace is
closed, `assemble` builds the forest (`tree`), reads the calls that tools' spans tell of
and the requests in models' outputs (`calls`), folds what several spans tell of one call
(`merge`), pairs requests with calls (`match`), judges what is left over (`leftover`), and
names agents, task, words, answer, flaw and evidence (`agents`, `told`, `outcome`,
`levels`). What others said of the output travels beside (`grades`). What a framework does
otherwise stands in its file under `dialects`; nothing else knows a framework.

**Why.** A span's own word is often wrong: a status OK on failure, an agent that is a tool,
arguments that are a schema, one call in four spans, a call in none. So nothing is taken
from one attribute that a second source contradicts, and what no source tells is named as
evidence instead of guessed. Reading every convention's keys in one order of trust, with a
framework's file for its exceptions alone, was taken over one reader a framework: of the
33 recorded senders, 6 need no file of their own.

The alternative of parsing nothing at the door was measured and refused: an open trace
with prompts of 2 KB held a third of its bytes on the wire, now 0.23. (2026-12.)
"""

from surefoot.assemble import grades
from surefoot.assemble.dialects import WANTED
from surefoot.assemble.door import reduce
from surefoot.assemble.join import join
from surefoot.assemble.runs import assemble, session_of

__all__ = ["WANTED", "assemble", "grades", "join", "reduce", "session_of"]
