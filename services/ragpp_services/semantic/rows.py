"""Between the driver's rows and the records: the one place that knows the order of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

import orjson

from ragpp.fading import LASTS, OTHER_TIES, RATES
from ragpp_services.semantic.records import (
    Applied,
    EntityState,
    Mention,
    Naming,
    RelationshipKey,
    RelationshipState,
    SourceRef,
    Statement,
    act_of,
    label_of,
    verdict_of,
)

T = TypeVar("T")
Row: TypeAlias = Sequence[object]
Properties: TypeAlias = Mapping[str, object]


class Candidates(NamedTuple):
    """The rows of `retrieve`. `rejected`: [id, source, type, target, sources] of what a person rejected; not
    among the sources is what says the same as the person."""

    entities: list[Row]
    relationships: list[Row]
    rejected: list[Row]


ENTITY_EVIDENCE: Final = 11
RELATIONSHIP_EVIDENCE: Final = 19
"""Columns of `retrieve` that hold evidence, empty where the state says all."""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(cast("Sequence[str]", value or ()))


def _refs(ids: object, times: object) -> tuple[SourceRef, ...]:
    return tuple(map(SourceRef, cast("Sequence[str]", ids or ()), cast("Sequence[int]", times or ())))


def _given(value: T | None, otherwise: T) -> T:
    """`value`, or for an edge of the time before there was such a property, what stands for it."""
    return otherwise if value is None else value


def entity_from(properties: Properties) -> EntityState:
    """An entity from the map that the statements call `entity`."""
    return EntityState(
        id=cast("str", properties["id"]),
        name=cast("str", properties["name"]),
        label=label_of(properties["label"]),
        aliases=_texts(properties["aliases"]),
        mentions=cast("int", properties["mentions"]),
        first_mention=cast("int", properties["first_mention"]),
        last_mention=cast("int", properties["last_mention"]),
        named_at=cast("int", properties["named_at"]),
        sources=_refs(properties["sources"], properties["source_times"]),
        merged_from=_texts(properties["merged_from"]),
        kept_apart=_texts(properties["kept_apart"]),
        former_labels=tuple(label_of(label) for label in _texts(properties["former_labels"])),
    )


def entity_from_row(row: Row) -> EntityState:
    """An entity from a row of `retrieve`: [nearness, id, name, label, aliases, mentions, first_mention, last_mention,
    named_at, sources, source_times, evidence]."""
    return EntityState(
        id=cast("str", row[1]),
        name=cast("str", row[2]),
        label=label_of(row[3]),
        aliases=_texts(row[4]),
        mentions=cast("int", row[5]),
        first_mention=cast("int", row[6]),
        last_mention=cast("int", row[7]),
        named_at=cast("int", row[8]),
        sources=_refs(row[9], row[10]),
    )


def entity_properties(state: EntityState) -> dict[str, object]:
    """The properties that a write sets on an entity's node whatever it was before."""
    lasting = {"kept_apart": list(state.kept_apart), "former_labels": list(state.former_labels)}
    return {
        **{name: value for name, value in lasting.items() if value},
        "name": state.name,
        "name_key": state.key,
        "label": state.label,
        "aliases": list(state.aliases),
        "alias_keys": list(state.alias_keys),
        "mentions": state.mentions,
        "first_mention": state.first_mention,
        "last_mention": state.last_mention,
        "named_at": state.named_at,
        "sources": [ref.id for ref in state.sources],
        "source_times": [ref.at for ref in state.sources],
    }


@dataclass(frozen=True, slots=True)
class NamedRelationship:
    """An edge with the names of its ends, and when each name was first said."""

    state: RelationshipState
    source: str
    target: str
    source_named_at: int
    target_named_at: int


def relationship_from(properties: Properties) -> RelationshipState:
    """A relationship from the map that the statements call `relationship`."""
    confidence, confidence_at = cast("float", properties["confidence"]), cast("int", properties["confidence_at"])
    first_mention = cast("int", properties["first_mention"])
    return RelationshipState(
        key=RelationshipKey(
            cast("str", properties["source_id"]), cast("str", properties["type"]), cast("str", properties["target_id"])
        ),
        weight=cast("int", properties["weight"]),
        believed=_given(cast("float | None", properties["believed"]), confidence),
        believed_at=_given(cast("int | None", properties["believed_at"]), confidence_at),
        confidence=confidence,
        confidence_at=confidence_at,
        lasting=cast("bool", properties["lasting"]),
        first_mention=first_mention,
        last_mention=cast("int", properties["last_mention"]),
        context=cast("str", properties["context"]),
        sources=_refs(properties["sources"], properties["source_times"]),
        valid_from=_given(cast("int | None", properties["valid_from"]), first_mention),
        valid_to=cast("int | None", properties["valid_to"]),
        ended_by=cast("str | None", properties["ended_by"]),
        archived_at=cast("int | None", properties["archived_at"]),
        verdict=verdict_of(properties["verdict"]),
        verb=cast("str | None", properties["verb"]) or "",
    )


def named_relationship_from(properties: Mapping[str, object]) -> NamedRelationship:
    """An edge with its ends' names, from the map that the statements call `relationship`."""
    return NamedRelationship(
        relationship_from(properties),
        str(properties["source"]),
        str(properties["target"]),
        int(str(properties["source_named_at"])),
        int(str(properties["target_named_at"])),
    )


