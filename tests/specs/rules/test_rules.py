"""What all rules have in common: the union, ids, severities, problems, the schema."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from surefoot.evaluate.compose import Guarded
from surefoot.model import Severity
from surefoot.specs import lint
from surefoot.specs.build import checks, spec_hash
from surefoot.specs.rules import MODELS, RULES
from surefoot.specs.schema import Spec, json_schema

EXAMPLES = [dict(model.example) for model in MODELS]


def a_spec(*rules: dict[str, Any], **keys: Any) -> Spec:
    """A spec with these rules and keys; `ground` and `secrets` are off unless asked for."""
    return Spec.model_validate(
        {"name": "s", "ground": False, "secrets": False, "rules": list(rules)} | keys
    )


def problems(tmp_path: Path, *rules: Any, **keys: Any) -> list[str]:
    """What `surefoot validate` says of a spec with these rules, from the key on."""
    file = tmp_path / "s.json"  # JSON is YAML
    file.write_text(json.dumps({"specs": [{"name": "s", "rules": rules} | keys]}))
    found = lint([file])
    return [one.removeprefix(f"{file}: specs[0].").removesuffix(" (line 1)") for one in found]


@pytest.mark.parametrize("example", EXAMPLES, ids=RULES)
def test_each_example_is_a_rule_that_compiles_to_its_check(example: dict[str, Any]) -> None:
    (check,) = checks(a_spec(example))

    assert check.id == example["id"]
    key = next(key for key in example if key in RULES)
    usual = example.get("severity", RULES[key].usual)
    assert check.severity == usual
    assert isinstance(check, Guarded) == ("when" in example)


@pytest.mark.parametrize("example", EXAMPLES, ids=RULES)
def test_the_examples_and_the_json_schema_agree(example: dict[str, Any]) -> None:
    schema = jsonschema_rs.validator_for(json_schema())

    assert schema.is_valid({"specs": [{"name": "s", "rules": [example]}]})
    wrong = (example | {"idd": 1}, example | {"severity": "loud"}, {**example, "id": None})
    for rule in wrong[:2]:
        assert not schema.is_valid({"specs": [{"name": "s", "rules": [rule]}]})
    nameless = {key: value for key, value in example.items() if key != "id"}
    assert not schema.is_valid({"specs": [{"name": "s", "rules": [nameless]}]})


@pytest.mark.parametrize("model", MODELS, ids=RULES)
def test_each_rule_tells_its_meaning_in_a_sentence_and_shows_an_example(model: Any) -> None:
    told = json_schema()["$defs"][model.__name__]

    assert told["description"].endswith(".")
    assert told["description"].count(". ") == 0
    assert "\n\n" not in told["description"]
    assert told["examples"] == [dict(model.example)]
    assert model.key in model.example


def test_rules_report_after_the_specs_own_keys_in_their_order() -> None:
    spec = a_spec(
        {"id": "b", "forbidden": "x"},
        {"id": "a", "no_action": True},
        tools=["x"],
        severity={"tools": "warn"},
    )

    assert [check.id for check in checks(spec)] == ["tools", "b", "a"]


def test_a_rules_own_severity_counts_and_off_leaves_it_out() -> None:
    rule = {"id": "a", "no_action": True}

    assert [one.severity for one in checks(a_spec(rule))] == [Severity.HARD]
    assert [one.severity for one in checks(a_spec(rule | {"severity": "warn"}))] == [Severity.WARN]
    assert list(checks(a_spec(rule | {"severity": "off"}))) == []
    assert list(checks(a_spec(rule | {"severity": False}))) == []  # YAML's bare off


def test_two_spellings_of_one_rule_are_one_spec_and_two_rules_are_two() -> None:
    plain = a_spec({"id": "a", "forbidden": "x"})
    full = a_spec({"id": "a", "forbidden": [{"tool": ["x"]}], "severity": None})
    other = a_spec({"id": "a", "forbidden": {"tool": "x", "ok": True}})
    value = {"tool": "x", "args": {"n": 1}}

    assert spec_hash(plain) == spec_hash(full)
    assert spec_hash(plain) != spec_hash(other)
    assert spec_hash(a_spec({"id": "a", "forbidden": value})) == spec_hash(
        a_spec({"id": "a", "forbidden": value | {"args": {"n": {"eq": 1}}}})
    )


@pytest.mark.parametrize(
    ("written", "left_out"),
    [
        ({"ground": True, "severity": {"ground": "warn"}}, {"ground": True}),
        ({"required": ["a"], "severity": {"required": "hard"}}, {"required": ["a"]}),
        ({"severity": {"ground": "off"}}, {}),
        ({"ground": False, "secrets": False, "scope": "agent", "early": True, "match": {}}, {}),
        ({"output_ok": ["evaluation", {"attribute": "surefoot.output_ok"}, "structural"]}, {}),
        (
            {"rules": [{"id": "r", "max_steps": 1, "severity": "soft"}]},
            {"rules": [{"id": "r", "max_steps": 1}]},
        ),
        (
            {"rules": [{"id": "r", "required": "a", "severity": "hard", "min": 1}]},
            {"rules": [{"id": "r", "required": "a"}]},
        ),
    ],
)
def test_a_default_that_is_written_down_makes_no_other_spec(
    written: dict[str, Any], left_out: dict[str, Any]
) -> None:
    """It would start a new luck window."""
    assert spec_hash(a_spec(**written)) == spec_hash(a_spec(**left_out))


@pytest.mark.parametrize(
    ("keys", "others"),
    [
        ({"ground": True, "severity": {"ground": "hard"}}, {"ground": True}),
        ({"ground": True, "severity": {"ground": "off"}}, {"ground": True}),
        ({"output_ok": ["structural"]}, {}),
        (
            {"rules": [{"id": "r", "max_steps": 1, "severity": "hard"}]},
            {"rules": [{"id": "r", "max_steps": 1}]},
        ),
        (
            {"rules": [{"id": "r", "max_steps": 1, "severity": "off"}]},
            {"rules": [{"id": "r", "max_steps": 1}]},
        ),
    ],
)
def test_what_is_no_default_makes_another_spec(
    keys: dict[str, Any], others: dict[str, Any]
) -> None:
    assert spec_hash(a_spec(**keys)) != spec_hash(a_spec(**others))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"forbidden": "x"}, "rules[0].id: missing; write a name that will stay"),
        ({"id": "a"}, "rules[0]: no check in this rule; write one of required, forbidden, "),
        ({"id": "a", "forbiden": "x"}, "rules[0]: no check in this rule; did you mean forbidden?"),
        (
            {"id": "a", "forbidden": "x", "required": "y"},
            "rules[0]: two checks in one rule, forbidden and required; write a rule for each",
        ),
        ("x", "rules[0]: no rule; write a section with an id and a check"),
        (
            {"id": "a", "forbidden": "x", "sverity": "hard"},
            "rules[0].sverity: unknown key; did you mean severity?",
        ),
        (
            {"id": "a", "forbidden": {"tool": "x", "arg": {}}},
            "rules[0].forbidden.arg: unknown key; did you mean args?",
        ),
        (
            {"id": "a", "not": {"required": {"any_of": ["x"], "max": 2}}},
            "rules[0].not.required.max: unknown key; known here: any_of",
        ),
        (
            {"id": "a", "forbidden": []},
            "rules[0].forbidden: empty; write at least one, or leave the key out",
        ),
        (
            {"id": "a", "calls": {"step": [], "max": 1}},
            "rules[0].calls.step: names no call; write a tool's name, or {tool, agent, ok, args, ",
        ),
        ({"id": "a", "forbidden": 5}, "rules[0].forbidden: no call; write a tool's name, or {"),
        ({"id": "a", "forbidden": {}}, "rules[0].forbidden: names no call; write a tool's name, "),
        (
            {"id": "a", "forbidden": {"tool": "x", "args": {"a..b": 1}}},
            "rules[0].forbidden.args.a..b: 'a..b' is no path; write order_id, items[0].order_id ",
        ),
        (
            {"id": "a", "forbidden": {"args": {"a": {"gte": 1}}}},
            "rules[0].forbidden.args.a: 'gte' is no operator; did you mean ge? An object to equal",
        ),
        (
            {"id": "a", "forbidden": {"args": {"a": {"zz": 1}}}},
            "rules[0].forbidden.args.a: 'zz' is no operator; known are eq, ne, in, not_in, regex, ",
        ),
        (
            {"id": "a", "forbidden": {"args": {"a": {"regex": "(?=x)"}}}},
            "rules[0].forbidden.args.a: regex: RE2 refuses the pattern '(?=x)': invalid perl ",
        ),
        (
            {"id": "a", "no_action": True, "when": {"inputs": 1}},
            "rules[0].when.inputs: unknown key; did you mean input?",
        ),
        ({"id": "a", "no_action": False}, "rules[0].no_action: not one that is known; write true"),
        (
            {"id": "a", "exclusive": ["x"]},
            "rules[0].exclusive: too few; write at least 2",
        ),
        (
            {"id": "a", "calls": {"step": "x"}},
            "rules[0].calls: without bounds it can never fire; write min, max or both",
        ),
        (
            {"id": "a", "any_of": [{"calls": {"step": "x", "min": 2, "max": 1}}]},
            "rules[0].any_of[0].calls.min: more than max, 1, so no run keeps it; lower it",
        ),
        (
            {"id": "a", "all_of": [{"calls": {"step": "x"}}]},
            "rules[0].all_of[0].calls: without bounds it can never fire; ",
        ),
        (
            {"id": "a", "not": {"calls": {"step": "x"}}},
            "rules[0].not.calls: without bounds it can never fire; ",
        ),
        (
            {"id": "taint", "no_action": True},
            "rules[0].id: 'taint' is taken; a check of this name has it; ids are unique in a ",
        ),
    ],
)
def test_each_problem_says_where_what_and_what_would_be_right(
    tmp_path: Path, rule: Any, said: str
) -> None:
    (problem,) = problems(tmp_path, rule)

    assert problem.startswith(said)


def test_ids_are_unique_and_the_first_one_keeps_its_own(tmp_path: Path) -> None:
    rule = {"id": "a", "no_action": True}

    assert problems(tmp_path, rule, rule | {"id": "b"}, rule) == [
        "rules[2].id: 'a' is taken; rules[0] has it; ids are unique in a spec, choose another"
    ]


def test_every_matcher_of_a_rule_is_held_against_the_vocabulary(tmp_path: Path) -> None:
    rules = (
        {"id": "a", "forbidden": ["lookup", {"tool": ["lokup", "zz*"]}]},
        {"id": "b", "any_of": [{"required": {"any_of": ["x", "lookup"]}}]},
        {"id": "c", "completion": True, "when": {"step": "y"}},
    )
    found = problems(tmp_path, *rules, tools=["lookup", "check"])

    assert [one.partition(" is not in")[0] for one in found] == [
        "rules[0].forbidden[1].tool[0]: 'lokup'",
        "rules[0].forbidden[1].tool[1]: 'zz*'",
        "rules[1].any_of[0].required.any_of[0]: 'x'",
        "rules[2].when.step: 'y'",
    ]


def test_contradictions_are_told_beside_wrong_keys(tmp_path: Path) -> None:
    """One look at the file tells all: nobody fixes a key only to be told of the next."""
    found = problems(
        tmp_path,
        {"id": "a", "forbidden": "zz"},
        {"id": "a", "forbiden": "x"},
        {"forbidden": {"tool": "x", "okay": True}},
        {"id": "a", "calls": {"step": "x"}},
        tools=["x"],
        unknown=1,
    )

    assert [one.partition(";")[0] for one in found] == [
        "rules[1]: no check in this rule",
        "rules[2].forbidden.okay: unknown key",
        "unknown: unknown key",
        "rules[0].forbidden: 'zz' is not in this spec's tools",
        "rules[1].id: 'a' is taken",
        "rules[3].id: 'a' is taken",
        "rules[3].calls: without bounds it can never fire",
    ]


def test_contradictions_with_a_key_that_is_wrong_are_not_guessed_at(tmp_path: Path) -> None:
    found = problems(tmp_path, {"id": "a", "forbidden": "zz"}, tools="lookup")

    assert found == ["tools: not a list; write [one, two]"]


def test_what_excludes_itself_is_refused(tmp_path: Path) -> None:
    rule = {"id": "r", "exclusive": ["a", "b", ["a"]]}

    assert problems(tmp_path, rule) == [
        "rules[0].exclusive[2]: stands there twice, so it excludes itself; name another"
    ]


DATE = "2024-01-01 is no value of JSON; put it in quotes"
SCIENTIFIC = "gt: 1e3 is a text to YAML; write the number in full"
NO_CALL = "names no call; write a tool's name, or {tool, agent, ok, args, result}"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("forbidden: {args: {day: 2024-01-01}}", f".forbidden.args.day: eq: {DATE}"),
        ("forbidden: {args: {day: {ne: 2024-01-01}}}", f".forbidden.args.day: ne: {DATE}"),
        ("forbidden: {args: {day: {in: [2024-01-01]}}}", f".forbidden.args.day: in: {DATE}"),
        ("args: {step: x, equals: {day: 2024-01-01}}", f".args.equals.day: {DATE}"),
        ("args: {step: x, equals: {a: [{b: 2024-01-01}]}}", f".args.equals.a: {DATE}"),
        ("args: {step: x, values: {day: [a, 2024-01-01]}}", f".args.values.day[1]: {DATE}"),
        ("end_state: {output: true, equals: 2024-01-01}", f".end_state.equals: {DATE}"),
        ("forbidden: {args: {amount: {gt: 1e3}}}", f".forbidden.args.amount: {SCIENTIFIC}"),
        ("forbidden: {tool: []}", f".forbidden: {NO_CALL}"),
        ("forbidden: {tool: [], ok: false}", f".forbidden: {NO_CALL}"),
        ("forbidden: {agent: []}", f".forbidden: {NO_CALL}"),
        ("forbidden: {args: {}}", f".forbidden: {NO_CALL}"),
        ("forbidden: {ok: null}", f".forbidden: {NO_CALL}"),
        (
            "budget: {step_duration: {}}",
            (
                ".budget: without bounds it can never fire; write one of duration, step_duration,"
                " tokens, llm_calls, cost"
            ),
        ),
        (
            "all_of: [{not: {no_action: true, severity: 'off'}}]",
            ".all_of[0].not.severity: a rule inside another cannot be off; leave it out",
        ),
        (
            "any_of: [{no_action: true, severity: 'off'}]",
            ".any_of[0].severity: a rule inside another cannot be off; leave it out",
        ),
    ],
)
def test_what_yaml_or_an_empty_key_makes_of_a_rule_is_told(
    tmp_path: Path, rule: str, said: str
) -> None:
    """Each of these means any call, or none, to whoever does not know."""
    file = tmp_path / "s.yaml"
    file.write_text(f"specs:\n  - name: s\n    rules:\n      - id: r\n        {rule}\n")

    assert lint([file]) == [f"{file}: specs[0].rules[0]{said} (line 5)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("specs:", "specs: not a list; write [one, two] (line 1)"),
        ("specs: [{name: }]", "specs[0].name: not a text; put it in quotes (line 1)"),
        (
            "specs: [{name: s, tools: [a, null]}]",
            "specs[0].tools[1]: not a text; put it in quotes (line 1)",
        ),
        (
            "specs: [{name: s, rules: [null]}]",
            "specs[0].rules[0]: no rule; write a section with an id and a check (line 1)",
        ),
    ],
)
def test_a_value_that_is_left_out_is_told_where_it_stands(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(text)

    assert lint([file]) == [f"{file}: {said}"]


@pytest.mark.parametrize(
    "keys",
    [
        {"rules": [{"id": "r", "forbidden": [["a", {"tool": "b"}], "c"]}]},
        {"rules": [{"id": "r", "no_action": True, "severity": False}]},
        {"secrets": True, "severity": {"secrets": False}},
    ],
)
def test_the_schema_takes_what_loading_takes(keys: dict[str, Any]) -> None:
    """Lists in lists, and a bare `off`, which YAML reads as false."""
    told = {"name": "s"} | keys
    Spec.model_validate(told)

    assert jsonschema_rs.is_valid(json_schema(), {"specs": [told]})
