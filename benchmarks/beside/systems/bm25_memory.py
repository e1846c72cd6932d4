"""BM25 in memory, an index a user: no vectors, no database, nothing kept."""

from collections.abc import Mapping, Sequence
from typing import Final

import bm25s
import Stemmer

from benchmarks.beside.system import Message, Place, System

LANGUAGE: Final = "english"


class Bm25:
    """The lines of each user, and an index of them."""

    def __init__(self) -> None:
        self._lines: dict[str, list[tuple[str, str]]] = {}
        self._indexes: dict[str, bm25s.BM25] = {}
        self._stemmer = Stemmer.Stemmer(LANGUAGE)

    async def open(self, place: Place) -> Mapping[str, str]:
        del place
        return {"method": "lucene, k1 1.5, b 0.75 (the defaults)", "stemmer": LANGUAGE, "stopwords": "en"}

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        self._lines.setdefault(user, []).extend((message.id, message.line) for message in messages)
        texts = [line for _, line in self._lines[user]]
        index = bm25s.BM25()  # anew each time: bm25s adds nothing to an index
        index.index(self._tokens(texts), show_progress=False)
        self._indexes[user] = index

    async def settle(self) -> None:
        """Nothing is done later."""

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        lines = self._lines[user]
        index = self._indexes[user]
        places, scores = index.retrieve(self._tokens([query]), k=min(limit, len(lines)), show_progress=False)
        found = zip(places[0], scores[0], strict=True)
        return [lines[int(place)][0] for place, score in found if score > 0]

    async def close(self) -> None:
        self._indexes.clear()

    def _tokens(self, texts: list[str]) -> bm25s.tokenization.Tokenized:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


def make() -> System:
    """The system that `benchmarks.beside.load` drives."""
    return Bm25()
