"""The settings of what is to be seen from outside of what a process does: its metrics, its traces, its logs."""

from typing import Final

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from ragpp.settings.variables import Settings


class MetricsSettings(Settings):
    """Settings of what a process counts of what it does, at `/metrics` for Prometheus."""

    model_config = SettingsConfigDict(env_prefix="METRICS_", frozen=True)

    enabled: bool = Field(default=True, description="Whether anything is counted, and /metrics answers.")
    credential: SecretStr | None = Field(default=None, description="The bearer token to be sent; none: it is open.")
    worker_port: int | None = Field(default=None, ge=1, le=65_535, description="A worker's, or the next free one.")
    worker_host: str = Field(default="127.0.0.1", description="The address that a worker answers at.")


TRACES_PATH: Final = "/v1/traces"


class TracingSettings(Settings):
    """Spans of what a process does, sent to an OTLP endpoint over HTTP."""

    model_config = SettingsConfigDict(env_prefix="TRACING_", frozen=True)

    endpoint: str | None = Field(
        default=None,
        pattern=r"^(https?://\S+)?$",
        description="Where spans are sent, as http://127.0.0.1:4318; /v1/traces is added. None: nothing is traced.",
    )
    sample_share: float = Field(
        default=1.0, ge=0, le=1, description="Of the traces that begin here; a caller's own decides for itself."
    )
    headers: SecretStr | None = Field(
        default=None, description="Sent along, as name=value,name=value: what the endpoint wants as a credential."
    )

    @field_validator("headers")
    @classmethod
    def _are_pairs(cls, headers: SecretStr | None) -> SecretStr | None:
        for pair in _pairs(headers):
            if not pair.partition("=")[0].strip() or "=" not in pair:
                raise ValueError("has to be name=value, or several of these with commas between")
        return headers

    @property
    def traces_url(self) -> str | None:
        """The whole address; None where nothing is traced."""
        base = (self.endpoint or "").rstrip("/")
        return None if not base else base.removesuffix(TRACES_PATH) + TRACES_PATH

    @property
    def header_values(self) -> dict[str, str]:
        """By the headers' names."""
        return {
            name.strip(): value.strip() for name, _, value in (pair.partition("=") for pair in _pairs(self.headers))
        }


def _pairs(headers: SecretStr | None) -> list[str]:
    given = "" if headers is None else headers.get_secret_value()
    return [pair for pair in given.split(",") if pair.strip()]


class LogSettings(Settings):
    """Logging."""

    model_config = SettingsConfigDict(env_prefix="LOG_", frozen=True)

    level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    format: str = Field(default="json", pattern="^(json|console)$")
