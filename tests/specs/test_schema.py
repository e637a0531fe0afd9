import json
from typing import Any

import pytest
from pydantic import ValidationError

from surefoot.specs import Spec, json_schema


def described(schema: Any, path: str = "") -> list[str]:
    """Paths of properties without a description."""
    missing = []
    if isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            if "description" not in inner:
                missing.append(f"{path}.{name}")
        for name, inner in schema.items():
            missing += described(inner, f"{path}.{name}")
    return missing


def test_the_json_schema_describes_every_key() -> None:
    schema = json_schema()

    assert described(schema) == []
    assert schema["$defs"]["Spec"]["additionalProperties"] is False
    assert json.loads(json.dumps(schema)) == schema


def test_the_json_schema_writes_values_as_people_do() -> None:
    defs = json_schema()["$defs"]

    assert defs["Spec"]["properties"]["settle"]["anyOf"][0]["type"] == "string"
    assert {"type": "string", "minLength": 1} in defs["Match"]["properties"]["service"]["anyOf"]


def test_the_json_schema_offers_every_source_of_an_outputs_grade() -> None:
    schema = json_schema()
    sources = schema["$defs"]["Spec"]["properties"]["output_ok"]["anyOf"][0]["items"]["oneOf"]

    assert sources == [
        {"const": "structural", "type": "string"},
        {"const": "evaluation", "type": "string"},
        {"$ref": "#/$defs/FromEvaluation"},
        {"$ref": "#/$defs/FromAttribute"},
        {"$ref": "#/$defs/FromOutput"},
    ]
    assert "output_source" not in json.dumps(schema)


def test_a_spec_is_frozen_and_can_be_written_in_python() -> None:
    spec = Spec(name="desk", tools=("a",), before=(("a", "a*"),), severity={"ground": "off"})

    with pytest.raises(ValidationError):
        spec.name = "other"


def test_the_page_of_the_spec_language_is_a_spec() -> None:
    Spec.model_validate(
        {
            "name": "refund-over-limit",
            "match": {"service": "refund-*", "agent": "order_desk"},
            "tools": ["lookup", "check", "escalate", "refund", "fetch"],
            "required": ["lookup", "check"],
            "forbidden": ["refund"],
            "before": [["lookup", "check"]],
            "max_steps": 5,
            "no_repeat": True,
            "ground": True,
            "untrusted": ["fetch"],
            "privileged": ["refund"],
            "secrets": True,
            "severity": {"no_repeat": "hard", "ground": "off"},
            "output_ok": [
                {"evaluation": {"name": "correctness", "pass": ["correct"]}},
                {"output": {"regex": "escalat"}},
                "structural",
            ],
        }
    )
