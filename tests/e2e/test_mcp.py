"""The memory for assistants that speak the Model Context Protocol, with the official client, on both transports."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from functools import partial
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent, TextResourceContents

from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

TOLD = "My sister Elena moved to Porto last spring."


@asynccontextmanager
async def over_http(address: str, key: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=60) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(address: str, key: str) -> AsyncIterator[Client]:
    command = ["-m", "ragpp_infra.cli.start", "mcp", "--user", "ann", "--url", address]
    server = StdioServerParameters(command=sys.executable, args=command, env={"RAGPP_API_KEY": key})
    async with Client(stdio_client(server)) as client:
        yield client


Assistant = Callable[[], AbstractAsyncContextManager[Client]]


@pytest.fixture(params=["http", "stdio"])
async def assistant(request: pytest.FixtureRequest, gateway: RealGateway, tenant: str, address: str) -> Assistant:
    """Connects as an assistant whose usual user is ann: over HTTP by its key, on standard input and output by the
    command. It is left in the task that has entered it, so it is no fixture itself."""
    if request.param == "http":
        return partial(over_http, address, await gateway.key(tenant, user_id="ann"))
    return partial(over_stdio, address, await gateway.key(tenant))


async def call(client: Client, tool: str, **arguments: object) -> tuple[str, dict[str, Any]]:
    """The text of a tool's answer, for the model, and its structured content, for the program."""
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    assert isinstance(content, TextContent)
    assert not answer.is_error, content.text
    assert answer.structured_content is not None
    return content.text, answer.structured_content


async def refused(client: Client, tool: str, **arguments: object) -> str:
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    assert answer.is_error
    assert isinstance(content, TextContent)
    return content.text


async def test_an_assistant_remembers_recalls_and_forgets(
    assistant: Assistant, gateway: RealGateway, tenant: str
) -> None:
    async with assistant() as client:
        kept, remembered = await call(client, "remember", text=TOLD, name="Ann")
        assert kept.startswith("Stored")
        await gateway.digest(tenant)

        context, recalled = await call(client, "recall", question="Where does my sister live?")
        assert TOLD in context
        assert "RECENT CONVERSATION" not in context, "an assistant has the conversation before it"
        assert recalled["relevance"] in {"some", "clear"}
        assert remembered["id"] in [one["id"] for one in recalled["memories"]]

        known, profile = await call(client, "profile")
        assert "Porto" in known
        assert any("Porto" in fact["text"] for fact in profile["facts"])

        would, listed = await call(client, "forget", about="Elena")
        assert TOLD in would
        assert listed["forgotten"] is None
        still, _ = await call(client, "recall", question="Where does my sister live?")
        assert TOLD in still, "the first call changes nothing"

        _, done = await call(client, "forget", about="Elena", token=listed["token"])
        assert done["forgotten"] == 1
        gone, nothing = await call(client, "recall", question="Where does my sister live?")
        assert gone == "Nothing is known about that."
        assert nothing["memories"] == []


async def test_words_are_forgotten_where_no_name_is_so_called(assistant: Assistant) -> None:
    async with assistant() as client:
        await call(client, "remember", text="The boiler code is blue heron.")
        await call(client, "remember", text="The boiler man comes on Friday.")
        _, listed = await call(client, "forget", about="boiler code")
        assert [one["excerpt"] for one in listed["messages"]] == ["The boiler code is blue heron."]
        only = listed["messages"][0]["id"]
        _, done = await call(client, "forget", about="boiler code", token=listed["token"], only_ids=[only])
        assert done["forgotten"] == 1


async def test_no_ids_are_not_all_of_them(assistant: Assistant) -> None:
    async with assistant() as client:
        await call(client, "remember", text=TOLD)
        _, listed = await call(client, "forget", about="Elena")
        await refused(client, "forget", about="Elena", token=listed["token"], only_ids=[])
        still, _ = await call(client, "recall", question="Where does my sister live?")
        assert TOLD in still


async def test_what_is_wrong_is_told_so_that_a_model_can_mend_it(assistant: Assistant) -> None:
    async with assistant() as client:
        assert "is blank" in await refused(client, "remember", text=" ")
        assert "Call `forget` without one first" in await refused(client, "forget", about="x", token="made up")
        assert "token_budget" in await refused(client, "recall", question="What?", token_budget=1)


