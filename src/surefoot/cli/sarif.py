"""The judgement as SARIF 2.1.0, for code hosts and editors that show it.

Owns what becomes of what (section numbers are the OASIS standard's):

    a check of a spec      a rule (3.49): id `spec/check`, its sentence from the schema
    a violation            a result (3.27) of level error, warning or note
    an undecided check     a result of kind `open`, which is SARIF's own word for it
    a failed output        a result, if it gates
    a crashed check        a notification (3.58), and an execution that did not succeed

A result stands in the file that holds the step's span (a URI relative to the folder in
which the command runs, as code hosts want it) and, logically, at `trace/span`.

**Fingerprints** tell a host which result it has seen before. They are made of the file,
spec, check, service, agent, tool, argument and subject, and of a number among those that
are equal in all of these, in order of the runs. Not of step indices, which shift, nor of
span and trace ids, which are new with each recording: a recording that is made again
under the same name keeps its alerts, and another file has alerts of its own.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import orjson

from surefoot.cli.findings import OUTPUT, Finding, Findings, Word
from surefoot.cli.gate import Judged
from surefoot.cli.read import STDIN_NAME
from surefoot.cli.show import plain
from surefoot.specs import Meaning

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {Word.HARD: "error", Word.SOFT: "warning", Word.WARN: "note"}
#: What a host takes for the root of the sources.
_ROOT: Final = "%SRCROOT%"
_DIGEST_BYTES: Final = 16
_OUTPUT_MEANS: Final = "The run's output is ok, by the first source that tells."


#: The checks of each spec, by its name, in the order of loading.
Meanings: TypeAlias = Mapping[str, Sequence[Meaning]]


def sarif(judged: Sequence[Judged], meanings: Meanings, findings: Findings, code: int) -> bytes:
    """The report. code: with which the command will exit."""
    found = [
        one
        for one in findings.of_all(judged)
        if one.word is not Word.UNMATCHED and (one.word is not Word.FAIL or one.gates)
    ]
    rules = _rules(meanings, found, findings)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    equal: Counter[str] = Counter()
    results = []
    for one in found:
        if one.crashed:
            continue
        digest = _digest(one)
        rule = _rule_id(findings, one.spec, one.check)
        results.append(
            {
                "ruleId": rule,
                **({"ruleIndex": index[rule]} if rule in index else {}),
                **_result(one, findings),
                # The second is the name under which GitHub looks for it.
                "partialFingerprints": dict.fromkeys(
                    ("surefoot/v1", "primaryLocationLineHash"), f"{digest}:{equal[digest]}"
                ),
            }
        )
        equal[digest] += 1
    run = {
        "tool": {"driver": {"name": "Surefoot", **_version(), "rules": rules}},
        "invocations": [_invocation([one for one in found if one.crashed], code)],
        "results": results,
    }
    report = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _rules(
    meanings: Meanings, found: Iterable[Finding], findings: Findings
) -> list[dict[str, Any]]:
    """A descriptor (3.49) for each check of each spec, and for outputs that gate."""
    wanted = [(spec, one) for spec, of_spec in meanings.items() for one in of_spec]
    output = Meaning(OUTPUT, "output_ok", _OUTPUT_MEANS, Word.HARD.value, "the output")
    wanted += dict.fromkeys((one.spec, output) for one in found if one.word is Word.FAIL)
    rules: dict[str, dict[str, Any]] = {}
    for spec, meaning in wanted:
        rule_id = _rule_id(findings, spec, meaning.id)
        of = f"Check {findings.name(meaning.id)} of the spec {findings.name(spec)}"
        rules.setdefault(
            rule_id,
            {
                "id": rule_id,
                "name": meaning.key,
                "shortDescription": {"text": meaning.text},
                "help": {"text": f"{meaning.text}\n\n{of}, written as {meaning.key}."},
                "defaultConfiguration": {"level": _LEVELS[Word(meaning.severity)]},
                "properties": {"tags": [meaning.severity, meaning.kind]},
            },
        )
    return list(rules.values())


def _rule_id(findings: Findings, spec: str, check: str) -> str:
    """Unique among all specs."""
    return f"{findings.name(spec)}/{findings.name(check)}"


def _result(one: Finding, findings: Findings) -> dict[str, Any]:
    is_open = one.word is Word.INCONCLUSIVE
    told = f"could not be decided: {one.message}" if is_open else one.message
    span_id = one.place.span_id.hex()
    location: dict[str, Any] = {
        "logicalLocations": [
            {
                "name": one.tool or span_id,
                "fullyQualifiedName": f"{one.trace}/{span_id}",
                "kind": "span",
            }
        ]
    }
    if one.place.file:
        physical: dict[str, Any] = {"artifactLocation": _artifact(one.place.file)}
        if one.place.line:
            physical["region"] = {"startLine": one.place.line}
        location["physicalLocation"] = physical
    run = one.run
    return {
        "kind": "open" if is_open else "fail",
        # Only what fails has a level (3.27.10).
        "level": "none" if is_open else _LEVELS.get(one.word, "error"),
        "message": {"text": _text(f"{told}{one.at}")},
        "locations": [location],
        "properties": {
            "service": findings.name(run.service),
            "agent": findings.name(run.agent),
            "severity": one.word.value,
        },
    }


def _invocation(crashed: Sequence[Finding], code: int) -> dict[str, Any]:
    told: dict[str, Any] = {"executionSuccessful": not crashed, "exitCode": code}
    if crashed:
        told["toolExecutionNotifications"] = [
            {
                "level": "error",
                "message": {"text": _text(f"check {plain(one.check)} crashed on {one.trace}")},
            }
            for one in crashed
        ]
    return told


def _digest(one: Finding) -> str:
    """What stays of a finding when the same run is recorded again under the same name."""
    kind = "open" if one.word is Word.INCONCLUSIVE else "fail"
    parts = (kind, _artifact(one.place.file)["uri"], *one.key)
    told = b"".join(
        len(part).to_bytes(4, "big") + part
        for part in (text.encode("utf-8", "surrogatepass") for text in parts)
    )
    return blake2b(told, digest_size=_DIGEST_BYTES).hexdigest()


def _artifact(file: str) -> dict[str, str]:
    """Where a file is: relative to the working folder, if it lies below it."""
    if file == STDIN_NAME:
        return {"uri": "stdin"}
    path = os.path.relpath(file) if file else ""
    if path.startswith(os.pardir + os.sep):
        return {"uri": Path(file).resolve().as_uri()}
    return {"uri": quote(_bytes(Path(path).as_posix())), "uriBaseId": _ROOT}


def _bytes(name: str) -> bytes:
    """A file's name as the system has it, also where that is no UTF-8."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair that stands for no byte
        return name.encode("utf-8", "surrogatepass")


def _text(told: str) -> str:
    """A message in which nothing that an agent wrote becomes a link (3.11.6)."""
    return told.replace("](", "] (")


def _version() -> dict[str, str]:
    try:
        return {"version": version("surefoot")}
    except PackageNotFoundError:  # run from a source tree
        return {}
