"""Changes to what is already known: merges, splits, and states made anew from their evidence.

A merge moves the absorbed entity's evidence and writes on each piece whose it was; a split moves back what carries
that mark. States always follow from evidence, so both are exact, and what was forgotten in between stays forgotten.
All of it runs under the user's lock, in the caller's transaction.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar
from uuid import uuid4

from ragpp.clock import Clock, to_moment
from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.models import EntityLabel, Scope, Vector
from ragpp_services.semantic.evidence.folding import Belief, as_archived, fold_mentions, spent_verdicts
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.evidence.validity import EXCLUSIVE
from ragpp_services.semantic.records import (
    NAMING_PREFIX,
    Applied,
    EntityState,
    Mention,
    RelationshipKey,
    Statement,
)
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.write.records import NewEvent
from ragpp_services.semantic.write.writer import GraphWriter

EmbedNames: TypeAlias = Callable[[Sequence[str]], Awaitable[Mapping[str, Vector]]]
"""Answers the embedding of each name, by name."""
T = TypeVar("T")


class Revision:
    """Changes to one user's graph within one transaction. `now`: microseconds since 1970."""

    def __init__(self, writer: GraphWriter, *, belief: Belief, embed: EmbedNames, now: int) -> None:
        self._writer = writer
        self._belief = belief
        self._embed = embed
        self._now = now

    async def merge(
        self, keep_id: str, absorb_id: str, *, automatic: bool, again: bool = False, after: int | None = None
    ) -> None:
        """Make `absorb_id` part of `keep_id`; `again`: as it was made before, `after` being as in
        MergeRecord. Raises NotFound, InvalidInput when both are the same."""
        if keep_id == absorb_id:
            raise InvalidInput("an entity cannot be merged with itself")
        found = {state.id: state for state in await self._writer.entities([keep_id, absorb_id])}
        for identifier in (keep_id, absorb_id):
            if identifier not in found:
                raise NotFound(f"there is no entity {identifier!r}")
        mentions = await self._writer.mentions_of(absorb_id)
        statements = await self._writer.statements_around(absorb_id)
        old_keys = {statement.key for statement in statements}
        moved = [_moved_in(statement, absorb_id, keep_id) for statement in statements]
        await self._writer.drop_mentions(mentions)
        await self._writer.drop_statements(old_keys)
        await self._writer.drop_aliases([replace(found[absorb_id], aliases=())])
        await self._writer.absorb(
            keep_id, found[absorb_id], now=self._now, automatic=automatic, again=again, after=after
        )
        await self._writer.write_mentions(
            replace(mention, entity_id=keep_id, path=(*mention.path, absorb_id)) for mention in mentions
        )
        await self._writer.write_statements(moved)
        await self.rebuild_relationships(old_keys | {statement.key for statement in moved})
        await self._rebuild_entity(found[keep_id])

    async def relabel(self, entity_id: str, name: str | None, label: EntityLabel | None) -> None:
        """Let the entity be called `name` and be a `label`; what it was called becomes an alias, and what it was taken
        for is still recognised. Raises NotFound, Conflict when another entity is that."""
        found = await self._writer.entities([entity_id])
        if not found:
            raise NotFound(f"there is no entity {entity_id!r}")
        state = found[0]
        wanted, what = name or state.name, label or state.label
        others = await self._writer.entities_by_keys([name_key(wanted)])
        for other in others:
            if other.id != state.id and (other.label, other.key) == (what, name_key(wanted)):
                raise Conflict(
                    f"another entity is named {other.name!r}",
                    details={"entity_id": other.id},
                    suggestions=("Merge the two: POST /v1/entities/{id}/merge.",),
                )
        if what != state.label:
            former = dict.fromkeys((*state.former_labels, state.label))
            await self._writer.relabel(entity_id, what, [one for one in former if one != what])
        if wanted != state.name:
            event_id = f"{NAMING_PREFIX}{uuid4().hex}"
            (claim,) = await self._writer.claim([NewEvent(event_id, "", self._now, (), ())], now=self._now)
            applied = Applied(event_id, self._now, claim.sequence, ())
            await self._writer.write_mentions([Mention(applied, entity_id, wanted, (state.name,))])
        if (wanted, what) != (state.name, state.label):
            await self._rebuild_entity(replace(state, label=what))

    async def split(self, entity_id: str, absorbed_id: str) -> None:
        """Undo a merge; what was said since stays with `entity_id`.

        Raises NotFound when `entity_id` has not absorbed `absorbed_id` itself, Conflict when another entity has
        taken the absorbed one's name since.
        """
        merges = (await self._writer.merges_of([entity_id])).get(entity_id, ())
        merge = next((merge for merge in merges if merge.depth == 1 and merge.id == absorbed_id), None)
        if merge is None:
            raise NotFound(f"entity {entity_id!r} has not absorbed {absorbed_id!r}")
        key = merge.was.key
        found = await self._writer.entities_by_keys([key])
        if any(other.label == merge.label and other.key == key for other in found):
            raise Conflict(
                f"another entity is named {merge.was.name!r} by now",
                suggestions=("Merge that entity first, or keep the two together.",),
            )
        await self._writer.restore(entity_id, absorbed_id)
        await self._move_mentions(entity_id, absorbed_id)
        await self._move_statements(entity_id, absorbed_id)
        await self.rebuild_entities([entity_id, absorbed_id])

    async def _move_mentions(self, entity_id: str, absorbed_id: str) -> None:
        mentions = await self._writer.mentions_of(entity_id)
        events = {mention.applied.event_id for mention in mentions if mention.path[-1:] == (absorbed_id,)}
        touched = [mention for mention in mentions if mention.applied.event_id in events]
        await self._writer.drop_mentions(touched)
        await self._writer.write_mentions(
            replace(mention, entity_id=absorbed_id, path=mention.path[:-1])
            if mention.path[-1:] == (absorbed_id,)
            else mention
            for mention in touched
        )

    async def _move_statements(self, entity_id: str, absorbed_id: str) -> None:
        statements = await self._writer.statements_around(entity_id)
        split = {statement.key for statement in statements if absorbed_id in _last_absorbed(statement)}
        touched = [statement for statement in statements if statement.key in split]
        restored = [_moved_out(statement, absorbed_id) for statement in touched]
        await self._writer.drop_statements(split)
        await self._writer.write_statements(restored)
        await self.rebuild_relationships(split | {statement.key for statement in restored})

    async def rebuild_relationships(self, keys: Iterable[RelationshipKey]) -> None:
        """Write each of these edges as its evidence says, with those that they may end; one without any, or from an
        entity to itself, goes. What was archived and has gained nothing since stays so."""
        wanted = set(keys)
        if not wanted:
            return
        known = await self._writer.rivals({(key.source_id, key.type) for key in wanted if key.type in EXCLUSIVE})
        known += [found.state for found in await self._writer.relationships(key.id for key in wanted)]
        before = {state.key: state for state in known}
        wanted |= before.keys()
        evidence = await self._writer.statements_of(wanted)
        folded = self._belief.fold_all(evidence)
        gone = {key for key in wanted if key not in folded}
        consents = [item for item in evidence if item.key in gone and not item.key.is_loop]
        spent = [item.applied.event_id for item in spent_verdicts(evidence)]
        if gone:
            await self._writer.drop_relationships(gone)
        if consents:
            await self._writer.drop_statements({item.key for item in consents})
            await self._writer.drop_spent_entries({item.applied.event_id for item in consents})
        if spent:
            await self._writer.withdraw_events(spent)
            await self._writer.drop_spent_entries(spent)
        await self._writer.write_relationships(
            as_archived(state, before[key]) if key in before else state for key, state in folded.items()
        )

    async def put_entities(self, states: Sequence[EntityState], *, unnamed: Collection[str]) -> None:
        """Write these nodes, new or not, with the embeddings of their names; `unnamed` as in the writer."""
        vectors = await self._embed(sorted({state.name for state in states}))
        await self._writer.write_entities(states, {state.id: vectors[state.name] for state in states}, unnamed=unnamed)
        await self._writer.drop_aliases(states)

    async def rebuild_entities(self, ids: Iterable[str]) -> None:
        """Write each of these nodes as its evidence says, with what it absorbed; one without any goes."""
        for identifier in ids:
            found = await self._writer.entities([identifier])
            if found:
                await self._rebuild_entity(found[0])

    async def _rebuild_entity(self, state: EntityState) -> None:
        """A name that no evidence says any more gives way to the next that no other entity has; an entity whose
        every name is another's becomes part of that one."""
        mentions = await self._writer.mentions_of(state.id)
        if all(mention.applied.by_hand for mention in mentions):
            await self._drop_entity(state.id)
            await self._writer.drop_spent_entries({mention.applied.event_id for mention in mentions})
            return
        mentions = await self._without_unsaid(mentions)
        others = await self._writer.entities_by_keys({name_key(mention.name) for mention in mentions})
        namesakes = {other.key: other for other in others if other.id != state.id and other.label == state.label}
        rebuilt = fold_mentions(state.id, state.label, mentions, taken=frozenset(namesakes))
        if rebuilt is None:
            holder = next(namesakes[key] for mention in mentions if (key := name_key(mention.name)) in namesakes)
            await self.merge(holder.id, state.id, automatic=False)
            return
        renamed = {} if rebuilt.name == state.name else {state.id: (await self._embed([rebuilt.name]))[rebuilt.name]}
        await self._writer.write_entities([rebuilt], renamed)
        await self._writer.drop_aliases([rebuilt])
        await self._refresh_merges(state, mentions)

    async def _without_unsaid(self, mentions: Sequence[Mention]) -> list[Mention]:
        """`mentions`, where a person named the entity without other names that nobody says any more."""
        said = {
            name_key(name)
            for mention in mentions
            if not mention.applied.by_hand
            for name in (mention.name, *mention.aliases)
        }
        left = [
            replace(mention, aliases=tuple(name for name in mention.aliases if name_key(name) in said))
            if mention.applied.by_hand
            else mention
            for mention in mentions
        ]
        changed = [new for new, old in zip(left, mentions, strict=True) if new != old]
        if changed:
            await self._writer.drop_mentions(changed)
            await self._writer.write_mentions(changed)
        return left

    async def _drop_entity(self, entity_id: str) -> None:
        """An entity that nothing mentions; of its relationships at most a person's verdicts were left."""
        verdicts = await self._writer.statements_around(entity_id)
        if verdicts:
            await self._writer.drop_statements({item.key for item in verdicts})
        await self._writer.drop_entity(entity_id)
        if verdicts:
            await self._writer.drop_spent_entries({item.applied.event_id for item in verdicts})

    async def _refresh_merges(self, state: EntityState, mentions: Sequence[Mention]) -> None:
        """Let what an entity absorbed say no more than its evidence does; without any it cannot come back."""
        for merge in (await self._writer.merges_of([state.id])).get(state.id, ()):
            own = [
                replace(mention, path=mention.path[: mention.path.index(merge.id)])
                for mention in mentions
                if merge.id in mention.path
            ]
            was = fold_mentions(merge.id, merge.label, own)
            if was is None:
                await self._writer.drop_merge(merge.id)
                continue
            was = replace(was, kept_apart=merge.was.kept_apart, former_labels=merge.was.former_labels)
            if was != merge.was:
                renamed = was.name != merge.was.name
                embedding = (await self._embed([was.name]))[was.name] if renamed else None
                await self._writer.rewrite_merge(was, embedding)


