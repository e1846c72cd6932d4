"""The sentences that a message tells, each by itself, find the message; and go with it."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import asyncpg
import numpy as np
import numpy.typing as npt
import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import Memory, Scope
from ragpp.stores.postgres import as_tenant
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services import episodic
from ragpp_services.episodic.tier import PostgresEpisodicTier
from tests.support.asking import connected
from tests.support.episodic import NOON, all_indexed, episodic_entry, episodic_query, episodic_tier
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
LONG = "We walked along the harbour for hours. The saffron lighthouse stands in Porto. Then it rained a lot on us all."
QUESTION = "The saffron lighthouse stands in Porto."
READ_AGAIN = Path(episodic.__file__).parent / "migrations" / "0013_read_again.sql"
LESS = "{2:0.5}/1048576"
_ROWS = """SELECT said.id, number, sentences.seen_by
             FROM episodic.sentences JOIN episodic.interactions AS said
               ON said.tenant_id = sentences.tenant_id AND said.user_id = sentences.user_id AND said.ordinal = turn
            ORDER BY said.ordinal, part, number"""


class Listening(HashingEmbedder):
    """The hashing embedder, which remembers what it was given, and may have something forgotten before it answers."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []
        self.forget: tuple[PostgresEpisodicTier, Scope, list[str]] | None = None

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.heard += texts
        if self.forget is not None:
            (tier, scope, ids), self.forget = self.forget, None
            await tier.forget(scope, ids)
        return await super().embed(texts)


@pytest.fixture(scope="module")
def embedder() -> Listening:
    return Listening()


@pytest.fixture(scope="module")
async def tier(endpoints: Endpoints, embedder: Listening) -> AsyncIterator[PostgresEpisodicTier]:
    async with episodic_tier(endpoints, embedder=embedder) as opened:
        yield opened


async def rows(app: asyncpg.Connection, scope: Scope, table: str = "sentences") -> list[tuple[object, ...]]:
    async with as_tenant(app, scope.tenant_id):
        statement = _ROWS if table == "sentences" else "SELECT turn, part FROM episodic.sentenced"
        return [tuple(row) for row in await app.fetch(statement)]


async def embedded(tier: PostgresEpisodicTier, scope: Scope, embedder: Listening) -> list[str]:
    """The texts that are embedded of what is left."""
    embedder.heard.clear()
    await all_indexed(tier, scope)
    return embedder.heard[:]


async def found(tier: PostgresEpisodicTier, scope: Scope) -> dict[str, Memory]:
    query = episodic_query(scope, QUESTION).model_copy(update={"explain": True})
    return {memory.id: memory for memory in await tier.retrieve(query)}


async def test_what_was_stored_before_is_looked_at_in_turn_and_once(
    tier: PostgresEpisodicTier, app: asyncpg.Connection
) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry("It rained. We swam.", id=f"m{n}") for n in range(5)])
    assert [await tier.index_sentences(scope, 2) for _ in range(4)] == [2, 2, 1, 0]
    assert await rows(app, scope) == [(f"m{n}", number, None) for n in range(5) for number in (0, 1)]
    await tier.store(scope, [episodic_entry("It rained. We swam.", id="later"), episodic_entry("Why?", id="no")])
    assert await all_indexed(tier, scope) == 2
    assert (await rows(app, scope))[10:] == [("later", 0, None), ("later", 1, None)]


def meaning_of(memory: Memory) -> float:
    assert memory.explain is not None
    signals = memory.explain["signals"]
    assert isinstance(signals, dict)
    meaning = signals["meaning"]
    assert isinstance(meaning, float)
    return meaning


async def test_what_was_stored_before_messages_were_read_is_read_then(
    tier: PostgresEpisodicTier, app: asyncpg.Connection
) -> None:
    """Rows as they were: bits 1 and 2 alone, every word as if it were told, and the vectors of names with the texts."""
    scope = new_scope()
    entries = [episodic_entry("Where is the zebra?", id="asks"), episodic_entry("At noon.", id="tells", name="Ana")]
    await tier.store(scope, entries)
    known, vectors = await chunks(app, scope), await vectors_of(app, scope)
    assert len(set(vectors)) == len(entries)
    async with as_tenant(app, scope.tenant_id):
        await app.execute(
            "UPDATE episodic.chunks SET traits = traits & 3, lexical = replace(lexical::text, ':-', ':')::sparsevec,"
            " embedding = (SELECT embedding FROM episodic.chunks ORDER BY turn LIMIT 1)"
        )
    assert await chunks(app, scope) != known
    assert await vectors_of(app, scope) != vectors
    await all_indexed(tier, scope)
    assert await chunks(app, scope) == known
    assert await vectors_of(app, scope) == vectors


