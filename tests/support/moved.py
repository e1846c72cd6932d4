"""One memory of many people that is backed up and restored in its place, with all that may happen to it meanwhile."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import asyncpg
import pytest
from pydantic import SecretStr

from ragpp.clock import system_clock
from ragpp.errors import TierUnavailable
from ragpp.models import Observation, Scope
from ragpp_infra.backup import conversations, taking
from ragpp_infra.backup.archive import ArchiveWriter
from ragpp_infra.backup.places import Client, Place
from ragpp_infra.backup.restoring import Restore, Restored
from ragpp_infra.backup.taking import Taken
from ragpp_infra.provisioning.endpoints import Admin
from ragpp_infra.provisioning.postgres import is_unfinished
from ragpp_infra.provisioning.provision import provision
from ragpp_services.episodic.tier import PostgresEpisodicTier
from ragpp_services.procedural.naming import preference_id
from tests.support.asking import of_postgres
from tests.support.backup import noted_as_deleted, noted_as_erased, restored, taken
from tests.support.episodic import episodic_entry, episodic_tier
from tests.support.procedural import procedural_entry, procedural_tier
from tests.support.scopes import new_scope
from tests.support.semantic import semantic_entry, semantic_tier
from tests.support.short_term import short_term_entry, short_term_tier

SEGMENT: Final = """
INSERT INTO catalog.segments (tenant_id, user_id, first, last, ordinals, moments, sessions, session_of, viewers, agents,
                              starts, vectors, bits)