def _last_absorbed(statement: Statement) -> set[str]:
    return {*statement.source_path[-1:], *statement.target_path[-1:]}


class Revisions:
    """Changes to users' graphs, each in a transaction of its own."""

    def __init__(self, store: SemanticStore, *, belief: Belief, embed: EmbedNames, clock: Clock) -> None:
        self._store, self._belief, self._embed, self._clock = store, belief, embed, clock

    def of(self, writer: GraphWriter) -> Revision:
        """Changes in the writer's transaction."""
        return Revision(writer, belief=self._belief, embed=self._embed, now=to_moment(self._clock()))

    async def make(
        self, scope: Scope, change: Callable[[GraphWriter, Revision], Awaitable[T]], *, epoch: int | None = None
    ) -> T:
        """Run `change` under the user's lock; for a user without a graph it finds nothing. Raises Outdated when `epoch`
        is not the user's."""

        async def work(writer: GraphWriter) -> T:
            await writer.lock(now=to_moment(self._clock()))
            return await change(writer, self.of(writer))

        return await self._store.write(scope, work, epoch=epoch)


def _moved_in(statement: Statement, absorb_id: str, keep_id: str) -> Statement:
    key, source_path, target_path = statement.key, statement.source_path, statement.target_path
    if key.source_id == absorb_id:
        key, source_path = replace(key, source_id=keep_id), (*source_path, absorb_id)
    if key.target_id == absorb_id:
        key, target_path = replace(key, target_id=keep_id), (*target_path, absorb_id)
    return replace(statement, key=key, source_path=source_path, target_path=target_path)


def _moved_out(statement: Statement, absorbed_id: str) -> Statement:
    key, source_path, target_path = statement.key, statement.source_path, statement.target_path
    if source_path[-1:] == (absorbed_id,):
        key, source_path = replace(key, source_id=absorbed_id), source_path[:-1]
    if target_path[-1:] == (absorbed_id,):
        key, target_path = replace(key, target_id=absorbed_id), target_path[:-1]
    return replace(statement, key=key, source_path=source_path, target_path=target_path)
