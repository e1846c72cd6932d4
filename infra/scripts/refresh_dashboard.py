"""Write infra/grafana/dashboard.json anew from infra/grafana/panels.yml.

python infra/scripts/refresh_dashboard.py [--check]
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

FOLDER: Final = Path(__file__).resolve().parents[2] / "infra" / "grafana"
PANELS: Final = FOLDER / "panels.yml"
DASHBOARD: Final = FOLDER / "dashboard.json"
SOURCE: Final[dict[str, JsonValue]] = {"type": "prometheus", "uid": "${datasource}"}
WIDTH: Final = 24
"""Columns of Grafana's grid."""
HEIGHT: Final = 8
FIRST_HEIGHT: Final = 4
"""Rows of a panel in Grafana's grid; in the first row a number is all that is shown."""
Kind = Literal["timeseries", "stat", "gauge", "bargauge", "state-timeline"]
_LEGEND: Final[dict[str, JsonValue]] = {"displayMode": "list", "placement": "bottom", "showLegend": True}
_LAST: Final[dict[str, JsonValue]] = {"calcs": ["lastNotNull"], "fields": "", "values": False}
_OPTIONS: Final[dict[Kind, dict[str, JsonValue]]] = {
    "timeseries": {"legend": _LEGEND, "tooltip": {"mode": "multi", "sort": "desc"}},
    "stat": {"reduceOptions": _LAST, "colorMode": "value", "graphMode": "area", "textMode": "auto"},
    "gauge": {"reduceOptions": _LAST, "showThresholdLabels": False, "showThresholdMarkers": True},
    "bargauge": {"reduceOptions": _LAST, "orientation": "horizontal", "displayMode": "basic"},
    "state-timeline": {"mergeValues": True, "showValue": "auto", "legend": {**_LEGEND, "showLegend": False}},
}


class Panel(BaseModel):
    """One panel, as panels.yml tells of it at its top."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1)
    description: str = Field(min_length=1)
    queries: dict[str, str] = Field(min_length=1)
    kind: Kind = "timeseries"
    unit: str = "short"
    wide: int = Field(default=8, ge=1, le=WIDTH)
    stacked: bool = False
    signed: bool = False
    most: float | None = None
    colours: dict[Literal["base"] | float, str] = Field(default_factory=dict)
    words: dict[str, str] = Field(default_factory=dict)

    @property
    def is_of_now(self) -> bool:
        """True where it shows how it is, and not how it came to be."""
        return self.kind in {"gauge", "bargauge"}


def read_panels() -> dict[str, list[Panel]]:
    """The panels of each row, in order. Raises ValueError."""
    rows = yaml.safe_load(PANELS.read_text(encoding="utf-8"))
    return TypeAdapter(dict[str, list[Panel]]).validate_python(rows)


def dashboard_text() -> str:
    """The whole file."""
    panels: list[JsonValue] = []
    top = 0
    for row, (title, of_row) in enumerate(read_panels().items()):
        shown: dict[str, JsonValue] = {"type": "row", "title": title, "collapsed": False, "panels": []}
        panels.append({"id": len(panels) + 1, "gridPos": _place(0, top, WIDTH, 1), **shown})
        top, left, height = top + 1, 0, FIRST_HEIGHT if row == 0 else HEIGHT
        for panel in of_row:
            if left + panel.wide > WIDTH:
                top, left = top + height, 0
            panels.append({"id": len(panels) + 1, "gridPos": _place(left, top, panel.wide, height), **_shown(panel)})
            left += panel.wide
        top += height
    return json.dumps(_dashboard(panels), indent=1, ensure_ascii=False) + "\n"


def _dashboard(panels: list[JsonValue]) -> dict[str, JsonValue]:
    source: JsonValue = {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    return {
        "uid": "ragpp",
        "title": "RAG++",
        "description": "What is asked, remembered and learned, and how the stores are: docs/monitoring.md. Written by "
        "infra/scripts/refresh_dashboard.py from infra/grafana/panels.yml.",
        "tags": ["ragpp"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser",
        "templating": {"list": [source]},
        "annotations": {"list": []},
        "links": [],
        "panels": panels,
    }


def _place(left: int, top: int, wide: int, height: int) -> dict[str, JsonValue]:
    return {"x": left, "y": top, "w": wide, "h": height}


def _shown(panel: Panel) -> dict[str, JsonValue]:
    of_now = {"instant": panel.is_of_now, "range": not panel.is_of_now}
    targets: list[JsonValue] = [
        {"refId": chr(ord("A") + number), "datasource": SOURCE, "expr": query, "legendFormat": legend, **of_now}
        for number, (legend, query) in enumerate(panel.queries.items())
    ]
    return {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": SOURCE,
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": _OPTIONS[panel.kind],
        "targets": targets,
    }


def _defaults(panel: Panel) -> dict[str, JsonValue]:
    colours = panel.colours or {"base": "green"}
    steps: list[JsonValue] = [
        {"value": None if value == "base" else value, "color": colour} for value, colour in colours.items()
    ]
    defaults: dict[str, JsonValue] = {
        "unit": panel.unit,
        "color": {"mode": "thresholds" if panel.colours else "palette-classic"},
        "thresholds": {"mode": "absolute", "steps": steps},
    }
    if not panel.signed:
        defaults["min"] = 0
    if panel.most is not None:
        defaults["max"] = panel.most
    if panel.words:
        words: dict[str, JsonValue] = {value: {"text": word} for value, word in panel.words.items()}
        defaults["mappings"] = [{"type": "value", "options": words}]
    if panel.kind == "timeseries":
        fill, stacking = (30, "normal") if panel.stacked else (0, "none")
        lines: JsonValue = {"fillOpacity": fill, "lineWidth": 1, "showPoints": "auto", "stacking": {"mode": stacking}}
        defaults["custom"] = lines
    return defaults


def main() -> int:
    """Write the file; with --check, 1 when it would change."""
    parser = argparse.ArgumentParser(description="Write infra/grafana/dashboard.json from infra/grafana/panels.yml.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the file is out of date")
    text = dashboard_text()
    if parser.parse_args().check:
        return int(not DASHBOARD.exists() or DASHBOARD.read_text(encoding="utf-8") != text)
    DASHBOARD.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
