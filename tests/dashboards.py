"""The committed dashboard as tests read it: its queries, filled in as Grafana does."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from emit.mapped import prometheus_name
from surefoot.emit.instruments import INSTRUMENTS, Kind

GRAFANA = Path(__file__).parents[1] / "deploy" / "grafana"
FILE = GRAFANA / "surefoot.json"
#: What Grafana's variables of time stand for, with an hour on the page.
TIMES = {"__rate_interval": "1m", "__interval": "15s", "__range": "1h"}
ALL = {"service": ".*", "agent": ".*", "spec": ".*"}
#: As Grafana escapes what is chosen, for a regex inside of a string in double quotes.
_SPECIAL = re.compile(r"[$^*{}\[\]'+?.()|]")

_MATCHER = re.compile(r'\w+(?:=~|!~|!=|=)"[^"]*"')


class Asked(NamedTuple):
    """One query of a panel.

    legend: of a table, its column's heading; empty where that is hidden. instant: asked for the
    end of the page's time, else over it. calc: how the panel makes one figure of points over
    time: their `sum`, else the last.
    """

    panel: str
    ref: str
    legend: str
    expr: str
    instant: bool
    calc: str

    @property
    def name(self) -> str:
        """What a failing test calls it."""
        return f"{self.panel}: {self.legend}"


def page() -> dict[str, Any]:
    """The dashboard's JSON."""
    told: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return told


def queries() -> list[Asked]:
    """Every query of every panel."""
    return list(_queries())


def _queries() -> Iterator[Asked]:
    for panel in page()["panels"]:
        options = panel.get("options", {})
        calcs = options.get("reduceOptions", options.get("legend", {})).get("calcs")
        for target in panel.get("targets", ()):
            instant = bool(target.get("instant"))
            assert instant != bool(target.get("range")), target
            legend = target.get("legendFormat") or _heading(panel, target["refId"])
            calc = calcs[0] if calcs else "lastNotNull"
            yield Asked(panel["title"], target["refId"], legend, target["expr"], instant, calc)


def _heading(panel: dict[str, Any], letter: str) -> str:
    """What heads the column of a table's query."""
    [told] = [one["options"] for one in panel["transformations"] if one["id"] == "organize"]
    value = f"Value #{letter}" if len(panel["targets"]) > 1 else "Value"
    if told["excludeByName"].get(value):
        return ""
    return str(told["renameByName"][value])


def samples() -> dict[str, set[str]]:
    """The labels of each sample that we export, by its name, and of a histogram's family."""
    found: dict[str, set[str]] = {}
    for one in INSTRUMENTS:
        name = prometheus_name(one.name, one.unit, one.kind.value)
        labels = {attribute.replace(".", "_") for attribute in one.attributes}
        found[name] = labels
        if one.kind is Kind.HISTOGRAM:
            found |= {f"{name}_sum": labels, f"{name}_count": labels}
            found[f"{name}_bucket"] = {*labels, "le"}
    return found


def selectors(expr: str) -> list[tuple[str, set[str]]]:
    """Each metric that a query names, as often as it does, and what it selects of it."""
    return [
        (name, set(_MATCHER.findall(braces)))
        for name, braces in re.findall(r"\b(surefoot_\w+)(?:\{([^}]*)\})?", expr)
    ]


def variables() -> dict[str, str]:
    """Each variable's `label_values(...)`, by its name."""
    return {
        one["name"]: one["query"]["query"]
        for one in page()["templating"]["list"]
        if one["type"] == "query"
    }


def chosen(value: str) -> str:
    """One chosen value, as it stands in a query."""
    return _SPECIAL.sub(r"\\\\\g<0>", value.replace("\\", "\\\\\\\\"))


def filled(text: str, values: Mapping[str, str]) -> str:
    """A query with its variables replaced; none may be left."""
    for name, value in {**TIMES, **values}.items():
        text = re.sub(rf"\$({name}\b|\{{{name}\}})", value.replace("\\", r"\\"), text)
    assert "$" not in text.replace("\\\\$", ""), text
    return text
