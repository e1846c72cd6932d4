"""Items on their way in: their words, what each may be seen by, and where it belongs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ragpp.catalog import ItemEntry, generate_memory_key
from ragpp.embedding import FloatMatrix
from ragpp.entries.values import MOST_SUMMARY
from ragpp.errors import CategoryNotFoundError
from ragpp.text.lexical import document_weights
from ragpp.text.readers import Tokenizers
from ragpp_services.catalog.entries.writing import written
from ragpp_services.catalog.items.rows import NewItem
from ragpp_services.catalog.pages import classify


def new_item(
    entry: ItemEntry, vector: npt.NDArray[np.float32], tokenizers: Tokenizers, most_summary: int = MOST_SUMMARY
) -> NewItem:
    """The row of `entry`, with a summary of at most so many characters. Raises what the tokenizer raises."""
    return NewItem(
        entry=entry,
        key=generate_memory_key(entry.content, entry.domain, entry.task_type),
        vector=vector,
        lexical=document_weights(entry.content),
        tokens=tokenizers.named().count(entry.content),
        written=written(entry.content, entry.metadata, tokenizers, most_summary),
    )


def new_items(
    entries: Sequence[ItemEntry], vectors: FloatMatrix, tokenizers: Tokenizers, most_summary: int
) -> list[NewItem]:
    """The rows of `entries`, with their vectors in the same order. Raises what the tokenizer raises."""
    return [new_item(*pair, tokenizers, most_summary) for pair in zip(entries, vectors, strict=True)]


def of_resource(new: NewItem, resource_seen_by: str | None, resource_contributor: str) -> NewItem:
    """The item never more visible than its resource, and whoever contributed that contributed this, too; what one agent
    alone sees is that agent's."""
    seen_by = new.entry.seen_by if resource_seen_by is None else resource_seen_by
    agent_id = new.entry.agent_id if seen_by is None else seen_by
    contributor = new.entry.contributor or resource_contributor
    return _changed(new, {"seen_by": seen_by, "agent_id": agent_id, "contributor": contributor})


def classified(new: NewItem, categories: Sequence[tuple[str, npt.NDArray[np.float32]]]) -> NewItem:
    """The item in the category that it names, else in that whose description, of these names and vectors, is nearest,
    if any is near."""
    if new.entry.category is not None:
        return new
    return _changed(new, {"category": classify(new.vector, categories)})


def check_categories(items: Sequence[NewItem], known: Sequence[str]) -> None:
    """Raises CategoryNotFoundError for an item that names a category that is not among `known`."""
    for new in items:
        if new.entry.category is not None and new.entry.category not in known:
            raise CategoryNotFoundError(new.entry.category, known)


def _changed(new: NewItem, update: Mapping[str, object]) -> NewItem:
    entry = new.entry.model_copy(update=dict(update))
    return replace(new, entry=entry)
