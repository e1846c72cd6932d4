"""Relationships that the caller states, not a message: each is evidence of its own, and mostly confirmed."""

from collections.abc import Awaitable, Callable, Sequence

from ragpp.clock import from_moment
from ragpp.errors import Conflict, InvalidInput
from ragpp.models import Relationship, RelationshipEntry, Scope, StatedRelationship, Stored
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.read.browsing import Browsing
from ragpp_services.semantic.records import END_SUFFIX, ENTRY_PREFIX
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.write.forgetting import Forgetting
from ragpp_services.semantic.write.judging import Judging


class Stating:
    """Stating, and what was stated. `learn`: takes entries into the graph, each once."""

    def __init__(
        self,
        learn: Callable[[Scope, Sequence[RelationshipEntry]], Awaitable[list[Stored]]],
        store: SemanticStore,
        browsing: Browsing,
        judging: Judging,
        forgetting: Forgetting,
    ) -> None:
        self._learn, self._store, self._browsing = learn, store, browsing
        self._judging, self._forgetting = judging, forgetting

    async def state_relationship(self, scope: Scope, stated: StatedRelationship, confirm: bool = True) -> Relationship:
        """See the contract. Interrupted between what it says and the confirmation, a repeat does the rest."""
        entry = stated.entry
        if entry.sources:
            raise InvalidInput("what the caller states rests on no message")
        if (name_key(entry.source), entry.source_label) == (name_key(entry.target), entry.target_label):
            raise _about_itself()
        known = await self._store.stated_by(scope, ENTRY_PREFIX + entry.id)
        if known is not None and not stated.is_dated:  # the time of asking is another with each repeat
            entry = entry.model_copy(update={"occurred_at": from_moment(known.occurred_at)})
        entries = [entry]
        if stated.until is not None:
            ending = {"id": f"{entry.id}{END_SUFFIX}", "ends": True, "occurred_at": stated.until, "context": ""}
            entries.append(entry.model_copy(update=ending))
        try:
            first, *_ = await self._learn(scope, entries)
        except Conflict as error:
            raise Conflict(
                f"something else was stated under the id {entry.id!r}, perhaps the same of another time",
                suggestions=("Give another id, or none. Correct what was stated: forget or reject it first.",),
                details=error.details,
            ) from error
        known = await self._store.stated_by(scope, ENTRY_PREFIX + entry.id)
        if known is None or known.key is None:
            raise Conflict("the id belongs to a relationship that was forgotten", suggestions=("Give another id.",))
        if known.key.is_loop:
            await self._forgetting.forget(scope, [one.id for one in entries])
            raise _about_itself()
        found = await self._browsing.get_relationship(scope, known.key.id)
        if confirm and (not first.duplicate or found.verdict is None):
            found = await self._judging.judge_relationship(scope, found.id, "confirmed")
        return found

    async def stated_relationships(self, scope: Scope) -> list[StatedRelationship]:
        """See the contract."""
        said = await self._store.stated(scope)
        ends = {one.id: one.occurred_at for one in said if one.ends}
        return [StatedRelationship(entry=one, until=ends.get(one.id)) for one in said if not one.ends]


def _about_itself() -> InvalidInput:
    return InvalidInput("a relationship is between two, and both names mean the same one")
