"""Requests to the workers, how a memory is looked after, and whether it is well."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ragpp.fields import (
    GivenDay,
    GivenTime,
    Id,
    NewId,
    innocuous,
    known_zone,
    storable,
)
from ragpp.jobs import UserSettings
from ragpp.learned import ReflectionKind
from ragpp.models import Health, Value
from ragpp.retention import RetainedTier


class RetentionIn(Value):
    """A run of retention; `dry_run`: only say what would go."""

    model_config = ConfigDict(json_schema_extra={"example": {"dry_run": True}})

    dry_run: bool = True


class Pin(Value):
    """Something that retention leaves alone."""

    tier: RetainedTier
    item_id: Id


class PinList(Value):
    """All that is pinned for a user."""

    pins: tuple[Pin, ...]


class ExtractIn(Value):
    """Which window to extract from, in the conversations' time. `end`: absent, just after the user's latest
    interaction; `start`: absent, an hour before the end. `id` makes a repeat harmless."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"start": "2026-03-08T00:00:00Z", "end": "2026-03-09T00:00:00Z"}}
    )

    id: NewId | None = None
    start: GivenTime | None = None
    end: GivenTime | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise ValueError("start is not before end")
        return self


class ReflectIn(Value):
    """The time to reflect on: a day (`date`, in the user's time zone; absent, that of the user's latest interaction),
    or, `incremental`, the hour up to the latest interaction. `id` makes a repeat harmless."""

    model_config = ConfigDict(json_schema_extra={"example": {"kind": "daily", "date": "2026-03-08"}})

    id: NewId | None = None
    kind: ReflectionKind = "daily"
    date: GivenDay | None = None

    @model_validator(mode="after")
    def _a_day_has_a_date(self) -> Self:
        if self.date is not None and self.kind != "daily":
            raise ValueError("only a daily reflection has a date")
        return self


class SettingsIn(UserSettings):
    """How a user's memory is looked after; what is absent is set to its default."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"time_zone": "Europe/Lisbon", "reflect_at": 3, "plan": "default"}}
    )

    time_zone: Annotated[str, Field(min_length=1, max_length=64), AfterValidator(known_zone)] = "UTC"
    plan: Annotated[str, Field(min_length=1, max_length=64), AfterValidator(storable), AfterValidator(innocuous)] = (
        "default"
    )


class Live(BaseModel):
    """The process answers."""

    status: Literal["live"] = "live"
    version: str


class Ready(Value):
    """`ready`: every tier's own ping succeeded. `degraded`: recalls answer as `partial`."""

    status: Literal["ready", "degraded"]
    tiers: dict[str, Health]