async def test_all_that_was_stored_by_an_earlier_reading_is_read_again(
    tier: PostgresEpisodicTier, app: asyncpg.Connection, endpoints: Endpoints
) -> None:
    """Rows as they were: the bit that said that they were read is another one now, and their sentences are there."""
    scope = new_scope()
    await tier.store(scope, [episodic_entry("It rained. We swam.", id=f"m{n}", name="Ana") for n in range(3)])
    await all_indexed(tier, scope)
    known, told = await chunks(app, scope), await rows(app, scope)
    async with as_tenant(app, scope.tenant_id):
        await app.execute(
            "UPDATE episodic.chunks SET traits = (traits & 1023) | 1024, lexical = $1::text::sparsevec", LESS
        )
    assert await all_indexed(tier, scope) == 0
    async with connected(endpoints.postgres_owner_dsn) as owner:
        await owner.execute(READ_AGAIN.read_text(encoding="utf-8"))
    assert await all_indexed(tier, scope) == 3
    assert (await chunks(app, scope), await rows(app, scope)) == (known, told)


async def vectors_of(app: asyncpg.Connection, scope: Scope) -> list[object]:
    async with as_tenant(app, scope.tenant_id):
        return [row[0] for row in await app.fetch("SELECT embedding::text FROM episodic.chunks ORDER BY turn, part")]


async def chunks(app: asyncpg.Connection, scope: Scope) -> list[tuple[object, ...]]:
    async with as_tenant(app, scope.tenant_id):
        rows = await app.fetch("SELECT turn, part, traits, lexical::text FROM episodic.chunks ORDER BY turn, part")
        return [tuple(row) for row in rows]


@pytest.mark.parametrize("name", ["Bo", "Wilhelmine van den Bosch-Kessler"])
async def test_a_message_means_the_same_whoever_says_it(
    tier: PostgresEpisodicTier, app: asyncpg.Connection, name: str
) -> None:
    """Or else any two messages of one speaker are alike, and every threshold on two vectors says so."""
    scope = new_scope()
    await tier.store(scope, [episodic_entry("It rained.", id="a"), episodic_entry("It rained.", id="b", name=name)])
    nobodys, named = await vectors_of(app, scope)
    assert named == nobodys


async def test_a_long_message_is_found_by_the_sentence_that_answers(tier: PostgresEpisodicTier) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG, id="long"), episodic_entry("The harbour in Porto.", id="short")])
    before = await found(tier, scope)
    await all_indexed(tier, scope)
    after = await found(tier, scope)
    assert meaning_of(after["long"]) > meaning_of(before["long"])
    assert after["long"].score > before["long"].score
    assert after["long"].similarity == before["long"].similarity  # of the message, as a floor asks for it
    assert after["short"].score == pytest.approx(before["short"].score, abs=0.2)


async def test_words_alone_and_a_floor_are_as_without_sentences(tier: PostgresEpisodicTier) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG, id="long")])
    query = episodic_query(scope, QUESTION).model_copy(update={"mode": "lexical"})
    before = await tier.retrieve(query)
    await all_indexed(tier, scope)
    assert await tier.retrieve(query) == before


async def test_a_sentence_says_who_is_spoken_of(tier: PostgresEpisodicTier, embedder: Listening) -> None:
    scope = new_scope()
    entries = [
        episodic_entry("I told you.", name="Ana", session_id="s1"),
        episodic_entry("I met your sister. Did you swim?", name="Ben", session_id="s1"),
        episodic_entry("You told me. It rained.", session_id="s1"),
        episodic_entry("I saw you.", name="Ben", session_id="s2"),
    ]
    await tier.store(scope, entries)
    assert await embedded(tier, scope, embedder) == [
        "Ana: Ana told you.",
        "Ben: Ben met Ana's sister.",
        "Ben: Did Ana swim?",
        "You told me.",
        "It rained.",
        "Ben: Ben saw you.",
    ]


async def test_an_assistants_answers_are_embedded_as_wholes_alone_unless_it_has_a_name(
    tier: PostgresEpisodicTier, embedder: Listening
) -> None:
    scope = new_scope()
    entries = [
        episodic_entry("Porto has a harbour. It rains in May.", role="assistant"),
        episodic_entry("Porto has a bridge. It shines in June.", role="assistant", name="Ben"),
    ]
    await tier.store(scope, entries)
    assert await embedded(tier, scope, embedder) == ["Ben: Porto has a bridge.", "Ben: It shines in June."]


async def test_forgetting_leaves_no_sentence_and_of_whoever_forgets_all_no_mark(
    tier: PostgresEpisodicTier, app: asyncpg.Connection
) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG, id="m1"), episodic_entry(LONG, id="m2")])
    await all_indexed(tier, scope)
    await tier.forget(scope, ["m1"])
    assert {row[0] for row in await rows(app, scope)} == {"m2"}
    await tier.forget(scope, ["m2"])
    assert await rows(app, scope) == []
    assert await rows(app, scope, "sentenced") == []


async def test_erasing_leaves_nothing(tier: PostgresEpisodicTier, app: asyncpg.Connection) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG, id=f"m{n}") for n in range(3)])
    await all_indexed(tier, scope)
    assert not await tier.erase(scope, 1 << 62)
    assert await rows(app, scope) == await rows(app, scope, "sentenced") == []


