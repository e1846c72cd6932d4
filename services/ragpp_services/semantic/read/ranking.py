"""From what the graph reaches to memories in order: pure.

closeness to the query, 0 to 1: how near the relationship's ends are to it, and how many of its words the sentence
behind it shares, rare ones counting more. strength: decayed confidence × weight. A relationship's score is
closeness × (0.6 + 0.4 × strength / (1 + strength)); one hop further out halves it.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from ragpp_services.semantic.evidence.folding import Belief, fold_mentions
from ragpp_services.semantic.evidence.keys import content_words, shared_words
from ragpp_services.semantic.evidence.timeline import SAID, by_time
from ragpp_services.semantic.records import EntityState, RelationshipState, label_of
from ragpp_services.semantic.rows import (
    ENTITY_EVIDENCE,
    RELATIONSHIP_EVIDENCE,
    Row,
    entity_from_row,
    mention_from,
    relationship_from_row,
    statement_from,
)

ENDS_SHARE: Final = 0.6
"""The share of closeness that the nearness of the two ends makes; the words of the sentence make the rest."""
ENTITY_SHARE: Final = 0.35
"""An entity that the query names scores as much as a relationship of this closeness: what is said about someone
answers more than that they exist."""
FURTHER: Final = 2
FURTHER_SHARE: Final = 0.5
"""A relationship two hops from what the query names or means counts as one beside it of half the nearness."""


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity that the query names (`nearness` 1) or means (the cosine)."""

    state: EntityState
    nearness: float

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def text(self) -> str:
        also = f", also {', '.join(self.state.aliases)}" if self.state.aliases else ""
        return f"{self.state.name} ({self.state.label}){also}"

    @property
    def score(self) -> float:
        return ENTITY_SHARE * self.nearness * _squashed(self.state.mentions)


@dataclass(frozen=True, slots=True)
class FoundRelationship:
    """A relationship with the names of its ends, `confidence` decayed to the moment of the question.
    `document`: the words by which it may be meant."""

    state: RelationshipState
    source: str
    target: str
    confidence: float
    score: float
    document: str
    id: str

    @property
    def text(self) -> str:
        return f"{self.source} {self.state.key.type} {self.target}"

    @property
    def ends(self) -> tuple[str, str]:
        """The ids of the entities that it is between."""
        return self.state.key.source_id, self.state.key.target_id


def words_of_type(type_name: str) -> str:
    """`WORKS_AT` as words: `works at`."""
    return type_name.replace("_", " ").lower()


def _squashed(strength: float) -> float:
    """0.6 to 1, growing with `strength` (0 or more)."""
    return 0.6 + 0.4 * strength / (1.0 + strength)


def entities_at(rows: Sequence[Row], as_of: int) -> list[FoundEntity]:
    """The entities in `rows` as they were known at `as_of`."""
    found = []
    for row in rows:
        state: EntityState | None = entity_from_row(row)
        if state is not None and state.last_mention > as_of:
            mentions = [mention_from(item, state.id) for item in cast("Sequence[Row]", row[ENTITY_EVIDENCE])]
            state = fold_mentions(state.id, label_of(row[3]), mentions)
        if state is not None:
            found.append(FoundEntity(state, max(0.0, min(1.0, cast("float", row[0])))))
    return found


def relationships_at(
    rows: Sequence[Row], nearness: Mapping[str, float], text: str, *, until: int, now: int, belief: Belief
) -> list[FoundRelationship]:
    """The relationships in `rows` as far as they had been stated at `until`, scored against the query's `text` and
    the `nearness` of entities to it, by id; confidence is decayed to `now`."""
    believed = [item for row in rows if (item := _believed(row, nearness, until, belief)) is not None]
    overlaps = _overlaps(text, [item.document for item in believed])
    found = []
    for item, overlap in zip(believed, overlaps, strict=True):
        confidence = belief.confidence(item.state, now)
        closeness = ENDS_SHARE * item.nearness + (1 - ENDS_SHARE) * overlap
        score = closeness * _squashed(confidence * item.state.weight)
        found.append(
            FoundRelationship(item.state, item.source, item.target, confidence, score, item.document, item.state.key.id)
        )
    return found


@dataclass(frozen=True, slots=True)
class _Believed:
    """A relationship before it is compared with the others. `nearness`: of both its ends to the query, 0 to 1."""

    state: RelationshipState
    source: str
    target: str
    nearness: float

    @property
    def document(self) -> str:
        """The words by which it may be meant."""
        return f"{self.source} {words_of_type(self.state.key.type)} {self.target} {self.state.context}"


def _believed(row: Row, nearness: Mapping[str, float], until: int, belief: Belief) -> _Believed | None:
    known = relationship_from_row(row)
    source, target = cast("str", row[3]), cast("str", row[5])
    evidence = [statement_from(item) for item in cast("Sequence[Row]", row[RELATIONSHIP_EVIDENCE])]
    said = [item for item in by_time(evidence) if item.key == known.key and item.act in SAID]
    state = belief.fold_all(evidence, until).get(known.key) if known.changed_at > until else known
    if state is None or (state.shown_until is not None and state.shown_until <= until) or state.weight == 0:
        return None
    if said:
        source, target = said[-1].source_name, said[-1].target_name
    ends = (nearness.get(state.key.source_id, 0.0) + nearness.get(state.key.target_id, 0.0)) / 2
    if row[1] == FURTHER:
        ends = FURTHER_SHARE * min(1.0, cast("float", row[0])) / 2
    return _Believed(state, source, target, max(0.0, ends))


def _overlaps(text: str, documents: Sequence[str]) -> list[float]:
    """For each document the share of the query's words it has, 0 to 1; a word counts by how rare it is among them
    (ln(1 + n / df), as in idf)."""
    wanted = content_words(text)
    words = [shared_words(document, wanted) for document in documents]
    frequency = Counter(word for found in words for word in found)
    weight = {word: math.log1p(len(documents) / frequency[word]) if word in frequency else 0.0 for word in wanted}
    unseen = math.log1p(len(documents)) if documents else 0.0
    total = sum(weight[word] or unseen for word in wanted)
    return [sum(weight[word] for word in found) / total if total else 0.0 for found in words]
