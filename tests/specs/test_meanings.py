"""What each check of a spec means: the schema's own words."""

from surefoot.specs import Spec, json_schema, meanings
from surefoot.specs.rules import MODELS


def spec(**keys: object) -> Spec:
    return Spec.model_validate({"name": "desk", "ground": False, "secrets": False, **keys})


def test_a_key_of_the_spec_means_what_the_schema_says() -> None:
    properties = json_schema()["$defs"]["Spec"]["properties"]
    (one,) = meanings(spec(forbidden=["a"], severity={"forbidden": "soft"}))

    assert (one.id, one.key, one.severity, one.kind) == ("forbidden", "forbidden", "soft", "final")
    assert one.text == properties["forbidden"]["description"]


def test_every_rule_means_what_the_schema_says() -> None:
    defs = json_schema()["$defs"]
    for model in MODELS:
        rule = {**model.example, "id": "my-own"}
        (one,) = meanings(spec(rules=[rule]))

        assert (one.id, one.key) == ("my-own", model.key)
        assert one.text == " ".join(defs[model.__name__]["description"].split())


def test_taint_is_told_though_two_keys_make_it() -> None:
    (one,) = meanings(spec(untrusted=["a"], privileged=["b"]))

    assert one.id == one.key == "taint"
    assert len(one.text) > 10


def test_what_is_switched_off_is_not_told_of() -> None:
    off = {"id": "x", "forbidden": "a", "severity": "off"}

    assert list(meanings(spec(forbidden=["a"], severity={"forbidden": "off"}, rules=[off]))) == []
