"""Members of the model's enums as plain names.

Owns nothing but speed: on Python 3.11 `Role.AGENT` goes through the enum's metaclass and
costs ten times what a global does, and what runs once a span asks for a dozen of them.
(Measured: 0.11 against 0.01 us; a twentieth of all that assembling cost. 2026-12.)
"""

from typing import Final

from surefoot.model import ArgsQuality, Role, Status, StepKind

NONE: Final = Role.NONE
OTHER: Final = Role.OTHER
CHAIN: Final = Role.CHAIN  #: the least role of an AI span
TASK: Final = Role.TASK
LLM: Final = Role.LLM
AGENT: Final = Role.AGENT
TOOL: Final = Role.TOOL

ERROR: Final = Status.ERROR

EXACT: Final = ArgsQuality.EXACT
RECOVERED: Final = ArgsQuality.RECOVERED
WRAPPED_TEXT: Final = ArgsQuality.WRAPPED_TEXT
REDACTED: Final = ArgsQuality.REDACTED
TRUNCATED: Final = ArgsQuality.TRUNCATED
ABSENT: Final = ArgsQuality.MISSING

WORK: Final = StepKind.TOOL
HANDOFF: Final = StepKind.HANDOFF
FINAL: Final = StepKind.FINAL
