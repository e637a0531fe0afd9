from pathlib import Path

import pytest

from surefoot.errors import SpecError
from surefoot.specs import lint, load

GOOD = "specs: [{name: a}]"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "desk.yaml"


def problems(file: Path, text: str) -> list[str]:
    """What is wrong with a file of this text, without the file's name."""
    file.write_text(text, encoding="utf-8")
    found = lint([file])
    assert all(one.startswith(f"{file}: ") for one in found)
    return [one.removeprefix(f"{file}: ") for one in found]


def test_files_and_the_yaml_of_folders_are_loaded_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    for name, text in {
        "b.yml": "specs: [{name: b}, {name: c}]",
        "a.yaml": GOOD,
        "notes.txt": "not a spec",
    }.items():
        (folder / name).write_text(text)
    single = tmp_path / "z.yaml"
    single.write_text("specs: [{name: z}]")

    assert [spec.name for spec in load([single, folder]).specs] == ["z", "a", "b", "c"]


def test_no_paths_are_an_empty_set() -> None:
    assert load([]).specs == ()


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text("specs: [{name: a, max_steps: many, toolz: [x]}]")
    two.write_text("specs: [{name: b, required: x}]")

    with pytest.raises(SpecError) as caught:
        load([one, two])

    assert str(caught.value).splitlines() == [
        f"{one}: specs[0].max_steps: not a whole number; write one without quotes (line 1)",
        f"{one}: specs[0].toolz: unknown key; did you mean tools? (line 1)",
        f"{two}: specs[0].required: not a list; write [one, two] (line 1)",
    ]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("x: 1", "specs[0].x: unknown key; known here: name, match, tools"),
        ("1: 2", "specs[0].1: a key that is no text; put it in quotes"),
        ("max_steps: -1", "specs[0].max_steps: too small; write at least 0"),
        ("max_steps: 1.5", "specs[0].max_steps: not a whole number"),
        ("no_repeat: 1", "specs[0].no_repeat: neither true nor false; write one of them"),
        ("tools: [1]", "specs[0].tools[0]: not a text; put it in quotes"),
        ("tools: ['']", "specs[0].tools[0]: empty; write a name"),
        ("before: [look, pay]", "specs[0].before: names, not pairs of names; write [[look, pay]]"),
        ("before: [look]", "specs[0].before: names, not pairs of names; write [[look, b]]"),
        ("before: [[a, b], c]", "specs[0].before[1]: not a pair; write [first, then]"),
        ("before: look", "specs[0].before: not a list; write [one, two]"),
        ("before: [[a]]", "specs[0].before[0][1]: missing; write it"),
        ("before: [[a, b, c]]", "specs[0].before[0]: too many; write a pair [first, then]"),
        ("match: {servic: x}", "specs[0].match.servic: unknown key; did you mean service?"),
        ("match: {service: 5}", "specs[0].match.service: not a text; put it in quotes"),
        ("match: [x]", "specs[0].match: not a section; write its keys below it"),
        ("settle: 6", "specs[0].settle: no duration; write 500ms, 6s, 30m or 1h30m"),
        ("settle: soon", "specs[0].settle: 'soon' is no duration; write 500ms"),
        (
            "max_age: 25h",
            "specs[0].max_age: 25h is out of range; write more than 0s and at most 24h",
        ),
        ("settle: 0s", "specs[0].settle: 0s is out of range; write more than 0s"),
        ("severity: {ground: loud}", "specs[0].severity.ground: not one that is known; write hard"),
        ("severity: {grund: hard}", "specs[0].severity.grund: unknown check; did you mean ground?"),
        ("provenance: exact", "specs[0].provenance: not one that is known; write boundary or"),
        ("root: span", "specs[0].root: not one that is known; write agent"),
        ("output_ok: []", "specs[0].output_ok: empty; write at least one"),
        ("output_ok: [fine]", "specs[0].output_ok[0]: no source of an output's grade; write"),
        (
            "output_ok: [{output: {regex: '('}}]",
            "specs[0].output_ok[0].output: regex: RE2 refuses the pattern '('",
        ),
        ("output_ok: [{output: {rex: a}}]", "specs[0].output_ok[0].output: 'rex' is no operator;"),
        (
            "output_ok: [{output: {schema: {type: objekt}}}]",
            "specs[0].output_ok[0].output: no JSON Schema at type",
        ),
        (
            "output_ok: [{output: {schema: {}, regex: a}}]",
            "specs[0].output_ok[0].output: regex beside schema; write one of them, or two sources",
        ),
        (
            "output_ok: [{evaluation: {nam: x}}]",
            "specs[0].output_ok[0].evaluation.nam: unknown key; did you mean name?",
        ),
        (
            "output_ok: [{evaluation: {pass: []}}]",
            "specs[0].output_ok[0].evaluation.pass: empty, so nothing ever passes; write labels",
        ),
        (
            "output_ok: [{evaluation: {pass: [[a]]}}]",
            "specs[0].output_ok[0].evaluation.pass: neither labels nor scores; write labels",
        ),
        (
            "output_ok: [{evaluation: {pass: {}}}]",
            "specs[0].output_ok[0].evaluation.pass: empty; write labels or scores that pass",
        ),
        (
            "output_ok: [{evaluation: {pass: {regex: a}}}]",
            "specs[0].output_ok[0].evaluation.pass: regex is asked of no score; write one of eq,",
        ),
        (
            "output_ok: [{evaluation: {pass: {eq: good}}}]",
            "specs[0].output_ok[0].evaluation.pass: eq: a score is a number; write labels as [good",
        ),
        (
            "output_ok: [{evaluation: {pass: {ge: true}}}]",
            "specs[0].output_ok[0].evaluation.pass: ge: not a number; write one",
        ),
        (
            "output_ok: [{evaluation: {pass: {in: [0, good]}}}]",
            "specs[0].output_ok[0].evaluation.pass: in: a score is a number; write labels as [good",
        ),
        (
            "output_ok: [{evaluation: {pass: {eq: true}}}]",
            "specs[0].output_ok[0].evaluation.pass: eq: a score is a number; write labels as",
        ),
        (
            "output_ok: [{evaluation: x, attribute: y}]",
            "specs[0].output_ok[0]: two sources in one, evaluation and attribute; write each",
        ),
        ("output_ok: [{}]", "specs[0].output_ok[0]: no source of an output's grade; write"),
        ("output_ok: [1]", "specs[0].output_ok[0]: no source of an output's grade; write"),
        ("output_ok: [[a]]", "specs[0].output_ok[0]: no source of an output's grade; write"),
        ("output_ok: [{attribute: 1}]", "specs[0].output_ok[0].attribute: not a text"),
        (
            "match: {attributes: {a: {}}}",
            "specs[0].match.attributes.a: no plain value; write a text",
        ),
        (
            "match: {attributes: {a: [[]]}}",
            "specs[0].match.attributes.a: no plain value; write a text",
        ),
    ],
)
def test_each_problem_says_where_what_and_what_would_be_right(
    file: Path, keys: str, problem: str
) -> None:
    found = problems(file, f"specs:\n  - name: a\n    {keys}\n")

    assert len(found) == 1
    assert found[0].startswith(problem)
    assert found[0].endswith("(line 3)")


