"""Which calls count, for all checks alike."""

from dataclasses import replace

import pytest

from evaluate.runs import a_call, a_run, a_spec, a_view, grade, judged, messages
from surefoot.evaluate import View
from surefoot.evaluate.paths import Path
from surefoot.evaluate.patterns import Regex, Screen
from surefoot.evaluate.view import Scope
from surefoot.model import (
    ArgsQuality,
    Cut,
    Evidence,
    PathGrade,
    Source,
    StepKind,
    Told,
)

NEVER = a_call("refund", {"id": "88213"}, ran=False)
ANSWER = a_call("final_answer", {"answer": "done"}, kind=StepKind.FINAL)
HANDOFF = a_call("transfer_to_desk", kind=StepKind.HANDOFF)


def test_a_call_that_never_ran_is_no_step() -> None:
    fetched = a_call("fetch", result="refund 88213")
    run = a_run(fetched, NEVER, NEVER, task="t")

    assert messages(run, forbidden=["refund"], max_steps=1, no_repeat=True, ground=True) == []
    assert messages(run, untrusted=["fetch"], privileged=["refund"]) == []
    assert messages(run, required=["refund"]) == ["missing required tool: refund"]
    assert messages(run, before=[["lookup", "refund"]]) == []
    assert messages(run, before=[["refund", "fetch"]]) == ["fetch called without refund"]


def test_a_call_that_never_ran_is_reported_if_nobody_knows_its_name() -> None:
    verdict = judged(a_run("lookup", NEVER), tools=["lookup"])

    assert [str(one) for one in verdict.violations] == ["unknown tool: refund"]
    assert verdict.violations[0].observed == "refund, asked for by the model and not run"
    assert grade(a_run("lookup", NEVER), tools=["lookup", "refund"]) is PathGrade.OK


def test_a_secret_counts_also_in_a_call_that_never_ran() -> None:
    run = a_run(a_call("mail", {"body": "AKIAIOSFODNN7EXAMPLE"}, ran=False))

    assert messages(run, secrets=True) == ["warn: possible AWS access key id in mail.arg body"]


def test_the_end_of_a_run_is_a_step_only_if_the_vocabulary_names_it() -> None:
    run = a_run("lookup", ANSWER)

    assert messages(run, tools=["lookup"], max_steps=1) == []
    assert messages(run, max_steps=1) == []
    assert messages(run, tools=["lookup", "final_answer"], max_steps=1) == ["soft: 2 steps > max 1"]


def test_a_handoff_is_a_step_unless_a_vocabulary_leaves_it_out() -> None:
    run = a_run("lookup", HANDOFF)

    assert messages(run, max_steps=1) == ["soft: 2 steps > max 1"]
    assert messages(run, tools=["lookup"], max_steps=1) == []
    assert messages(run, tools=["lookup", "transfer_*"], max_steps=1) == ["soft: 2 steps > max 1"]


def test_with_an_agent_named_only_its_steps_are_judged() -> None:
    run = a_run(a_call("refund", agent="triage"), a_call("lookup", agent="desk_1"))
    desk = {"agent": "desk_*"}

    assert messages(run, match=desk, forbidden=["refund"]) == []
    assert messages(run, match=desk, forbidden=["lookup"]) == ["called forbidden tool: lookup"]
    assert messages(run, match=desk, scope="run", forbidden=["refund"]) == [
        "called forbidden tool: refund"
    ]


def test_what_another_agents_tool_returned_is_given() -> None:
    run = a_run(
        a_call("lookup", result="order 88213", agent="triage"),
        a_call("check", {"id": "88213"}, agent="desk"),
        task="t",
    )

    assert messages(run, match={"agent": "desk"}, ground=True) == []


def test_calls_that_overlap_or_share_a_turn_are_unordered() -> None:
    apart, overlapping = [(0, 10), (10, 20)], [(0, 10), (9, 20)]

    def ordered(spans: list[tuple[int, int]], turn: int = -1) -> bool:
        view = a_view(a_run(*(a_call("x", span=span, turn=turn) for span in spans)))
        return view.are_ordered(0, 1)

    assert ordered(apart)
    assert not ordered(overlapping)
    assert not ordered(apart, turn=3)


def test_a_call_known_from_the_model_alone_took_no_time() -> None:
    """Its span is the model's, which may be as long as the run."""
    step, known = a_call("x", span=(0, 100))
    run = a_run((step, replace(known, source=Source.LLM)), a_call("y", span=(50, 60)))

    assert a_view(run).are_ordered(0, 1)


