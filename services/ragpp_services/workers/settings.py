"""Settings of the workers."""

from pathlib import Path
from typing import Final

from pydantic import Field, field_validator
from pydantic_settings import SettingsConfigDict

from ragpp.settings.variables import Settings

LEAST_KEPT_DAYS: Final = 10
"""Reflections are made up for, and sessions rebuilt, from events of the last nine days; the ledger lets none go."""


class WorkerSettings(Settings):
    """When the workers do by themselves what nobody asked for."""

    model_config = SettingsConfigDict(env_prefix="WORKER_", frozen=True)

    schedule: bool = Field(
        default=True, description="Whether this worker may keep the schedule; one of those that may does."
    )
    tick_s: float = Field(default=5.0, ge=0.01, le=3_600, description="How often it looks whom to extract for.")
    nightly_tick_s: float = Field(
        default=60.0, ge=0.01, le=3_600, description="How often it looks for nights and days due."
    )
    extract_quiet_s: float = Field(
        default=30.0, ge=0, le=30 * 86_400, description="Extract once a user was quiet for so long,"
    )
    extract_interactions: int = Field(default=20, ge=1, le=1_000_000, description="or said so much,")
    extract_every_s: float = Field(
        default=3_600.0, ge=0.01, le=365 * 86_400, description="or the first of it was so long ago."
    )
    maintain_at: int = Field(default=4, ge=0, le=23, description="Hour in UTC from which the daily upkeep is due.")
    keep_days: int = Field(
        default=30,
        ge=0,
        le=36_500,
        description="Finished work and its events are kept so long, 10 or more; 0: for good.",
    )
    keep_audit_days: int = Field(
        default=365,
        ge=0,
        le=36_500,
        description="Entries of the audit are kept so long, deletions for FORGETTING_KEEP_DAYS at least; 0: for good.",
    )

    heartbeat: Path | None = Field(
        default=None,
        description="A file that is touched every second as long as the worker gets at its work: a health check looks "
        "at its age.",
    )

    @field_validator("keep_days")
    @classmethod
    def _nights_are_made_up_for(cls, days: int) -> int:
        if 0 < days < LEAST_KEPT_DAYS:
            raise ValueError(
                f"WORKER_KEEP_DAYS is 0, or {LEAST_KEPT_DAYS} at least: younger events are still looked at"
            )
        return days
