"""The promises of infra/grafana: each metric it names exists, each is on the dashboard, each alert tells what to do."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

from ragpp.observability.metrics import listed
from ragpp_services.all_in_one import SERVICES as TIERS
from ragpp_services.workers.running.digest import STAGES
from tests.support.each import each_case
from tests.support.source import ROOT

FOLDER: Final = ROOT / "infra" / "grafana"
ALERTS: Final[dict[str, Any]] = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))
RULES: Final[list[dict[str, Any]]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DASHBOARD: Final[dict[str, Any]] = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
PANELS: Final[list[dict[str, Any]]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
TEXT: Final = (FOLDER / "docker-compose.yml").read_text(encoding="utf-8")
OVERLAY: Final[dict[str, Any]] = yaml.safe_load(TEXT)
COMPOSE: Final[dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
MONITORS: Final = ("prometheus", "grafana")
PAGE: Final = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")

OF_TARGETS: Final = {"job", "instance", "service"}
"""Labels that Prometheus gives what it reads, of which `service` is prometheus.yml's."""
OTHERS: Final = {name: set[str]() for name in ("up", "process_cpu_seconds_total", "process_resident_memory_bytes")}
WORDS: Final = frozenset(
    (
        *(
            "sum",
            "max",
            "min",
            "by",
            "without",
            "on",
            "ignoring",
            "group_left",
            "and",
            "or",
            "unless",
            "offset",
            "topk",
        ),
        *("rate", "increase", "histogram_quantile", "time", "vector", "absent"),
    )
)
"""PromQL's own, as far as it is used."""
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_DURATION: Final = re.compile(r"\[[^\]]*\]|\boffset\s+\w+")
_GROUPED: Final = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
_NAMED: Final = re.compile(r"([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?")


def samples() -> dict[str, set[str]]:
    """The labels of every time series that a process tells, by the series' name."""
    found: dict[str, set[str]] = {}
    for metric in vars(listed).values():
        if not isinstance(metric, MetricWrapperBase):
            continue
        name, labels = metric._name, set(metric._labelnames)
        if isinstance(metric, Counter):
            found[f"{name}_total"] = labels
        elif isinstance(metric, Histogram):
            found |= {f"{name}_count": labels, f"{name}_sum": labels, f"{name}_bucket": labels | {"le"}}
        else:
            assert isinstance(metric, Gauge)
            found[name] = labels
    return found


SAMPLES: Final = samples() | OTHERS


def expressions() -> Iterator[tuple[str, str, list[str]]]:
    """(where it stands, expression, names of labels that its legend or its texts have)."""
    for rule in RULES:
        texts = " ".join(rule["annotations"].values())
        yield rule["alert"], rule["expr"], re.findall(r"\$labels\.(\w+)", texts)
    for panel in PANELS:
        for target in panel["targets"]:
            yield panel["title"], target["expr"], re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])


EXPRESSIONS: Final = list(expressions())


