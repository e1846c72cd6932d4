"""The settings of memory that document 002 has, by its names and with its defaults; and who decides them here."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from ragpp.catalog import DEFAULT_K, MAX_K, MAX_RESOURCE_CHARS
from ragpp.errors import ConfigurationError
from ragpp.models import Value
from ragpp.retrieval.confidence import ESCALATION_THRESHOLD


class MemoryConfig(Value):
    """Configuration of a MemoryManager: `default_k`, `escalation_threshold` and `max_resource_size` (characters) are
    its own. The others are decided by the servers, which a manager cannot change: DECIDED_BY names what decides each,
    and what stands here is the document's default and not what they run with.
    Source: document 002 §6.6.
    """

    DECIDED_BY: ClassVar[Mapping[str, str]] = {
        "storage_dir": "RAGPP_HOME",
        "embedding_model": "EMBEDDING_MODEL",
        "embedding_dimension": "EMBEDDING_DIMENSION",
        "extraction_model": "LLM_EXTRACTION",
        "consolidation_model": "LLM_CONSOLIDATION",
        "consolidation_interval": "MEMORY_CONSOLIDATION_INTERVAL",
        "retention_days": "LEARNING_RETENTION",
    }

    storage_dir: Path = Path("outputs/memory")
    embedding_model: str = "text-embedding-3-small"
    embedding_dimension: int = 1536
    extraction_model: str = "anthropic:claude-sonnet-4-20250514"
    consolidation_model: str = "anthropic:claude-sonnet-4-20250514"
    max_resource_size: int = Field(default=MAX_RESOURCE_CHARS, ge=1, le=MAX_RESOURCE_CHARS)
    default_k: int = Field(default=DEFAULT_K, ge=1, le=MAX_K)
    escalation_threshold: float = Field(default=ESCALATION_THRESHOLD, ge=0, le=1)
    consolidation_interval: int = 10
    retention_days: int = 90

    def check(self) -> None:
        """Raises ConfigurationError when something is given that the servers decide."""
        refused = sorted(self.model_fields_set & set(self.DECIDED_BY))
        if refused:
            places = ", ".join(f"{self.DECIDED_BY[name]} for {name}" for name in refused)
            raise ConfigurationError(
                f"the servers decide, and no manager: {', '.join(refused)}",
                suggestions=(f"Leave it out of MemoryConfig. What takes its place: {places}.",),
            )


class MemoryRetryConfig(Value):
    """How often what failed is tried again, and after how many seconds first; each further wait is twice as long, for
    embeddings at most `embedding_backoff_max`. To be read: whoever calls out tries again, which the servers do, by the
    settings of SET_BY, whose defaults stand here. Source: document 002 §7.
    """

    SET_BY: ClassVar[Mapping[str, str]] = {
        "embedding_max_retries": "EMBEDDING_MAX_RETRIES",
        "embedding_backoff_base": "EMBEDDING_BACKOFF_BASE",
        "embedding_backoff_max": "EMBEDDING_BACKOFF_MAX",
        "extraction_max_retries": "LLM_EXTRACTION_MAX_RETRIES",
        "extraction_backoff_base": "LLM_EXTRACTION_BACKOFF_BASE",
        "consolidation_max_retries": "LLM_CONSOLIDATION_MAX_RETRIES",
        "consolidation_backoff_base": "LLM_CONSOLIDATION_BACKOFF_BASE",
        "retrieval_max_retries": "LLM_RETRIEVAL_MAX_RETRIES",
        "retrieval_backoff_base": "LLM_RETRIEVAL_BACKOFF_BASE",
    }

    embedding_max_retries: int = 3
    embedding_backoff_base: float = 1.0
    embedding_backoff_max: float = 30.0
    extraction_max_retries: int = 2
    extraction_backoff_base: float = 2.0
    consolidation_max_retries: int = 2
    consolidation_backoff_base: float = 2.0
    retrieval_max_retries: int = 2
    retrieval_backoff_base: float = 1.0
