"""Telling apart again, from all that is heard of some entities and the merges in between: pure.

What is told is what the graph would have told with nothing else to know: name by name in the order of arrival, and each
merge where it was made.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragpp_services.semantic.evidence.folding import fold_mentions
from ragpp_services.semantic.evidence.identity import IdentityIndex, the_same
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.records import Applied, EntityState, Mention, Naming, Statement
from ragpp_services.semantic.write.learning import Batch
from ragpp_services.semantic.write.records import MergeRecord


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in an event, or all that it said of one entity. `was`: the entity that it was told to be then;
    `entity_id`: the one that this is part of now."""

    applied: Applied
    naming: Naming
    was: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A change between events: a person's merge, or, without one, that those who were plainly the same became one.
    `after`: the place in the order of arrival that came next; None at the end."""

    after: int | None
    merge: MergeRecord | None = None


@dataclass(frozen=True, slots=True)
class Circle:
    """Entities any of whose names could have meant another of them, with their evidence and merges. `consolidations`:
    which place in the order of arrival came next whenever those who were plainly the same became one."""

    states: Mapping[str, EntityState]
    mentions: Mapping[str, Sequence[Mention]]
    merges: Mapping[str, Sequence[MergeRecord]]
    consolidations: Sequence[int]

    def every_state(self) -> dict[str, EntityState]:
        """Also what they absorbed, by id; each without what that brought."""
        found = {**self.states, **{merge.id: merge.was for merge in self.every_merge()}}
        for merge in self.every_merge():
            kept = found[merge.kept]
            found[merge.kept] = replace(
                kept,
                former_labels=tuple(label for label in kept.former_labels if label not in merge.gained),
                kept_apart=tuple(one for one in kept.kept_apart if one not in merge.apart),
            )
        return found

    def every_merge(self) -> list[MergeRecord]:
        """Each before those of what it made, as far as it is not known when they were made."""
        found = [merge for merges in self.merges.values() for merge in merges]
        return sorted(found, key=lambda merge: (merge.at, -merge.depth))

    def turns(self) -> list[Turn]:
        """The changes between the events, in order. A merge of which no place is known came before all of which one is,
        and a consolidation before it."""
        by_hand = [merge for merge in self.every_merge() if not merge.automatic]
        known = [Turn(merge.after, merge) for merge in by_hand if merge.after is not None]
        known = sorted([*map(Turn, self.consolidations), *known], key=lambda turn: turn.after or 0)
        first = known[0].after if known else None
        early = [Turn(first, merge) for merge in by_hand if merge.after is None]
        return [*([Turn(first)] if early else []), *early, *known]


@dataclass(frozen=True, slots=True)
class Merging:
    """An entity that becomes part of another. `after`: as in MergeRecord."""

    kept: str
    absorbed: str
    automatic: bool
    after: int | None


class Disambiguation:
    """The result of telling apart again: the evidence in `batch`, of entities some of which become one."""

    def __init__(self, heard: Sequence[Occurrence], circle: Circle) -> None:
        """Tell `heard` apart as if nothing had been known before. A consolidation unites none who are apart today: what
        only the forgotten kept apart is left to the next."""
        self._was = circle.every_state()
        self._parents_today = {merge.id: merge.kept for merge in circle.every_merge()}
        kept_apart = {identifier: frozenset(state.kept_apart) for identifier, state in self._was.items()}
        self.batch = Batch(IdentityIndex((), kept_apart))
        self.mergings: list[Merging] = []
        self._by_name: dict[tuple[str, str, str], str] = {}
        self._by_old: dict[str, list[tuple[str, str]]] = {}
        self._today: dict[str, str] = {}
        self._meant: list[tuple[Occurrence, str]] = []
        self._called: set[tuple[str, frozenset[str]]] = set()
        self._has_news = False
        self._waiting: list[MergeRecord] = []
        self._instead: dict[str, str] = {}
        self.nameless: set[str] = set()
        early: dict[str, list[Occurrence]] = {}
        turns = deque(circle.turns())
        for one in heard:
            while turns and turns[0].after is not None and turns[0].after <= one.applied.sequence:
                self._take(turns.popleft())
            if one.applied.by_hand and one.was not in self._by_old:
                early.setdefault(one.was, []).append(one)
                continue
            self._tell(one)
            for given in early.pop(one.was, ()):
                self._tell(given)
        for turn in turns:
            self._take(turn)
        unnoted = any(merge.automatic and merge.after is None for merge in circle.every_merge())
        if unnoted or any(state.former_labels for state in self._was.values()):
            self._merge_the_same(None)

    def _tell(self, one: Occurrence) -> None:
        """Resolve one. What a person calls somebody is said of whoever that was, known by something that is left."""
        known_as = self._first_that(one.was) if one.applied.by_hand else None
        identifier = self.batch.mention(one.applied, one.naming, one.was, known_as).id
        self._meant.append((one, identifier))
        self._by_name.setdefault((one.applied.event_id, one.naming.label, one.naming.name), identifier)
        self._by_old.setdefault(one.was, []).append((name_key(one.naming.name), identifier))
        self._today.setdefault(identifier, one.entity_id)
        called = identifier, one.naming.keys
        united = self._note_unions(one.applied.sequence + 1, automatic=True)
        self._has_news |= united or one.applied.by_hand or called not in self._called
        self._called.add(called)
        self._waiting = [merge for merge in self._waiting if not self._merge_by_hand(merge)]

    def _take(self, turn: Turn) -> None:
        """Let the same happen once more; a person's merge, once both are known."""
        if turn.merge is None:
            if self._has_news:  # nobody is plainly the same as another who was not, unless anything is called anew
                self._merge_the_same(turn.after)
        elif not self._merge_by_hand(turn.merge):
            self._waiting.append(turn.merge)

    def _merge_by_hand(self, merge: MergeRecord) -> bool:
        """True where both are known. Where they are one by themselves, a person has said so from now on."""
        kept, absorbed = self._became(merge.kept), self._became(merge.id)
        if kept is None and absorbed is not None:
            self._instead[merge.kept] = absorbed
        if kept is None or absorbed is None or self._instead.get(merge.kept) == absorbed:
            return False
        roots = self.roots()
        pair = roots.get(kept, kept), roots.get(absorbed, absorbed)
        if pair[0] != pair[1]:
            self.batch.index.unite(*pair)
            self._note_unions(merge.after, automatic=False)
            self._has_news = True
        between = set(self._way_up(kept)) ^ set(self._way_up(absorbed))
        self.mergings = [
            replace(merging, automatic=False) if merging.absorbed in between else merging for merging in self.mergings
        ]
        return True

    def _became(self, identifier: str) -> str | None:
        """Who was this; of several, who is called so; of none, who a person said is part of it."""
        key = self._was[identifier].key if identifier in self._was else ""
        called_so = (now for said, now in self._by_old.get(identifier, ()) if said == key)
        return next(called_so, None) or self._first_that(identifier) or self._instead.get(identifier)

    def _first_that(self, was: str) -> str | None:
        """Whom the first name that was this one's means; None where nothing of it is left."""
        told = self._by_old.get(was)
        return told[0][1] if told else None

    def _parents(self, by: int | None = None) -> dict[str, str]:
        """The entity that each became part of, in the end or `by` that place in the order of arrival."""
        return {
            merging.absorbed: merging.kept
            for merging in self.mergings
            if by is None or merging.after is None or merging.after <= by
        }

    def _way_up(self, identifier: str) -> list[str]:
        """The entity, and those that it is part of, but for the last."""
        parents = self._parents()
        way: list[str] = []
        while identifier in parents:
            way.append(identifier)
            identifier = parents[identifier]
        return way

    def _merge_the_same(self, after: int | None) -> None:
        """Who was relabelled may have been plainly the same as another since then alone: they come at last."""

        def may(one: EntityState, other: EntityState) -> bool:
            was_relabelled = one.former_labels or other.former_labels
            return self._today[one.id] == self._today[other.id] and (after is None or not was_relabelled)

        self._has_news = False
        while self._has_several_that_are_one_today():
            for union in the_same(self.states(), may):
                self.batch.index.unite(union.kept, union.absorbed)
            if not self._note_unions(after, automatic=True):
                return

    def _has_several_that_are_one_today(self) -> bool:
        roots = self.roots()
        now = [today for identifier, today in self._today.items() if identifier not in roots]
        return len(now) != len(set(now))

    def _note_unions(self, after: int | None, *, automatic: bool) -> bool:
        """True where there are any that were not noted."""
        new = self.batch.index.unions[len(self.mergings) :]
        self.mergings += [Merging(union.kept, union.absorbed, automatic, after) for union in new]
        return bool(new)

    def roots(self, *, by: int | None = None) -> dict[str, str]:
        """The entity that each absorbed one is part of in the end, or `by` that place in the order of arrival."""
        parents = self._parents(by)

        def root(identifier: str) -> str:
            while identifier in parents:
                identifier = parents[identifier]
            return identifier

        return {absorbed: root(absorbed) for absorbed in parents}

    def states(self, *, merged: bool = True) -> list[EntityState]:
        """The entities, after or before some become part of others. Of those that stay two have one name only where one
        is `nameless`: each of its names is another's."""
        roots = self.roots()
        groups: dict[str, list[Mention]] = {}
        for mention in self.batch.mentions.values():
            root = roots.get(mention.entity_id, mention.entity_id) if merged else mention.entity_id
            path = () if root == mention.entity_id else (mention.entity_id,)
            groups.setdefault(root, []).append(replace(mention, path=path))
        found: list[EntityState] = []
        taken: dict[str, set[str]] = defaultdict(set)
        # what a person calls somebody gives way to what another is called by all
        for root, mentions in sorted(groups.items(), key=lambda group: any(one.applied.by_hand for one in group[1])):
            label = self.batch.index.label_of(root)
            others = frozenset(taken[label]) if root not in roots else frozenset()
            state = fold_mentions(root, label, mentions, taken=others)
            if state is None:
                self.nameless.add(root)
                state = fold_mentions(root, label, mentions)
            elif root not in roots:
                taken[label].add(state.key)
            if state is None:
                continue
            was = self._was.get(root)
            if was is not None:
                state = replace(state, kept_apart=was.kept_apart, former_labels=was.former_labels)
            found.append(state)
        return found

    def is_as_before(self) -> bool:
        """True where every name means whom it meant, and all that is one became so in the same way."""
        roots = self.roots()
        return self._parents() == self._parents_today and all(
            identifier == one.was and roots.get(identifier, identifier) == one.entity_id
            for one, identifier in self._meant
        )

    def is_also_another(self, identifier: str, today: str, given: Applied) -> bool:
        """True where anything that was heard by then, of what was one by then, is part of another than `today` now."""
        roots = self.roots(by=given.sequence)
        root = roots.get(identifier, identifier)
        return any(
            one.entity_id != today and one.applied.sequence < given.sequence
            for one, told in self._meant
            if roots.get(told, told) == root
        )

    def end(self, statement: Statement, label: str, name: str, old_id: str) -> str | None:
        """Whom the end of a statement, which was `old_id`, is by now; None for nobody."""
        return self._by_name.get((statement.applied.event_id, label, name)) or self._first_that(old_id)
