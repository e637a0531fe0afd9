"""The kinds of panels, and where they stand.

Owns how a figure, a line, a bar and a table look. Knows no metric and no words of a panel.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from grafana_foundation_sdk.builders import common, prometheus, stat, table, timeseries
from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.models import common as look
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

#: Of every panel, so that all count in the same steps: 15 s over an hour, 5 min over a day.
#: What happens within a step is told at its end.
POINTS: Final = 300
SOURCE: Final = model.DataSourceRef(type_val="prometheus", uid="${datasource}")


class Layout:
    """Places panels on the grid of 24 columns, and numbers them."""

    def __init__(self, dashboard: build.Dashboard) -> None:
        self._dashboard = dashboard
        self._ids = iter(range(1, 100))
        self._top = 0

    def row(self, title: str) -> None:
        """Begin a row below all that is there."""
        row = build.Row(title).id(next(self._ids))
        self._dashboard.with_row(row.grid_pos(model.GridPos(h=1, w=24, x=0, y=self._top)))
        self._top += 1

    def line(self, height: int, *columns: tuple[int, Sequence[Any]]) -> None:
        """Columns side by side: their width, and the panels that share their height."""
        left = 0
        for width, panels in columns:
            top = self._top
            for place, panel in enumerate(panels):
                rest = self._top + height - top
                high = rest if place == len(panels) - 1 else height // len(panels)
                at = model.GridPos(h=high, w=width, x=left, y=top)
                self._dashboard.with_panel(panel.id(next(self._ids)).grid_pos(at))
                top += high
            left += width
        self._top += height


def setting(key: str, value: object) -> Any:
    """One property of an override."""
    return model.DynamicConfigValue(id_val=key, value=value)


def color(name: str, mode: str = "fixed") -> Any:
    """The override that paints a series; `shades` gives each its own shade."""
    return setting("color", {"mode": mode, "fixedColor": name})


def thresholds(*steps: tuple[float | None, str]) -> Any:
    """From which value on which colour; None is the lowest."""
    parts = [model.Threshold(value=least, color=name) for least, name in steps]
    return build.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(parts)


def _plain(panel: Any, title: str, description: str) -> Any:
    return panel.title(title).description(description).datasource(SOURCE).max_data_points(POINTS)


def _targets(panel: Any, asked: Iterable[Any]) -> Any:
    for letter, one in zip("ABCDEFGH", asked, strict=False):
        panel.with_target(one.ref_id(letter).datasource(SOURCE))
    return panel


def over_time(query: str, legend: str) -> Any:
    """A query over the selected time."""
    return prometheus.Dataquery().expr(query).legend_format(legend).range()


def now(query: str, legend: str) -> Any:
    """A query at the end of the selected time."""
    return prometheus.Dataquery().expr(query).legend_format(legend).instant()


def as_rows(query: str) -> Any:
    """The same, with labels as columns."""
    return prometheus.Dataquery().expr(query).format(PromQueryFormat.TABLE).instant()


def tiles(title: str, description: str, *asked: Any, calc: str = "lastNotNull") -> Any:
    """Big figures side by side."""
    reduce = common.ReduceDataOptions().calcs([calc]).values(values=False)
    panel = stat.Panel().reduce_options(reduce).graph_mode(look.BigValueGraphMode.NONE)
    panel.color_mode(look.BigValueColorMode.VALUE).text_mode(look.BigValueTextMode.VALUE_AND_NAME)
    return _targets(_plain(panel, title, description), asked)


def _legend(calcs: Sequence[str], *, right: bool) -> Any:
    legend = common.VizLegendOptions().show_legend(show_legend=True).calcs(list(calcs))
    if right:
        legend.placement(look.LegendPlacement.RIGHT).display_mode(look.LegendDisplayMode.TABLE)
    else:
        legend.placement(look.LegendPlacement.BOTTOM).display_mode(look.LegendDisplayMode.LIST)
    if calcs:
        legend.sort_by("Total" if calcs[0] == "sum" else "Last *").sort_desc(sort_desc=True)
    return legend


def lines(
    title: str, description: str, *asked: Any, calcs: Sequence[str] = (), right: bool = False
) -> Any:
    """Lines over time."""
    panel = timeseries.Panel().line_width(1).fill_opacity(5)
    panel.show_points(look.VisibilityMode.AUTO).legend(_legend(calcs, right=right))
    panel.tooltip(common.VizTooltipOptions().mode(look.TooltipDisplayMode.MULTI))
    return _targets(_plain(panel, title, description), asked)


def bars(title: str, description: str, *asked: Any, right: bool = False) -> Any:
    """Whole numbers, one bar a step, one on the other; the legend has their sum."""
    panel = lines(title, description, *asked, calcs=["sum"], right=right)
    panel.draw_style(look.GraphDrawStyle.BARS).fill_opacity(80).line_width(0).decimals(0).min(0)
    panel.stacking(common.StackingConfig().mode(look.StackingMode.NORMAL).group("A"))
    return panel.show_points(look.VisibilityMode.NEVER)


def rows(title: str, description: str, columns: dict[str, str], sort: str, *asked: Any) -> Any:
    """A table of instant queries, merged by their labels.

    `columns` has the heading of each label and each `Value #A`, in order; values that it
    does not name are hidden. `sort` is the heading by which rows are sorted, highest first.
    """
    hidden = {"Time": True} | {
        f"Value #{letter}": True
        for letter in "ABCDEFGH"[: len(asked)]
        if f"Value #{letter}" not in columns
    }
    tidy = {
        "excludeByName": hidden,
        "indexByName": {name: place for place, name in enumerate(columns)},
        "renameByName": columns,
    }
    panel = table.Panel().cell_height(look.TableCellHeight.SM)
    panel.with_transformation(model.DataTransformerConfig(id_val="merge", options={}))
    panel.with_transformation(model.DataTransformerConfig(id_val="organize", options=tidy))
    panel.sort_by([common.TableSortByFieldState().display_name(sort).desc(desc=True)])
    return _targets(_plain(panel, title, description), asked)
