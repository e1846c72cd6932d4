"""How a store is, and the tenant whose memory is made to see whether all works."""

from datetime import datetime
from typing import Final

from pydantic import Field

from ragpp.models import Value

SCRATCH_TENANT: Final = "ragpp:health"
"""Whose memory a health report writes, asks, forgets and sweeps away. No key speaks for it, and it alone has no
tombstones: PostgreSQL lets nobody else's be deleted (`ledger` 0019)."""
RESERVED_TENANTS: Final = "ragpp:"
"""The beginning of the house's own tenants' ids; no key is made for one."""


class SchemaState(Value):
    """Migrations of one part of a store's schema: the last that was applied, and the last that the service knows."""

    part: str
    applied: int = Field(ge=0)
    known: int = Field(ge=0)


class StoreState(Value):
    """A tier's store as it is now, of all tenants.

    `version`: the store's own, with what it needs, as in "18.4, pgvector 0.8.1"; `service_version`: of the service that
    asked it. `store_time` was read from the store's clock and `service_time` from the service's in the middle of that
    question, which took `asked_ms`: so much is not known of the difference. `holds`: how much there is by kind, as the
    store estimates; `bytes`: what it takes up, `limit_bytes`: what it may; None where the store does not tell, or has
    no limit of its own.
    """

    product: str
    version: str
    service_version: str
    schemas: tuple[SchemaState, ...] = ()
    store_time: datetime
    service_time: datetime
    asked_ms: float = Field(ge=0)
    holds: dict[str, int] = Field(default_factory=dict)
    bytes: int | None = None
    limit_bytes: int | None = None

    @property
    def ahead_ms(self) -> float:
        """How much the store's clock is ahead of the service's; negative where it is behind."""
        return (self.store_time - self.service_time).total_seconds() * 1_000
