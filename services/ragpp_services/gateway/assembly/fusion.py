"""One ranking from what the tiers answered, each in its own scale of scores.

Scores of different tiers cannot be compared, and the episodic tier's ranking of interactions is the one that was
measured. So its order is kept, the other tiers are set between its memories by their rank, and among the first
interactions an item of another tier may only stand behind those it rests on: what the graph knows never pushes evidence
out. Raising the interactions that relationships rest on was tried and found nothing more.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from ragpp.catalog import FINDING_ID
from ragpp.models import TIER_NAMES, Memory, TierName
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key

PROTECTED_INTERACTIONS: Final = 20
"""So many interactions fit a context of a thousand tokens; which they are is for the episodic tier alone to say."""

EVIDENCE_SOURCES: Final = 3
"""How many of a memory's sources count as its evidence: the first ones."""

STRIDE: Final = 4
"""One of so many places goes to another tier, while it has something to say: two of the first ten. A judgement, not
fitted to anything; what it costs and earns is what the rows without a tier lose and win in `make eval`."""

ITEMS_AMONG_FIRST: Final = 3
FIRST_PLACES: Final = 20
"""At most so many of the first places are the catalog's, while anything else wants them: what was curated stands beside
what was said, and does not take its place."""

_BETWEEN: Final = tuple(name for name in TIER_NAMES if name not in {"short_term", "episodic"})
_MAY_BE_FOUND: Final = frozenset({"item", "finding"})
SAID_BEST: Final = 5
"""The best interactions, which contexts show."""


def fuse(answers: Mapping[TierName, Sequence[Memory]], *, limit: int | None = None) -> list[Memory]:
    """The memories of all tiers, best first, at most `limit`, each once.

    `answers` are best first. What two tiers both hold (a message and the interaction that it is) is one
    memory: the one of the tier that is read first. Order: the episodic tier's memories in their own order; between
    them at every STRIDE-th place those of what is known (semantic, procedural, catalog) by turns; then what only the
    running conversation holds, which the context shows anyway. Until PROTECTED_INTERACTIONS are named, an item of
    another tier waits until its evidence is, and of items no more than ITEMS_AMONG_FIRST have one of the FIRST_PLACES.
    An item and the finding that was made of the same words are one: the one that comes first. A finding says nothing
    beside the message that it was found in, where that is one of the SAID_BEST. Scores stay those of the tiers.
    """
    interactions = deque(answers.get("episodic", ()))
    others = list(_in_turn([answers.get(tier, ()) for tier in _BETWEEN]))
    said = {memory.id for memory in islice(interactions, min(SAID_BEST, limit or SAID_BEST))}
    fused: dict[MemoryKey, Memory] = {}
    named: set[str] = set()
    found: dict[str, str] = {}
    items = 0

    def take(memory: Memory) -> None:
        nonlocal items
        key = memory_key(memory)
        finding = finding_of(memory) if memory.kind in _MAY_BE_FOUND else None
        if memory.kind == "finding" and memory.metadata.get("support") == 1 and said.issuperset(memory.sources):
            return
        if key in fused or (finding is not None and found.setdefault(finding, memory.kind) != memory.kind):
            return
        fused[key] = memory
        named.update(evidence(memory))
        items += memory.tier == "catalog"

    has_interactions = bool(interactions)
    while interactions or others:
        full = items >= ITEMS_AMONG_FIRST and len(fused) < FIRST_PLACES
        place: int | None = None
        if not interactions or len(fused) % STRIDE == STRIDE - 1:
            place = _first_allowed(others, named, full=full, free=not has_interactions)
        if place is not None:
            take(others.pop(place))
        elif interactions:
            take(interactions.popleft())
        else:
            take(others.pop(_first_allowed(others, named, full=full, free=True) or 0))
    for memory in answers.get("short_term", ()):
        take(memory)
    return list(fused.values())[:limit]


def evidence(memory: Memory) -> tuple[str, ...]:
    """The ids of the interactions that a memory rests on and is judged by; none of an item that rests on resources."""
    if memory.tier == "catalog" and memory.sources[:1] == (memory.metadata.get("resource_id"),):
        return ()
    return memory.sources[:EVIDENCE_SOURCES]


def finding_of(memory: Memory) -> str | None:
    """The id of the finding that a memory is, or was made of the same words as; none of one that a person corrected,
    which rests on no message and has other words."""
    if memory.kind == "item":
        made = memory.metadata.get(FINDING_ID)
        return made if isinstance(made, str) else None
    return memory.id if memory.kind == "finding" and memory.metadata.get("support") != 0 else None


def _in_turn(rankings: Iterable[Sequence[Memory]]) -> Iterator[Memory]:
    """The first of each ranking, then the second of each, and so on."""
    waiting = deque(iter(ranking) for ranking in rankings)
    while waiting:
        ranking = waiting.popleft()
        memory = next(ranking, None)
        if memory is not None:
            yield memory
            waiting.append(ranking)


def _first_allowed(others: Sequence[Memory], named: set[str], *, full: bool, free: bool) -> int | None:
    """The place of the first that brings no interaction forward, or the first of all when enough are named or there
    are none; of no item where these are `full`."""
    free = free or len(named) >= PROTECTED_INTERACTIONS
    for place, memory in enumerate(others):
        if not (full and memory.tier == "catalog") and (free or named.issuperset(evidence(memory))):
            return place
    return None
