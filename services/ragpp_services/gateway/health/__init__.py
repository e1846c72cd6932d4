"""The health report: a memory of the gateway's own is written, learned from, asked, forgotten and swept away."""

from ragpp_services.gateway.health.kept import KeptReports
from ragpp_services.gateway.health.reporting import HealthReporter

__all__ = ["HealthReporter", "KeptReports"]
