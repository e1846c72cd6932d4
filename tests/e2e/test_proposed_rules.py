"""Rules that nobody said plainly are proposed: reviewed with what was said, in no context, and rules when confirmed.

What is said in the sessions in DOUBTED counts as doubtful, however it is said.
"""

import json
from dataclasses import replace
from typing import Any, Final

import httpx
import pytest

from ragpp.api import RecallRequest
from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.errors import Forbidden, NotFound
from ragpp.learned import ProposedRule, Reflection
from ragpp.llm import LanguageModels
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.replies import LearnedRule, MergesReply, RulesReply, ThemesReply
from ragpp.models import Rule
from tests.support.doubting import install_doubts
from tests.support.looking import forget, learned, looked_at
from tests.support.models import Suggests
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

FRENCH: Final = "Please always answer in French."
ASKED: Final = "In which language do I want answers: French?"
DOUBTED: Final = ("2024-03-05", "2024-03-07")
PLAIN: Final = ("2024-03-04", "2024-03-06")
"""Days, each a session of its own, with one message that has the day's name."""


@pytest.fixture(autouse=True)
def doubting(monkeypatch: pytest.MonkeyPatch) -> None:
    install_doubts(monkeypatch, lambda one: one.session_id in DOUBTED)


class Days:
    """A tenant's users, to whom things happen day by day."""

    def __init__(self, api: httpx.AsyncClient, gateway: RealGateway, tenant: str, memory: AsyncMemoryClient) -> None:
        self._api, self._gateway, self._tenant, self._memory = api, gateway, tenant, memory

    async def say(self, day: str, user: str = "u", said: str = FRENCH) -> None:
        """Say one thing on a day, which is looked at then."""
        message = {"id": day, "name": "Ann", "content": said, "occurred_at": f"{day}T08:10:00Z"}
        body = {"user_id": user, "session_id": day, "messages": [message]}
        assert (await self._api.post("/v1/interactions", json=body)).status_code == 201
        await self._gateway.digest(self._tenant)
        await looked_at(self._api, self._gateway, self._tenant, day, user)

    async def forget(self, *days: str, user: str = "u") -> None:
        await forget(self._api, self._gateway, self._tenant, user, days)

    async def act(self, how: str, user: str) -> None:
        """Confirm the user's one rule, or turn it on or off."""
        rule = await self.rule(user)
        path, body = f"/v1/rules/{rule.id}", {"user_id": user}
        if how == "confirm":
            answer = await self._api.post(f"{path}/confirm", json=body)
        else:
            answer = await self._api.patch(path, json={**body, "active": how == "on"})
        assert answer.status_code == 200, answer.text

    async def rule(self, user: str = "u") -> Rule:
        (rule,) = (await self._memory.rules(user)).items
        return rule

    async def proposed(self, user: str = "u") -> list[ProposedRule]:
        return list((await self._memory.review(user)).rules)

    async def followed(self, user: str = "u") -> bool:
        """True where an agent is told the rule; and whoever lists the active ones, the same."""
        recalled = await self._memory.recall(RecallRequest(user_id=user, query=ASKED))
        listed = (await self._memory.rules(user, active=True)).items
        shown = [one for one in recalled.memories if one.kind == "rule"]
        assert [one.id for one in shown] == [one.id for one in listed]
        assert ("- Answer in French." in recalled.context) == bool(listed)
        return bool(listed)

    async def reports(self, user: str = "u") -> list[Reflection]:
        return list((await self._memory.reflections(user)).items)

    async def learned(self, user: str) -> list[dict[str, Any]]:
        return (await learned(self._api, user))["rules"]


@pytest.fixture
def days(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, memory: AsyncMemoryClient) -> Days:
    return Days(api, gateway, tenant, memory)


async def test_what_only_has_the_grammar_of_an_instruction_is_no_rule(days: Days) -> None:
    await days.say("2024-03-04", said="When I told him about the boat he laughed: buy a train.")
    await days.say("2024-03-06", said="Before we sail: first one the night.")
    await days.say("2024-03-08", said="when i come off a late shift keep it to two lines")
    assert (await days.rule()).text == "When i come off a late shift keep it to two lines."


async def test_a_doubtful_instruction_is_proposed_with_its_quote_and_in_no_context(
    days: Days, memory: AsyncMemoryClient
) -> None:
    await days.say(DOUBTED[0], said=f"The harbour was quiet. {FRENCH} It rained.")
    assert not await days.followed()
    (one,) = await days.proposed()
    assert (one.rule, one.rule.proposed, one.rule.active) == (await days.rule(), True, False)
    (quote,) = one.quotes
    assert (quote.interaction_id, quote.session_id, quote.said_by) == (DOUBTED[0], DOUBTED[0], "Ann")
    assert quote.text == f"The harbour was quiet. {FRENCH} It rained."
    assert {(report.new_rules, report.new_rules_learned) for report in await days.reports()} == {((), 0)}

    await memory.confirm_rule("u", one.rule.id)
    assert await days.followed()
    assert await days.proposed() == []


async def test_what_is_proposed_neither_gives_way_nor_is_given_way_to(days: Days) -> None:
    await days.say(PLAIN[0], said="Please always answer in French.")
    await days.say(DOUBTED[0], said="From now on, answer in German.")
    assert await days.followed()
    (one,) = await days.proposed()
    assert (one.rule.text, one.rule.aside) == ("Answer in German.", None)


