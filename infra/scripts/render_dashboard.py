"""Draw infra/grafana/dashboard.json from what a Prometheus has, without Grafana: one page of HTML that needs nothing.

python infra/scripts/render_dashboard.py --url http://127.0.0.1:9090 --minutes 60 --out dashboard.html

Names the panels that have no data on standard error.
"""

import argparse
import html
import json
import math
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
from pydantic import AliasPath, BaseModel, Field

DASHBOARD: Final = Path(__file__).resolve().parents[2] / "infra" / "grafana" / "dashboard.json"
COLUMN, LINE = 60, 34
"""Pixels of a column and a row of Grafana's grid."""
POINTS: Final = 120
COLOURS: Final = (
    "#7eb26d",
    "#eab839",
    "#6ed0e0",
    "#ef843c",
    "#e24d42",
    "#1f78c1",
    "#ba43a9",
    "#705da0",
    "#508642",
    "#cca300",
)
NAMED: Final = {"green": "#73bf69", "yellow": "#f2cc0c", "red": "#f2495c"}
Point = tuple[float, float, float]
"""Moment, lower and upper edge of a curve."""
STYLE: Final = """body{background:#111217;color:#ccccdc;font:12px sans-serif;margin:8px;position:relative}
.p{position:absolute;background:#181b1f;border:1px solid #2c3235;box-sizing:border-box;padding:4px 8px;overflow:hidden}
.r{position:absolute;font-size:15px;font-weight:bold}.t{font-weight:600;margin-bottom:2px;white-space:nowrap}
.n{font-size:30px;text-align:center;margin-top:18px}.l{line-height:14px;max-height:44px;overflow:hidden}
.l span{margin-right:10px;white-space:nowrap}.none{color:#8e8e9e;text-align:center;margin-top:30px}"""


class Place(BaseModel):
    """Where a panel is, in Grafana's grid."""

    x: int
    y: int
    w: int
    h: int


class Target(BaseModel):
    """One query of a panel."""

    expr: str
    legend: str = Field(alias="legendFormat")
    instant: bool = False


class Step(BaseModel):
    """From which value on it has which colour."""

    value: float | None
    color: str


class Defaults(BaseModel):
    """Unit, scale and colours of a panel, and how its lines are drawn."""

    unit: str = "short"
    min: float | None = None
    max: float | None = None
    steps: list[Step] = Field(default=[], validation_alias=AliasPath("thresholds", "steps"))
    stacking: str = Field(default="none", validation_alias=AliasPath("custom", "stacking", "mode"))


class Panel(BaseModel):
    """A panel or, with the type `row`, the title of some."""

    type: str
    title: str
    place: Place = Field(alias="gridPos")
    defaults: Defaults = Field(default=Defaults(), validation_alias=AliasPath("fieldConfig", "defaults"))
    targets: list[Target] = []


@dataclass(frozen=True)
class Line:
    """One time series: its name in the legend and its points."""

    name: str
    points: Sequence[tuple[float, float]]


class Series(BaseModel):
    """As Prometheus answers it."""

    metric: dict[str, str]
    values: list[tuple[float, float]] = []


class Answer(BaseModel):
    """The series that a query found."""

    series: list[Series] = Field(validation_alias=AliasPath("data", "result"))


def shown(value: float, unit: str) -> str:
    """A value with its unit, as short as one can read it."""
    if unit == "percentunit":
        return f"{value * 100:.3g} %"
    if unit == "s":
        return (
            f"{value * 1000:.3g} ms"
            if abs(value) < 1
            else f"{value:.3g} s"
            if abs(value) < 120
            else f"{value / 60:.3g} min"
        )
    steps = (1024.0, ("", "Ki", "Mi", "Gi", "Ti")) if unit == "bytes" else (1000.0, ("", "k", "M", "G", "T"))
    size, power = abs(value), 0
    while size >= steps[0] and power < 4:
        size, power = size / steps[0], power + 1
    suffix = {"bytes": "B", "reqps": "/s", "cps": "/s"}.get(unit, "")
    return f"{math.copysign(size, value):.3g} {steps[1][power]}{suffix}".rstrip()


