"""Whose a thing of the catalog is, by the key and by what was asked; and who may take it away."""

from datetime import UTC, datetime
from typing import Final

import pytest

from ragpp.api import EntryIn
from ragpp.catalog import CatalogVisibility, MemoryCategory, Resource
from ragpp.errors import Forbidden, InvalidInput
from ragpp_services.gateway.catalog.owning import changing, place, place_of_entry
from ragpp_services.gateway.identity import Principal
from ragpp_services.gateway.requester import Requester
from tests.support.each import each_case

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)


def requester(*scopes: str, user_id: str | None = None, agent_id: str | None = None) -> Requester:
    return Requester(Principal("k", "acme", frozenset({"read", "write", "forget", *scopes}), user_id, agent_id))


def resource(visibility: CatalogVisibility, agent_id: str | None = None) -> Resource:
    return Resource(
        resource_id="r",
        resource_type="document",
        content="x",
        occurred_at=NOON,
        created_at=NOON,
        visibility=visibility,
        agent_id=agent_id,
    )


def test_what_a_user_stores_is_seen_by_all_of_the_users_agents() -> None:
    where = place(requester(), "ann", None)
    assert (where.scope.user_id, where.whose.seen_by, where.whose.contributor) == ("ann", None, "")


def test_what_a_key_that_is_bound_to_an_agent_stores_is_that_agents() -> None:
    where = place(requester(agent_id="sales"), "ann", None)
    assert (where.whose.seen_by, where.whose.agent_id) == ("sales", "sales")


def test_what_names_an_agent_is_shared_unless_said_otherwise() -> None:
    shared, own = [place(requester(), "ann", asked, agent_id="sales") for asked in (None, "agent")]
    assert (shared.whose.seen_by, own.whose.seen_by) == (None, "sales")


@each_case(
    ("fields", "seen_by"),
    [
        ({"ci": "sales"}, "sales"),
        ({"ci": "sales", "visibility": "shared"}, None),
        ({"ci": "sales", "domain": "sql"}, None),
        ({"ci": "sales", "task_type": "date_filter"}, None),
        ({"ci": "sales", "domain": "sql", "visibility": "agent"}, "sales"),
        ({}, None),
    ],
)
def test_a_memory_of_a_named_agent_is_its_own_unless_it_has_a_domain_or_a_kind_of_task(
    fields: dict[str, str], seen_by: str | None
) -> None:
    body = EntryIn.model_validate({"content": "x", **fields})
    assert place_of_entry(requester(), "ann", body).whose.seen_by == seen_by


def test_a_default_of_the_key_goes_before_that_of_a_memory() -> None:
    sharing = Requester(Principal("k", "acme", frozenset({"write"}), None, None, "shared"))
    assert place_of_entry(sharing, "ann", EntryIn(content="x", ci="sales")).whose.seen_by is None


@each_case("fields", [{}, {"domain": "sql"}])
def test_what_an_agents_key_keeps_without_a_word_is_that_agents_and_is_never_refused(fields: dict[str, str]) -> None:
    body = EntryIn.model_validate({"content": "x", **fields})
    assert place_of_entry(requester(agent_id="sales"), "ann", body).whose.seen_by == "sales"


def test_an_agents_key_shares_with_the_scope_for_it_alone_and_is_told_what_to_do() -> None:
    assert place(requester("share", agent_id="sales"), "ann", "shared").whose.seen_by is None
    for scopes in ((), ("global", "admin")):
        with pytest.raises(Forbidden, match="`share`") as refused:
            place(requester(*scopes, agent_id="sales"), "ann", "shared")
        assert "`visibility` agent" in refused.value.suggestions[0]
        assert "--scopes read,write,share" in refused.value.suggestions[1]
    with pytest.raises(Forbidden, match="`global`"):
        place(requester("share", agent_id="sales"), "ann", "global")
    with pytest.raises(InvalidInput, match="agent_id"):
        place(requester(), "ann", "agent")


def test_without_a_user_it_is_the_keys_own_user_or_with_the_scope_global_everybodys() -> None:
    assert place(requester(user_id="ann"), None, None).scope.user_id == "ann"
    everybodys = place(requester("global"), None, None)
    assert (everybodys.scope.user_id, everybodys.whose.seen_by) == ("", None)
    with pytest.raises(Forbidden, match="no user is named"):
        place(requester(), None, None)


def test_what_all_users_see_names_who_contributed_it_and_needs_the_scope() -> None:
    where = place(requester("global"), "ann", "global")
    assert (where.scope.user_id, where.whose.contributor) == ("", "ann")
    with pytest.raises(Forbidden, match="global"):
        place(requester(), "ann", "global")


@each_case("visibility", ["shared", "agent"])
def test_what_is_not_global_has_a_user(visibility: CatalogVisibility) -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        place(requester("global", agent_id="sales"), None, visibility)


def test_what_all_users_see_is_changed_only_with_the_scope_and_where_it_is() -> None:
    allowed = requester("global")
    assert changing(allowed, allowed.catalog("forget", "ann"), resource("global")).user_id == ""
    refused = requester()
    with pytest.raises(Forbidden):
        changing(refused, refused.catalog("forget", "ann"), resource("global"))


@each_case("agent_id", [None, "support"])
def test_an_agent_changes_its_own_alone(agent_id: str | None) -> None:
    bound = requester(agent_id="sales")
    scope = bound.catalog("forget", "ann")
    assert changing(bound, scope, resource("shared", "sales")) == scope
    with pytest.raises(Forbidden, match="not its own"):
        changing(bound, scope, resource("shared", agent_id))


def test_no_agent_changes_a_page_that_all_read() -> None:
    page = MemoryCategory(
        category_id="c", name="prices", description="What it costs", markdown_content="", updated_at=NOON
    )
    bound = requester(agent_id="sales")
    with pytest.raises(Forbidden, match="other agents"):
        changing(bound, bound.catalog("write", "ann"), page)


def test_who_names_no_user_is_told_first_to_name_one_and_who_names_no_agent_that() -> None:
    with pytest.raises(Forbidden) as nobody:
        requester().catalog("read", None)
    assert "`user_id`" in nobody.value.suggestions[0]
    assert "--user" in nobody.value.suggestions[0]
    with pytest.raises(InvalidInput) as of_nobody:
        place(requester("global"), None, "shared")
    assert "--user" in of_nobody.value.suggestions[0]
    with pytest.raises(InvalidInput) as of_no_agent:
        place(requester(), "ann", "agent")
    assert "`agent_id`" in of_no_agent.value.suggestions[0]


def test_in_the_view_of_an_agent_its_own_alone_is_changed() -> None:
    unbound = requester()
    scope = unbound.catalog("forget", "ann", agent_id="sales").seen_by("sales")
    assert changing(unbound, scope, resource("shared", "sales")) == scope
    with pytest.raises(Forbidden, match="named by `view`"):
        changing(unbound, scope, resource("shared", "care"))


def test_a_request_without_a_user_is_refused_whatever_it_asks_for() -> None:
    for needed in ("read", "write", "forget"):
        with pytest.raises(Forbidden):
            requester().catalog(needed, None)
