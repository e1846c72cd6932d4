"""Telling apart again, from all that is heard of some entities and the merges in between: pure.

What is told is what the graph would have told with nothing else to know: name by name in the order of arrival, and each
merge where it was made.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragpp_services.semantic.evidence.folding import fold_mentions
from ragpp_services.semantic.evidence.identity import IdentityIndex, Union, the_same
from ragpp_services.semantic.records import Applied, EntityState, Mention, Naming, Statement
from ragpp_services.semantic.write.learning import Batch
from ragpp_services.semantic.write.records import MergeRecord


@dataclass(frozen=True, slots=True)
class Heard:
    """A name in an event, or all that it said of one entity. `was`: the entity that it was told to be then;
    `entity_id`: the one that this is part of now."""

    applied: Applied
    naming: Naming
    was: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened between events: a person's merge, or, without one, that those who were plainly the same became one.
    `after`: as in MergeRecord."""

    after: int | None
    merge: MergeRecord | None = None


@dataclass(frozen=True, slots=True)
class Circle:
    """Entities any of whose names could have meant another of them, with their evidence and merges. `consolidations`:
    how many events had arrived whenever those who were plainly the same became one, in order."""

    states: Mapping[str, EntityState]
    mentions: Mapping[str, Sequence[Mention]]
    merges: Mapping[str, Sequence[MergeRecord]]
    consolidations: Sequence[int]

    def kept_apart(self) -> dict[str, frozenset[str]]:
        """The ids that a person split off, by id."""
        return {identifier: frozenset(state.kept_apart) for identifier, state in self.states.items()}

    def turns(self) -> list[Turn]:
        """What happened between the events, in order; last, what it is not known of after which."""
        found = [merge for merges in self.merges.values() for merge in merges if not merge.automatic]
        by_hand = [Turn(merge.after, merge) for merge in sorted(found, key=lambda merge: (merge.at, -merge.depth))]
        turns = [*map(Turn, self.consolidations), *by_hand]
        return sorted(turns, key=lambda turn: (turn.after is None, turn.after or 0))

    def has_undated_merges(self) -> bool:
        """Whether any is of a consolidation that was not noted."""
        return any(merge.automatic and merge.after is None for merges in self.merges.values() for merge in merges)


@dataclass(frozen=True, slots=True)
class Merging:
    """An entity that becomes part of another. `after`: as in MergeRecord."""

    kept: str
    absorbed: str
    automatic: bool
    after: int | None


class Told:
    """What telling apart again comes to: the evidence in `batch`, of entities some of which become one."""

    def __init__(self, heard: Sequence[Heard], circle: Circle) -> None:
        """Tell `heard` apart as if nothing had been known before."""
        self._kept_apart = circle.kept_apart()
        self.batch = Batch(IdentityIndex((), self._kept_apart))
        self._by_name: dict[tuple[str, str, str], str] = {}
        self._by_old: dict[str, str] = {}
        self._meant: list[tuple[Heard, str]] = []
        self._called: set[tuple[str, frozenset[str]]] = set()
        self._has_news = False
        self.mergings: list[Merging] = []
        early: dict[str, list[Heard]] = {}
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
        if circle.has_undated_merges():
            part_of = {one.was: one.entity_id for one in heard}
            self._merge_the_same(None, lambda union: part_of.get(union.kept) == part_of.get(union.absorbed))

    def _tell(self, one: Heard) -> None:
        """What a person calls somebody is said of whoever that was, who is known by something that is left."""
        known_as = self._by_old.get(one.was) if one.applied.by_hand else None
        identifier = self.batch.mention(one.applied, one.naming, one.was, known_as).id
        self._meant.append((one, identifier))
        self._by_name.setdefault((one.applied.event_id, one.naming.label, one.naming.name), identifier)
        self._by_old.setdefault(one.was, identifier)
        self._note_unions(None, automatic=True)
        called = identifier, one.naming.keys
        self._has_news |= called not in self._called
        self._called.add(called)

    def _take(self, turn: Turn) -> None:
        """Let the same happen once more."""
        if turn.merge is not None:
            self._merge_by_hand(turn.merge)
        elif self._has_news:  # nobody is plainly the same as another who was not, unless called what nobody was before
            self._merge_the_same(turn.after)

    def _merge_by_hand(self, merge: MergeRecord) -> None:
        known = {identifier for _, identifier in self._meant}
        roots = self.roots()
        kept, absorbed = roots.get(merge.kept, merge.kept), roots.get(merge.id, merge.id)
        if {merge.kept, merge.id} <= known and kept != absorbed:
            self.batch.index.unite(kept, absorbed)
            self._note_unions(merge.after, automatic=False)
            self._has_news = True

    def _merge_the_same(self, after: int | None, fits: Callable[[Union], bool] = lambda _: True) -> None:
        while unions := [union for union in the_same(self.states()) if fits(union)]:
            for union in unions:
                self.batch.index.unite(union.kept, union.absorbed)
            self._note_unions(after, automatic=True)
        self._has_news = False

    def _note_unions(self, after: int | None, *, automatic: bool) -> None:
        new = self.batch.index.unions[len(self.mergings) :]
        self.mergings += [Merging(union.kept, union.absorbed, automatic, after) for union in new]

    def roots(self) -> dict[str, str]:
        """What each that becomes part of another is part of in the end."""
        parents = {merging.absorbed: merging.kept for merging in self.mergings}

        def root(identifier: str) -> str:
            while identifier in parents:
                identifier = parents[identifier]
            return identifier

        return {absorbed: root(absorbed) for absorbed in parents}

    def states(self, *, merged: bool = True) -> list[EntityState]:
        """The entities, after or before some become part of others."""
        roots = self.roots() if merged else {}
        groups: dict[str, list[Mention]] = {}
        for mention in self.batch.mentions.values():
            root = roots.get(mention.entity_id, mention.entity_id)
            path = () if root == mention.entity_id else (mention.entity_id,)
            groups.setdefault(root, []).append(replace(mention, path=path))
        folded = [fold_mentions(root, self.batch.index.label_of(root), found) for root, found in groups.items()]
        return [replace(one, kept_apart=tuple(self._kept_apart.get(one.id, ()))) for one in folded if one is not None]

    def is_as_before(self) -> bool:
        """Whether every name means whom it meant."""
        roots = self.roots()
        return all(
            identifier == one.was and roots.get(identifier, identifier) == one.entity_id
            for one, identifier in self._meant
        )

    def end(self, statement: Statement, label: str, name: str, old_id: str) -> str | None:
        """Whom the end of a statement, which was `old_id`, is by now; None for nobody."""
        return self._by_name.get((statement.applied.event_id, label, name)) or self._by_old.get(old_id)
