"""A relationship that a person states, made ready for the graph."""

from collections.abc import Mapping
from typing import Final
from uuid import uuid4

from ragpp.api import RelationshipIn
from ragpp.errors import InvalidInput
from ragpp.models import Entity, EntityLabel, RelationshipEntry, Scope, StatedRelationship
from ragpp.text.kinship import CANONICAL, is_family, relationship_type
from ragpp_services.gateway.parts import Parts

_LASTING: Final = frozenset({relationship_type(kin) for kin in CANONICAL.values() if is_family(kin)} | {"FROM"})
_TARGETS: Final[Mapping[str, EntityLabel]] = {
    "LIVES_IN": "GPE",
    "FROM": "GPE",
    "WORKS_AT": "ORG",
    "STUDIES_AT": "ORG",
    "MEMBER_OF": "ORG",
}
"""What a relationship of a type leads to, where no one of that name is known."""


async def stated(parts: Parts, scope: Scope, body: RelationshipIn) -> StatedRelationship:
    """`body` without secrets, with what it leaves open. Raises InvalidInput for what would end before it begins."""
    now = parts.clock()
    source, target = (parts.intake.redacted(name)[:200] for name in (body.source, body.target))
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
        lasting=body.type in _LASTING if body.lasting is None else body.lasting,
        context=parts.intake.redacted(body.context),
        occurred_at=body.valid_from or min(now, body.valid_to or now),
    )
    if body.valid_to is not None and body.valid_to < entry.occurred_at:
        raise InvalidInput("valid_to is before valid_from")
    return StatedRelationship(entry=entry, until=body.valid_to, is_dated=body.valid_from is not None)


def _led_to(type_name: str) -> EntityLabel:
    return _TARGETS.get(type_name, "PERSON" if type_name.endswith("_OF") else "PRODUCT")


def _label(name: str, known: list[Entity]) -> EntityLabel | None:
    """Of the one that bears the name, else of the only one that is also called so."""
    own = [one.label for one in known if one.name.casefold() == name.casefold()]
    also = [one.label for one in known if name.casefold() in {alias.casefold() for alias in one.aliases}]
    return own[0] if own else also[0] if len(also) == 1 else None
