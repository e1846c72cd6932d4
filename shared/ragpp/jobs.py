"""The workers' jobs for a user, when they do them by themselves, and how far behind they are."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from ragpp.models import Value

JobState = Literal["pending", "leased", "done", "failed", "cancelled"]


class UserSettings(Value):
    """How a user's memory is looked after. `time_zone`: an IANA name; `reflect_at`: the local hour, 0 to 23, of the
    nightly reflection; `plan`: which of the operator's retention policies applies."""

    time_zone: Annotated[str, Field(min_length=1, max_length=64)] = "UTC"
    reflect_at: int = Field(default=3, ge=0, le=23)
    plan: Annotated[str, Field(min_length=1, max_length=64)] = "default"


class Job(Value):
    """One thing that the workers do about one event. `id`: `<event id>.<stage>`. `subject_id`: what it is about."""

    id: str
    user_id: str
    stage: str
    kind: str
    subject_id: str
    state: JobState
    attempts: int = Field(ge=0)
    created_at: datetime
    due_at: datetime
    updated_at: datetime
    error: str | None = None
    result: dict[str, JsonValue] | None = None


class StageLag(Value):
    """How far one stage is behind. `oldest_at`: when the oldest event that still waits was recorded."""

    stage: str
    waiting: int = Field(ge=0)
    failed: int = Field(ge=0)
    oldest_at: datetime | None = None
    last_success_at: datetime | None = None


class LagReport(Value):
    """How far the workers are behind, of a user or of the whole tenant. `oldest_pending_s`: age of the oldest event."""

    pending: int = Field(ge=0)
    failed: int = Field(ge=0)
    oldest_pending_s: float | None = None
    stages: tuple[StageLag, ...] = ()
