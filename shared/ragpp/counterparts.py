"""The same in another view: a person, a thing or a relationship of one graph as another graph of the user has it."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from ragpp.learned import Verdict
from ragpp.models import Entity, Relationship, Scope
from ragpp.paging import PAGE, pages
from ragpp.tiers import SemanticTier


async def same_entities(tier: SemanticTier, scope: Scope, what: Entity) -> list[str]:
    """The id of the entity of `scope` that has the name and the kind of `what`; else of the only one also called so.
    Raises TierUnavailable."""
    return _meant([one for one in await tier.named(scope, [what.name]) if one.label == what.label], what.name)


async def same_relationships(tier: SemanticTier, scope: Scope, what: Relationship) -> list[str]:
    """Ids of the relationships of `scope`, in whatever state, that say what `what` says of people or things that are
    called the same. Raises TierUnavailable."""
    sources = _meant(await tier.named(scope, [what.source]), what.source)
    targets = _meant(await tier.named(scope, [what.target]), what.target)
    found: list[str] = []
    for entity_id in sources if targets else ():
        found += await _between(tier, scope, entity_id, what.type, targets)
    return found


def _meant(called: Collection[Entity], name: str) -> list[str]:
    """Those whose own name it is; where there is none, the only one that is also called so: of several it may be
    anyone."""
    own = [one.id for one in called if one.name.casefold() == name.casefold()]
    return own or [one.id for one in called if len(called) == 1]


async def _between(tier: SemanticTier, scope: Scope, source: str, kind: str, targets: Collection[str]) -> list[str]:
    around = pages(lambda cursor: tier.list_relationships(scope, source, None, cursor, PAGE, "all"))
    return [one.id async for one in around if one.source_id == source and one.type == kind and one.target_id in targets]


@dataclass
class KnownGraph:
    """All names and relationships of a graph, as they were when it was read."""

    names: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    stated: dict[tuple[str, str, str], str] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def entities(self, name: str) -> set[str]:
        """The ids of those that are called so, by their name or also."""
        return self.names.get(name.casefold(), set())

    def relationship(self, what: Relationship) -> str | None:
        """The id of a relationship that says the same of those that are called the same."""
        for source in sorted(self.entities(what.source)):
            for target in sorted(self.entities(what.target)):
                if found := self.stated.get((source, what.type, target)):
                    return found
        return None


async def known_of(tier: SemanticTier, scope: Scope) -> KnownGraph:
    """Read all of a graph. Raises TierUnavailable."""
    known = KnownGraph()
    async for one in pages(lambda cursor: tier.list_entities(scope, None, cursor, PAGE)):
        for name in (one.name, *one.aliases):
            known.names[name.casefold()].add(one.id)
    async for stated in pages(lambda cursor: tier.list_relationships(scope, None, None, cursor, PAGE, "all")):
        known.stated[stated.source_id, stated.type, stated.target_id] = stated.id
        if stated.verdict is not None:
            known.verdicts[stated.id] = stated.verdict
    return known
