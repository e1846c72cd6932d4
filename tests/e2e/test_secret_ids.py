"""An id that holds a secret is stored nowhere, by whatever operation of the API it comes and in whatever place."""

from typing import Final

import pytest

from ragpp.errors import SecretInId
from tests.support.everywhere import places_of
from tests.support.operations import checked_problem
from tests.support.planting import places, requests, what_all_share
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
HINT: Final = "sk-ant-api03-"
ONLY_READ: Final = (
    *(f"POST /v1/recall body.{name}" for name in ("user_id", "session_id", "agent_id", "in_session", "exclude")),
    *("POST /v1/forget body.user_id", "POST /v1/retrieve body.user_id", "POST /v1/redact body.user_id"),
    *("POST /v1/hooks/memory-request body.memory_ids", "POST /v1/hooks/post-response body.memories_used"),
    "POST /v1/categories/{category}/items body.item_ids",
    "POST /api/memory/import body.memories.source_resource_id",
)
"""Fields whose secrets are looked for, and found nowhere."""
OF_ALL: Final = (
    "POST /v1/resources/{resource_id}/extract body.user_id",
    *("PUT /v1/categories/{category} body.user_id", "POST /v1/categories/{category}/items body.user_id"),
    "POST /v1/categories/{category}/consolidate body.user_id",
    *("DELETE /v1/resources/{resource_id} query.user_id", "DELETE /v1/categories/{category} query.user_id"),
)
"""Fields of what is done to a thing that all users share, which is noted of nobody."""
REDACTED: Final = ("POST /api/memory/catalog body.references", "POST /api/memory/import body.memories.references")
"""Kept without the secret, as texts are."""
ERASED: Final = (
    *("DELETE /v1/sessions/{session_id} path.session_id", "DELETE /v1/sessions/{session_id} query.user_id"),
    "DELETE /v1/users/{user_id} path.user_id",
)
"""Fields that take what was stored before secrets were refused and has to go: the job that erases it names it."""


def secret(number: int) -> str:
    return f"{HINT}{number:04}{'a1B2' * 6}"


async def test_an_id_that_holds_a_secret_is_stored_by_no_operation(gateway: RealGateway, stack: StoreStack) -> None:
    tenant = new_scope().tenant_id
    sent: dict[str, str] = {}
    taken: set[str] = set()
    async with gateway.client(await gateway.key(tenant, "read", "write", "forget", "global")) as api:
        for request in requests(places, secret, await what_all_share(api)):
            answer = await api.request(request.operation.method, request.url, json=request.body)
            sent[request.planted] = request.name
            if not answer.is_success:
                problem = checked_problem(answer)
                assert problem.status < 500, request.name
                assert problem.code != SecretInId.code or HINT not in answer.text
            elif request.operation.method != "GET":
                taken.add(request.name)
    assert taken == {*ONLY_READ, *OF_ALL, *REDACTED, *ERASED}
    await gateway.parts.audit.flush()
    found = await places_of(stack, list(sent), hint=HINT, tenant_id=tenant)
    assert {sent[secret]: where for secret, where in found.items() if sent[secret] not in ERASED} == {}


@pytest.mark.parametrize("field", ["message_id", "response_id"])
async def test_an_id_of_an_exchange_that_is_too_long_is_refused(field: str, gateway: RealGateway) -> None:
    async with gateway.client(await gateway.key(new_scope().tenant_id)) as api:
        exchange = {
            "user_id": "u1",
            "ci": "ergon",
            "message": "Which queue?",
            "response": "Kafka.",
            field: "\U0001f701" * 200,
        }
        problem = checked_problem(await api.post("/v1/hooks/post-message", json=exchange), 422)
    assert [one.field for one in problem.errors] == [field]


async def test_a_type_of_a_relationship_that_holds_a_secret_is_refused(gateway: RealGateway) -> None:
    relationship = {"user_id": "u1", "source": "Elena", "type": "AKIA" + "IOSFODNN7EXAMPLE", "target": "Porto"}
    async with gateway.client(await gateway.key(new_scope().tenant_id)) as api:
        answer = await api.post("/v1/relationships", json=relationship)
        problem = checked_problem(answer, 422, SecretInId.code)
        assert [one.field for one in problem.errors] == ["type"]
        assert relationship["type"] not in answer.text
