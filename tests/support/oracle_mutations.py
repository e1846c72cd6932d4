"""Tiers that leave one step of a forgetting out, to show that the oracle sees it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeVar, cast

import asyncpg

from ragpp.models import Observation, Scope
from tests.support.oracle_script import Digest, Forget, Keep, Pin, Say, Script, WritePage
from tests.support.real_gateway import RealGateway
from tests.support.stacks import StoreStack

T = TypeVar("T")
Mutation = Literal["short_term", "semantic", "procedural", "rows", "chunks", "sentences", "pins", "replies", "catalog"]
WITHDRAWALS: Final[Mapping[Mutation, str]] = {
    "short_term": "short_term.forget",
    "semantic": "semantic.forget_sources",
    "procedural": "procedural.forget_sources",
    "rows": "episodic.forget, of the rows",
    "chunks": "episodic.forget, of the chunks and their vectors",
    "sentences": "episodic.forget, of the vectors of sentences",
    "pins": "pins.unpin",
    "replies": "semantic.observe, of what teaches less than before",
    "catalog": "catalog.forget_sources",
}
"""The function that each leaves out."""


def _at(minute: int) -> datetime:
    return datetime(2024, 3, 4, 8, minute, tzinfo=UTC)


PLAIN: Final = Script(
    (
        Say("u1", "s1", "m1", "My aunt {word} lives in Oslo. I prefer {word} tea over coffee.", _at(1), name="Maria"),
        Say("u1", "s1", "m2", "Ann works at Harbour Clinic.", _at(2), name="Maria"),
        Pin("u1", "m1"),
        Digest(),
        Forget("u1", "messages", ("m1",)),
        Digest(),
    )
)
"""From one message something is learned in every tier, and nothing rests on it and another."""
ANSWERED: Final = Script(
    (
        Say("u1", "s1", "m1", "My aunt {word} lives in Oslo.", _at(1)),
        Say("u1", "s1", "m1r", "My aunt {word} lives in Oslo, with Vera Lang.", _at(2), "assistant", repeats="m1"),
        Digest(),
        Forget("u1", "messages", ("m1",), replies="stay"),
        Digest(),
    )
)
"""A reply had taught what it repeats, since it says more."""
KEPT: Final = Script(
    (
        Say("u1", "s1", "m1", "My aunt {word} lives in Oslo.", _at(1), name="Maria"),
        Say("u1", "s1", "m2", "Ann works at Harbour Clinic.", _at(2), name="Maria"),
        Keep("u1", "res_1", "s1", _at(3), hint="people"),
        Keep("u1", "res_2", "s2", _at(4), "Ann works at Harbour Clinic. The Pro plan costs $299 per month.", "people"),
        Digest(),
        WritePage("u1", "people"),
        Digest(),
        Forget("u1", "messages", ("m1",)),
        Digest(),
    )
)
"""A conversation that is kept, of which items and a page were made, and one of two messages is forgotten."""
LAST: Final = replace(
    KEPT, steps=tuple(replace(one, ids=("m2",)) if isinstance(one, Forget) else one for one in KEPT.steps)
)
"""The last of them is forgotten, which says what a document says, too."""
SEEN_IN: Final[Mapping[Mutation, frozenset[str]]] = {
    "short_term": frozenset({"st:ids"}),
    "semantic": frozenset({"Entity", "RELATES_TO"}),
    "procedural": frozenset({"procedural.preferences"}),
    "rows": frozenset({"episodic.interactions"}),
    "chunks": frozenset({"episodic.chunks"}),
    "sentences": frozenset({"episodic.sentences"}),
    "pins": frozenset({"ledger.pins"}),
    "replies": frozenset({"Entity"}),
    "catalog": frozenset({"catalog.resources", "catalog.items", "catalog.resource_turns", "catalog.categories"}),
}
"""Where the oracle must see each of them, in the script in which it shows."""


def showing(mutation: Mutation) -> Script:
    """The script in which it shows."""
    return {"replies": ANSWERED, "catalog": KEPT}.get(mutation, PLAIN)


_TABLES: Final = {
    "rows": "episodic.interactions",
    "chunks": "episodic.chunks",
    "sentences": "episodic.sentences",
}
_OF_MESSAGES: Final = {
    "rows": "kept.id = ANY ($3)",
    **dict.fromkeys(
        ("chunks", "sentences"),
        "kept.turn IN (SELECT ordinal FROM episodic.interactions WHERE (tenant_id, user_id) = ($1, $2) "
        "AND id = ANY ($3))",
    ),
}


class _LeavesOut:
    """A tier, one of whose methods is another's."""

    def __init__(self, tier: object, method: str, instead: Callable[..., Awaitable[object]]) -> None:
        self._tier, self._method, self._instead = tier, method, instead

    def __getattr__(self, name: str) -> object:
        return self._instead if name == self._method else getattr(self._tier, name)


