"""Which attributes the dialects read, in the conventions' own spelling.

Owns the keys that more than one dialect reads, in their order of trust, and `WANTED`'s
share of them. Spans often carry several conventions at once (a converter adds
OpenInference to GenAI, an SDK writes both), so each list holds all of them:
OpenInference first, since its values are the least wrapped, then GenAI, OpenLLMetry, the
AI SDK, Langfuse, MLflow.

Keys with a leading `~` are ours: what was made of attributes at the door, so that an open
trace stays small. No sender can write them: the door keeps wanted keys alone.

Sources: Arize-ai/openinference spec/semantic_conventions.md; open-telemetry/
semantic-conventions-genai docs/gen-ai; traceloop/openllmetry semantic_conventions_ai;
vercel/ai docs, ai-sdk-core/telemetry; langfuse/langfuse-python attributes; mlflow/mlflow
tracing/constant.py; MCP's docs/gen-ai/mcp.md.
"""

from typing import Final

HEARD: Final = "~heard"  #: items: what a model was given
SAID: Final = "~said"  #: items: what it answered
ASKED: Final = "~asked"  #: items: calls that a framework's node was handed
OFFERS: Final = "~tools"  #: tools and their argument names, see `schemas`
OPENING: Final = "~opening"  #: items: what a run was started with
CLOSING: Final = "~closing"  #: the text that a run ended with
OUTCOME: Final = "~outcome"  #: the fields of a tool's `Result`
CUT: Final = "~cut"  #: a conversation was only a beginning
OWNER: Final = "~owner"  #: the agent that a span says it belongs to

KIND: Final = "openinference.span.kind"
OPERATION: Final = "gen_ai.operation.name"
TRACELOOP_KIND: Final = "traceloop.span.kind"
AI_SDK: Final = "ai.operationId"
MCP_METHOD: Final = "mcp.method.name"
LANGFUSE_TYPE: Final = "langfuse.observation.type"
MLFLOW_TYPE: Final = "mlflow.spanType"

