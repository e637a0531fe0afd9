"""CrewAI through OpenInference.

What is peculiar, as seen in the recordings of crewai and in openinference-instrumentation-
crewai `_wrappers.py` and `_event_listener.py`:
- The task is in `crew_tasks` on the crew's span, with `{names}` still to be filled from
  the inputs; the agent's output has it filled in.
- An agent's input is a dump of the agent. Its output holds the conversation, the only
  place where a call of an unknown tool shows.
- An agent that was delegated to has no span: its tools are under the Delegate tool's.
- There are no model spans. Text agents have no tool spans either.
"""

from surefoot.assemble import history
from surefoot.assemble.call import norm
from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import AGENT
from surefoot.assemble.messages import read
from surefoot.assemble.values import fields, structure, text_of
from surefoot.model import Item, Span, Value

_DELEGATES = frozenset({"delegate_work_to_coworker", "ask_question_to_coworker"})
_MARK = '"tool_calls"'
_DUMP = '{"agent": {'


class CrewAI(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.crewai",)
    extra_keys = ("crew_tasks", "crew_inputs", "task_description", "formatted_description")

    def trim(self, span: Span) -> None:
        """Keep of an agent's conversation what was asked for; its input is no task."""
        attributes = span.attributes
        if span.role is AGENT:
            output = attributes.get("output.value")
            if text_of(attributes.get("input.value")).startswith(_DUMP):
                del attributes["input.value"]
            if isinstance(output, str) and _MARK in output:
                asked = _asked(output)
                if asked:
                    attributes[keys.ASKED] = asked
            attributes[keys.OPENING] = self.task(span)
        super().trim(span)

    def hands_to(self, span: Span) -> str:
        """Give the coworker who does the work below a Delegate tool's span."""
        if norm(self.tool(span)) not in _DELEGATES:
            return ""
        return text_of(fields(span.attributes.get("input.value")).get("coworker"))

    def task(self, span: Span) -> tuple[Item, ...]:
        """Give the tasks' descriptions, filled in; then the inputs."""
        attributes = span.attributes
        if keys.OPENING in attributes:
            return super().task(span)
        inputs = fields(attributes.get("input.value") or attributes.get("crew_inputs"))
        texts = _descriptions(attributes.get("crew_tasks"))
        own = first_text(attributes, ("formatted_description", "task_description"))
        if not texts and own:
            texts = [own]
        if not texts and span.role is AGENT:
            texts = _descriptions(attributes.get("output.value"))
        if texts:
            return (history.item("user", "\n\n".join(_filled(text, inputs) for text in texts)),)
        return super().task(span)


def _descriptions(value: Value) -> list[str]:
    found = structure(value)
    entries = found.value if found else None
    if isinstance(entries, dict):
        entries = [entries]
    return [
        entry["description"]
        for entry in entries or ()
        if isinstance(entry, dict) and isinstance(entry.get("description"), str)
    ]


def _filled(text: str, inputs: dict[str, object]) -> str:
    for name, value in inputs.items():
        text = text.replace("{" + name + "}", text_of(value))
    return text


def _asked(output: str) -> tuple[Item, ...]:
    messages = fields(output).get("messages")
    return tuple(item for item in history.items_in(messages or []) if read(item).calls)
