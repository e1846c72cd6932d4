"""Rows of all layers, as what they say is read and put anew."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from ragpp.catalog import CategoryText, ItemText, Resource
from ragpp.models import Vector
from ragpp.stores.vector_values import halfvec, sparsevec
from ragpp_services.catalog.items.rows import NewItem
from ragpp_services.catalog.resources.rows import Indexed, ResourceRows, messages_json, stored_of
from ragpp_services.catalog.statements import Statements


class RewordingRows:
    """One user's own rows, whoever of its agents sees them."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def items(self, ids: Collection[str]) -> list[ItemText]:
        """The words of these statements."""
        rows = await self._run.own("item_texts", list(ids))
        return [ItemText.trusted(**{**row, "metadata": json.loads(row["metadata"])}) for row in rows]

    async def categories(self, ids: Collection[str]) -> list[CategoryText]:
        """The words of these categories."""
        return [CategoryText.trusted(**row) for row in await self._run.own("category_texts", list(ids))]

    async def resource(self, identifier: str) -> Resource | None:
        """The user's own resource of that id."""
        row = await self._run.own_row("own_resource", identifier)
        return None if row is None else stored_of(row).resource

    async def put_resource(self, resources: ResourceRows, one: Resource, said: Indexed) -> bool:
        """Let the resource say that, with its metadata; False where there is none, or a stub."""
        values = (said.content, said.content_hash, messages_json(said.messages), said.tokens)
        metadata = json.dumps(one.metadata, ensure_ascii=False)
        row = await self._run.own_row("reword_resource", one.resource_id, *values, metadata)
        if row is None:
            return False
        await resources.replace_chunks(row["ordinal"], row["resource_type"], row["seen_by"], said.chunks)
        await self._run.change("delete_turns", [one.resource_id], [])
        turns = [message.interaction_id for message in said.messages if message.interaction_id is not None]
        if turns:
            await self._run.change("insert_turns", turns, [one.resource_id] * len(turns))
        return True

    async def put_items(self, new: Sequence[NewItem]) -> None:
        """Let statements say that; what is gone is left."""
        await self._run.change_many("reword_item", map(_values, new))

    async def put_category(self, one: CategoryText, vector: Vector) -> None:
        """Let the category say that, if it was not changed since it was read."""
        values = (one.id, one.description, one.markdown, halfvec(vector), one.updated_at)
        await self._run.change("reword_category", *values)

    async def labels(self) -> list[str]:
        """Goals, domains and reasons, each once."""
        return [row["label"] for row in await self._run.own("labels")]

    async def relabel(self, labels: Mapping[str, str]) -> None:
        """Put these in the place of those."""
        columns = list(labels), list(labels.values())
        await self._run.change("relabel_episodes", *columns)
        await self._run.change("relabel_uses", *columns)
        taken = await self._run.own("take_goal_values", list(labels))
        given: list[tuple[str, str, float, datetime]] = [
            (row["item_id"], labels[row["goal"]], row["value"], row["last_updated"]) for row in taken
        ]
        await self._run.change_many("give_goal_value", given)


def _values(new: NewItem) -> tuple[object, ...]:
    entry, written = new.entry, new.written
    return (
        entry.id,
        entry.content,
        json.dumps(entry.metadata, ensure_ascii=False),
        new.key,
        entry.domain,
        entry.task_type,
        new.tokens,
        halfvec(new.vector),
        sparsevec(new.lexical),
        written.told.model_dump_json(),
        list(written.tags),
        written.external_id,
    )