def test_problems_come_in_order_of_lines(file: Path) -> None:
    text = (
        "specs:\n  - name: a\n    toolz: [x]\n    max_steps: x\n    requird: [a]\n    ground: 5\n"
    )

    assert [one[-3:-1] for one in problems(file, text)] == [" 3", " 4", " 5", " 6"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not a spec file; write `specs:` and a list of specs below it"),
        ("[a]", "not a spec file; write `specs:` and a list of specs below it"),
        ("name: a\ntools: [x]", "not a spec file; write `specs:` and a list"),
        ("specs: []", "specs: empty; write at least one, or leave the key out (line 1)"),
        ("specs: [{}]", "specs[0].name: missing; write it (line 1)"),
        ("specs: [{name: 1}]", "specs[0].name: not a text; put it in quotes (line 1)"),
        ("specs:\n  [a}", "line 2, column 5: "),
        ("specs: &a [*a]", "line 1: *a stands within itself; write out what it stands for"),
        ("specs: " + "[" * 5000, "line 1: nested deeper than 50 levels; "),
        ("specs: [{name: a, name: b}]", "specs[0].name: written twice; keep one (line 1)"),
        (
            "specs: [{name: a, yes: 1}]",
            "specs[0].yes: a key that is no text; put it in quotes (line 1)",
        ),
        (
            "specs: [{name: &a b, tools: !!python/name:os.system ''}]",
            "line 1, column 29: could not",
        ),
    ],
)
def test_a_file_that_is_no_spec_file_is_refused(file: Path, text: str, problem: str) -> None:
    assert problems(file, text)[0].startswith(problem)


