"""What is to be seen from outside of what a process does: its metrics, its logs."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from ragpp.settings.variables import Settings


class MetricsSettings(Settings):
    """What a process counts of what it does, at `/metrics` for Prometheus."""

    model_config = SettingsConfigDict(env_prefix="METRICS_", frozen=True)

    enabled: bool = Field(default=True, description="Whether anything is counted, and /metrics answers.")
    credential: SecretStr | None = Field(default=None, description="The bearer token to be sent; none: it is open.")
    worker_port: int | None = Field(default=None, ge=1, le=65_535, description="A worker's, or the next free one.")
    worker_host: str = Field(default="127.0.0.1", description="The address that a worker answers at.")


class LogSettings(Settings):
    """Logging."""

    model_config = SettingsConfigDict(env_prefix="LOG_", frozen=True)

    level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    format: str = Field(default="json", pattern="^(json|console)$")
