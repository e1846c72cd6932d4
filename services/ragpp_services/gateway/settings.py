"""Where the gateway listens, and what it does where a request does not say."""

from pathlib import Path
from typing import Final

from pydantic import Field, field_validator
from pydantic_settings import SettingsConfigDict

from ragpp.catalog import ResourceType
from ragpp.fields import MAX_DEADLINE_MS, MAX_TOKEN_BUDGET
from ragpp.settings.variables import Settings

LEAST_PER_S: Final = 0.001
LEAST_BODY_S: Final = 0.05


class GatewaySettings(Settings):
    """The public API."""

    model_config = SettingsConfigDict(env_prefix="GATEWAY_", frozen=True)

    host: str = Field(
        default="127.0.0.1", pattern=r"^[A-Za-z0-9._:%-]+$", description="A name or an address of this machine."
    )
    port: int = Field(default=8700, ge=0, le=65_535, description="0 takes a free one.")
    max_body_bytes: int = Field(default=8 * 1024 * 1024, ge=1_024, le=1024 * 1024 * 1024)
    body_timeout_s: float = Field(
        default=30.0, ge=0, le=3_600, description="Within which a whole body has come; 0: no limit. Later is a 408."
    )
    identity_timeout_s: float = Field(
        default=1.0, ge=0.05, le=60, description="Longest that a request waits for its key to be looked up."
    )
    max_messages: int = Field(
        default=1_000, ge=0, le=1_000_000, description="Of one request, or items or memories; 0: no limit."
    )
    max_characters: int = Field(
        default=400_000,
        ge=0,
        le=1_000_000_000,
        description="Of all texts of one request but a resource or page; what is no Latin letter, digit or space "
        "counts 3; 0: no limit.",
    )
    max_metadata: int = Field(
        default=20_000,
        ge=0,
        le=1_000_000_000,
        description="Values in the metadata of one request, each counted for every key above it; 0: no limit.",
    )
    key_requests_per_s: float = Field(
        default=1_000.0,
        ge=0,
        le=1_000_000,
        description="Of one key, by this process; 0: no limit. More is a 429 with Retry-After.",
    )
    key_burst: int = Field(default=2_000, ge=1, le=1_000_000, description="So many may come at a time.")
    key_requests_at_once: int = Field(default=100, ge=0, le=1_000_000, description="Of one key under way; 0: no limit.")
    key_body_bytes_at_once: int = Field(
        default=32 * 1024 * 1024,
        ge=0,
        le=1024**4,
        description="Of one key's requests under way; a body that is alone is taken whatever it has. 0: no limit.",
    )
    body_bytes_at_once: int = Field(
        default=256 * 1024 * 1024,
        ge=0,
        le=1024**4,
        description="Of all requests under way in this process; 0: no limit.",
    )
    tenant_keys: int = Field(
        default=10_000,
        ge=0,
        le=1_000_000_000,
        description="Valid keys of a tenant, beyond which none is made over HTTP; 0: no limit.",
    )
    deadline_ms: int = Field(default=500, ge=1, le=MAX_DEADLINE_MS, description="Of a recall that names none.")
    token_budget: int = Field(default=2_000, ge=0, le=MAX_TOKEN_BUDGET, description="Of a recall that names none.")
    resource_types: list[ResourceType] = Field(
        default_factory=list,
        max_length=100,
        description="Types besides conversation, document, config and feedback, read as documents, as JSON, which a "
        'shell wants in single quotes: ["ticket"].',
    )
    record_retrievals: bool = Field(
        default=False, description="Questions to the catalog become events, of their words a keyed hash alone."
    )
    retrieval_timeout_s: float = Field(
        default=20.0, ge=0.01, le=600, description="Longest wait for a language model that chooses items, with retries."
    )
    audit_spool: Path = Field(
        default=Path(".ragpp/audit-spool.jsonl"), description="Accesses are journalled here on their way to PostgreSQL."
    )

    @field_validator("body_timeout_s")
    @classmethod
    def _some_or_for_ever(cls, seconds: float) -> float:
        if 0 < seconds < LEAST_BODY_S:
            raise ValueError(f"is 0, for no limit, or {LEAST_BODY_S:g} at least")
        return seconds

    @field_validator("key_requests_per_s")
    @classmethod
    def _some_or_all(cls, per_s: float) -> float:
        if 0 < per_s < LEAST_PER_S:
            raise ValueError(f"is 0, for no limit, or {LEAST_PER_S:g} at least: one request in a quarter of an hour")
        return per_s
