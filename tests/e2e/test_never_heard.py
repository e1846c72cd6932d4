"""Forgotten messages are as if they had never been heard: the memory equals a witness's, who heard the rest alone.

Both heard the same days, and looked at the same windows, in the same order; only one was told what is then forgotten.
"""

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, cast

import httpx
import pytest

from ragpp.clock import system_clock
from ragpp.errors import TierUnavailable
from ragpp.learned import Reflection
from ragpp.llm import LanguageModels
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.port import Completion, Prompt, ReplyT, Usage
from ragpp.models import Scope
from ragpp.tiers import ProceduralTier
from ragpp_services.workers.running.digest import digest
from tests.support.everywhere import places_of
from tests.support.examples import some_of
from tests.support.looking import forget, learned, looked_at
from tests.support.models import Silent
from tests.support.real_gateway import RealGateway
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

Said = tuple[str, str, str, str]
"""(hour, session, role, what was said) of a day."""
TOLD: Final[Mapping[str, Sequence[Said]]] = {
    "2024-03-04": (
        ("08:10", "a", "user", "What's the weather like today?"),
        ("08:11", "a", "assistant", "Sunny."),
        ("10:00", "a", "user", "Please always answer in French."),
        ("18:00", "b", "user", "We went camping near the lake."),
    ),
    "2024-03-05": (
        ("08:12", "c", "user", "What's the weather like today?"),
        ("08:13", "c", "assistant", "Rain."),
        ("10:00", "c", "user", "No bullet points."),
        ("18:00", "d", "user", "We went camping with the neighbours."),
    ),
    "2024-03-06": (
        ("08:14", "e", "user", "How is the weather, with my oncology visit at ten?"),
        ("08:15", "e", "assistant", "Cloudy."),
        ("10:00", "e", "user", "From now on, answer in German."),
        ("11:00", "e", "user", "The oncology ward has a garden with a pond."),
        ("11:01", "e", "user", "A garden like that needs water for the pond."),
        ("11:02", "e", "user", "I would dig a pond in my garden, too."),
    ),
    "2024-03-07": (("12:00", "f", "user", "The ferry was late."),),
    "2024-03-08": (
        ("08:11", "g", "user", "What's the weather like today?"),
        ("08:12", "g", "assistant", "Sunny."),
        ("10:00", "g", "user", "Again, no bullet points."),
        ("18:00", "h", "user", "We went camping, it was cold."),
    ),
    "2024-03-11": (
        ("08:10", "i", "user", "What's the weather like today?"),
        ("08:11", "i", "assistant", "Fog."),
        ("10:00", "i", "user", "When I ask for code, skip the explanation."),
        ("18:00", "j", "user", "We went camping for the last time this year."),
    ),
}
FORGOTTEN: Final[Mapping[str, Collection[str]]] = {
    "the first of a pattern": ["2024-03-04T08:10"],
    "the only message of a day": ["2024-03-07T12:00"],
    "the rule that another gave way to": ["2024-03-06T10:00"],
    "one of two that made a rule": ["2024-03-05T10:00"],
    "two of a habit": ["2024-03-05T18:00", "2024-03-11T18:00"],
    "a day": [f"2024-03-06T{hour}" for hour, *_ in TOLD["2024-03-06"]],
    "all": [f"{day}T{hour}" for day, said in TOLD.items() for hour, *_ in said],
}


async def live(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, lives: Mapping[str, Collection[str]]) -> None:
    """Have each of the users hear the days but for what is not for them, and look at each day when it is over."""
    for day, said in TOLD.items():
        for hour, session, role, content in said:
            moment = f"{day}T{hour}"
            message = {"id": moment, "role": role, "content": content, "occurred_at": f"{moment}:00Z"}
            for user in (user for user, without in lives.items() if moment not in without):
                body = {"user_id": user, "session_id": session, "messages": [message]}
                assert (await api.post("/v1/interactions", json=body)).status_code == 201
        await gateway.digest(tenant)
        await looked_at(api, gateway, tenant, day, *lives)


class Retelling(Silent):
    """A model that is a function of its prompt, and makes everything it can of several messages."""

    name = "retelling:one"

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        said = [json.loads(line) for line in prompt.user.splitlines() if line.startswith('{"n":') and '"text":' in line]
        told = [one for one in said if len(one["text"].split()) > 2]
        pairs = [(one, other) for one, other in pairwise(told)]
        cited = [{"messages": [one["n"], other["n"]], "quote": one["text"], "confidence": 0.8} for one, other in pairs]
        both = [f"{one['text']} / {other['text']}"[:300] for one, other in pairs]
        replies: dict[str, dict[str, object]] = {
            "WindowReply": {
                "relationships": [],
                "preferences": [
                    {**claim, "category": "told", "key": f"pair {number}", "value": text, "stated": False}
                    for number, (claim, text) in enumerate(zip(cited, both, strict=True))
                ],
                "findings": [
                    {**claim, "finding": "insight", "text": text, "past": False}
                    for claim, text in zip(cited, both, strict=True)
                ],
            },
            "ThemesReply": {
                "themes": [{"text": text[:90], "messages": [one["n"] for one in told]} for text in both[:1]]
            },
            "RulesReply": {
                "rules": [
                    {**claim, "text": f"Mind that {text}"[:300], "triggers": ["minding"], "priority": 6}
                    for claim, text in list(zip(cited, both, strict=True))[:1]
                ]
            },
            "MergesReply": {"merges": []},
            "EndingsReply": {"ended": []},
        }
        return Completion(schema.model_validate(replies[schema.__name__]), Usage(), self.name)