def relationship_from_row(row: Row) -> RelationshipState:
    """A relationship from a row of `retrieve`: [nearness, hops, source_id, source, target_id, target, type, weight,
    confidence, confidence_at, lasting, first_mention, last_mention, context, sources, source_times, believed,
    believed_at, valid_from, evidence, verb]; as it was at the moment asked for, when it was neither ended nor put
    aside."""
    confidence, confidence_at = cast("float", row[8]), cast("int", row[9])
    first_mention = cast("int", row[11])
    return RelationshipState(
        key=RelationshipKey(cast("str", row[2]), cast("str", row[6]), cast("str", row[4])),
        weight=cast("int", row[7]),
        believed=_given(cast("float | None", row[16]), confidence),
        believed_at=_given(cast("int | None", row[17]), confidence_at),
        confidence=confidence,
        confidence_at=confidence_at,
        lasting=cast("bool", row[10]),
        first_mention=first_mention,
        last_mention=cast("int", row[12]),
        context=cast("str", row[13]),
        sources=_refs(row[14], row[15]),
        valid_from=_given(cast("int | None", row[18]), first_mention),
        verb=cast("str | None", row[20]) or "",
    )


def relationship_properties(state: RelationshipState) -> dict[str, object]:
    """The properties that a write sets on an edge; one that is None goes."""
    return {
        "type": state.key.type,
        "weight": state.weight,
        "believed": state.believed,
        "believed_at": state.believed_at,
        "confidence": state.confidence,
        "confidence_at": state.confidence_at,
        "lasting": state.lasting,
        "first_mention": state.first_mention,
        "last_mention": state.last_mention,
        "context": state.context,
        "verb": state.verb or None,
        "sources": [ref.id for ref in state.sources],
        "source_times": [ref.at for ref in state.sources],
        "valid_from": state.valid_from,
        "valid_to": state.valid_to,
        "ended_by": state.ended_by,
        "archived_at": state.archived_at,
        "verdict": state.verdict,
        "shown_until": state.shown_until,
    }


def decay_row(state: RelationshipState) -> dict[str, object]:
    """The properties that persisting decay sets on an edge; an older edge gets what it was believed at, too."""
    persisted = ("believed", "believed_at", "confidence", "confidence_at", "archived_at", "shown_until")
    properties = relationship_properties(state)
    return {"id": state.key.id, "state": {name: properties[name] for name in persisted}}


def rate_table(passing: float) -> dict[str, object]:
    """Share of a confidence that a day leaves, as the statements read it: by kind, of what is `lasting` by whoever said
    it, of other `ties`, and of what is `passing`. The same as `ragpp.fading.rate_of`."""
    return {"of": dict(RATES), "lasting": LASTS, "ties": OTHER_TIES, "passing": passing}


def _applied(row: Row) -> Applied:
    return Applied(cast("str", row[0]), cast("int", row[1]), cast("int", row[2]), _texts(row[3]))


def naming_text(naming: Naming) -> str:
    """A naming as the graph keeps it: label, name and aliases."""
    return orjson.dumps((naming.label, naming.name, *naming.aliases)).decode()


def naming_from(text: str) -> Naming:
    """The naming from which `naming_text` made `text`."""
    label, name, *aliases = orjson.loads(text)
    return Naming(label_of(label), name, tuple(aliases))


def mention_from(row: Row, entity_id: str) -> Mention:
    """A mention from [event_id, occurred_at, sequence, sources, name, aliases, path]."""
    return Mention(_applied(row), entity_id, cast("str", row[4]), _texts(row[5]), _texts(row[6]))


def mention_row(mention: Mention) -> dict[str, object]:
    """The parameters with which a write links a mention; empty lists are left out of the graph."""
    return {
        "event_id": mention.applied.event_id,
        "entity_id": mention.entity_id,
        "said": {
            "name": mention.name,
            "aliases": list(mention.aliases) or None,
            "path": list(mention.path) or None,
        },
    }


def statement_from(row: Row) -> Statement:
    """A statement from [event_id, occurred_at, sequence, sources, type, target, source_name, target_name, lasting,
    context, source_path, target_path, act, source_id, verb]."""
    return Statement(
        applied=_applied(row),
        key=RelationshipKey(cast("str", row[13]), cast("str", row[4]), cast("str", row[5])),
        source_name=cast("str", row[6]),
        target_name=cast("str", row[7]),
        lasting=cast("bool", row[8]),
        context=cast("str", row[9]),
        source_path=_texts(row[10]),
        target_path=_texts(row[11]),
        act=act_of(row[12]),
        verb=cast("str | None", row[14]) or "",
    )


def statement_row(statement: Statement) -> dict[str, object]:
    """The parameters with which a write links a statement."""
    return {
        "event_id": statement.applied.event_id,
        "source_id": statement.key.source_id,
        "said": {
            "relationship": statement.key.id,
            "type": statement.key.type,
            "target": statement.key.target_id,
            "source_name": statement.source_name,
            "target_name": statement.target_name,
            "lasting": statement.lasting,
            "context": statement.context,
            "verb": statement.verb or None,
            "source_path": list(statement.source_path) or None,
            "target_path": list(statement.target_path) or None,
            "act": None if statement.act == "says" else statement.act,
        },
    }
