"""Settings by concern. Only an `app.py` reads them, once; everything else is handed its values."""

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class PostgresSettings(BaseSettings):
    """One PostgreSQL, three roles: the owner migrates, the app serves tenants, the relay reads the ledger."""

    model_config = SettingsConfigDict(env_prefix="POSTGRES_", frozen=True)

    dsn: SecretStr = Field(description="postgresql://ragpp_app:password@host:port/database")
    owner_dsn: SecretStr | None = Field(default=None, description="The owner's; only needed where migrations run.")
    relay_dsn: SecretStr | None = Field(default=None, description="The relay's; only needed by workers.")
    pool_min: int = Field(default=2, ge=0, description="Connections kept open per process.")
    pool_max: int = Field(default=10, ge=1, description="Connections per process.")
    query_timeout_s: float = Field(default=5.0, gt=0, description="Longest a query may run.")


class RedisSettings(BaseSettings):
    """One Redis, Valkey or Redis Cluster."""

    model_config = SettingsConfigDict(env_prefix="REDIS_", frozen=True)

    url: SecretStr = Field(description="redis://user:password@host:port/0")
    key_prefix: str = Field(default="ragpp:", description="Every key begins with it.")
    timeout_s: float = Field(default=1.0, gt=0, description="Longest a command may take.")
    pool_max: int = Field(default=50, ge=1, description="Connections per process.")


class Neo4jSettings(BaseSettings):
    """One Neo4j."""

    model_config = SettingsConfigDict(env_prefix="NEO4J_", frozen=True)

    uri: str = Field(description="bolt://host:port or neo4j://host:port")
    user: str = Field(default="neo4j")
    password: SecretStr = Field(description="Its password.")
    pool_max: int = Field(default=20, ge=1, description="Connections per process.")
    query_timeout_s: float = Field(default=5.0, gt=0, description="Longest a query may run.")


class EmbeddingSettings(BaseSettings):
    """Which embedder, and where its files are kept."""

    model_config = SettingsConfigDict(env_prefix="EMBEDDING_", frozen=True)

    provider: str = Field(default="onnx", pattern="^(onnx|hashing|openai|sentence-transformers)$")
    model: str = Field(default="sentence-transformers/all-MiniLM-L6-v2", description="Recorded in each database.")
    dimension: int = Field(default=384, ge=8, le=4_000)
    base_url: str = Field(default="", description="For `openai`: the endpoint, ending in /v1.")
    api_key: SecretStr | None = Field(default=None, description="For `openai`.")
    threads: int = Field(default=2, ge=1, le=64, description="For `onnx`: batches embedded at once, a core each.")
    cache_dir: Path = Field(default=Path("~/.cache/ragpp"), description="Where the assembled graph is kept.")


class ShortTermSettings(BaseSettings):
    """The window of a running conversation."""

    model_config = SettingsConfigDict(env_prefix="SHORT_TERM_", frozen=True)

    max_tokens: int = Field(default=2_000, ge=100, description="Over it the oldest messages move to the summary.")
    keep_messages: int = Field(default=5, ge=1, description="The latest messages that stay raw.")
    summary_tokens: int = Field(default=400, ge=20, description="The longest a summary gets.")
    ttl_s: int = Field(default=7 * 86_400, ge=1, description="Time to live, refreshed on use.")
    hard_cap_factor: float = Field(default=2.0, ge=1, description="× max_tokens: over it a write summarises itself.")


class TierSettings(BaseSettings):
    """Where the tiers are: an address takes a tier over HTTP, none takes it in process."""

    model_config = SettingsConfigDict(env_prefix="TIER_", frozen=True)

    credential: SecretStr | None = Field(default=None, description="Shared secret between gateway and tier services.")
    short_term_url: str | None = None
    episodic_url: str | None = None
    semantic_url: str | None = None
    procedural_url: str | None = None


class GatewaySettings(BaseSettings):
    """The public API."""

    model_config = SettingsConfigDict(env_prefix="GATEWAY_", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8700, ge=0, le=65_535, description="0 takes a free one.")
    max_body_bytes: int = Field(default=8 * 1024 * 1024, ge=1_024)
    deadline_ms: int = Field(default=500, ge=1, description="Of a recall that names none.")
    token_budget: int = Field(default=2_000, ge=0, description="Of a recall that names none.")
    audit_spool: Path = Field(
        default=Path(".ragpp/audit-spool.jsonl"), description="Accesses are journalled here on their way to PostgreSQL."
    )


class LogSettings(BaseSettings):
    """Logging."""

    model_config = SettingsConfigDict(env_prefix="LOG_", frozen=True)

    level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    format: str = Field(default="json", pattern="^(json|console)$")