def test_a_file_or_folder_without_specs_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")

    assert lint([tmp_path / "nowhere.yaml"])[0].endswith(
        "nowhere.yaml: no such file; name a spec file or a folder of them"
    )
    assert lint([empty])[0].endswith("no spec file in this folder; add one that ends in .yaml")
    assert "cannot be read" in lint([binary])[0]


def test_a_name_is_taken_once_in_a_set(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(GOOD)
    two.write_text(GOOD)

    assert lint([one, two]) == [
        (
            f"{two}: specs[0].name: 'a' is taken; {one}: specs[0] has it; "
            "names are unique in a set, choose another (line 1)"
        )
    ]


def test_a_taken_name_is_told_beside_what_else_is_wrong(file: Path) -> None:
    file.write_text("specs: [{name: a}, {name: a, max_steps: many}, 5, {name: ''}, {name: a}]")

    assert [one.removeprefix(f"{file}: ").partition(";")[0] for one in lint([file])] == [
        "specs[1].max_steps: not a whole number",
        "specs[2]: not a section",
        "specs[3].name: empty",
        "specs[1].name: 'a' is taken",
        "specs[4].name: 'a' is taken",
    ]


def test_contradictions_are_told_beside_a_wrong_value(file: Path) -> None:
    rules = "[{id: r, calls: {step: b}}, {id: r, no_action: true}]"
    keys = f"required: [a], forbidden: [a], max_steps: many, rules: {rules}"

    found = problems(file, f"specs: [{{name: s, {keys}}}]")

    assert [one.partition(";")[0] for one in found] == [
        "specs[0].max_steps: not a whole number",
        "specs[0].forbidden[0]: 'a' is required too, so every run is violated",
        "specs[0].rules[1].id: 'r' is taken",
        "specs[0].rules[0].calls: without bounds it can never fire",
    ]


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ("tools: x, required: [a]", "tools"),
        ("untrusted: [a], privileged: b", "privileged"),
        ("severity: {max_steps: hard}, max_steps: many", "max_steps"),
        ("severity: {taint: hard}, untrusted: a, privileged: [b]", "untrusted"),
        ("severity: {forbidden: loud}, required: [a], forbidden: [a]", "severity.forbidden"),
        ("scope: run, match: {agents: x}", "match.agents"),
        ("scope: runs, match: {agent: x}, rules: [{id: r, forbidden: {agent: y}}]", "scope"),
    ],
)
def test_what_rests_on_a_wrong_value_is_not_guessed_at(file: Path, keys: str, wrong: str) -> None:
    (found,) = problems(file, f"specs: [{{name: s, {keys}}}]")

    assert found.startswith(f"specs[0].{wrong}: ")


def test_a_bare_off_is_read_as_people_mean_it(file: Path) -> None:
    """YAML reads it as false."""
    file.write_text("specs: [{name: a, severity: {ground: off}}]")

    checks = [check.id for check in load([file]).specs[0].checks]

    assert checks == ["secrets"]
