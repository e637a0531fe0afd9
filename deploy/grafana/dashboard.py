"""Write the dashboard: `python deploy/grafana/dashboard.py > deploy/grafana/surefoot.json`.

Owns the page: its variables, links and rows. What rows say is in `grades` and `trust`, what
they ask in `queries`, how panels look in `panels`. Needs grafana-foundation-sdk, whose
version names Grafana's: `pip install 'grafana-foundation-sdk==1769699379!11.6.0'`.

The first screen answers how many good answers came by a bad path, by which check, and of
which agent. The rest says how far to trust that: what was not judged, and Surefoot itself.
"""

import json
import sys
from typing import Any

from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as model

import panels as put
from grades import JAEGER, luck, verdicts
from trust import coverage, health


def _variable(name: str, query: str) -> Any:
    """A choice of label values; `.*` as all, since a series may lack the label."""
    asked = {"qryType": 1, "query": query, "refId": f"variable-{name}"}
    one = build.QueryVariable(name).label(name).datasource(put.SOURCE).query(asked)
    one.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED).multi(multi=True)
    one.include_all(include_all=True).all_value(".*").sort(model.VariableSort.ALPHABETICAL_ASC)
    return one.current(model.VariableOption(text="All", value="$__all", selected=True))


def dashboard() -> Any:
    """The whole page."""
    page = build.Dashboard("Surefoot").uid("surefoot").tags(["surefoot", "agents"])
    page.description("How many good answers of agents came by a bad path, and which check says so.")
    page.time("now-1h", "now").refresh("30s").timezone("browser").editable()
    page.tooltip(model.DashboardCursorSync.CROSSHAIR)
    page.with_variable(
        build.DatasourceVariable("datasource").label("data source").type("prometheus")
    )
    page.with_variable(_variable("service", "label_values(surefoot_runs_total, service)"))
    page.with_variable(
        _variable("agent", 'label_values(surefoot_runs_total{service=~"$service"}, agent)')
    )
    page.with_variable(
        _variable("spec", 'label_values(surefoot_verdicts_total{service=~"$service"}, spec)')
    )
    page.with_variable(build.ConstantVariable("jaeger").value("http://127.0.0.1:16686"))
    lucky = build.DashboardLink("Lucky runs in Jaeger").type(model.DashboardLinkType.LINK)
    lucky.url(JAEGER.replace("TAG", "surefoot.outcome").replace("VALUE", "lucky"))
    page.link(lucky.icon("external link").target_blank(target_blank=True))
    layout = put.Layout(page)
    for part in (luck, verdicts, coverage, health):
        part(layout)
    return page.build()


def text() -> str:
    """The dashboard as JSON."""
    return json.dumps(dashboard(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