TOOL: Final = ("tool.name", "tool_call.function.name", "gen_ai.tool.name", "ai.toolCall.name")
ARGUMENTS: Final = (
    "tool_call.function.arguments",
    "input.value",
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "ai.toolCall.args",
    "traceloop.entity.input",
    "langfuse.observation.input",
    "mlflow.spanInputs",
    "tool.parameters",
)
RESULT: Final = (
    "output.value",
    "gen_ai.tool.call.result",
    "tool_response",
    "ai.toolCall.result",
    "traceloop.entity.output",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
)
CALL_ID: Final = (
    "tool_call.id",
    "tool.id",
    "tool.call_id",
    "gen_ai.tool.call.id",
    "ai.toolCall.id",
)
#: Where an agent's own span has its name.
AGENT: Final = (
    "agent.name",
    "gen_ai.agent.name",
    "graph.node.name",
    "agent_name",
    "ai.telemetry.functionId",
)
#: Where any span may say whose it is.
OWNERS: Final = (OWNER, "tool.agent_role", *AGENT)
SESSION: Final = (
    "session.id",
    "langfuse.session.id",
    "gen_ai.conversation.id",
    "mlflow.trace.session",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.thread_id",
)
MODEL: Final = (
    "llm.model_name",
    "gen_ai.response.model",
    "gen_ai.request.model",
    "ai.response.model",
    "ai.model.id",
    "model_name",
    "langfuse.observation.model.name",
)
FINISH: Final = ("llm.finish_reason", "gen_ai.response.finish_reasons", "ai.response.finishReason")
#: (total, or its two halves) by convention.
TOKENS: Final = (
    ("llm.token_count.total",),
    ("llm.token_count.prompt", "llm.token_count.completion"),
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
    ("ai.usage.totalTokens",),
    ("ai.usage.inputTokens", "ai.usage.outputTokens"),
    ("ai.usage.promptTokens", "ai.usage.completionTokens"),
)
#: (total, or its two halves) in the sender's currency, by convention: OpenInference,
#: pydantic-ai, and what many write beside GenAI's counts (Langfuse reads it so, too).
COST: Final = (
    ("llm.cost.total",),
    ("llm.cost.prompt", "llm.cost.completion"),
    ("operation.cost",),
    ("gen_ai.usage.cost",),
)
#: What was used, on a model's span or on an agent's that sums it up.
USAGE: Final = frozenset(key for names in (*TOKENS, *COST) for key in names)
#: What a run's topmost spans were started with.
TASK: Final = (
    "input.value",
    "ai.prompt",
    "langfuse.trace.input",
    "traceloop.entity.input",
    "langfuse.observation.input",
    "mlflow.spanInputs",
)
ANSWER: Final = (
    "output.value",
    "final_result",
    "ai.response.text",
    "langfuse.trace.output",
    "traceloop.entity.output",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
)
#: Conversations as JSON, on a model's span; then only on a model's span.
HEARD_JSON: Final = ("gen_ai.input.messages", "pydantic_ai.all_messages", "all_messages_events")
HEARD_MODEL: Final = (
    *HEARD_JSON,
    "ai.prompt.messages",
    "ai.prompt",
    "events",
    "request_data",
    "langfuse.observation.input",
    "mlflow.spanInputs",
    "traceloop.entity.input",
    "input.value",
)
SAID_MODEL: Final = (
    "gen_ai.output.messages",
    "response_data",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
    "traceloop.entity.output",
    "output.value",
)
HEARD_ITEMS: Final = ("llm.input_messages", "gen_ai.prompt")
SAID_ITEMS: Final = ("llm.output_messages", "gen_ai.completion")
DEFINITIONS: Final = (
    "llm.tools",
    "gen_ai.tool.definitions",
    "ai.prompt.tools",
    "llm.request.functions",
    "model_request_parameters",
)
#: Graders' words, in numbered entries.
GRADES: Final = ("trace.evaluations", "trace.annotations", "evaluations", "annotations")
#: A grade as an event.
GRADED: Final = "gen_ai.evaluation.result"
#: The answers of whoever runs the agent.
EVALUATION: Final = ("surefoot.output_ok", "metadata", "tag.tags", "gen_ai.response.id")

KEYS: Final = frozenset(
    {
        KIND,
        OPERATION,
        TRACELOOP_KIND,
        AI_SDK,
        MCP_METHOD,
        LANGFUSE_TYPE,
        MLFLOW_TYPE,
        *(key for key in OWNERS if not key.startswith("~")),
        *TOOL,
        *ARGUMENTS,
        *RESULT,
        *CALL_ID,
        *SESSION,
        *MODEL,
        *FINISH,
        *USAGE,
        *TASK,
        *ANSWER,
        *HEARD_MODEL,
        *SAID_MODEL,
        *DEFINITIONS,
        *EVALUATION,
        "gen_ai.system_instructions",
        "gen_ai.tool.json_schema",
        "gen_ai.tool.status",
        "gen_ai.task.status",
        "tool.status",
        "tool.json_schema",
        "tool.run_attempts",
        "error.type",
        "langfuse.observation.level",
        "graph.node.id",
        "llm.request.type",
        "traceloop.entity.name",
        "traceloop.workflow.name",
        "ai.response.text",
        "ai.response.toolCalls",
        "ai.response.object",
    }
)
INDEXED: Final = (
    *HEARD_ITEMS,
    *SAID_ITEMS,
    "llm.tools",
    "llm.request.functions",
    *GRADES,
)
EVENT_KEYS: Final = frozenset(
    {
        "exception.type",
        "exception.message",
        "role",
        "content",
        "message",
        "id",
        "name",
        "tool_calls",
        "finish_reason",
        "tool.result",
        "gen_ai.event.content",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.prompt",
        "gen_ai.completion",
        "gen_ai.evaluation.name",
        "gen_ai.evaluation.score.value",
        "gen_ai.evaluation.score.label",
        "gen_ai.evaluation.explanation",
        "gen_ai.response.id",
        "error.type",
    }
)
