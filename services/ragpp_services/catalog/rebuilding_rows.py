"""Rows of all layers, as they are made anew."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import asyncpg
import numpy as np
import numpy.typing as npt

from ragpp.fields import StoredMetadata
from ragpp.models import Vector
from ragpp.stores.vector_values import halfvec, sparsevec
from ragpp_services.catalog.statements import Statements


@dataclass(slots=True)
class Ids:
    """Ids of the next rows to make anew, by layer. `last`: the greatest; None where there is none."""

    items: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    last: str | None = None


class RebuildingRows:
    """One user's own rows, whoever of its agents sees them."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def ids(self, after: str | None, limit: int) -> Ids:
        """The next `limit` ids of all layers behind `after`, and whatever has the same id as the last."""
        found = Ids()
        for row in await self._run.own("ids_to_rebuild", after, limit):
            layer: list[str] = getattr(found, row["layer"])
            layer.append(row["id"])
            found.last = row["id"]
        return found

    async def texts(self, ids: Ids) -> tuple[dict[str, str], dict[str, str]]:
        """The texts of which vectors are made: contents of the items and descriptions of the categories, by id."""
        texts: dict[str, dict[str, str]] = {"items": {}, "categories": {}}
        for row in await self._run.own("texts_to_rebuild", ids.items, ids.categories):
            texts[row["layer"]][row["id"]] = row["text"]
        return texts["items"], texts["categories"]

    async def metadata(self, ids: Ids) -> dict[str, StoredMetadata]:
        """The metadata that was given with the items, by id."""
        return {row["id"]: json.loads(row["metadata"]) for row in await self._run.own("metadata_to_rebuild", ids.items)}

    async def put_items(self, indexed: Mapping[str, tuple[npt.NDArray[np.float32], Mapping[int, float]]]) -> None:
        """The vector and the words of each item by its id; what is gone is left."""
        rows = [(one, halfvec(vector), sparsevec(words)) for one, (vector, words) in indexed.items()]
        await self._run.change_many("put_item_index", rows)

    async def put_categories(self, vectors: Mapping[str, Vector]) -> None:
        """The vector of each category by its id."""
        await self._run.change_many("put_category_index", [(one, halfvec(vector)) for one, vector in vectors.items()])

    async def resource(self, resource_id: str, content_hash: bytes) -> asyncpg.Record | None:
        """ordinal, type and visibility of a resource that still says what was read."""
        return await self._run.own_row("resource_to_rebuild", resource_id, content_hash)
