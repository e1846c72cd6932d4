"""A key is made for ids that a request can carry, and for no others; the list tells which still work."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ragpp.api import KeyMade
from ragpp.errors import InvalidInput
from ragpp_services.gateway.keys import create_key
from ragpp_services.gateway.store import KeyListing
from tests.support.each import each_case

NOBODY_LISTENS = "postgresql://127.0.0.1:1/ragpp"


@each_case(
    ("tenant", "user", "agent", "named"),
    [
        ("", None, None, "tenant_id"),
        ("t\x00", None, None, "tenant_id"),
        ("t", "", None, "user_id"),
        ("t", None, "", "agent_id"),
    ],
)
async def test_an_id_that_no_request_could_carry_is_refused_by_its_name(
    tenant: str, user: str | None, agent: str | None, named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        await create_key(NOBODY_LISTENS, tenant, frozenset({"read"}), user_id=user, agent_id=agent)


async def test_no_key_is_made_whose_every_write_without_a_word_would_be_refused() -> None:
    with pytest.raises(InvalidInput, match="`share`") as refused:
        await create_key(NOBODY_LISTENS, "t", frozenset({"write"}), agent_id="sales", visibility="shared")
    assert "--scopes read,write,forget,share" in refused.value.suggestions[0]


def test_a_key_that_is_over_is_not_listed_as_valid() -> None:
    """Catches the list that looked at revocation alone: an expired key, refused by the gateway, was `valid` in it."""
    made = datetime(2026, 3, 1, tzinfo=UTC)
    key = KeyListing("key_1", "rp_1", "t", ("read",), None, None, made, made + timedelta(days=1), None)
    assert key.state_at(made) == "valid"
    assert key.state_at(made + timedelta(days=1)) == "expired"
    assert replace(key, revoked_at=made).state_at(made + timedelta(days=1)) == "revoked"
    assert replace(key, expires_at=None).state_at(made + timedelta(days=10_000)) == "valid"


def test_a_key_that_was_made_is_not_in_what_is_printed_or_logged_of_it() -> None:
    told = {"key_id": "k", "scopes": ["read"], "created_at": datetime(2026, 1, 1, tzinfo=UTC), "state": "valid"}
    nobody = dict.fromkeys(("user_id", "agent_id", "visibility", "expires_at", "revoked_at"))
    made = KeyMade.model_validate({**told, **nobody, "key": "rp_secret"})
    assert "rp_secret" not in f"{made!r} {made}"
    assert "rp_secret" in made.model_dump_json()
