"""The memory's own learning, through the gateway: patterns, nights, and nothing from its own words."""

from dataclasses import replace
from typing import Any, cast

import httpx
import pytest

from ragpp.clock import system_clock
from ragpp.errors import TierUnavailable
from ragpp.learned import Reflection
from ragpp.ledger import Work
from ragpp.ledger.work import MAX_ATTEMPTS
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.metered import LanguageModels
from ragpp.llm.replies import SaidFinding, WindowReply
from ragpp.tiers import SemanticTier
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.extract import extract
from ragpp_services.workers.stages.observe import observe
from ragpp_services.workers.stages.reflect import reflect
from tests.support.learning import USER, ask, job, known, night, remember, work
from tests.support.models import Scripted
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

DAYS = ("2024-03-04", "2024-03-05", "2024-03-06", "2024-03-08", "2024-03-11")


async def reflected(parts: WorkerParts, asked: Work) -> Reflection:
    """The report that reflecting comes to, which its result names."""
    result = (await reflect(parts, [asked]))[asked.key]
    return await parts.procedural.get_reflection(asked.scope, str(result["reflection_id"]))


async def mornings(api: httpx.AsyncClient) -> None:
    for day in DAYS:
        await remember(api, day, ask(day, "What's the weather like today?"), ask(day, "Sunny.", role="assistant"))


@pytest.mark.parametrize("times", [40])
async def test_an_assistant_that_is_fed_its_own_contexts_learns_nothing_from_them(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, times: int
) -> None:
    await remember(
        api,
        "s0",
        ask("2024-03-04", "My sister Elena lives in Lisbon.", name="Maria"),
        ask("2024-03-04", "I prefer tea over coffee.", hour="08:11", name="Maria"),
        ask("2024-03-04", "I work at Harbour Clinic.", hour="08:12", name="Maria"),
        ask("2024-03-04", "I decided to sell the boat.", hour="08:13", name="Maria"),
    )
    await gateway.digest(tenant)
    before = await known(api)
    assert before["relationships"]
    assert before["preferences"]
    query = {"user_id": USER, "query": "Where does Maria's sister Elena live, and what does Maria drink?"}
    for number in range(times):
        context = (await api.post("/v1/recall", json=query)).json()["context"]
        assert "## RELEVANT PAST INTERACTIONS" in context
        reply = "Maria, your sister Elena lives in Lisbon and you work at Harbour Clinic."
        told = f"Here is what I remember:\n\n{context}\n\n{reply}"
        day = f"2024-04-{1 + number % 28:02}"
        hour = f"{number // 28:02}:{number % 28:02}"
        await remember(api, f"s{number % 7}", ask(day, told, hour=hour, role="assistant"))
    await gateway.digest(tenant)
    after = await known(api)
    assert after == before
    past = (await api.post("/v1/recall", json=query | {"tiers": ["episodic"]})).json()
    first = [memory["id"] for memory in past["memories"][:3]]
    assert "2024-03-04T08:10:00Z-user-Maria" in first


async def test_a_context_that_is_stored_can_be_read_and_is_no_hit(api: httpx.AsyncClient) -> None:
    context = "## RELEVANT PAST INTERACTIONS\n- [2024-03-04 08:10] Maria: I keep bees. (relevance: 0.83)"
    await remember(api, "s", ask("2024-03-04", "I keep bees.", name="Maria"))
    await remember(api, "s", ask("2024-03-05", context, role="assistant"))
    await remember(api, "s", ask("2024-03-06", "I keep bees.") | {"message_type": "context"})
    found = (
        await api.post("/v1/recall", json={"user_id": USER, "query": "Who keeps bees?", "tiers": ["episodic"]})
    ).json()
    assert [memory["id"] for memory in found["memories"]] == ["2024-03-04T08:10:00Z-user-Maria"]
    kept = (await api.get("/v1/interactions", params={"user_id": USER})).json()["items"]
    assert context in [item["content"] for item in kept]