async def test_what_is_forgotten_while_it_is_embedded_leaves_nothing(
    tier: PostgresEpisodicTier, app: asyncpg.Connection, embedder: Listening
) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG, id="m1"), episodic_entry(LONG, id="m2")])
    embedder.forget = (tier, scope, ["m1"])
    assert await tier.index_sentences(scope) == 1
    assert {row[0] for row in await rows(app, scope)} == {"m2"}


async def test_who_is_forgotten_is_named_no_more(tier: PostgresEpisodicTier, embedder: Listening) -> None:
    scope = new_scope()
    entries = [
        episodic_entry("I rode to town.", id="a1", name="Ana"),
        episodic_entry("I am here.", id="b1", name="Ben"),
        episodic_entry("I saw you there.", id="a2", name="Ana"),
        episodic_entry("I rode alone.", id="x1", name="Ana", session_id="s2"),
    ]
    await tier.store(scope, entries)
    assert "Ana: Ana saw Ben there." in await embedded(tier, scope, embedder)
    await tier.forget(scope, ["b1"])
    assert await embedded(tier, scope, embedder) == ["Ana: Ana saw you there."]


async def test_forgetting_one_of_several_messages_of_somebody_changes_nothing_else(
    tier: PostgresEpisodicTier, embedder: Listening
) -> None:
    scope = new_scope()
    entries = [
        episodic_entry("I am here.", id="b1", name="Ben"),
        episodic_entry("I saw you there.", id="a1", name="Ana"),
        episodic_entry("I am there.", id="b2", name="Ben"),
        episodic_entry("I saw you here.", id="a2", name="Ana"),
    ]
    await tier.store(scope, entries)
    await all_indexed(tier, scope)
    await tier.forget(scope, ["b2"])
    assert await embedded(tier, scope, embedder) == []
    await tier.forget(scope, ["b1"])
    assert await embedded(tier, scope, embedder) == ["Ana: Ana saw you there.", "Ana: Ana saw you here."]


async def test_only_sentences_in_the_view_and_of_the_time_count(tier: PostgresEpisodicTier) -> None:
    scope = new_scope()
    secret = episodic_entry(LONG, id="secret", agent_id="sales", visibility="agent", occurred_at=NOON)
    await tier.store(scope, [secret, episodic_entry("The harbour in Porto.", id="short", occurred_at=NOON)])
    later = episodic_entry(f"{LONG} It was late.", id="late", occurred_at=NOON + timedelta(days=1))
    await tier.store(scope, [later])
    earlier = episodic_query(scope.seen_by("care"), QUESTION).model_copy(update={"as_of": NOON})
    before = await tier.retrieve(earlier)
    await all_indexed(tier, scope)
    assert [one.id for one in await tier.retrieve(earlier)] == ["short"]
    assert (await tier.retrieve(earlier))[0].score == pytest.approx(before[0].score, abs=0.2)
    assert set(await found(tier, scope.seen_by("sales"))) == {"secret", "short", "late"}


async def test_a_name_that_others_may_not_know_is_not_written_for_them(
    tier: PostgresEpisodicTier, embedder: Listening
) -> None:
    scope = new_scope()
    hidden = episodic_entry("I am here.", name="Ben", agent_id="sales", visibility="agent")
    await tier.store(scope, [hidden, episodic_entry("I saw you.", name="Ana")])
    assert await embedded(tier, scope, embedder) == ["Ben: Ben is here.", "Ana: Ana saw you."]


async def test_compressed_text_has_its_sentences(tier: PostgresEpisodicTier, app: asyncpg.Connection) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(f"{LONG} " * 8, id="m1")])
    assert await tier.compress(scope, NOON + timedelta(days=1)) == 1
    await all_indexed(tier, scope)
    assert len(await rows(app, scope)) == 24


async def test_whoever_has_nothing_has_nothing_left(tier: PostgresEpisodicTier) -> None:
    assert await tier.index_sentences(new_scope()) == 0


async def test_the_sentences_of_what_is_found_say_which_part_of_it_answers(
    tier: PostgresEpisodicTier, embedder: Listening
) -> None:
    """The part is around the sentence whose vector is nearest; until there are vectors, and by words alone, around the
    one with the question's words."""
    scope = new_scope()
    parts = {"saffron lighthouse": QUESTION, "old mill": "The old mill stands in Lyon."}
    said = f"{LONG} {LONG.replace(QUESTION, parts['old mill'])}"
    await tier.store(scope, [episodic_entry(said, id="m")])

    async def part(question: str, **changed: object) -> str:
        query = episodic_query(scope, question).model_copy(update=changed)
        [memory] = await tier.retrieve(query)
        return memory.text[memory.focus : memory.focus_end]

    vectors = {
        name: tuple(row) for name, row in zip(parts, (await embedder.embed(list(parts.values()))).tolist(), strict=True)
    }
    assert await part("Tell me.", embedding=vectors["old mill"]) == said
    for is_indexed in (False, True):
        if is_indexed:
            await all_indexed(tier, scope)
        for name, other in (tuple(parts), tuple(parts)[::-1]):
            answers = [await part(f"{name}?", mode="lexical")]
            if is_indexed:
                answers.append(await part("Tell me.", embedding=vectors[name]))
            assert all(name in one and other not in one for one in answers)
