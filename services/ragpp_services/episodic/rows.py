"""The rows of the episodic tier as values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ragpp.models import Interaction
from ragpp.stores.compression import unpacked
from ragpp.stores.packed_columns import direction

if TYPE_CHECKING:
    import asyncpg

_NO_METADATA: Final = "{}"


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk on its way in. `embedding`: float32 of the recorded dimension. `lexical`: weights by hashed term,
    negative for those that it only asks for (`reading.traits.ASKED`). `traits`: `reading.traits.Trait` bits."""

    start: int
    end: int
    tokens: int
    embedding: npt.NDArray[np.float32]
    lexical: Mapping[int, float]
    traits: int


@dataclass(frozen=True, slots=True)
class NewInteraction:
    """An interaction on its way in, with its chunks in order."""

    interaction: Interaction
    content_hash: bytes
    tokens: int
    redactions: int
    chunks: tuple[NewChunk, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """The stored state of an id: the hash of its content, the event that recorded it, and the only agent that may see
    it, if there is one."""

    content_hash: bytes
    event_id: int
    seen_by: str | None = None


@dataclass(frozen=True, slots=True)
class StoredInteraction:
    """A stored interaction. `ordinal`: its place in the order of arrival. `tokens`: of its content."""

    interaction: Interaction
    ordinal: int
    tokens: int


@dataclass(frozen=True, slots=True)
class TeachesLess:
    """A message of which more is known to repeat others than before, so that it teaches less. `event_id`: of the event
    that recorded it. `repeats`: the id of a message that it repeats, None for none in particular."""

    id: str
    event_id: int
    repeats: str | None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """An interaction that was deleted, as its event describes it."""

    id: str
    ordinal: int
    session_id: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """An interaction with the chunk that a scan found it by, `[start:end)` of its content. `vector`: of that chunk,
    of length 1. `told`: the cosines with the question of those of its sentences that have a vector, in their order."""

    stored: StoredInteraction
    start: int
    end: int
    vector: npt.NDArray[np.float32] | None
    told: tuple[float, ...] = ()


def interaction_values(new: NewInteraction, event_id: int) -> tuple[object, ...]:
    """The values of the statement `insert_interactions` that are of one interaction, in its order."""
    said = new.interaction
    return (
        said.id,
        event_id,
        said.session_id,
        said.agent_id,
        said.role,
        said.name,
        said.content,
        new.content_hash,
        said.occurred_at,
        said.message_type,
        said.channel,
        said.domain,
        said.task_type,
        json.dumps(said.metadata, ensure_ascii=False),
        new.tokens,
        new.redactions,
        said.learn,
        said.seen_by,
        said.utc_offset,
    )


def found_of(row: "asyncpg.Record") -> Found:
    """The interaction and the chunk in a row of the statement `found`."""
    packed = row["found_vector"]
    vector = None if packed is None else direction(packed)  # never zero: see `ragpp.embedding.vectors`
    return Found(stored_of(row), row["found_start"], row["found_end"], vector, tuple(row["found_told"] or ()))


def stored_of(row: "asyncpg.Record") -> StoredInteraction:
    """The interaction in a row of `episodic.interactions`."""
    # what was validated when it came in is not validated again: that would double the cost of a search
    interaction = Interaction.trusted(
        id=row["id"],
        session_id=row["session_id"],
        agent_id=row["agent_id"],
        role=row["role"],
        name=row["name"],
        content=unpacked(row["content"], row["packed"]),
        occurred_at=row["occurred_at"],
        message_type=row["message_type"],
        channel=row["channel"],
        domain=row["domain"],
        task_type=row["task_type"],
        metadata={} if (metadata := row["metadata"]) == _NO_METADATA else json.loads(metadata),
        learn=row["learn"],
        visibility="shared" if row["seen_by"] is None else "agent",
        utc_offset=row["utc_offset"],
    )
    return StoredInteraction(interaction, row["ordinal"], row["tokens"])