ORDER, MAIL, OTHER = (Regex.of(text) for text in (r"ORD-\d", "@", "ORD"))
RESULTS = ("ORD-7", "x@y", "ORD-7 for x@y", "", "ORD-", "ORD-7\\n", "\\ @", "\\")


@pytest.mark.parametrize(
    "screen", [None, Screen([ORDER, MAIL]), Screen([OTHER])], ids=["none", "two", "other"]
)
def test_a_pattern_is_found_whatever_else_is_looked_for(screen: Screen | None) -> None:
    run = a_run(*(a_call("page", result=result) for result in RESULTS))
    view = View(run, Scope(screen=screen))

    for _ in range(2):
        for index, result in enumerate(RESULTS):
            for pattern in (ORDER, MAIL, OTHER):
                assert view.is_found(pattern, index) is pattern.is_in(result)


def test_one_look_finds_what_several_checks_look_for() -> None:
    """A result is read once for all of them, unless it has escapes."""

    class Counting(Screen):
        looks = 0

        def found(self, text: str) -> tuple[Regex, ...]:
            self.looks += 1
            return super().found(text)

    screen = Counting([ORDER, MAIL])
    view = View(a_run(*(a_call("page", result=text) for text in RESULTS)), Scope(screen=screen))
    for index in range(len(RESULTS)):
        found = [view.is_found(one, index) for one in (ORDER, MAIL, OTHER)]
        assert found == [one.is_in(RESULTS[index]) for one in (ORDER, MAIL, OTHER)]

    assert screen.looks == sum("\\" not in text for text in RESULTS)


def test_a_spec_with_several_searches_has_a_screen_and_finds_the_same() -> None:
    rule = {"id": "r", "injected": {"canaries": ["ORD-7"]}}
    run = a_run(
        a_call("page", result="ORD-7 AKIAIOSFODNN7EXAMPLE"),
        a_call("send", {"a": "ORD-7"}),
        task="t",
    )

    assert a_spec(secrets=True, rules=[rule]).scope.screen is not None
    assert a_spec(rules=[rule]).scope.screen is None
    assert messages(run, secrets=True, rules=[rule]) == [
        *messages(run, secrets=True),
        *messages(run, rules=[rule]),
    ]
    assert len(messages(run, secrets=True, rules=[rule])) == 2


@pytest.mark.parametrize(
    ("quality", "reason"),
    [
        (ArgsQuality.EXACT, ""),
        (ArgsQuality.WRAPPED_TEXT, ""),
        (ArgsQuality.REDACTED, "args_redacted"),
        (ArgsQuality.TRUNCATED, "args_truncated"),
        (ArgsQuality.MISSING, "args_missing"),
    ],
)
def test_a_call_says_why_its_arguments_cannot_be_read(quality: ArgsQuality, reason: str) -> None:
    assert a_view(a_run(a_call("a", quality=quality))).hidden(0) == reason


def test_arguments_that_are_hidden_nobody_knows_where_may_be_those_of_any_call() -> None:
    levels = {Evidence.ARGS_REDACTED, Evidence.ARGS_MISSING}
    plain, wrapped = a_call("a"), a_call("b", quality=ArgsQuality.WRAPPED_TEXT)
    missing = a_call("c", quality=ArgsQuality.MISSING)

    view = a_view(a_run(plain, wrapped, levels=levels))
    assert [view.hidden(0), view.hidden(1)] == ["args_redacted, args_missing"] * 2
    view = a_view(a_run(plain, missing, levels=levels))
    assert [view.hidden(0), view.hidden(1)] == ["args_redacted", "args_missing"]
    assert a_view(a_run(plain, levels={*levels, Evidence.COMPLETE})).hidden(0) == ""


def test_a_result_says_why_it_cannot_be_read_as_a_whole() -> None:
    levels = {Evidence.TEXT_CAPPED}
    for call, reason in (
        (a_call("a", result="x"), ""),
        (a_call("a", result_known=False), "results_missing"),
        (a_call("a", result_known=False, ok=False), ""),
        (a_call("a", result_known=False, ran=False), ""),
        (a_call("a", result="x", result_capped=True), "text_capped"),
        (a_call("a", result=Cut("x")), "text_capped"),
    ):
        marked = a_call("b", result=Cut("y"))
        assert a_view(a_run(call, marked, levels=levels)).result_hidden(0) == reason


