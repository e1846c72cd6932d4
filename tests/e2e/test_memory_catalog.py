"""The catalog as an agent has it in Python: kept, chosen, judged and cleaned up; the demonstration, and the example."""

from pathlib import Path

import pytest

from ragpp import MemoryCatalog
from ragpp.catalog import ItemKind
from ragpp.client import AsyncMemoryClient
from ragpp.errors import ConfigurationError, Forbidden, InvalidInput
from tests.support.real_gateway import RealGateway, done
from tests.support.source import module_of

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
CHOSE = "We decided to keep the orders in PostgreSQL, since their queries need joins."
FAILED = "The nightly import failed, since the certificate of the mail server had expired."


async def test_what_an_agent_keeps_it_finds_reads_and_deletes(memory: AsyncMemoryClient) -> None:
    async with MemoryCatalog("ergon", client=memory, user_id="u-cat") as catalog:
        chose = await catalog.store(CHOSE, tags=("Orders",), priority=7)
        await catalog.store(FAILED)
        assert (chose.type, chose.ci, chose.tags) == ("decision", "ergon", ("Orders",))
        assert [one.memory_id for one in await catalog.search(tags=("orders",))] == [chose.memory_id]
        assert (await catalog.search("Why did the import fail?"))[0].type == "error"
        relevant = await catalog.get_relevant("Which database do the orders use?", max_tokens=200)
        assert relevant.memories[0].entry.memory_id == chose.memory_id
        assert relevant.tokens <= 200
        read = await catalog.get(chose.memory_id)
        assert read is not None
        assert read.content == CHOSE
        assert await catalog.delete(chose.memory_id)
        assert not await catalog.delete(chose.memory_id)
        assert await catalog.get(chose.memory_id) is None


async def test_an_agents_catalog_is_that_agents_with_a_key_that_is_bound_to_none(memory: AsyncMemoryClient) -> None:
    ergon = MemoryCatalog("ergon", client=memory, user_id="u-two")
    scribe = MemoryCatalog("scribe", client=memory, user_id="u-two")
    own = await ergon.store(CHOSE, memory_id="mem_1")
    shared = await ergon.store(FAILED, visibility="shared")
    assert [one.memory_id for one in await scribe.search()] == [shared.memory_id]
    for name in (own.memory_id, "mem_1"):
        assert await scribe.get(name) is None
        assert not await scribe.delete(name)
    with pytest.raises(Forbidden):
        await scribe.delete(shared.memory_id)
    assert {one.memory_id for one in await ergon.search()} == {own.memory_id, shared.memory_id}
    assert await ergon.delete("mem_1")


async def test_what_cannot_be_is_refused_as_an_error_of_ours(memory: AsyncMemoryClient, tmp_path: Path) -> None:
    catalog = MemoryCatalog("ergon", client=memory, user_id="u-odd")
    dream: ItemKind = "dream"  # type: ignore[assignment]  # what a caller without types may give
    for refused in (
        catalog.store(CHOSE, priority=70),
        catalog.store(CHOSE, type=dream),
        catalog.memory_request_hook("m1"),
        catalog.post_response_hook("As m1 says.", "m1"),
    ):
        with pytest.raises(InvalidInput):
            await refused
    path = str(tmp_path / "ergon.json")
    await catalog.export_file(path)
    await catalog.import_file(path)


async def test_what_has_to_go_is_told_and_an_exchange_is_kept(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    catalog = MemoryCatalog("ergon", client=memory, user_id="u-exp")
    said = await done(gateway, tenant, catalog.expire_old(dry_run=True))
    assert (said["task"], said["dry_run"]) == ("retention", True)
    job = await catalog.post_message_hook("Which queue?", "We decided to use Kafka 3.7 for the orders queue.")
    await gateway.digest(tenant)
    assert (await memory.job(job.id)).state == "done"
    injection = await catalog.pre_message_hook("Which queue did we decide to use for the orders?")
    assert "Kafka" in injection.injection


async def test_a_turn_without_an_agent_is_refused_before_anything_is_asked(memory: AsyncMemoryClient) -> None:
    with pytest.raises(ConfigurationError, match="none is named"):
        await MemoryCatalog(client=memory, user_id="u1").pre_prompt_hook("x")


async def test_the_example_answers_with_what_it_chose(memory: AsyncMemoryClient) -> None:
    example = module_of("examples/choosing_agent.py")
    catalog = MemoryCatalog("ergon", client=memory, user_id="u-example")
    for note in example.NOTES:
        await catalog.store(note, visibility="agent")
    assert "PostgreSQL" in await example.turn(catalog, "Where do we keep the orders?")
    assert "nothing" in await example.turn(catalog, "Sing me a song about the sea!")


async def test_the_demonstration_shows_two_agents_a_budget_and_what_sinks(
    memory: AsyncMemoryClient, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = module_of("infra/scripts/agents_demo.py")
    await demo.show(memory)
    said = capsys.readouterr().out
    assert "ergon sees 3 memories" in said
    assert "scribe sees 3 memories" in said
    scribe, ergon = said.split("ergon is asked")
    assert demo.OF_ERGON not in scribe
    assert demo.OF_SCRIBE not in ergon
    assert "of 120 tokens used" in scribe
    assert "has sunk below the other: True" in ergon
