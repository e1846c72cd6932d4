"""Things learned, read and judged over HTTP with the client: preferences by time, the review, findings, reports."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import pytest
from pydantic import JsonValue

from ragpp.api import FindingChange, RecallRequest, RuleChange, RuleIn
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Forbidden, NotFound
from ragpp.learned import Reflection, Theme
from ragpp.models import DateSpan, FindingEntry, PreferenceEntry, Scope
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = DateSpan(
    start=datetime(2024, 4, 26, tzinfo=UTC), end=datetime(2024, 4, 27, tzinfo=UTC), precision="day", text="x"
)


@pytest.fixture
def scope(tenant: str) -> Scope:
    return Scope(tenant_id=tenant, user_id="ann")


@pytest.fixture
async def memory(gateway: RealGateway, scope: Scope) -> AsyncIterator[AsyncMemoryClient]:
    """A client of a user of whom something was learned."""
    heard = [("oat milk", 0), ("cow milk", 24)]
    await gateway.parts.procedural.store(
        scope,
        [
            *(
                PreferenceEntry(
                    id=f"p{hours}",
                    category="drinks",
                    key="coffee with",
                    value=value,
                    confidence=0.4,
                    stated=False,
                    occurred_at=NOON + timedelta(hours=hours),
                    sources=(f"i{hours}",),
                )
                for value, hours in heard
            ),
            FindingEntry(
                id="f1", finding="event", text="the boiler broke", when=DAY, occurred_at=NOON, sources=("i0",)
            ),
            FindingEntry(
                id="f2", finding="plan", text="wants a tent", occurred_at=NOON + timedelta(hours=1), sources=("i24",)
            ),
        ],
    )
    theme = Theme(text="boiler", share=1.0, interactions=1, sources=("i0",))
    report = Reflection(
        id="d1", kind="daily", date=date(2024, 5, 1), status="completed", created_at=NOON, themes=(theme,)
    )
    await gateway.parts.procedural.save_reflection(scope, report)
    async with gateway.memory(await gateway.key(scope.tenant_id)) as client:
        yield client


async def test_a_preference_is_read_as_it_was_then(memory: AsyncMemoryClient) -> None:
    for hours, values in [(-1, []), (0, ["oat milk"]), (24, ["cow milk"])]:
        page = await memory.preferences("ann", as_of=NOON + timedelta(hours=hours))
        assert [one.value for one in page.items] == values
        recalled = await memory.recall(
            RecallRequest(user_id="ann", query="coffee with what", as_of=NOON + timedelta(hours=hours))
        )
        shown = [one.text for one in recalled.memories if one.kind == "preference"]
        assert shown == [f"drinks coffee with: {value}" for value in values]


async def test_what_is_not_sure_is_reviewed_and_judged(memory: AsyncMemoryClient) -> None:
    waiting = await memory.review("ann")
    assert [one.value for one in waiting.preferences] == ["cow milk"]
    assert (await memory.review("ann", below=0.3)).preferences == ()
    identifier = waiting.preferences[0].id
    for _ in range(2):
        assert (await memory.reject_preference("ann", identifier, "cow milk")).value == "oat milk"
    confirmed = await memory.confirm_preference("ann", identifier)
    assert (confirmed.value, confirmed.confidence, confirmed.verdict) == ("oat milk", 1.0, "confirmed")
    assert (await memory.review("ann")).preferences == ()
    assert (await memory.reject_preference("ann", identifier)).verdict == "rejected"
    assert (await memory.preferences("ann")).items == ()
    with pytest.raises(NotFound):
        await memory.confirm_preference("ann", identifier, "tea")


async def test_a_preference_of_any_json_value_is_set_recalled_judged_and_keeps_no_secret(
    memory: AsyncMemoryClient,
) -> None:
    value: dict[str, JsonValue] = {"theme": "dark", "panels": ["chat", "files"], "api_key": "abcdef0123456789abcdef"}
    made = await memory.set_preference(user_id="ann", category="editor", key="layout", value=value)
    assert isinstance(made.value, dict)
    assert made.value | {"api_key": None} == value | {"api_key": None}
    recalled = await memory.recall(RecallRequest(user_id="ann", query="editor layout"))
    assert "- editor layout: theme = dark, panels = [chat, files], api_key = " in recalled.context
    assert "abcdef0123456789" not in recalled.model_dump_json() + made.model_dump_json()
    unset = await memory.set_preference(user_id="ann", category="editor", key="layout", value=None)
    assert (unset.id, unset.value, unset.version) == (made.id, None, 2)
    assert (await memory.reject_preference("ann", made.id)).value == made.value
    assert (await memory.confirm_preference("ann", made.id, made.value)).confidence == 1.0
    [_, oldest] = (await memory.preference_versions("ann", made.id)).items
    assert oldest.value == made.value


async def test_findings_are_listed_recalled_with_their_time_and_forgotten(memory: AsyncMemoryClient) -> None:
    assert [one.id for one in (await memory.findings("ann")).items] == ["f2", "f1"]
    assert [one.id for one in (await memory.findings("ann", finding="event")).items] == ["f1"]
    assert [one.id for one in (await memory.findings("ann", as_of=NOON)).items] == ["f1"]
    recalled = await memory.recall(RecallRequest(user_id="ann", query="when did the boiler broke"))
    assert "- event: the boiler broke (2024-04-26)" in recalled.context
    assert (await memory.forget_finding("ann", "f1")).forgotten == 1
    assert [one.id for one in (await memory.findings("ann")).items] == ["f2"]
    with pytest.raises(NotFound):
        await memory.forget_finding("ann", "f1")


async def test_a_finding_is_confirmed_corrected_and_rejected(memory: AsyncMemoryClient) -> None:
    assert (await memory.confirm_finding("ann", "f2")).confidence == 1.0
    wanted = FindingChange(user_id="ann", text="wants a boat, api_key=abcdef0123456789")
    corrected = await memory.correct_finding("f2", wanted)
    assert corrected.text.startswith("wants a boat, api_key=")
    assert "abcdef0123456789" not in corrected.model_dump_json()
    assert corrected in (await memory.findings("ann")).items
    recalled = await memory.recall(RecallRequest(user_id="ann", query="wants a boat"))
    assert "wants a boat" in recalled.context
    assert "wants a tent" not in recalled.context
    assert (await memory.reject_finding("ann", "f2")).text == corrected.text
    assert "f2" not in {one.id for one in (await memory.findings("ann")).items}
    for call in (memory.confirm_finding, memory.reject_finding):
        with pytest.raises(NotFound):
            await call("ann", "f2")


async def test_reports_are_read(memory: AsyncMemoryClient) -> None:
    [report] = (await memory.reflections("ann", kind="daily")).items
    assert [theme.text for theme in report.themes] == ["boiler"]
    assert await memory.reflection("ann", "d1") == report
    assert (await memory.reflections("ann", kind="incremental")).items == ()
    with pytest.raises(NotFound):
        await memory.reflection("ann", "d2")


async def test_a_rule_is_put_aside_with_the_reason(memory: AsyncMemoryClient) -> None:
    rule = await memory.create_rule(RuleIn(user_id="ann", text="Answer in bullets."))
    aside = await memory.update_rule(rule.id, RuleChange(user_id="ann", aside="asked for prose"))
    assert (aside.active, aside.aside) == (False, "asked for prose")
    again = await memory.update_rule(rule.id, RuleChange(user_id="ann", active=True))
    assert (again.active, again.aside) == (True, None)


async def test_a_key_of_a_user_opens_what_is_of_that_user_alone(
    gateway: RealGateway, scope: Scope, memory: AsyncMemoryClient
) -> None:
    await memory.findings("ann")
    key = await gateway.key(scope.tenant_id, "read", user_id="bob")
    async with gateway.memory(key) as bob:
        assert (await bob.reflections("bob")).items == ()
        for call in (bob.reflections("ann"), bob.reflection("ann", "d1"), bob.review("ann"), bob.findings("ann")):
            with pytest.raises(Forbidden):
                await call
