"""A user's memory, read from the stores themselves: a snapshot of places, the things in them, and their fields.

Things are known by what they are called, not by their ids. What is not read is in the table of exclusions.
"""

import json
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Final, cast

import asyncpg

from ragpp.models import Scope
from ragpp.stores.redis import Client, Keys, create_client
from ragpp_services.catalog.pages.layout import CONSOLIDATED
from ragpp_services.short_term.summary import SummaryLine
from tests.support.oracle_exclusions import Exclusion, excluded_of, is_excluded
from tests.support.oracle_graph import read_graph
from tests.support.oracle_snapshot import Fields, Snapshot, add
from tests.support.short_term import redis_settings
from tests.support.stacks import StoreStack

_TABLES: Final = """
    SELECT format('%I.%I', namespace.nspname, class.relname) AS name
      FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
     WHERE class.relkind IN ('r', 'p') AND NOT class.relispartition
       AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')
       AND 2 = (SELECT count(*) FROM pg_attribute
                 WHERE attrelid = class.oid AND attname IN ('tenant_id', 'user_id') AND NOT attisdropped)
     ORDER BY 1"""
_NAMED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "episodic.interactions": ("id",),
    "episodic.chunks": ("message", "part"),
    "episodic.sentences": ("message", "part", "number"),
    "procedural.preferences": ("category", "key"),
    "procedural.preference_versions": ("of", "occurred_at", "value"),
    "procedural.rules": ("id",),
    "procedural.findings": ("finding", "id"),
    "procedural.finding_evidence": ("finding_id", "occurred_at"),
    "procedural.reflections": ("kind", "date"),
    "catalog.resources": ("id",),
    "catalog.resource_chunks": ("of", "part"),
    "catalog.resource_turns": ("resource_id", "interaction_id"),
    "catalog.items": ("resource_id", "content"),
    "catalog.categories": ("name",),
    "ledger.pins": ("tier", "item_id"),
    "ledger.user_settings": (),
    "ledger.personal_policies": (),
}
"""By which columns a row is known; by all of them where nothing is said. The rest of them is read besides."""
_BESIDES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("episodic.chunks", "episodic.sentences"),
        "SELECT jsonb_build_object('message', coalesce((SELECT i.id FROM episodic.interactions AS i "
        "WHERE (i.tenant_id, i.user_id, i.ordinal) = (t.tenant_id, t.user_id, t.turn)), 'of none')) AS besides",
    ),
    "procedural.preference_versions": "SELECT jsonb_build_object('of', coalesce((SELECT p.category || ': ' || p.key "
    "FROM procedural.preferences AS p WHERE (p.tenant_id, p.user_id, p.id) = (t.tenant_id, t.user_id, t.preference_id))"
    ", 'of none')) AS besides",
    "catalog.resource_chunks": "SELECT jsonb_build_object('of', coalesce((SELECT r.id FROM catalog.resources AS r "
    "WHERE (r.tenant_id, r.user_id, r.ordinal) = (t.tenant_id, t.user_id, t.resource)), 'of none')) AS besides",
    "catalog.items": "SELECT jsonb_build_object('one', jsonb_agg(i.resource_id || ': ' || i.content "
    "ORDER BY i.resource_id, i.content), 'stand for it', count(*) FILTER (WHERE i.one_with IS NULL)) AS besides "
    "FROM catalog.items AS i WHERE (i.tenant_id, i.user_id, coalesce(i.one_with, i.id)) "
    "= (t.tenant_id, t.user_id, coalesce(t.one_with, t.id))",
}
_SETS: Final = frozenset({"sources", "page_resources"})
"""Columns whose order says nothing where their rows were made in another one."""


async def read_memory(stack: StoreStack, scope: Scope, besides: Sequence[Exclusion] = ()) -> Snapshot:
    """All that the stores hold of the user and that is compared; `besides`: what else is not."""
    return {
        **await _read_postgres(stack, scope, besides),
        **await read_graph(stack, scope),
        **await _read_valkey(stack, scope, besides),
    }


