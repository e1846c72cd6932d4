"""The settings of the short-term tier."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from ragpp.settings.variables import Settings


class ShortTermSettings(Settings):
    """The window of a running conversation."""

    model_config = SettingsConfigDict(env_prefix="SHORT_TERM_", frozen=True)

    max_tokens: int = Field(
        default=2_000, ge=100, le=1_000_000, description="Over it the oldest messages move to the summary."
    )
    keep_messages: int = Field(default=5, ge=1, le=1_000, description="The latest messages that stay raw.")
    summary_tokens: int = Field(default=400, ge=20, le=100_000, description="The longest a summary gets.")
    ttl_s: int = Field(default=7 * 86_400, ge=1, le=36_500 * 86_400, description="Time to live, refreshed on use.")
    hard_cap_factor: float = Field(
        default=2.0, ge=1, le=1_000, description="× max_tokens: over it a write summarises itself."
    )
