"""A tool's own result out of the envelopes that frameworks put around it.

Owns the shapes: a LangChain ToolMessage, MCP content blocks, an ADK function response, a
LlamaIndex ToolOutput and so on. Each is told by keys that no plain result has together,
so no framework needs to be known; what fits no shape is the result, as it is. A result
never includes the call's own arguments (LlamaIndex echoes them as `raw_input`): else an
invented id would vouch for itself. Keys of attributes are the dialects' business.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from surefoot.assemble import loose
from surefoot.assemble.values import dumps, is_cut, is_hidden, normal, structure, text_of

#: Envelopes in envelopes: LangGraph's Command in Traceloop's output in a list is three.
_MAX_WRAPS = 6
_MCP_KEYS = frozenset({"content", "isError", "structuredContent", "_meta", "meta", "resultType"})
_ERROR_TYPES = frozenset({"error-text", "error-json", "execution-denied"})


#: Whatever is an envelope has one of these.
_ENVELOPES = frozenset(
    {
        "data",
        "lc",
        "tool_call_id",
        "output",
        "update",
        "raw_output",
        "response",
        "content",
        "value",
        "text",
    }
)


class Result(NamedTuple):
    """What a call gave.

    known: the sender did not hide it. capped: the text is a beginning. failed: what the
    envelope says, None where it does not. call_id, tool: as the envelope names them.
    """

    text: str
    known: bool = True
    capped: bool = False
    failed: bool | None = None
    call_id: str = ""
    tool: str = ""


UNKNOWN = Result("", known=False)


class _Layer(NamedTuple):
    """What is inside one envelope, and what the envelope says of it."""

    inner: Any
    failed: bool | None = None
    call_id: str = ""
    tool: str = ""


def unwrap(value: object) -> Result:
    """Give the result in `value`, an attribute or a message's content."""
    if value is None or is_hidden(value):
        return UNKNOWN
    found = structure(value, partial=True)
    if found is None:
        return _bare(value)
    layer: _Layer | None = _Layer(found.value)
    failed: bool | None = None
    call_id = tool = ""
    inner: Any = None
    opened = -1
    while layer is not None and opened < _MAX_WRAPS:
        inner = layer.inner
        failed = failed if layer.failed is None else layer.failed
        call_id = layer.call_id or call_id
        tool = layer.tool or tool
        layer = _open(inner)
        opened += 1
    if not opened:
        return _as_it_is(value, whole=found.whole)
    joined = _blocks(inner) if isinstance(inner, list) else None
    return Result(
        normal(text_of(inner) if joined is None else joined),
        capped=is_cut(value) or not found.whole,
        failed=failed,
        call_id=call_id,
        tool=tool,
    )


def _as_it_is(value: object, *, whole: bool) -> Result:
    """Give a structure without an envelope: it is the result."""
    text = text_of(value)
    cut = not whole and text.lstrip()[:2] in ('{"', '["', "[{")
    return Result(normal(text), capped=is_cut(value) or cut)


def _bare(value: object) -> Result:
    """Read a text that is no structure: a quoted one, a message's repr, or itself."""
    text = text_of(value)
    if text[:1] == '"' and text[-1:] == '"' and len(text) > 1:
        text = loose.unescape(text[1:-1])
    elif text.startswith("content=") and "tool_call_id=" in text:
        return _from_repr(value, text)
    return Result(normal(text), True, is_cut(value))  # noqa: FBT003 - quicker by place


def _from_repr(value: object, text: str) -> Result:
    """Read `content='…' name='…' tool_call_id='…'`, as older LangChain prints a message."""
    read = loose.read(text, partial=True)
    layer = _message(read.value) if read and isinstance(read.value, dict) else None
    if read is None or layer is None:
        return Result(normal(text), capped=is_cut(value))
    return Result(
        normal(text_of(layer.inner)),
        capped=not read.whole or is_cut(value),
        failed=layer.failed,
        call_id=layer.call_id,
        tool=layer.tool,
    )


def _open(value: Any) -> _Layer | None:
    """Open one envelope; None if `value` is none."""
    shapes: tuple[Callable[[Any], _Layer | None], ...] = ()
    if isinstance(value, dict):
        if _ENVELOPES.isdisjoint(value):
            return None
        shapes = _DICT_SHAPES
    elif isinstance(value, list):
        shapes = _LIST_SHAPES
    for shape in shapes:
        layer = shape(value)
        if layer is not None:
            return layer
    return None


def _langchain(value: dict[str, Any]) -> _Layer | None:
    """`{"type": "tool", "data": {}}`, `{"lc": 1, "kwargs": {}}` and JS's `{"output": {}}`."""
    if value.get("type") == "tool" and isinstance(value.get("data"), dict):
        return _message(value["data"])
    if "lc" in value and isinstance(value.get("kwargs"), dict):
        return _message(value["kwargs"])
    return _message(value) if "tool_call_id" in value else None


def _message(body: dict[str, Any]) -> _Layer | None:
    if "content" not in body:
        return None
    failed = body.get("status") == "error" if "status" in body else None
    return _Layer(body["content"], failed, _text(body.get("tool_call_id")), _text(body.get("name")))


