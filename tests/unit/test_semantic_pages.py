"""A page of relationships is filled up in few rounds, however much has to be passed over."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import cast

from ragpp.clock import system_clock
from ragpp.models import Relationship, Scope
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.read.browsing import REFILL, Browsing
from ragpp_services.semantic.records import RelationshipKey, RelationshipState, Statement
from ragpp_services.semantic.rows import NamedRelationship
from ragpp_services.semantic.store import SemanticStore
from tests.support.each import each_case

EARLY = datetime(1970, 1, 2, tzinfo=UTC)
MANY = 2_000
SCOPE = Scope(tenant_id="t", user_id="u")


def rejected(number: int, *, changed_at: int) -> NamedRelationship:
    """Mentioned first at `number`."""
    state = RelationshipState(
        key=RelationshipKey("noor", "KNOWS", f"e{number}"),
        weight=1,
        believed=0.6,
        believed_at=changed_at,
        confidence=0.6,
        confidence_at=changed_at,
        lasting=False,
        first_mention=number,
        last_mention=changed_at,
        context="",
        sources=(),
        valid_from=number,
        verdict="rejected",
    )
    return NamedRelationship(state, "Noor", f"E{number}", 0, 0)


class Graph:
    """MANY edges whose own evidence says that they were not there yet at EARLY, but for those of `shown`."""

    def __init__(self, shown: Mapping[int, int]) -> None:
        after = int(EARLY.timestamp() * 1_000_000) + 1
        self._edges = [rejected(number, changed_at=shown.get(number, after)) for number in range(MANY)]
        self.rounds = 0

    async def list_relationships(
        self, _: Scope, *, after: tuple[int, str], limit: int, **_asked: object
    ) -> list[NamedRelationship]:
        self.rounds += 1
        return [edge for edge in self._edges if (edge.state.first_mention, edge.state.key.id) > after][:limit]

    async def statements(self, _: Scope, _ids: Iterable[str]) -> list[Statement]:
        return []


@each_case("shown", [[], [0], [3, 4, 700, MANY - 1], list(range(0, MANY, 200))])
@each_case("limit", [1, 3])
async def test_what_only_evidence_can_tell_takes_few_rounds(shown: list[int], limit: int) -> None:
    graph = Graph({number: number for number in shown})
    browsing = Browsing(cast("SemanticStore", graph), Belief(), system_clock)
    found, cursor = list[Relationship](), None
    while True:
        before = graph.rounds
        page = await browsing.list_relationships(SCOPE, as_of=EARLY, cursor=cursor, limit=limit, state="rejected")
        assert graph.rounds - before <= 2 + MANY // REFILL
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page.items) == limit
    assert [item.target for item in found] == [f"E{number}" for number in shown]
