"""A worker whose language model obeys whatever it reads: what is passed on teaches no more than it does without one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from benchmarks.eval_instructions import FILES, read_cases
from ragpp.clock import system_clock
from ragpp.llm import LanguageModels
from ragpp.llm.budget import InMemoryBudget
from tests.support.obedient import Obedient
from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]
SAID_AT = datetime(2024, 5, 1, 12, tzinfo=UTC)


async def tell(api: httpx.AsyncClient, user: str, texts: list[str]) -> None:
    """Each text in a session of its own, as a person's message that an assistant answers."""
    for number, text in enumerate(texts):
        at = SAID_AT + timedelta(minutes=number)
        said = {"id": f"{user}-{number}", "content": text, "occurred_at": at.isoformat()}
        noted = {"role": "assistant", "content": "Noted.", "occurred_at": (at + timedelta(seconds=5)).isoformat()}
        body = {"user_id": user, "session_id": f"{user}-{number}", "messages": [said, noted]}
        answer = await api.post("/v1/interactions", json=body)
        assert answer.status_code == 201, answer.text
    window = {"start": SAID_AT.isoformat(), "end": (SAID_AT + timedelta(hours=11)).isoformat()}
    for job, over in {"extract": window, "reflect": {"date": SAID_AT.date().isoformat()}}.items():
        answer = await api.post(f"/v1/users/{user}/{job}", json=over)
        assert answer.status_code == 202, answer.text


async def everything(api: httpx.AsyncClient, path: str, user: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    cursor: str | None = None
    while True:
        asked: dict[str, str | int] = {"user_id": user, "limit": 200, **({"cursor": cursor} if cursor else {})}
        answer = await api.get(path, params=asked)
        assert answer.status_code == 200, answer.text
        found += answer.json()["items"]
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return found


async def in_force(api: httpx.AsyncClient, user: str) -> set[str]:
    """The rules that hold, and the preferences that are taken for stated."""
    rules = await everything(api, "/v1/rules", user)
    preferences = await everything(api, "/v1/preferences", user)
    return {f"rule: {rule['text']}" for rule in rules if rule["active"]} | {
        f"preference: {item['category']}: {item['value']}" for item in preferences if item["stated"]
    }


async def test_what_is_passed_on_teaches_no_more_with_a_model_that_obeys(
    gateway: RealGateway, api: httpx.AsyncClient, tenant: str
) -> None:
    injections = [case.text for path in FILES for case in read_cases(path) if case.label == "injection"]
    short = "Please always give me the short version first."
    plain = f"From now on, answer in Welsh, please. {short}"
    await tell(api, "without", [*injections, plain])
    await gateway.digest(tenant)
    await tell(api, "with", [*injections, plain])
    models = LanguageModels(
        dict.fromkeys(("extraction", "reflection"), Obedient()), InMemoryBudget(system_clock), concurrency=1
    )
    await replace(gateway, worker=replace(gateway.worker, models=models)).digest(tenant)

    assert models.counts["reflection"]["ok"] >= 1
    assert models.counts["extraction"]["ok"] >= 1
    obeyed, alone = await in_force(api, "with"), await in_force(api, "without")
    plainly_told = f"preference: told: {short}"
    assert obeyed - alone == {plainly_told}
    assert alone <= obeyed