def _with(tier: T, method: str, instead: Callable[..., Awaitable[object]]) -> T:
    return cast("T", _LeavesOut(tier, method, instead))


async def _nothing(*_: object, **__: object) -> int:
    return 0


def _keeping(
    stack: StoreStack, part: Literal["rows", "chunks", "sentences"], forget: Callable[..., Awaitable[int]]
) -> Any:
    """`forget`, after which that part of what it deletes is there again."""

    async def half(scope: Scope, ids: Collection[str]) -> int:
        table, of_messages = _TABLES[part], _OF_MESSAGES[part]
        connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
        try:
            kept = await connection.fetch(
                f"SELECT to_jsonb(kept)::text AS row FROM {table} AS kept "  # noqa: S608 - as named above
                f"WHERE (tenant_id, user_id) = ($1, $2) AND {of_messages}",
                *scope.user_key,
                list(ids),
            )
            done = await forget(scope, ids)
            for row in kept:
                await connection.execute(
                    f"INSERT INTO {table} SELECT * FROM jsonb_populate_record(NULL::{table}, $1::jsonb)",  # noqa: S608
                    row["row"],
                )
            return done
        finally:
            await connection.close()

    return half


def _once(observe: Callable[..., Awaitable[list[bool]]]) -> Any:
    """`observe`, but for what is observed again."""

    async def first(
        scope: Scope, observations: Sequence[Observation], epoch: int | None = None, instead_of: Sequence[str] = ()
    ) -> list[bool]:
        return [] if instead_of else await observe(scope, observations, epoch)

    return first


@asynccontextmanager
async def leaving_out(gateway: RealGateway, stack: StoreStack, mutation: Mutation) -> AsyncIterator[RealGateway]:
    """The gateway and its worker without that step, while inside."""
    parts, worker = gateway.parts, gateway.worker
    match mutation:
        case "pins":
            changed: dict[str, Any] = {"pins": _with(worker.pins, "unpin", _nothing)}
        case "rows" | "chunks" | "sentences":
            changed = {"episodic": _with(parts.episodic, "forget", _keeping(stack, mutation, parts.episodic.forget))}
        case "short_term":
            changed = {"short_term": _with(parts.short_term, "forget", _nothing)}
        case "semantic":
            changed = {"semantic": _with(parts.semantic, "forget_sources", _nothing)}
        case "replies":
            changed = {"semantic": _with(parts.semantic, "observe", _once(parts.semantic.observe))}
        case "catalog":
            changed = {"catalog": _with(parts.catalog, "forget_sources", _nothing)}
        case "procedural":
            changed = {"procedural": _with(parts.procedural, "forget_sources", _nothing)}
    mutated = parts if mutation == "pins" else replace(parts, **changed)
    gateway.app.state.parts = mutated
    try:
        yield replace(gateway, parts=mutated, worker=replace(worker, **changed))
    finally:
        gateway.app.state.parts = parts