VALUES ($1, $2, 0, 9, '\\x01', '\\x02', '\\x03', '\\x04', '\\x05', '{a}', '\\x06', 1, '\\x00ff')"""
PREFERENCE: Final = procedural_entry("Tea")
TERM: Final = "INSERT INTO catalog.segment_terms VALUES ($1, $2, 0, 7, '\\x0708')"
TABLES: Final = (
    "SELECT array_agg(segments::text) FROM catalog.segments",
    "SELECT array_agg(terms::text) FROM catalog.segment_terms AS terms",
    "SELECT count(*) FROM pg_trigger WHERE tgrelid = 'catalog.items'::regclass",
)
"""Statements that ask the tables, one value each."""


class People(NamedTuple):
    """Whose memories are in the stores, each named by what becomes of it."""

    left: Scope
    """Alone, with two messages."""
    forgetting: Scope
    """Has two messages, of which the first is forgotten after the backup."""
    ghostly: Scope
    """Something was learned of a message that the tables do not have."""
    withdrawing: Scope
    """A message was forgotten, which the graph was still to do when the backup was taken."""
    drawn: Scope
    """Is in the graph alone, and is erased after the backup."""
    talking: Scope
    """Is in a running conversation alone, and is erased after the backup."""
    read: Scope
    """Is in the audit alone, and is erased after the backup."""
    ended: Scope
    """A conversation of theirs is deleted when it is copied and the tables are not."""
    erased: Scope
    """Is erased at that time."""
    deciding: Scope
    """Deletes a preference after the backup, which nothing but the audit tells."""


@dataclass(frozen=True)
class Moved:
    """A memory that was backed up, and what came of restoring it in its place: at first it was interrupted.

    `before`: what the tables told. `halfway`: what was answered between the two. `shut_out`: roles that were let in by
    nobody when the memory was there and was still to forget.
    """

    people: People
    copy: Taken
    result: Restored
    before: Sequence[object]
    halfway: Mapping[str, object]
    shut_out: Sequence[SecretStr]


async def moved_memory(place: Place, file: Path) -> Moved:
    """Fill the stores, take a backup in `file`, forget much, and restore it, at the second try."""
    people = People(*(new_scope() for _ in People._fields))
    people = people._replace(ended=people.ended.in_session("a b"))
    async with episodic_tier(place.endpoints) as messages, semantic_tier(place.endpoints) as graphs:
        for scope in (people.left, people.forgetting):
            await stored(messages, scope, "m1", "m2")
        await stored(messages, people.withdrawing, "m1")
        await graphs.observe(people.withdrawing, [nothing_learned("m1")])
        await messages.forget(people.withdrawing, ["m1"])
        await graphs.observe(people.ghostly, [nothing_learned("late")])
        await graphs.store(people.drawn, [semantic_entry("Tea")])
    async with procedural_tier(place.endpoints) as preferences:
        await preferences.store(people.deciding, [PREFERENCE])
    await noted_as_deleted(place, people.read, "nothing", "x")
    async with place.postgres() as superuser:
        await superuser.execute(SEGMENT, *people.left.user_key)
        await superuser.execute(TERM, *people.left.user_key)
    before = [await of_postgres(place.postgres_dsn, statement) for statement in TABLES]
    copy = await taken_while_something_is_deleted(place, file, people)
    async with episodic_tier(place.endpoints) as messages:
        await messages.forget(people.forgetting, ["m1"])
    for scope in (people.drawn, people.talking, people.read):
        await noted_as_erased(place, scope)
    decided = preference_id(people.deciding, PREFERENCE.category, PREFERENCE.key)
    await noted_as_deleted(place, people.deciding, "procedural", decided)
    halfway = await interrupted(place, file)
    result, shut_out = await looked_into(place, file)
    return Moved(people, copy, result, before, halfway, shut_out)


def nothing_learned(interaction_id: str) -> Observation:
    return Observation(event_id=interaction_id, interaction_id=interaction_id, occurred_at=system_clock())


async def taken_while_something_is_deleted(place: Place, file: Path, people: People) -> Taken:
    """Conversations are copied, then some deleted, their messages kept; only then comes the snapshot, which knows."""

    async def deleted_meanwhile(client: Client, prefix: str, archive: ArchiveWriter) -> None:
        await conversations.copy_conversations(client, prefix, archive)
        await noted_as_deleted(place, people.ended, "conversation", "a b")
        await noted_as_erased(place, people.erased)
        async with short_term_tier(place.endpoints) as tier:
            await tier.delete_session(people.ended)
            await tier.erase(people.erased, 0)

    async with short_term_tier(place.endpoints) as tier:
        await tier.store(people.ended, [short_term_entry("I like tea", session_id="a b")])
        for scope in (people.left, people.talking, people.erased, people.erased.seen_by("helper")):
            await tier.store(scope, [short_term_entry("I like tea")])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(taking, "copy_conversations", deleted_meanwhile)
        return await taken(place, file)


async def interrupted(place: Place, file: Path) -> Mapping[str, object]:
    """End a restore when all is written and nothing forgotten; what is answered then, errors among it."""

    async def killed(*_given: object) -> None:
        raise TierUnavailable("as if by SIGKILL")

    endpoints = place.endpoints
    admin = Admin(place.postgres_dsn, endpoints.redis_url, endpoints.neo4j_uri, endpoints.neo4j_password)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Restore, "_find_forgotten", killed)
        with pytest.raises(TierUnavailable):
            await restored(place, file, replace=True)
    trying: Mapping[str, Awaitable[object]] = {
        "unfinished": is_unfinished(place.postgres_dsn),
        "connecting": asyncpg.connect(place.endpoints.postgres_app_dsn.get_secret_value()),
        "provisioning": provision(admin, endpoints, schemas=False),
        "a backup": taken(place, file.with_name("half")),
        "a restore": restored(place, file),
    }
    return {name: await answered(one) for name, one in trying.items()}


async def answered(asking: Awaitable[object]) -> object:
    """The result of `asking`, or the error that it raises."""
    (answer,) = await asyncio.gather(asking, return_exceptions=True)
    return answer


async def looked_into(place: Place, file: Path) -> tuple[Restored, Sequence[SecretStr]]:
    """Restore, and have those connect who may not as long as something is to be forgotten."""
    shut_out, program = list[SecretStr](), Restore._program

    async def tried_meanwhile(self: Restore, *arguments: str, **given: Mapping[str, str]) -> str:
        if arguments == ("forget",):
            for dsn in (place.endpoints.postgres_app_dsn, place.endpoints.postgres_relay_dsn):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await asyncpg.connect(dsn.get_secret_value())
                shut_out.append(dsn)
        return await program(self, *arguments, **given)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Restore, "_program", tried_meanwhile)
        return await restored(place, file, replace=True), shut_out


async def stored(tier: PostgresEpisodicTier, scope: Scope, *ids: str) -> None:
    await tier.store(scope, [episodic_entry(f"A message that is called {one}", id=one) for one in ids])
