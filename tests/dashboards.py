"""The committed dashboard as tests read it: its queries, filled in as Grafana does."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

GRAFANA = Path(__file__).parents[1] / "deploy" / "grafana"
FILE = GRAFANA / "surefoot.json"
#: What Grafana's variables of time stand for, with an hour on the page.
TIMES = {"__rate_interval": "1m", "__interval": "15s", "__range": "1h"}
ALL = {"service": ".*", "agent": ".*", "spec": ".*"}
#: As Grafana escapes what is chosen, for a regex inside of a string in double quotes.
_SPECIAL = re.compile(r"[$^*{}\[\]'+?.()|]")


class Asked(NamedTuple):
    """One query of a panel. `instant`: at the end of the page's time, else over it."""

    panel: str
    ref: str
    legend: str
    expr: str
    instant: bool

    @property
    def name(self) -> str:
        """What a failing test calls it."""
        return f"{self.panel} {self.ref}"


def page() -> dict[str, Any]:
    """The dashboard's JSON."""
    told: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return told


def queries() -> list[Asked]:
    """Every query of every panel."""
    return list(_queries())


def _queries() -> Iterator[Asked]:
    for panel in page()["panels"]:
        for target in panel.get("targets", ()):
            instant = bool(target.get("instant"))
            assert instant != bool(target.get("range")), target
            legend = target.get("legendFormat", "")
            yield Asked(panel["title"], target["refId"], legend, target["expr"], instant)


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
