"""LlamaIndex through OpenInference.

What is peculiar, as seen in the recordings of llamaindex and in openinference-
instrumentation-llama-index `_handler.py`:
- No agent's span: `setup_agent` announces whose turn it is in a repr.
- The root's input is the workflow's state without the task, its output a repr cut by
  `...`; both stand in full in the model's messages.
- `_prepare_chat_with_tools` has the kind LLM, but no model is called.
- Chains carry reprs of everything that was said so far.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import CHAIN, LLM
from surefoot.assemble.values import fields, is_hidden
from surefoot.model import Item, Role, Span, Value

_TURN = "current_agent_name='"
_STEPS = (".setup_agent", ".run_agent_step", ".init_run", ".aggregate_tool_results")
_NO_CALL = ("._prepare_chat_with_tools",)


class LlamaIndex(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.llama_index",)

    def role(self, span: Span) -> Role:
        """Tell preparing a call of the model from calling it."""
        role = super().role(span)
        return CHAIN if role is LLM and span.name.endswith(_NO_CALL) else role

    def trim(self, span: Span) -> None:
        """Keep whose turn it is; let the reprs go."""
        attributes = span.attributes
        if span.role is CHAIN and span.parent_id:
            turn = _turn(attributes.get("input.value")) if span.name.endswith(_STEPS[:2]) else ""
            if turn:
                attributes[keys.OWNER] = turn
            for key in ("input.value", "output.value"):
                if key in attributes and not is_hidden(attributes[key]):
                    del attributes[key]
        super().trim(span)

    def opening(self, value: Value) -> tuple[Item, ...]:
        """Read a task only where the input has one: the state is none."""
        if isinstance(value, str) and value.startswith('{"init_state"'):
            told = fields(value).get("user_msg")
            return super().opening(told) if told else ()
        return super().opening(value)

    def closing(self, value: Value) -> str:
        """Read an answer only where the output is whole."""
        if isinstance(value, str) and (value.endswith("...") or value.startswith("StopEvent(")):
            return ""
        return super().closing(value)


def _turn(value: Value) -> str:
    if not isinstance(value, str):
        return ""
    start = value.rfind(_TURN)
    if start < 0:
        return ""
    start += len(_TURN)
    return value[start : value.find("'", start)] if value.find("'", start) > start else ""