async def _read_postgres(stack: StoreStack, scope: Scope, besides: Sequence[Exclusion]) -> Snapshot:
    found: Snapshot = {}
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        for (table,) in await connection.fetch(_TABLES):
            if is_excluded(table, besides):
                continue
            more = f"CROSS JOIN LATERAL ({_BESIDES[table]}) AS b" if table in _BESIDES else ""
            row = "to_jsonb(t) || besides" if more else "to_jsonb(t)"
            statement = (
                f"SELECT ({row})::text AS row FROM {table} AS t {more} WHERE (t.tenant_id, t.user_id) = ($1, $2)"  # noqa: S608 - of the catalog
            )
            rows = [json.loads(one["row"]) for one in await connection.fetch(statement, *scope.user_key)]
            _add_rows(found, table, rows, excluded_of(table, besides))
    finally:
        await connection.close()
    return found


def _add_rows(found: Snapshot, table: str, rows: Iterable[Fields], excluded: frozenset[str]) -> None:
    columns = _NAMED_BY.get(table)
    kept = []
    for row in rows:
        fields = {key: value for key, value in row.items() if key not in excluded}
        fields |= {key: sorted(cast("list[str]", fields[key])) for key in _SETS & fields.keys()}
        if "markdown" in fields:
            lines = str(fields["markdown"]).split("\n")
            fields["markdown"] = [line for line in lines if not line.startswith(CONSOLIDATED)]
        name = " ".join(str(row[column]) for column in (columns if columns is not None else sorted(fields)))
        kept.append((name, json.dumps(fields, sort_keys=True), fields))
    for name, _, fields in sorted(kept, key=lambda one: one[:2]):
        report = fields.pop("report", None)
        add(found, table, name, fields)
        if report is not None:
            add(found, "report", name, cast("Fields", report))


async def _read_valkey(stack: StoreStack, scope: Scope, besides: Sequence[Exclusion]) -> Snapshot:
    found: Snapshot = {}
    settings = redis_settings(stack.endpoints())
    own = Keys(settings.key_prefix).user("", scope).removeprefix(settings.key_prefix).removeprefix(":")
    async with create_client(settings) as client:
        async for key in client.scan_iter(match=f"{settings.key_prefix}*", count=1_000):
            area, _, rest = key.decode().removeprefix(settings.key_prefix).partition(":{")
            if f"{{{rest}".startswith(own) and not is_excluded(area, besides):
                session = rest.partition("}")[2].removeprefix(":") or "all sessions"
                for number, fields in enumerate(await _things(client, key.decode(), area)):
                    add(found, area, f"{session} {number}" if area in {"st:log", "st:summary"} else session, fields)
    return found


async def _things(client: Client, key: str, area: str) -> list[Fields]:
    """The things that a key holds, in fields."""
    match area:
        case "st:log":
            texts = await _hash(client, key.replace("st:log", "st:texts", 1))
            return [
                {"moment": moment, "sequence": sequence, "tokens": tokens, **json.loads(texts.get(member, "{}"))}
                for member in await _members(client, key)
                for moment, sequence, tokens in [member.split(":")]
            ]
        case "st:texts":
            return [{"messages": sorted(json.loads(text)["id"] for text in (await _hash(client, key)).values())}]
        case "st:summary":
            lines = cast("list[bytes]", await cast("Awaitable[object]", client.lrange(key, 0, -1)))
            return [SummaryLine.decode(line).model_dump(mode="json") for line in lines]
        case "st:sessions":
            return [{"sessions": sorted(await _members(client, key))}]
        case "st:ids" | "st:meta":
            fields = {name: value.partition("|")[0] for name, value in (await _hash(client, key)).items()}
            return [{"summary_tokens": "0", **fields} if area == "st:meta" else {**fields}]
    return [{"key": key}]


async def _hash(client: Client, key: str) -> dict[str, str]:
    found = cast("Mapping[bytes, bytes]", await cast("Awaitable[object]", client.hgetall(key)))
    return {name.decode(): value.decode() for name, value in found.items()}


async def _members(client: Client, key: str) -> list[str]:
    return [member.decode() for member in cast("list[bytes]", await client.zrange(key, 0, -1))]