async def test_what_was_proposed_is_a_rule_as_soon_as_it_is_said_plainly_and_as_long(
    days: Days, memory: AsyncMemoryClient
) -> None:
    await days.say(DOUBTED[0])
    assert not await days.followed()
    await days.say(PLAIN[1])
    assert await days.followed()
    assert await days.proposed() == []
    told = {report.date.isoformat(): report.new_rules for report in await days.reports() if report.new_rules}
    assert told == {PLAIN[1]: ("Answer in French.",)}

    await days.forget(PLAIN[1])
    assert not await days.followed()
    (one,) = await days.proposed()
    assert one.rule.sources == (DOUBTED[0],)

    await days.forget(DOUBTED[0])
    assert await days.proposed() == []
    assert (await memory.rules("u")).items == ()


@pytest.mark.parametrize("act", ["none", "confirm", "on", "off"])
@pytest.mark.parametrize("order", [(PLAIN[0], DOUBTED[0]), (DOUBTED[0], PLAIN[1])])
async def test_what_was_said_plainly_and_forgotten_was_never_said(days: Days, order: tuple[str, str], act: str) -> None:
    """Also to who confirmed it, or turned it on or off, while both were known."""
    for user in ("heard", "witness"):
        for day in order:
            if user == "heard" or day in DOUBTED:
                await days.say(day, user)
        if act != "none":
            await days.act(act, user)
    assert await days.followed("heard") == (act != "off")

    await days.forget(*(day for day in order if day in PLAIN), user="heard")

    assert await days.learned("heard") == await days.learned("witness")
    assert await days.followed("heard") == await days.followed("witness") == (act in {"confirm", "on"})
    assert len(await days.proposed("heard")) == len(await days.proposed("witness")) == (act == "none")


async def test_a_confirmation_goes_with_all_that_it_rests_on(days: Days, memory: AsyncMemoryClient) -> None:
    await days.say(DOUBTED[0])
    await days.act("confirm", "u")
    await days.forget(DOUBTED[0])
    assert (await memory.rules("u")).items == ()
    await days.say(DOUBTED[1])
    assert not await days.followed()
    assert len(await days.proposed()) == 1


async def test_a_rejection_stays_whatever_is_said_and_forgotten(days: Days, memory: AsyncMemoryClient) -> None:
    await days.say(DOUBTED[0])
    rule = await days.rule()
    rejected = await memory.reject_rule("u", rule.id)
    assert rejected == rule.model_copy(update={"deleted": True})
    for call in (memory.rule, memory.reject_rule, memory.confirm_rule):
        with pytest.raises(NotFound):
            await call("u", rule.id)
    await days.forget(DOUBTED[0])
    for day in (PLAIN[1], DOUBTED[1]):
        await days.say(day)
        assert not await days.followed()
        assert (await memory.rules("u")).items == ()
        assert await days.proposed() == []


async def test_a_rule_that_is_followed_is_rejected_by_a_key_that_may_forget(
    days: Days, gateway: RealGateway, tenant: str
) -> None:
    await days.say(PLAIN[0])
    rule = await days.rule()
    writer = gateway.memory(await gateway.key(tenant, "read", "write"))
    with pytest.raises(Forbidden):
        await writer.reject_rule("u", rule.id)
    assert await days.followed()
    await writer.aclose()
    await gateway.memory(await gateway.key(tenant, "write", "forget")).reject_rule("u", rule.id)
    (entry,) = [
        one for one in await gateway.audited(tenant) if one["action"].endswith("/reject") and one["status"] == 200
    ]
    assert json.loads(entry["details"])["deleted"] == "procedural"


async def test_a_rule_that_is_followed_is_rejected_for_good(days: Days, memory: AsyncMemoryClient) -> None:
    await days.say(PLAIN[0])
    assert await days.followed()
    await memory.reject_rule("u", (await days.rule()).id)
    for day in (PLAIN[1], DOUBTED[0]):
        await days.say(day)
        assert not await days.followed()
        assert (await memory.rules("u")).items == ()


async def test_what_only_a_language_model_suggests_is_proposed_until_it_is_confirmed(
    gateway: RealGateway, api: httpx.AsyncClient, tenant: str, memory: AsyncMemoryClient
) -> None:
    said = LearnedRule(
        messages=[1],
        quote="My teacher in Lyon was strict.",
        text="Answer in French.",
        triggers=[],
        priority=6,
        confidence=0.7,
    )
    model = Suggests(RulesReply(rules=[said]), ThemesReply(themes=[]), MergesReply(merges=[]))
    models = LanguageModels({"reflection": model}, InMemoryBudget(system_clock), concurrency=1)
    modelled = replace(gateway, worker=replace(gateway.worker, models=models))
    days = Days(api, modelled, tenant, memory)
    await days.say(PLAIN[0], said="My teacher in Lyon was strict.")
    (one,) = await days.proposed()
    assert not await days.followed()
    assert [quote.text for quote in one.quotes] == ["My teacher in Lyon was strict."]
    await looked_at(api, modelled, tenant, PLAIN[0], "u")
    assert await days.proposed() == [one]

    await days.say(PLAIN[1])
    assert await days.followed()
    assert await days.proposed() == []
    await days.forget(PLAIN[1])
    assert [proposed.rule.id for proposed in await days.proposed()] == [one.rule.id]
    await memory.confirm_rule("u", one.rule.id)
    assert await days.followed()
