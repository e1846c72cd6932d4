"""The embedder that the settings name; each implementation is imported when it is asked for."""

from ragpp.embedding.port import Embedder
from ragpp.errors import ConfigurationError
from ragpp.providers import INSTALL
from ragpp.settings import EmbeddingSettings


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """An embedder that has loaded nothing yet. Raises ConfigurationError for settings that do not go together."""
    match settings.provider:
        case "onnx":
            from ragpp.embedding.onnx import (  # noqa: PLC0415 - a runtime of 60 MB that other embedders do not need
                DIMENSION,
                MODEL,
                OnnxEmbedder,
            )

            if (settings.model, settings.dimension) != (MODEL, DIMENSION):
                raise ConfigurationError(
                    f"EMBEDDING_PROVIDER=onnx is {MODEL} with {DIMENSION} dimensions; for another model set "
                    "EMBEDDING_PROVIDER to openai or sentence-transformers"
                )
            return OnnxEmbedder(settings.cache_dir.expanduser(), threads=settings.threads)
        case "hashing":
            from ragpp.embedding.hashing import HashingEmbedder  # noqa: PLC0415

            return HashingEmbedder(settings.dimension)
        case "openai":
            try:
                from ragpp.embedding.openai import OpenAIEmbedder  # noqa: PLC0415 - an optional extra
            except ImportError as error:
                raise ConfigurationError("the embedder needs the library openai", suggestions=INSTALL) from error

            if not settings.base_url:
                raise ConfigurationError("EMBEDDING_PROVIDER=openai needs EMBEDDING_BASE_URL")
            return OpenAIEmbedder(
                base_url=settings.base_url,
                model=settings.model,
                dimension=settings.dimension,
                api_key=settings.api_key,
                attempts=1 + settings.max_retries,
                first_wait_s=settings.backoff_base,
                longest_wait_s=settings.backoff_max,
            )
        case _:
            from ragpp.embedding.sentence_transformers import (  # noqa: PLC0415 - an optional extra
                SentenceTransformersEmbedder,
            )

            return SentenceTransformersEmbedder(settings.model, settings.dimension)
