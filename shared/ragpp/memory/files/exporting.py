"""The catalog's memories of one agent, or of all, as a file that `import_file` reads."""

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from ragpp.api.files import ExportedMemory
from ragpp.client import AsyncMemoryClient
from ragpp.entries.files import GLOBAL, VERSION, written
from ragpp.paging import PAGE, pages

FORMAT: Final = frozenset(
    ("id", "timestamp", "ci_source", "type", "summary", "content", "tokens", "relevance_tags", "priority", "expires")
) | {"references"}
"""Fields that every memory of a file has; of the others those that say something."""
_DEFAULTS: Final[dict[str, JsonValue]] = {
    name: field.get_default(call_default_factory=True)
    for name, field in ExportedMemory.model_fields.items()
    if not field.is_required()
}


async def exported(client: AsyncMemoryClient, user_id: str | None, ci: str | None) -> AsyncIterator[ExportedMemory]:
    """The memories that the agent `ci` alone sees, the latest first; of None those that all the user's agents see."""
    async for one in pages(lambda cursor: client.export_entries(user_id, ci=ci, cursor=cursor, limit=PAGE)):
        yield one


async def export_file(
    client: AsyncMemoryClient,
    now: datetime,
    *,
    user_id: str | None = None,
    ci: str | None = None,
    on_memory: Callable[[int], None] = lambda _count: None,
) -> str:
    """The text of a file of the memories that the agent `ci` alone sees, in the order in which they came; of None those
    that all of the user's agents see. Raises what the client raises."""
    found: list[ExportedMemory] = []
    async for one in exported(client, user_id, ci):
        found.append(one)
        on_memory(1)
    cleaned = (await client.entry_statistics(user_id, ci=ci)).last_cleanup
    oldest = min((one.timestamp for one in found), default=None)
    statistics: dict[str, JsonValue] = {
        "total_memories": len(found),
        "total_tokens": sum(one.tokens for one in found),
        "oldest_memory": None if oldest is None else _moment(oldest),
        "last_cleanup": None if cleaned is None else _moment(cleaned),
    }
    header: dict[str, JsonValue] = {
        "version": VERSION,
        "ci_name": ci or GLOBAL,
        "last_updated": _moment(now),
        "statistics": statistics,
    }
    return "".join(written(header, (_fields(one) for one in reversed(found))))


def _fields(memory: ExportedMemory) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = memory.model_dump(mode="json")
    beside = ExportedMemory.model_fields.keys() - FORMAT
    return {name: value for name, value in fields.items() if name not in beside or value != _DEFAULTS.get(name)}


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
