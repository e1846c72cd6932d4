"""Sentences are embedded behind the writes: as many as wait for nobody, and all of them at night."""

from ragpp.errors import EmbeddingError
from ragpp.models import Scope
from ragpp_services.workers.stages.sentences import CHUNKS_AT_ONCE, MOST_BEHIND, index_sentences
from tests.support.scopes import new_scope
from tests.support.workers import parts_with


class Waiting:
    """An episodic tier, as far as chunks wait in it for their sentences; `lost_at`: so many are left when its embedder
    goes away."""

    def __init__(self, chunks: int, *, lost_at: int | None = None) -> None:
        self.chunks, self.lost_at = chunks, lost_at

    async def index_sentences(self, scope: Scope, limit: int = 32) -> int:
        assert scope.view is None
        if self.lost_at is not None and self.chunks <= self.lost_at:
            raise EmbeddingError("the embedder is away")
        done = min(limit, self.chunks)
        self.chunks -= done
        return done


async def test_a_batch_catches_up_and_keeps_nobody_waiting_for_a_whole_memory() -> None:
    few, many = Waiting(CHUNKS_AT_ONCE + 1), Waiting(10 * MOST_BEHIND)
    await index_sentences(parts_with(episodic=few), new_scope())
    await index_sentences(parts_with(episodic=many), new_scope())
    assert few.chunks == 0
    assert 9 * MOST_BEHIND - CHUNKS_AT_ONCE < many.chunks <= 9 * MOST_BEHIND


async def test_the_night_leaves_nothing() -> None:
    waiting = Waiting(3 * MOST_BEHIND + 1)
    await index_sentences(parts_with(episodic=waiting), new_scope(), most=None)
    assert waiting.chunks == 0


async def test_an_embedder_that_is_away_leaves_the_rest_to_the_next_time() -> None:
    waiting = Waiting(4 * CHUNKS_AT_ONCE, lost_at=2 * CHUNKS_AT_ONCE)
    await index_sentences(parts_with(episodic=waiting), new_scope())
    assert waiting.chunks == 2 * CHUNKS_AT_ONCE
    waiting.lost_at = None
    await index_sentences(parts_with(episodic=waiting), new_scope())
    assert waiting.chunks == 0


async def test_in_a_view_there_is_nothing_to_do() -> None:
    waiting = Waiting(1)
    await index_sentences(parts_with(episodic=waiting), new_scope().seen_by("sales"))
    assert waiting.chunks == 1