async def test_a_window_shows_a_pattern_and_extracting_again_changes_nothing(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await mornings(api)
    await gateway.digest(tenant)
    window = {"start": "2024-03-11T08:00:00Z", "end": "2024-03-11T09:00:00Z"}
    result = await job(api, gateway, tenant, "extract", window)
    (pattern,) = result["patterns"]
    assert pattern["text"] == "usually asks about weather in the morning, 08:00–09:00 (on 5 of 5 days)"
    assert pattern["support"] == 5
    assert result["window"] == {
        "start": "2024-03-11T08:00:00+00:00",
        "end": "2024-03-11T09:00:00+00:00",
        "interactions": 2,
        "earlier": None,
    }
    assert result["model"] is None
    before = await known(api)
    (finding,) = before["findings"]
    assert finding["finding"] == "pattern"
    assert finding["details"]["days"] == 5
    assert [report["kind"] for report in before["reflections"]] == ["incremental"]
    again = await job(api, gateway, tenant, "extract", window)
    assert again["patterns"] == result["patterns"]
    assert await known(api) == before


async def test_a_night_is_reflected_upon_once_however_often_it_is_run(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await mornings(api)
    await remember(
        api,
        "chat",
        ask("2024-03-11", "Please always answer in French.", hour="10:00"),
        ask("2024-03-11", "My brother Karim lives in Lisbon.", hour="10:01"),
    )
    await gateway.digest(tenant)
    report = await night(api, gateway, tenant, "2024-03-11")
    assert report.status == "completed"
    assert report.interactions_analyzed == 4
    assert report.failed == {}
    assert "Answer in French." in report.new_rules
    assert any("weather" in text for text in report.new_rules)
    assert report.new_rules_learned == len(report.new_rules)
    assert report.themes_identified == len(report.themes) > 0
    state = await known(api)
    rules = {rule["text"]: rule for rule in state["rules"]}
    assert rules["Answer in French."]["sources"] == ["2024-03-11T10:00:00Z-user-None"]
    assert await night(api, gateway, tenant, "2024-03-11") == report
    assert await known(api) == state


async def test_a_changed_instruction_puts_the_old_rule_aside_and_back_again(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    texts = {
        "2024-03-04": "Please always answer in French.",
        "2024-03-05": "From now on, answer in German.",
        "2024-03-06": "Sorry, always answer in French.",
    }
    standing = []
    for number, (day, text) in enumerate(texts.items()):
        await remember(api, day, ask(day, text))
        await gateway.digest(tenant)
        report = await night(api, gateway, tenant, day)
        rules = (await known(api))["rules"]
        standing.append([rule["text"] for rule in rules if rule["active"]])
        if number == 1:
            (aside,) = [rule for rule in rules if not rule["active"]]
            assert aside["aside"] == "says another value than “Answer in German.”, which was said later (2024-03-05)"
            assert [conflict.aside_id for conflict in report.conflicts] == [aside["id"]]
    assert standing == [["Answer in French."], ["Answer in German."], ["Answer in French."]]


async def test_a_day_is_the_users_own(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    answer = await api.put(f"/v1/users/{USER}/settings", json={"time_zone": "Asia/Tokyo"})
    assert answer.status_code == 200, answer.text
    await remember(api, "s", ask("2024-03-10", "The harbour was quiet.", hour="16:30"))
    assert (await night(api, gateway, tenant, "2024-03-10")).status == "no_interactions"
    assert (await night(api, gateway, tenant, "2024-03-11")).interactions_analyzed == 1


async def test_what_arrives_late_makes_a_second_report_of_the_day(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await remember(api, "s", ask("2024-03-11", "The harbour was quiet."))
    first = await night(api, gateway, tenant, "2024-03-11")
    await remember(api, "s", ask("2024-03-11", "Then the ferry came in.", hour="20:00"))
    second = await night(api, gateway, tenant, "2024-03-11")
    assert (first.interactions_analyzed, second.interactions_analyzed) == (1, 2)
    dates = [report["date"] for report in (await known(api))["reflections"] if report["kind"] == "daily"]
    assert dates == ["2024-03-11", "2024-03-11"]


async def test_what_is_forgotten_takes_what_was_learned_from_it_along(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await mornings(api)
    await remember(api, "chat", ask("2024-03-11", "Please always answer in French.", hour="10:00"))
    await night(api, gateway, tenant, "2024-03-11")
    await job(api, gateway, tenant, "extract", {"start": "2024-03-11T00:00:00Z", "end": "2024-03-12T00:00:00Z"})
    assert "French" in str(await known(api))
    for item in ("2024-03-11T10:00:00Z-user-None", *(f"{day}T08:10:00Z-user-None" for day in DAYS)):
        answer = await api.delete(f"/v1/interactions/{item}", params={"user_id": USER})
        assert answer.status_code == 200, answer.text
    await gateway.digest(tenant)
    left = await known(api)
    assert left["rules"] == left["findings"] == left["preferences"] == []
    assert "French" not in str(left)
    assert "weather" not in str(left)


async def test_a_rule_whose_message_was_deleted_is_learned_when_it_is_said_again(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    words = "Please always answer in French."
    await remember(api, "first", ask("2024-03-04", words))
    await night(api, gateway, tenant, "2024-03-04")
    deleted = await api.delete("/v1/interactions/2024-03-04T08:10:00Z-user-None", params={"user_id": USER})
    assert deleted.status_code == 200, deleted.text
    await gateway.digest(tenant)
    assert (await known(api))["rules"] == []
    await remember(api, "again", ask("2024-03-11", words))
    assert (await night(api, gateway, tenant, "2024-03-11")).new_rules == ("Answer in French.",)
    (rule,) = (await known(api))["rules"]
    assert (rule["text"], rule["sources"]) == ("Answer in French.", ["2024-03-11T08:10:00Z-user-None"])
    answer = await api.delete(f"/v1/rules/{rule['id']}", params={"user_id": USER})
    assert answer.status_code == 200, answer.text
    await remember(api, "third", ask("2024-03-12", words))
    await night(api, gateway, tenant, "2024-03-12")
    assert (await known(api))["rules"] == []


async def test_a_day_without_interactions_says_so(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    report = await night(api, gateway, tenant, "2024-03-07")
    assert report.status == "no_interactions"
    assert (await known(api))["reflections"][0]["status"] == "no_interactions"


async def test_an_analysis_that_fails_is_named_and_stops_none_of_the_others(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    class Broken:
        async def epoch(self, _scope: object) -> int:
            return 0

        async def consolidate(self, *_: object) -> None:
            raise TierUnavailable("the graph is away")

    await mornings(api)
    await gateway.digest(tenant)
    asked = work(tenant, "reflect", {"kind": "daily", "date": "2024-03-11"})
    parts = replace(gateway.worker, semantic=cast("SemanticTier", Broken()))
    with pytest.raises(TierUnavailable):  # to be tried again; nothing is saved that would be taken for the report
        await reflect(parts, [asked])
    assert (await known(api))["reflections"] == []
    asked = replace(asked, attempts=MAX_ATTEMPTS)
    report = await reflected(parts, asked)
    assert report.status == "completed"
    assert list(report.failed) == ["relationships"]
    assert report.relationships_updated == 0
    assert report.themes_identified > 0
    mended = await night(api, gateway, tenant, "2024-03-11")
    assert mended.failed == {}
    assert mended.id != report.id


async def test_what_a_person_brings_back_stays_and_both_when_both_are_brought_back(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    for day, text in (("2024-03-04", "Please always answer in French."), ("2024-03-05", "Always answer in German.")):
        await remember(api, day, ask(day, text))
        await night(api, gateway, tenant, day)
    standing = []
    for day in ("2024-03-06", "2024-03-07"):
        (aside,) = [rule for rule in (await known(api))["rules"] if not rule["active"]]
        changed = await api.patch(f"/v1/rules/{aside['id']}", json={"user_id": USER, "active": True})
        assert changed.status_code == 200, changed.text
        await remember(api, day, ask(day, "The harbour was quiet."))
        await night(api, gateway, tenant, day)
        standing.append(sorted(rule["text"] for rule in (await known(api))["rules"] if rule["active"]))
    assert standing == [["Answer in French."], ["Answer in French.", "Answer in German."]]


async def test_a_job_says_what_its_result_names_until_it_is_forgotten(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await mornings(api)
    await remember(
        api,
        "chat",
        ask("2024-03-11", "My brother Karim lives in Lisbon.", hour="10:00", name="Maria"),
        ask("2024-03-11", "I prefer tea over coffee.", hour="10:01", name="Maria"),
    )
    window = {"start": "2024-03-11T00:00:00Z", "end": "2024-03-12T00:00:00Z"}
    result = await job(api, gateway, tenant, "extract", window)
    assert "weather" in result["patterns"][0]["text"]
    assert result["patterns"][0]["details"]["days"] == 5
    assert ("Karim", "LIVES_IN", "Lisbon") in {
        (one["source"], one["type"], one["target"]) for one in result["relationships"]
    }
    (preference,) = [one for one in result["preferences"] if "tea" in one["value"]]
    assert (preference["stated"], preference["evidence"]) == (True, 1)
    report = await job(api, gateway, tenant, "reflect", {"kind": "daily", "date": "2024-03-11"})
    assert Reflection.model_validate(report).themes
    listed = await api.get("/v1/jobs", params={"user_id": USER, "limit": 100})
    assert not [word for word in ("weather", "Karim", "Lisbon", "tea") if word in listed.text]
    (asked,) = [
        one for one in listed.json()["items"] if one["stage"] == "extract" and one["subject_id"].startswith("asked:")
    ]
    rejected = await api.post(f"/v1/preferences/{preference['id']}/reject", json={"user_id": USER})
    assert rejected.is_success, rejected.text
    await api.delete("/v1/interactions/2024-03-11T10:00:00Z-user-Maria", params={"user_id": USER})
    await gateway.digest(tenant)
    after = (await api.get(f"/v1/jobs/{asked['id']}")).json()["result"]
    assert after["patterns"] == result["patterns"]
    assert preference["id"] not in {one["id"] for one in after["preferences"]}
    assert "Karim" not in str(after)
    assert len(after["relationships"]) < len(result["relationships"])


@pytest.mark.parametrize("away", [False, True])
async def test_a_language_model_reads_the_window_or_the_result_says_why_not(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, away: bool
) -> None:
    found = SaidFinding(
        messages=[1], quote="sold the boat", finding="decision", past=False, text="The boat was sold.", confidence=0.8
    )
    reply = WindowReply(relationships=[], preferences=[], findings=[found])
    model = Scripted(None if away else reply)
    models = LanguageModels({"extraction": model}, InMemoryBudget(system_clock), concurrency=1)
    await remember(api, "s", ask("2024-03-11", "So that is that: we sold the boat.", name="Maria"))
    await gateway.digest(tenant)
    asked = work(tenant, "extract", {"start": "2024-03-11T00:00:00Z", "end": "2024-03-12T00:00:00Z"})
    result: Any = (await extract(replace(gateway.worker, models=models), [asked]))[asked.key]
    texts = [finding["text"] for finding in (await known(api))["findings"]]
    assert (result["model"], result["fallback"]) == ((None, "unavailable") if away else ("scripted:one", None))
    assert ("The boat was sold." in texts) != away


async def test_observing_again_changes_nothing(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    await remember(api, "s", ask("2024-03-04", "I decided to sell the boat. I live in Lisbon.", name="Maria"))
    await gateway.digest(tenant)
    before = await known(api)
    assert before["findings"]
    item = "2024-03-04T08:10:00Z-user-Maria"
    again = replace(work(tenant, "observe", {}, event_id=10**12), subject_id=item)
    await observe(gateway.worker, [again])
    after = await known(api)
    assert after["findings"] == before["findings"]