@pytest.mark.parametrize(
    ("fields", "somewhere"),
    [
        ({}, True),
        ({"task": Cut("x")}, False),
        ({"output": Cut("x")}, False),
        ({"told": Told(user=("y", Cut("x")))}, False),
        ({"told": Told(system=(Cut("x"),))}, False),
        ({"told": Told(history=(("page", Cut("x")),))}, False),
        ({"told": Told(user=("x",), system=("y",), history=(("page", "x"),))}, True),
    ],
)
def test_a_text_that_is_cut_nobody_knows_where_may_be_any(
    fields: dict[str, object], *, somewhere: bool
) -> None:
    cut = a_view(a_run("a", levels={Evidence.TEXT_CAPPED}, **fields))  # type: ignore[arg-type]
    whole = a_view(a_run("a", **fields))  # type: ignore[arg-type]

    assert (cut.cut_somewhere, whole.cut_somewhere) == (somewhere, False)
    assert cut.result_hidden(0) == ("text_capped" if somewhere else "")


def test_a_cut_result_is_where_the_text_is_cut() -> None:
    view = a_view(a_run("a", a_call("b", result_capped=True), levels={Evidence.TEXT_CAPPED}))

    assert not view.cut_somewhere
    assert [view.is_result_cut(0), view.is_result_cut(1)] == [False, True]


def test_a_result_is_the_json_that_it_writes() -> None:
    view = a_view(a_run(a_call("a", result='{"n": [1]}'), a_call("b", result="n: 1")))

    assert [view.result_value(0), view.result_value(1), view.result_value(0)] == [
        {"n": [1]},
        None,
        {"n": [1]},
    ]


def test_arguments_say_their_leaves_line_by_line() -> None:
    view = a_view(a_run(a_call("a", {"x": "ORD-7", "y": {"z": [1, "Two"]}}), "b"))

    assert view.words(0) == "ORD-7\n1\nTwo"
    assert [view.said(0), view.said(0), view.said(1)] == ["ord-7\n1\ntwo", "ord-7\n1\ntwo", ""]


def test_only_calls_surely_one_after_the_other_are_ordered() -> None:
    view = a_view(
        a_run(
            a_call("a", span=(0, 10), turn=0),
            a_call("b", span=(10, 20), turn=0),
            a_call("c", span=(20, 30), turn=1),
            a_call("d", span=(29, 40)),
            a_call("e", span=(40, 40)),
        )
    )
    ordered = {(x, y) for x in range(5) for y in range(5) if view.are_ordered(x, y)}

    assert ordered == {(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4)}


def test_a_tool_that_is_no_step_goes_by_its_other_spellings_too() -> None:
    names = a_spec(tools=["lookup_order"]).scope.vocabulary
    assert names is not None

    def known(tool: str, **keys: object) -> bool:
        return a_view(a_run("x"), **keys).is_one_of(names, tool)

    assert known("lookup_order")
    assert known("lookup-order")
    assert not known("lookup-order", required=["lookup-order"])
    assert not known("issue_refund")
    view = View(a_run("x"), Scope(aliases=False))
    assert [view.is_one_of(names, tool) for tool in ("lookup_order", "lookup-order")] == [
        True,
        False,
    ]


def test_a_step_goes_by_its_other_spellings_unless_the_spec_names_it() -> None:
    run = a_run("lookup-order")

    assert messages(run, tools=["lookup_order"]) == []
    scope = a_spec(tools=["lookup_order"]).scope
    assert scope.vocabulary is not None
    for universe, covered in ((scope.universe, True), (frozenset({"lookup-order"}), False)):
        view = View(run, replace(scope, universe=universe))
        assert view.covers(scope.vocabulary, 0) is covered


def test_an_argument_without_a_name_may_be_the_one_that_is_asked_for() -> None:
    wrapped = a_call("a", {"input": "x"}, quality=ArgsQuality.WRAPPED_TEXT)
    hidden = a_call("a", {"id": "x"}, quality=ArgsQuality.TRUNCATED)
    view = a_view(a_run(a_call("a", {"id": "x"}), wrapped, hidden))
    by_id, by_input = Path.of("id"), Path.of("input")

    assert view.argument(0, by_id) == ([("id", "x")], "")
    assert view.argument(0, by_input) == ([], "")
    assert view.argument(1, by_id) == ([], "args_unnamed")
    assert view.argument(1, by_input) == ([("input", "x")], "")
    assert view.argument(2, by_id) == ([("id", "x")], "args_truncated")


def test_a_call_without_length_is_in_no_order_with_one_that_starts_with_it() -> None:
    long, none, later = (a_call(tool, span=span) for tool, span in SPANS.items())
    view = a_view(a_run(long, none, later))

    assert not view.are_ordered(0, 1)
    assert view.are_ordered(0, 2)
    assert view.are_ordered(1, 2)
    assert a_view(a_run(none, none)).are_ordered(0, 1)


SPANS = {"long": (10, 20), "none": (10, 10), "later": (20, 20)}
