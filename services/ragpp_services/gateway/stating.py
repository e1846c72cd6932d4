"""A relationship that a person states, made ready for the graph."""

from collections.abc import Mapping
from typing import Final
from uuid import uuid4

from ragpp.api import RelationshipIn
from ragpp.errors import InvalidInput
from ragpp.fading import LASTING
from ragpp.models import Entity, EntityLabel, RelationshipEntry, Scope, StatedRelationship
from ragpp_services.gateway.intake.times import refuse_what_is_ahead
from ragpp_services.gateway.parts import Parts

_TARGETS: Final[Mapping[str, EntityLabel]] = {
    "LIVES_IN": "GPE",
    "FROM": "GPE",
    "WORKS_AT": "ORG",
    "STUDIES_AT": "ORG",
    "MEMBER_OF": "ORG",
}
"""The label of what a relationship of a type leads to, where no one of that name is known."""
_WHEN_IT_IS_SO: Final = "State what holds by now, and when it has begun or ended what has; times have a UTC offset."


async def stated(parts: Parts, scope: Scope, body: RelationshipIn) -> StatedRelationship:
    """`body` without secrets, with what it leaves open. Raises InvalidInput for what would end before it begins, or is
    still to come."""
    now = parts.clock()
    refuse_what_is_ahead({"valid_from": body.valid_from, "valid_to": body.valid_to}, now, _WHEN_IT_IS_SO)
    source, target = called(parts, body.source), called(parts, body.target)
    known = await parts.semantic.named(scope, [source, target])
    source_label = body.source_label or _label(source, known) or "PERSON"
    same = source.casefold() == target.casefold()
    entry = RelationshipEntry(
        id=body.id or f"s_{uuid4().hex}",
        source=source,
        source_label=source_label,
        type=body.type,
        target=target,
        target_label=body.target_label or _label(target, known) or (source_label if same else _led_to(body.type)),
        lasting=body.type in LASTING if body.lasting is None else body.lasting,
        context=parts.intake.redacted(body.context),
        occurred_at=body.valid_from or min(now, body.valid_to or now),
    )
    if body.valid_to is not None and body.valid_to < entry.occurred_at:
        raise InvalidInput("valid_to is before valid_from")
    return StatedRelationship(entry=entry, until=body.valid_to, is_dated=body.valid_from is not None)


def called(parts: Parts, name: str) -> str:
    """The name as it may be stored, without secrets."""
    return parts.intake.redacted(name)[:200]


def _led_to(type_name: str) -> EntityLabel:
    return _TARGETS.get(type_name, "PERSON" if type_name.endswith("_OF") else "PRODUCT")


def _label(name: str, known: list[Entity]) -> EntityLabel | None:
    """The label of the entity that has the name, else of the only one that is also called so."""
    own = [one.label for one in known if one.name.casefold() == name.casefold()]
    also = [one.label for one in known if name.casefold() in {alias.casefold() for alias in one.aliases}]
    return own[0] if own else also[0] if len(also) == 1 else None