def lines_of(client: httpx.Client, panel: Panel, start: float, end: float) -> list[Line]:
    """The lines that the panel's queries find. Raises httpx.HTTPError, ValueError for one that is none."""
    step = _step(start, end)
    lines = []
    for target in panel.targets:
        query = target.expr.replace("$__rate_interval", f"{max(60, int(4 * step))}s")
        asked = {"query": query, "start": str(start), "end": str(end), "step": str(step)}
        response = client.post("/api/v1/query_range", data=asked)
        if response.is_client_error:
            raise ValueError(f"{panel.title}: {response.text}")
        response.raise_for_status()
        for one in Answer.model_validate_json(response.content).series:
            name = re.sub(r"\{\{(\w+)\}\}", lambda label, of=one.metric: of.get(label[1], ""), target.legend)  # type: ignore[misc]
            points = [(at, value) for at, value in one.values if math.isfinite(value)]
            if points and not (target.instant and points[-1][0] < end - 2 * step):
                lines.append(Line(name, points))
    return lines


def drawn(panel: Panel, lines: Sequence[Line], start: float, end: float) -> str:
    """The panel's inside."""
    if not lines:
        return '<div class="none">No data</div>'
    unit = panel.defaults.unit
    if panel.type in {"stat", "gauge"}:
        value = lines[0].points[-1][1]
        colour = "green"
        for step in panel.defaults.steps:
            colour = step.color if step.value is None or value >= step.value else colour
        return f'<div class="n" style="color:{NAMED.get(colour, colour)}">{shown(value, unit)}</div>'
    width, height = panel.place.w * COLUMN - 26, panel.place.h * LINE - 34
    if panel.type == "bargauge":
        return _bars(lines, unit, width)
    if panel.type == "state-timeline":
        return _states(lines, start, end, width)
    return _plot(panel, lines, (start, end), (width, height - 48))


def _bars(lines: Sequence[Line], unit: str, width: int) -> str:
    most = max(line.points[-1][1] for line in lines) or 1.0
    rows = []
    for number, line in enumerate(sorted(lines, key=lambda line: -line.points[-1][1])):
        y, value = number * 15, line.points[-1][1]
        bar = max(1.0, (width - 300) * value / most)
        rows.append(f'<rect x="200" y="{y}" width="{bar:.0f}" height="11" fill="#73bf69"/>')
        rows.append(_text(0, y + 10, line.name) + _text(206 + bar, y + 10, shown(value, unit)))
    return f'<svg width="{width}" height="{15 * len(lines)}">{"".join(rows)}</svg>'


def _states(lines: Sequence[Line], start: float, end: float, width: int) -> str:
    rows = []
    for number, line in enumerate(lines):
        y, room = number * 26, width - 90
        rows.append(_text(0, y + 15, line.name))
        for (at, value), (until, _) in zip(line.points, [*line.points[1:], (end, 0.0)], strict=True):
            x, wide = 90 + room * (at - start) / (end - start), room * (until - at) / (end - start)
            fill = NAMED["green" if value >= 1 else "red"]
            rows.append(f'<rect x="{x:.1f}" y="{y}" width="{wide + 0.5:.1f}" height="20" fill="{fill}"/>')
    return f'<svg width="{width}" height="{26 * len(lines)}">{"".join(rows)}</svg>'


