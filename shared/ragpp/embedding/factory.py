"""The embedder that the settings name, and the second encoder; each is imported when it is asked for."""

from pathlib import Path

from ragpp.embedding.port import Embedder, SecondEncoder
from ragpp.errors import ConfigurationError
from ragpp.places import cache_folder
from ragpp.providers import INSTALL
from ragpp.settings import EmbeddingSettings


def graph_folder(settings: EmbeddingSettings) -> Path:
    """Where assembled graphs are kept."""
    return (settings.cache_dir or cache_folder()).expanduser()


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """An embedder that has loaded nothing yet. Raises ConfigurationError where its library is not installed."""
    match settings.provider:
        case "onnx":
            from ragpp.embedding.onnx import OnnxEmbedder  # noqa: PLC0415 - 60 MB that other embedders do not need

            return OnnxEmbedder(graph_folder(settings), threads=settings.threads)
        case "hashing":
            from ragpp.embedding.hashing import HashingEmbedder  # noqa: PLC0415

            return HashingEmbedder(settings.dimension)
        case "openai":
            try:
                from ragpp.embedding.openai import OpenAIEmbedder  # noqa: PLC0415 - an optional extra
            except ImportError as error:
                raise ConfigurationError("the embedder needs the library openai", suggestions=INSTALL) from error

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


def make_second(settings: EmbeddingSettings) -> SecondEncoder | None:
    """The second encoder, which has loaded nothing yet; None where the settings name no file."""
    if not settings.second:
        return None
    from ragpp.embedding.second import E5Encoder  # noqa: PLC0415 - 60 MB that a process without it does not need

    return E5Encoder(Path(settings.second).expanduser(), graph_folder(settings), threads=settings.threads)
