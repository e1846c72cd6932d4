"""A key is made for ids that a request can carry, and for no others."""

import pytest

from ragpp.errors import InvalidInput
from ragpp_services.gateway.keys import create_key

NOBODY_LISTENS = "postgresql://127.0.0.1:1/ragpp"


@pytest.mark.parametrize(
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