def series_of(expression: str) -> dict[str, set[str]]:
    """The names of series in an expression, each with the labels that it is chosen by."""
    plain = _GROUPED.sub(" ", _DURATION.sub(" ", _STRING.sub('""', expression)))
    found: dict[str, set[str]] = {}
    for name, chosen in _NAMED.findall(plain):
        if name not in WORDS and not re.fullmatch(r"\d*e\d+|e\d*", name):
            found.setdefault(name, set()).update(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", chosen))
    return found


def grouped_by(expression: str) -> set[str]:
    return {label.strip() for group in _GROUPED.findall(expression) for label in group.split(",") if label.strip()}


def test_the_reader_of_expressions_reads_them() -> None:
    told = series_of(
        'sum by (le, tier) (rate(a_bucket{tier="x",status=~"ok|b"}[5m])) / (c > 1e9) and time() - d offset 1d'
    )
    assert told == {"a_bucket": {"tier", "status"}, "c": set(), "d": set()}
    assert grouped_by("sum by (le, tier) (a) / on (part) b") == {"le", "tier", "part"}


def test_every_metric_that_is_named_exists_with_its_labels() -> None:
    """Catches a panel or an alert of a metric or a label that was renamed: it would show nothing, for ever."""
    assert len(EXPRESSIONS) > 60
    offenders = [
        f"{where}: {wrong} in {expression!r}"
        for where, expression, shown in EXPRESSIONS
        for wrong in wrong_in(expression, set(shown))
    ]
    assert not offenders, "\n".join(offenders)


def wrong_in(expression: str, shown: set[str]) -> Iterator[str]:
    """The faults of an expression, such as names that are not there; `shown`: the labels of its legend or texts."""
    named = series_of(expression)
    if not named:
        yield "no series"
    if unknown := named.keys() - SAMPLES.keys():
        yield f"unknown series {sorted(unknown)}"
    for name, chosen in named.items():
        if others := chosen - SAMPLES.get(name, set()) - OF_TARGETS:
            yield f"{name} has no labels {sorted(others)}"
    known = set().union(*(SAMPLES.get(name, set()) for name in named)) | OF_TARGETS
    by = grouped_by(expression)
    if by - known:
        yield f"grouped by unknown labels {sorted(by - known)}"
    if by and "ignoring" not in expression and shown - by:  # what is summed by others is in no legend
        yield f"shows {sorted(shown - by)}, which it is not grouped by"
    if shown - known:
        yield f"shows unknown labels {sorted(shown - known)}"
    if re.search(r"group_left\s*\((?!\))", expression):
        yield "what follows group_left would be taken for labels"


def test_stages_and_tiers_that_are_named_are_there() -> None:
    tiers, stages = {service.name for service in TIERS}, set(STAGES)
    for _, expression, _ in EXPRESSIONS:
        for values in re.findall(r'\btier=~?"([^"]*)"', expression):
            assert set(values.split("|")) <= tiers
        for values in re.findall(r'\bstage=~?"([^"]*)"', expression):
            assert set(values.split("|")) <= stages


def test_every_metric_is_on_the_dashboard() -> None:
    shown = {name for panel in PANELS for target in panel["targets"] for name in series_of(target["expr"])}
    told = {re.sub(r"_(total|bucket|count|sum)$", "", name) for name in shown if name not in OTHERS}
    assert {re.sub(r"_(total|bucket|count|sum)$", "", name) for name in samples()} <= told


def test_every_panel_tells_what_it_shows() -> None:
    titles = [panel["title"] for panel in PANELS]
    assert len(set(titles)) == len(titles)
    for panel in PANELS:
        assert panel["description"].endswith((".", "`."))
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert all(target["datasource"]["uid"] == "${datasource}" for target in panel["targets"])
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_the_dashboard_is_made_of_its_panels() -> None:
    script = ROOT / "infra" / "scripts" / "refresh_dashboard.py"
    done = subprocess.run([sys.executable, str(script), "--check"], check=False)
    assert done.returncode == 0, f"run {script.relative_to(ROOT)}"


@each_case("rule", RULES)
def test_an_alert_tells_its_cause_and_what_to_do(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert "for" in rule or rule["labels"]["severity"] == "info"
    assert rule["annotations"].keys() == {"summary", "description", "runbook"}
    assert len(rule["annotations"]["description"]) > 80
    assert rule["annotations"]["runbook"] == f"docs/monitoring.md#{rule['alert'].lower()}"
    assert f"\n### {rule['alert']}\n" in PAGE


def test_the_page_has_no_alert_that_is_none() -> None:
    assert set(re.findall(r"^### (Ragpp\w+)$", PAGE, re.MULTILINE)) == {rule["alert"] for rule in RULES}


def test_every_alert_is_played() -> None:
    played = yaml.safe_load((FOLDER / "alerts_test.yml").read_text(encoding="utf-8"))
    fired = {
        re.findall(r'alertname="(\w+)"', check["expr"])[0]
        for test in played["tests"]
        for check in test["promql_expr_test"]
        if check["exp_samples"]
    }
    assert fired == {rule["alert"] for rule in RULES}


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not on the path")
def test_promtool_takes_the_rules_and_what_they_say_of_histories_and_every_panel(tmp_path: Path) -> None:
    queries = [target["expr"].replace("$__rate_interval", "1m") for panel in PANELS for target in panel["targets"]]
    rules = [{"record": f"panel_{number}", "expr": query} for number, query in enumerate(queries)]
    of_panels = tmp_path / "panels.yml"
    of_panels.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    checks = (["check", "rules", "alerts.yml", str(of_panels)], ["test", "rules", "alerts_test.yml"])
    for arguments in checks:
        done = subprocess.run(["promtool", *arguments], cwd=FOLDER, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@each_case("name", MONITORS)
def test_what_looks_on_has_few_rights_and_is_published_on_loopback(name: str) -> None:
    service = OVERLAY["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert re.fullmatch(r"[a-z]+/[a-z]+:v?\d+\.\d+\.\d+", service["image"]), "of one version"
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert all(volume.split(":")[0] in OVERLAY["volumes"] for volume in service["volumes"]), "no folder of the host"
    assert {"max-size", "max-file"} <= service["logging"]["options"].keys()
    assert "stores" not in service["networks"]


def test_every_service_is_asked_where_it_tells() -> None:
    (job,) = yaml.safe_load((FOLDER / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    asked = {one["labels"]["service"]: one["targets"] for one in job["static_configs"]}
    ports = {service.name.replace("_", "-"): service.port for service in TIERS} | {"gateway": 8700}
    assert asked == {name: [f"{name}:{port}"] for name, port in ports.items()}
    (workers,) = job["dns_sd_configs"]
    told = OVERLAY["services"]["worker"]["environment"]
    assert workers["names"] == ["worker"]
    assert str(workers["port"]) == told["METRICS_WORKER_PORT"]
    assert told["METRICS_WORKER_HOST"] == "0.0.0.0"  # noqa: S104 - of a container
    telling = {name for name, service in OVERLAY["services"].items() if name not in MONITORS and service["environment"]}
    assert telling == {*asked, "worker"}
    assert telling <= COMPOSE["services"].keys()
    assert all("services" in COMPOSE["services"].get(name, {}).get("networks", ["services"]) for name in telling)


def test_no_secret_of_what_looks_on_has_a_default() -> None:
    how = dict(re.findall(r"\$\{([A-Z_]+)(:[-?])", TEXT))
    assert {name for name, given in how.items() if given == ":?"} == {"METRICS_CREDENTIAL", "GRAFANA_ADMIN_PASSWORD"}
    assert {name for name, given in how.items() if given == ":-"} == {"PROMETHEUS_PORT", "GRAFANA_PORT"}


def test_every_file_that_is_mounted_is_there() -> None:
    for config in OVERLAY["configs"].values():
        assert (ROOT / config["file"]).is_file()
    used = {one["source"] for name in MONITORS for one in OVERLAY["services"][name]["configs"]}
    assert used == OVERLAY["configs"].keys()
