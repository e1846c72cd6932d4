"""The same in another view: a person, a thing or a relationship of one graph as another graph of the user has it."""

from collections.abc import Collection
from typing import Final

from ragpp.models import Entity, Relationship, Scope
from ragpp.tiers import SemanticTier

PAGE: Final = 200


async def same_entities(tier: SemanticTier, scope: Scope, what: Entity) -> list[str]:
    """Ids of the entities of `scope` that are called as `what` is, and of its kind. Raises TierUnavailable."""
    return [one.id for one in await tier.named(scope, [what.name]) if one.label == what.label]


async def same_relationships(tier: SemanticTier, scope: Scope, what: Relationship) -> list[str]:
    """Ids of the relationships of `scope`, in whatever state, that say what `what` says of people or things that are
    called the same. Raises TierUnavailable."""
    sources = await tier.named(scope, [what.source])
    targets = {one.id for one in await tier.named(scope, [what.target])}
    found: list[str] = []
    for entity in sources if targets else ():
        found += await _between(tier, scope, entity.id, what.type, targets)
    return found


async def _between(tier: SemanticTier, scope: Scope, source: str, kind: str, targets: Collection[str]) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await tier.list_relationships(scope, source, None, cursor, PAGE, "all")
        found += [
            one.id for one in page.items if one.source_id == source and one.type == kind and one.target_id in targets
        ]
        cursor = page.next_cursor
        if cursor is None:
            return found
