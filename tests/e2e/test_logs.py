"""Words that somebody says, and secrets, are in no log, whatever becomes of the request that brings them."""

from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx
import pytest

from tests.support.logged import Heard, logs_below
from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

USER: Final = "logs-user"
SAID: Final = "Our marker sentence about the heron on the canal of Utrecht is nobody else's business."
LONG: Final = "A heron stands on one leg and waits for the fish of the canal to forget about it. "
TOKEN: Final = "ghp_" + "h3Ron" * 7 + "q"
PASSWORD: Final = "Heron-0n-the-Canal!77"


@pytest.fixture
def planted(heard: Heard) -> Heard:
    """With what these tests send in other places than a body."""
    for said in (SAID, LONG):
        heard.text(said)
    for secret in (TOKEN, PASSWORD):
        heard.secret(secret)
    return heard


async def test_no_log_has_what_was_said_stored_asked_refused_or_forgotten(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, planted: Heard, log_folders: list[Path]
) -> None:
    message = {"id": "m1", "name": "Ann", "content": f"{SAID} My password is {PASSWORD}, and the token {TOKEN}."}
    body = {"user_id": USER, "session_id": "s1", "messages": [message]}
    known = f"planted-{uuid4().hex}"
    requests: list[tuple[int, str, str, dict[str, object]]] = [
        (201, "POST", "/v1/interactions", {"json": body, "headers": {"X-Request-ID": known}}),
        (409, "POST", "/v1/interactions", {"json": {**body, "messages": [{**message, "content": LONG}]}}),
        (422, "POST", "/v1/interactions", {"json": {**body, SAID: LONG}}),
        (422, "POST", "/v1/interactions", {"json": {**body, "messages": [{"id": TOKEN, "content": SAID}]}}),
        (400, "POST", "/v1/interactions", {"content": f'{{"user_id": "{USER}", "messages": "{SAID}'}),
        (413, "POST", "/v1/interactions", {"json": {**body, "messages": [{"content": LONG * 1_200}] * 5}}),
        (200, "POST", "/v1/recall", {"json": {"user_id": USER, "query": SAID}, "headers": {"X-Request-ID": TOKEN}}),
        (422, "POST", "/v1/recall", {"json": {"user_id": USER, "query": SAID, "deadline_ms": LONG}}),
        (404, "GET", f"/v1/interactions/{SAID}", {"params": {"user_id": USER}}),
        (422, "GET", "/v1/entities", {"params": {"user_id": USER, "limit": SAID}}),
        (404, "GET", f"/{SAID}", {"params": {"password": PASSWORD}}),
        (401, "GET", "/v1/rules", {"params": {"user_id": SAID}, "headers": {"Authorization": f"Bearer {TOKEN}"}}),
        (201, "POST", "/v1/rules", {"json": {"user_id": USER, "text": SAID, "triggers": ["heron"]}}),
        (201, "POST", "/v1/resources", {"json": {"user_id": USER, "resource_type": "document", "content": LONG * 9}}),
    ]
    for status, method, path, given in requests:
        answer = await api.request(method, path, **given)  # type: ignore[arg-type]  # what a request is made of
        assert answer.status_code == status, (path, answer.text)
    await gateway.digest(tenant)
    assert (await api.delete("/v1/interactions/m1", params={"user_id": USER})).status_code == 200
    assert (await api.delete(f"/v1/users/{USER}")).status_code == 202
    await gateway.digest(tenant)
    files = [path for folder in log_folders for path in logs_below(folder)]
    assert any(known in path.read_text(encoding="utf-8", errors="replace") for path in files)
    assert [str(leak) for leak in planted.leaks(log_folders)] == []
