"""How much of a run can be trusted."""

import pytest

from assemble.runs_of import a_model, a_span, a_tool, an_agent, asks, run_of, words
from surefoot import assemble
from surefoot.model import Cut, Evidence, Reason, Span, Value

TASK: dict[str, Value] = {"input.value": "refund 7", "output.value": "bye"}
E = Evidence


def levels_of(*spans: Span, whole: bool = True, reason: Reason = Reason.ROOT) -> set[Evidence]:
    return set(run_of(*spans, whole=whole, reason=reason).levels)


def whole_run() -> list[Span]:
    return [an_agent(1, attributes=TASK), a_tool(2, 1, args={"id": 1})]


def test_what_lacks_nothing_is_complete() -> None:
    assert levels_of(*whole_run()) == {E.COMPLETE}


@pytest.mark.parametrize(
    ("reason", "levels"),
    [
        (Reason.IDLE, {E.COMPLETE}),
        (Reason.MAX_AGE, {E.CLOSED_EARLY}),
        (Reason.EVICTED, {E.CLOSED_EARLY}),
    ],
)
def test_an_early_close_is_named(reason: Reason, levels: set[Evidence]) -> None:
    assert levels_of(*whole_run(), reason=reason) == levels


def test_the_worst_arguments_of_a_run_are_named() -> None:
    cases = {None: E.ARGS_MISSING, "__REDACTED__": E.ARGS_REDACTED, '{"id": "8': E.ARGS_TRUNCATED}
    for args, level in cases.items():
        assert level in levels_of(an_agent(1, attributes=TASK), a_tool(2, 1, args=args))


def test_a_tool_without_arguments_misses_none() -> None:
    schema = {"tool.json_schema": '{"type": "object", "properties": {}}'}

    assert levels_of(an_agent(1, attributes=TASK), a_tool(2, 1, attributes=schema)) == {E.COMPLETE}


def test_without_a_root_or_without_parents() -> None:
    agent, tool = an_agent(1, attributes=TASK), a_tool(3, 2, args={})
    orphan = an_agent(1, 9, attributes=TASK)

    assert levels_of(agent, tool, whole=False) == {E.PARENTS_MISSING}
    assert levels_of(orphan, a_tool(3, 1, args={}), whole=False) == {E.ROOT_MISSING}


@pytest.mark.parametrize(
    "spans",
    [
        [a_tool(1, args={})],
        [a_model(1, said=[asks(("c", "look", {}))])],
        [a_model(1, heard=[words("tool", "found")], said=[words("assistant", "bye")])],
    ],
)
def test_one_call_a_trace_is_a_fragment(spans: list[Span]) -> None:
    assert E.ROOT_MISSING in levels_of(*spans)


def test_a_model_that_only_answers_is_no_fragment() -> None:
    model = a_model(1, heard=[words("user", "hi")], said=[words("assistant", "bye")])

    assert levels_of(model) == {E.COMPLETE}


def test_calls_below_a_web_request_are_no_fragment() -> None:
    model = a_model(2, 1, heard=[words("user", "hi")], said=[asks(("c", "look", {}))])

    assert E.ROOT_MISSING not in levels_of(a_span(1), model)


def test_whether_calls_were_made_may_be_unknown() -> None:
    agent = an_agent(1, attributes=TASK)
    silent, talking = a_model(2, 1), a_model(2, 1, said=[words("assistant", "bye")])
    prose = a_model(2, 1, said=[words("assistant", "Action: look\nAction Input: {}")])

    assert E.NO_TOOL_SPANS in levels_of(agent)
    assert E.NO_TOOL_SPANS in levels_of(agent, silent)
    assert E.NO_TOOL_SPANS in levels_of(agent, prose)
    assert E.NO_TOOL_SPANS not in levels_of(agent, talking)
    assert E.NO_TOOL_SPANS not in levels_of(agent, a_model(2, 1, error=True))


def test_dropped_attributes_count_on_ai_spans_alone() -> None:
    agent, tool = whole_run()

    assert levels_of(agent, tool, a_span(3, 1, dropped=4)) == {E.COMPLETE}
    assert levels_of(agent, tool, an_agent(3, 1, dropped=4)) == {E.ATTRIBUTES_DROPPED}


def test_spans_that_were_refused_at_the_door_are_dropped_attributes() -> None:
    spans = whole_run()
    for span in spans:
        assemble.reduce(span)
    (run,) = assemble.assemble(spans, reason=Reason.ROOT, whole=True, attributes_dropped=True)

    assert run.levels == {E.ATTRIBUTES_DROPPED}


@pytest.mark.parametrize(
    "span",
    [
        a_tool(2, 1, args={}, attributes={"output.value": Cut("found")}),
        a_model(2, 1, said=[words("assistant", Cut("bye"))]),
        a_model(
            2, 1, attributes={"gen_ai.input.messages": Cut('[{"role": "user", "content": "hi"}]')}
        ),
    ],
)
def test_a_text_that_our_limit_cut_is_named(span: Span) -> None:
    assert E.TEXT_CAPPED in levels_of(an_agent(1, attributes=TASK), span)


def test_many_texts_of_one_length_and_none_longer_were_cut_by_the_sender() -> None:
    texts = [f"{n} " + "x" * 62 for n in range(4)]
    tools = [a_tool(n + 2, 1, args={}, result=text) for n, text in enumerate(texts)]

    run = run_of(an_agent(1, attributes=TASK), *tools)

    assert E.TEXT_CAPPED in run.levels
    assert all(known.result_capped for known in run.evidence)


@pytest.mark.parametrize(
    ("texts", "cut"),
    [
        (["a" * 64, "b" * 64, "c" * 64], True),
        (["a" * 64, "b" * 64], False),
        (["a" * 64, "b" * 64, '{"x": ' + "c" * 57 + "}"], False),
        (["a" * 64, "b" * 64, "c" * 64, '{"x": ' + "c" * 57 + "}"], True),
        (["a" * 64, '{"x": "' + "c" * 57], True),
        (["a" * 64, "[see " + "c" * 59], False),
        (["a" * 64, "b" * 64, "c" * 64, "d" * 65], False),
    ],
)
def test_what_tells_that_the_sender_cuts_its_texts(texts: list[str], *, cut: bool) -> None:
    tools = [a_tool(n + 2, 1, args={}, result=text) for n, text in enumerate(texts)]

    levels = levels_of(an_agent(1, attributes=TASK), *tools)

    assert (E.TEXT_CAPPED in levels) == cut


def test_dumps_of_one_length_are_no_limit() -> None:
    tools = [a_tool(n + 2, 1, args={"n": f"{n}" + "x" * 60}) for n in range(4)]

    assert levels_of(an_agent(1, attributes=TASK), *tools) == {E.COMPLETE}
