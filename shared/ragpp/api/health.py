"""The health of a whole deployment, as it was tried out."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from ragpp.health import StoreState
from ragpp.models import TierName, Value
from ragpp.retention import RetentionPolicy

CheckStatus = Literal["ok", "slow", "failed", "skipped"]
"""`slow`: it works, over its target. `skipped`: it could not be tried, for what it needs has failed."""
ReportStatus = Literal["healthy", "degraded", "failing"]


class HealthCheck(Value):
    """One thing that was tried. `ms`: how long it took, the median where it was done several times; `target_ms`: how
    long it may. `told`: what was seen. `cause`: why it is not ok; `fix`: what to do about it, the likeliest first."""

    name: str
    tier: TierName | None = None
    status: CheckStatus
    ms: float | None = Field(default=None, ge=0)
    target_ms: float | None = None
    told: str = ""
    cause: str | None = None
    fix: tuple[str, ...] = ()


class ObservedLatency(Value):
    """How long a tier took in recalls since the gateway's process began: how many were asked, which share of them was
    within the target, and of which share the tier answered at all."""

    recalls: int = Field(ge=0)
    within_target: float | None = Field(default=None, ge=0, le=1)
    answered: float | None = Field(default=None, ge=0, le=1)


class Growth(Value):
    """The difference between what a store holds and what it held at an earlier report. `kinds`: by kind; `bytes`: None
    where it does not tell."""

    since: datetime
    kinds: dict[str, int] = Field(default_factory=dict)
    bytes: int | None = None


class TierReport(Value):
    """One tier: the worst of its checks, its store, and how its recalls do beside the target of document 004."""

    status: CheckStatus
    target_ms: float
    state: StoreState | None = None
    observed: ObservedLatency
    growth: Growth | None = None


class CacheUse(Value):
    """How often a cache of the gateway's process had what was asked for."""

    hits: int = Field(ge=0)
    misses: int = Field(ge=0)

    @property
    def rate(self) -> float | None:
        """Hits of all; None where nothing was asked."""
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else None


class HealthReport(Value):
    """A deployment that was tried out by a memory of its own, in a tenant that is nobody's, which is swept away again.

    `healthy`: every check is ok. `degraded`: what does not do as it should leaves the rest at work. `failing`:
    something that applications need does not work. `alerts`: the checks that are not ok, the worst first.
    `retention`: the operator's policies by plan; empty, all is kept.
    """

    status: ReportStatus
    began_at: datetime
    took_ms: float = Field(ge=0)
    version: str
    alerts: tuple[str, ...] = ()
    checks: tuple[HealthCheck, ...] = ()
    tiers: dict[TierName, TierReport] = Field(default_factory=dict)
    caches: dict[str, CacheUse] = Field(default_factory=dict)
    retention: dict[str, RetentionPolicy] = Field(default_factory=dict)