async def test_what_a_model_made_of_several_messages_is_made_of_those_that_are_left(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    model = Retelling()
    models = LanguageModels(
        {"extraction": model, "reflection": model}, InMemoryBudget(system_clock, tokens_per_day=10**9), concurrency=1
    )
    with_model = replace(gateway, worker=replace(gateway.worker, models=models))
    gone = ["2024-03-06T11:00"]
    await live(api, with_model, tenant, {"heard": (), "witness": gone})
    await forget(api, with_model, tenant, "heard", gone)

    forgot, witness = await learned(api, "heard"), await learned(api, "witness")
    assert "oncology ward" not in str(forgot)
    for kind, expected in witness.items():
        assert forgot[kind] == expected, kind
    assert any("/" in finding["text"] for finding in forgot["findings"])
    assert any(rule["text"].startswith("Mind that") for rule in forgot["rules"])


@pytest.mark.parametrize("what", some_of(FORGOTTEN, ["the rule that another gave way to", "two of a habit"]))
async def test_what_was_forgotten_was_never_heard(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, what: str
) -> None:
    gone = FORGOTTEN[what]
    await live(api, gateway, tenant, {"heard": (), "witness": gone})
    assert await learned(api, "heard") != await learned(api, "witness")

    await forget(api, gateway, tenant, "heard", gone)

    forgot, witness = await learned(api, "heard"), await learned(api, "witness")
    # a day of which all was forgotten has no report, where nobody said anything it has an empty one
    witness["reflections"] = [report for report in witness["reflections"] if report["status"] != "no_interactions"]
    for kind, expected in witness.items():
        assert forgot[kind] == expected, kind


async def say(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, day: str, said: str) -> None:
    """Have the user u say one thing on a day, which is looked at then."""
    message = {"id": day, "content": said, "occurred_at": f"{day}T08:10:00Z"}
    body = {"user_id": "u", "session_id": day, "messages": [message]}
    assert (await api.post("/v1/interactions", json=body)).status_code == 201
    await gateway.digest(tenant)
    await looked_at(api, gateway, tenant, day, "u")


async def test_no_word_is_left_of_what_rested_on_several(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    await say(api, gateway, tenant, "2024-03-04", "Please always cite qzvsources.")
    await say(api, gateway, tenant, "2024-03-05", "Please always cite a qzvsource.")
    [rule] = (await api.get("/v1/rules", params={"user_id": "u"})).json()["items"]
    assert (rule["text"], len(rule["sources"])) == ("Cite qzvsources.", 2)
    assert "procedural.rule_versions" in (await places_of(stack, ["qzvsources"], hint="qzv"))["qzvsources"]

    await forget(api, gateway, tenant, "u", ["2024-03-04"])

    assert await places_of(stack, ["qzvsources"], hint="qzv") == {}
    [rule] = (await api.get("/v1/rules", params={"user_id": "u"})).json()["items"]
    assert (rule["text"], rule["sources"]) == ("Cite a qzvsource.", ["2024-03-05"])


@pytest.mark.parametrize("said_again", ["before it is forgotten", "afterwards"])
async def test_a_rule_that_was_turned_off_stays_off_while_somebody_teaches_it(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, said_again: str
) -> None:
    await say(api, gateway, tenant, "2024-03-04", "Please always answer in French.")
    [rule] = (await api.get("/v1/rules", params={"user_id": "u"})).json()["items"]
    if said_again == "before it is forgotten":
        await say(api, gateway, tenant, "2024-03-05", "Please always answer in French.")
    off = await api.patch(f"/v1/rules/{rule['id']}", json={"user_id": "u", "active": False})
    assert off.status_code == 200

    await forget(api, gateway, tenant, "u", ["2024-03-04"])
    if said_again == "afterwards":
        assert (await api.get("/v1/rules", params={"user_id": "u"})).json()["items"] == []
        await say(api, gateway, tenant, "2024-03-05", "Please always answer in French.")

    [again] = (await api.get("/v1/rules", params={"user_id": "u"})).json()["items"]
    assert (again["text"], again["active"]) == (rule["text"], said_again == "afterwards")


async def test_a_rule_that_was_put_in_other_words_rests_on_nothing_that_was_forgotten(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await say(api, gateway, tenant, "2024-03-04", "No bullet points.")
    await say(api, gateway, tenant, "2024-03-05", "Again, no bullet points.")
    [rule] = (await api.get("/v1/rules", params={"user_id": "u"})).json()["items"]
    path = f"/v1/rules/{rule['id']}"
    assert (await api.patch(path, json={"user_id": "u", "text": "Hyphens, mostly."})).status_code == 200
    for forgotten, left in (("2024-03-04", ["2024-03-05"]), ("2024-03-05", [])):
        await forget(api, gateway, tenant, "u", [forgotten])
        own = (await api.get(path, params={"user_id": "u"})).json()
        assert (own["text"], own["sources"]) == ("Hyphens, mostly.", left)


async def test_looking_again_is_never_cancelled_or_given_up(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await say(api, gateway, tenant, "2024-03-04", "No bullet points.")
    assert (await api.delete("/v1/interactions/2024-03-04", params={"user_id": "u"})).status_code == 200
    ledger = gateway.worker.ledger
    await digest(gateway.worker, await ledger.lease("forget", limit=9, owner="a", lease_s=60, users=9), "a")
    asked = {"user_id": "u", "stage": "extract", "state": "pending"}
    [job] = (await api.get("/v1/jobs", params=asked)).json()["items"]

    assert (await api.post(f"/v1/jobs/{job['id']}/cancel")).status_code == 409

    [work] = await ledger.lease("extract", limit=1, owner="a", lease_s=60, users=1)
    assert await ledger.fail(work.key, "a", "no more attempts", retryable=False) == "pending"
    [job] = (await api.get("/v1/jobs", params=asked)).json()["items"]
    assert job["error"] == "no more attempts"


@dataclass
class Meanwhile:
    """The procedural tier, in which `then` happens behind the first unlearning."""

    tier: ProceduralTier
    then: Callable[[], Awaitable[None]] | None

    def __getattr__(self, verb: str) -> object:
        return getattr(self.tier, verb)

    async def unlearn(self, scope: Scope, *asked: Any) -> None:
        await self.tier.unlearn(scope, *asked)
        if self.then is not None:
            happening, self.then = self.then, None
            await happening()


@pytest.mark.exhaustive
async def test_what_is_forgotten_while_windows_are_looked_at_again_is_not_heard_either(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    gone = ["2024-03-08T08:11", "2024-03-04T08:10"]
    await live(api, gateway, tenant, {"heard": (), "witness": gone})

    async def forget_another() -> None:
        answer = await api.delete(f"/v1/interactions/{gone[1]}", params={"user_id": "heard"})
        assert answer.status_code == 200
        ledger = gateway.worker.ledger
        await digest(gateway.worker, await ledger.lease("forget", limit=9, owner="a", lease_s=60, users=9), "a")

    tier = Meanwhile(gateway.worker.procedural, forget_another)
    worker = replace(gateway.worker, procedural=cast("ProceduralTier", tier))
    await forget(api, replace(gateway, worker=worker), tenant, "heard", gone[:1])

    assert tier.then is None
    assert await learned(api, "heard") == await learned(api, "witness")


@dataclass
class Interrupted:
    """The procedural tier, which is away once: when the report of number `at` is to be kept."""

    tier: ProceduralTier
    at: int
    reports: int = 0

    def __getattr__(self, verb: str) -> object:
        return getattr(self.tier, verb)

    async def save_reflection(self, scope: Scope, reflection: Reflection, epoch: int | None = None) -> Reflection:
        self.reports += 1
        if self.reports == self.at:
            raise TierUnavailable("away for a moment")
        return await self.tier.save_reflection(scope, reflection, epoch)


@pytest.mark.exhaustive
async def test_a_look_back_that_was_interrupted_comes_to_the_same(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    gone = FORGOTTEN["the first of a pattern"]
    await live(api, gateway, tenant, {"heard": (), "witness": gone})
    tier = Interrupted(gateway.worker.procedural, at=7)
    leaving = replace(gateway, worker=replace(gateway.worker, procedural=cast("ProceduralTier", tier)))

    await forget(api, leaving, tenant, "heard", gone)

    assert tier.reports > tier.at
    assert await learned(api, "heard") == await learned(api, "witness")


async def test_several_that_are_forgotten_are_one_look_back(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await live(api, gateway, tenant, {"u": ()})
    for identifier in FORGOTTEN["a day"]:
        assert (await api.delete(f"/v1/interactions/{identifier}", params={"user_id": "u"})).status_code == 200
    await gateway.digest(tenant)
    jobs = (await api.get("/v1/jobs", params={"user_id": "u", "stage": "extract"})).json()["items"]
    looks = [job["result"]["looked_at_again"] for job in jobs if "looked_at_again" in (job["result"] or {})]
    assert len(looks) == 1
    assert looks[0] >= len(TOLD)