async def test_a_profile_a_page_and_a_briefing_can_be_put_into_a_conversation(
    assistant: Assistant, gateway: RealGateway, tenant: str
) -> None:
    async with assistant() as client:
        await call(client, "remember", text=TOLD)
        await gateway.digest(tenant)
        (own,) = (await client.list_resources()).resources
        read = await client.read_resource(own.uri)
        (profile,) = read.contents
        assert isinstance(profile, TextResourceContents)
        assert "Porto" in profile.text
        asked = await client.get_prompt("brief_me", {"about": "my sister"})
        (message,) = asked.messages
        assert isinstance(message.content, TextContent)
        assert TOLD in message.content.text
        with pytest.raises(MCPError, match="nowhere"):
            await client.read_resource("ragpp://pages/nowhere")


async def test_the_catalog_is_searched(assistant: Assistant, gateway: RealGateway, tenant: str) -> None:
    async with assistant() as client:
        async with gateway.memory(await gateway.key(tenant)) as memory:
            stored = await memory.store_resource(
                user_id="ann", resource_type="document", content="The pro plan costs 40 euros a month."
            )
        await gateway.digest(tenant)
        text, found = await call(client, "search_catalog", question="What does the pro plan cost?")
        assert "40 euros" in text
        assert found["items"][0]["source"] == stored.resource.resource_id


async def test_five_tools_say_what_they_do_to_a_memory(assistant: Assistant) -> None:
    async with assistant() as client:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert {name for name, hints in tools.items() if hints and hints.read_only_hint} == {
            "recall",
            "profile",
            "search_catalog",
        }
        assert [name for name, hints in tools.items() if hints and hints.destructive_hint] == ["forget"]
        assert len(tools) == 5


async def test_nobody_without_a_key_is_told_anything(address: str) -> None:
    for headers in ({}, {"authorization": "Bearer rp_unknown"}):
        async with httpx2.AsyncClient(headers=headers) as http:
            answer = await http.post(f"{address}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert answer.status_code == 401
        assert "tools" not in answer.text


async def test_a_request_is_admitted_as_any_other(gateway: RealGateway, tenant: str, address: str) -> None:
    key = await gateway.key(tenant)
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, base_url=address, timeout=60) as http:
        assert (await http.post("/mcp", content=b"x", headers={"content-type": "text/plain"})).status_code == 415
        assert (await http.post("/mcp", content=b" " * (gateway.parts.limits.body_bytes + 1))).status_code == 413
        hostile = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":[' + b"[]," * 100_000 + b"0]}}"
        assert (await http.post("/mcp", content=hostile)).status_code == 413, "more values than any request has"
        with ExitStack() as held:
            for _ in range(100):  # as many as a key may have under way
                held.enter_context(gateway.parts.traffic.admitted(f"key_{key[3:15]}"))
            assert (await http.post("/mcp", json=question)).status_code == 429
        assert (await http.post("/mcp", json=question, headers={"accept": "application/json"})).status_code == 200


async def test_no_stream_is_opened_that_never_says_anything(gateway: RealGateway, tenant: str, address: str) -> None:
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {await gateway.key(tenant)}"}) as http:
        assert (await http.get(f"{address}/mcp")).status_code == 405


async def test_a_key_may_do_no_more_than_elsewhere(gateway: RealGateway, tenant: str, address: str) -> None:
    async with over_http(address, await gateway.key(tenant)) as writer:
        await call(writer, "remember", text=TOLD, user="ann")
        assert "no user is named" in await refused(writer, "recall", question="Where does my sister live?")
        assert (await writer.list_resources()).resources == []
    async with over_http(address, await gateway.key(tenant, "read", user_id="ann")) as reader:
        assert "lacks the scope `write`" in await refused(reader, "remember", text="No.")
        assert "bound to another user" in await refused(reader, "recall", question="Who?", user="bob")
    async with over_http(address, await gateway.key(f"{tenant}-other")) as stranger:
        nothing, _ = await call(stranger, "recall", question="Where does my sister live?", user="ann")
        assert nothing == "Nothing is known about that."
    actions = {(row["action"], row["status"]) for row in await gateway.audited(tenant)}
    assert ("POST /v1/interactions", 403) in actions, "what a tool asks is audited as any request is"