def _output(value: dict[str, Any]) -> _Layer | None:
    """Traceloop's `{"output": …, "kwargs": …}` and LangChain JS's lone `{"output": {}}`."""
    output = value.get("output")
    if output is None:
        return None
    if "kwargs" in value and len(value) <= len(("output", "kwargs")):
        return _Layer(output)
    wrapped = len(value) == 1 and isinstance(output, dict) and _langchain(output) is not None
    return _Layer(output) if wrapped else None


def _command(value: dict[str, Any]) -> _Layer | None:
    """LangGraph's Command: the ToolMessage among what it updates."""
    update = value.get("update")
    if not isinstance(update, dict) or not ("graph" in value or "goto" in value):
        return None
    messages = update.get("messages")
    return _last_message(messages) if isinstance(messages, list) else None


def _last_message(value: list[Any]) -> _Layer | None:
    for entry in reversed(value):
        if isinstance(entry, dict):
            layer = _langchain(entry) or _command(entry)
            if layer is not None:
                return layer
    return None


def _mcp(value: dict[str, Any]) -> _Layer | None:
    content = value.get("content")
    if not isinstance(content, list) or not _MCP_KEYS.issuperset(value):
        return None
    failed = value.get("isError") is True if "isError" in value else None
    text = _blocks(content)
    if not text and value.get("structuredContent") is not None:
        return _Layer(dumps(value["structuredContent"]), failed)
    return _Layer(dumps(content) if text is None else text, failed)


def _llama_index(value: dict[str, Any]) -> _Layer | None:
    if "raw_output" not in value or "is_error" not in value:
        return None
    text = _blocks(value.get("blocks"))
    inner = text or value["raw_output"]
    return _Layer(inner, value["is_error"] is True, tool=_text(value.get("tool_name")))


def _adk(value: dict[str, Any]) -> _Layer | None:
    """A Gemini function response; `{"result": …}` is how ADK wraps what is no dict."""
    if "response" not in value or not {"id", "name", "response"}.issuperset(value):
        return None
    response = value["response"]
    if isinstance(response, dict) and set(response) == {"result"}:
        response = response["result"]
    layer = _Layer(response, None, _text(value.get("id")), _text(value.get("name")))
    return layer if len(value) > 1 or isinstance(value["response"], dict) else None


def _typed_value(value: dict[str, Any]) -> _Layer | None:
    """The AI SDK's `{"type": "text"|"json"|"error-text", "value": …}`."""
    kind = value.get("type")
    if len(value) != len(("type", "value")) or "value" not in value or not isinstance(kind, str):
        return None
    return _Layer(value["value"], failed=True if kind in _ERROR_TYPES else None)


def _n8n(value: dict[str, Any]) -> _Layer | None:
    """`{"status": …, "data": [{"json": {"data": …}, "pairedItem": {}}]}`: a node's items."""
    data = value.get("data")
    if set(value) != {"status", "data"} or not isinstance(data, list):
        return None
    bodies = [entry["json"] for entry in data if isinstance(entry, dict) and "json" in entry]
    if len(bodies) != len(data):
        return None
    texts = [
        text_of(body["data"] if isinstance(body, dict) and set(body) == {"data"} else body)
        for body in bodies
    ]
    return _Layer("\n".join(texts), failed=True if value["status"] == "error" else None)


def _text_block(value: dict[str, Any]) -> _Layer | None:
    """One block by itself, as the MCP client hands it on."""
    if value.get("type") != "text" or not isinstance(value.get("text"), str):
        return None
    return _Layer(value["text"])


def _flagged(value: list[Any]) -> _Layer | None:
    """AG2's `[true, {"name", "role", "content"}]`."""
    flag, *rest = value or [None]
    if not isinstance(flag, bool) or len(rest) != 1 or not isinstance(rest[0], dict):
        return None
    body = rest[0]
    return (
        _Layer(body["content"], not flag, tool=_text(body.get("name")))
        if "content" in body
        else None
    )


def _block_list(value: list[Any]) -> _Layer | None:
    text = _blocks(value)
    return None if text is None else _Layer(text)


def _blocks(value: Any) -> str | None:
    """Join a list of content blocks; None if it is none."""
    if not isinstance(value, list) or not value:
        return None
    texts = [_block(entry) for entry in value]
    return "\n".join(text for text in texts if text is not None) if None not in texts else None


def _block(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("text"), str) and (
        entry.get("type") in (None, "text") or "block_type" in entry
    ):
        return str(entry["text"]) if len(entry) <= _BLOCK_KEYS else None
    if set(entry) == {"json"}:
        return dumps(entry["json"])
    known = entry.get("type") in ("image", "audio", "resource", "resource_link", "image_url")
    return "" if known else None


#: type, text, annotations, meta, id, index: what blocks carry at most.
_BLOCK_KEYS = 6


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_DICT_SHAPES: tuple[Callable[[dict[str, Any]], _Layer | None], ...] = (
    _langchain,
    _output,
    _command,
    _llama_index,
    _adk,
    _mcp,
    _typed_value,
    _n8n,
    _text_block,
)
_LIST_SHAPES: tuple[Callable[[list[Any]], _Layer | None], ...] = (
    _flagged,
    _block_list,
    _last_message,
)