def _plot(panel: Panel, lines: Sequence[Line], span: tuple[float, float], size: tuple[int, int]) -> str:
    defaults, (start, end), (width, height) = panel.defaults, span, size
    stacked = defaults.stacking == "normal"
    base: dict[float, float] = {}
    curves: list[list[Point]] = []
    for line in lines:
        curve = [(at, base.get(at, 0.0), base.get(at, 0.0) + value if stacked else value) for at, value in line.points]
        if stacked:
            base |= {at: high for at, _, high in curve}
        curves.append(curve)
    highs = [high for curve in curves for _, _, high in curve]
    top = defaults.max if defaults.max is not None else max(highs) * 1.1
    low = defaults.min if defaults.min is not None else min(0.0, *highs)
    top = top if top > low else low + 1.0
    left = 62

    def at(moment: float, value: float) -> str:
        x = left + (width - left) * (moment - start) / (end - start)
        return f"{x:.1f},{height - 14 - (height - 20) * (min(value, top) - low) / (top - low):.1f}"

    parts = []
    for share in (0.0, 0.5, 1.0):
        y = float(at(start, low + share * (top - low)).partition(",")[2])
        parts.append(f'<line x1="{left}" x2="{width}" y1="{y}" y2="{y}" stroke="#2c3235"/>')
        parts.append(_text(0, y + 4, shown(low + share * (top - low), defaults.unit)))
        moment = time.strftime("%H:%M", time.localtime(start + share * (end - start)))
        parts.append(_text(left + share * (width - left - 30), height - 1, moment))
    legend = []
    for number, (line, curve) in enumerate(zip(lines, curves, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        for piece in _pieces(curve, 2 * _step(start, end)):
            upper = [at(moment, high) for moment, _, high in piece]
            if stacked:
                lower = [at(moment, below) for moment, below, _ in reversed(piece)]
                parts.append(f'<polygon points="{" ".join([*upper, *lower])}" fill="{colour}" fill-opacity="0.35"/>')
            parts.append(f'<polyline points="{" ".join(upper)}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        last = shown(line.points[-1][1], defaults.unit)
        legend.append(f'<span><b style="color:{colour}">■</b> {html.escape(line.name)} {last}</span>')
    return f'<svg width="{width}" height="{height}">{"".join(parts)}</svg><div class="l">{" ".join(legend)}</div>'


def _step(start: float, end: float) -> float:
    """Seconds between two points."""
    return max(15.0, (end - start) / POINTS)


def _pieces(curve: Sequence[Point], gap: float) -> Iterator[Sequence[Point]]:
    """A curve without the gaps that are longer than so many seconds."""
    begun = 0
    for place in range(1, len(curve) + 1):
        if place == len(curve) or curve[place][0] - curve[place - 1][0] > gap:
            yield curve[begun:place]
            begun = place


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="#9e9eae" font-size="11">{html.escape(text)}</text>'


def page(panels: Sequence[Panel], found: Mapping[str, Sequence[Line]], start: float, end: float) -> str:
    """The whole page."""
    parts = []
    for panel in panels:
        place = panel.place
        where = f"left:{place.x * COLUMN}px;top:{place.y * LINE}px;width:{place.w * COLUMN - 6}px"
        if panel.type == "row":
            parts.append(f'<div class="r" style="{where}">{html.escape(panel.title)}</div>')
            continue
        inside = drawn(panel, found[panel.title], start, end)
        title = f'<div class="t">{html.escape(panel.title)}</div>'
        parts.append(f'<div class="p" style="{where};height:{place.h * LINE - 6}px">{title}{inside}</div>')
    return f'<!doctype html><meta charset="utf-8"><title>RAG++</title><style>{STYLE}</style>{"".join(parts)}\n'


def main() -> int:
    """Draw it; 1 where Prometheus cannot be asked."""
    parser = argparse.ArgumentParser(description="Draw the dashboard from what a Prometheus has, without Grafana.")
    parser.add_argument("--url", default="http://127.0.0.1:9090", help="of Prometheus")
    parser.add_argument("--minutes", type=float, default=60.0, help="until now")
    parser.add_argument("--out", type=Path, default=Path("dashboard.html"))
    given = parser.parse_args()
    panels = [Panel.model_validate(panel) for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]]
    end = time.time()
    start = end - 60 * given.minutes
    found: dict[str, Sequence[Line]] = {}
    try:
        with httpx.Client(base_url=given.url, timeout=30, trust_env=False) as client:
            for panel in panels:
                found[panel.title] = lines_of(client, panel, start, end)
    except (httpx.HTTPError, ValueError) as error:
        print(f"{given.url}: {error}", file=sys.stderr)
        return 1
    given.out.write_text(page(panels, found, start, end), encoding="utf-8")
    for panel in panels:
        if panel.targets and not found[panel.title]:
            print(f"no data: {panel.title}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
