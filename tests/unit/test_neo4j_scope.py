"""The guard that keeps statements on users' graphs inside one scope."""

import pytest

from ragpp.models import Scope
from ragpp.stores.neo4j import scope_key, scoped
from tests.support.each import each_case


@each_case(
    "statement",
    [
        "MATCH (e:Entity {scope: $scope}) RETURN e",
        "MATCH (u:User {scope: $scope})-[:KNOWS]->(e) RETURN e",
        "UNWIND $rows AS row MATCH (a:Applied {scope: row.scope, event_id: row.id}) RETURN a",
    ],
)
def test_a_statement_that_says_its_scope_passes(statement: str) -> None:
    assert scoped(statement) == statement


@each_case(
    "statement",
    [
        "MATCH (n) RETURN n",
        "MATCH (e:Entity) RETURN e",
        "MATCH (e:Entity) WHERE e.name = $scope RETURN e",
        "MATCH (e:Entity {scope: $scope})-[]-(o:Entity) RETURN o",
        "MATCH (e:Entity {scope: $scope}) MATCH (k:Alias {key: $key}) RETURN k",
        "MATCH ( :Merge {id: $id}), (u:User {scope: $scope}) RETURN u",
    ],
)
def test_a_statement_that_could_see_others_is_refused(statement: str) -> None:
    with pytest.raises(ValueError, match="scope"):
        scoped(statement)


def test_no_two_users_share_a_key() -> None:
    pairs = [("a/b", "c"), ("a", "b/c"), ("a%2Fb", "c"), ("a", "b"), ("ab", ""), ("", "ab")]
    keys = {scope_key(Scope.model_construct(tenant_id=tenant, user_id=user)) for tenant, user in pairs}
    assert len(keys) == len(pairs)
