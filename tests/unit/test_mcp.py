"""The refusals of the server for assistants, and their words."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest
from mcp import Client, MCPError
from mcp_types import TextContent, TextResourceContents

from ragpp.api.people import Profile
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Forbidden, MemorySystemError, StackError
from ragpp.errors.problems import MEDIA_TYPE, invalid_fields, problem_of
from ragpp.mcp.connecting import Connected
from ragpp.mcp.server import make_server

TOKEN = "words:" + "a" * 32


PROFILE = Profile(
    user_id="ann", text="Nothing is known of ann.", entities=(), relationships=(), preferences=(), rules=(), findings=()
).model_dump(mode="json")


@dataclass
class Gateway:
    """A gateway that has three messages about boilers, two to a page, and refuses what it was told to refuse."""

    refusal: MemorySystemError | None = None
    waiting: int = 0
    ids: list[str] = field(default_factory=lambda: ["m-1", "m-2", "m-3"])
    asked: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def answer(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content or b"{}")
        self.asked.append((request.url.path, body))
        if self.refusal is not None:
            document = problem_of(self.refusal).model_dump(mode="json")
            return httpx.Response(self.refusal.status, json=document, headers={"content-type": MEDIA_TYPE})
        if request.url.path.endswith("/profile"):
            return httpx.Response(200, json=PROFILE)
        if request.url.path.endswith("/pending"):
            return httpx.Response(200, json={"pending": self.waiting})
        start = int(body.get("cursor") or 0)
        confirmed = body.get("confirm")
        gone = [one for one in self.ids if confirmed and one in confirmed["ids"]]
        self.ids = [one for one in self.ids if one not in gone]
        found = [_message(one) for one in self.ids[start : start + 2]]
        following = str(start + 2) if start + 2 < len(self.ids) else None
        answer = {"found": found, "total": len(self.ids), "next_cursor": following, "token": "a" * 32, "with_them": {}}
        return httpx.Response(200, json={**answer, "forgotten": len(gone) if confirmed else None})


def _message(identifier: str) -> dict[str, object]:
    said = {"role": "user", "excerpt": "The boiler.", "why": ["words"]}
    return {"id": identifier, "session_id": "s", "occurred_at": "2026-03-08T13:56:00Z", **said}


@asynccontextmanager
async def assistant(
    gateway: Gateway, user: str | None = "ann", starting: StackError | None = None
) -> AsyncIterator[Client]:
    @asynccontextmanager
    async def connect(_headers: Mapping[str, str] | None) -> AsyncIterator[Connected]:
        if starting is not None:
            raise starting
        transport = httpx.MockTransport(gateway.answer)
        async with AsyncMemoryClient("http://gateway", "k", retries=0, transport=transport) as client:
            yield Connected(client, user)

    async def usual_user(_headers: Mapping[str, str] | None) -> str | None:
        return user

    async with Client(make_server(connect, usual_user)) as client:
        yield client


async def refused(client: Client, tool: str, **arguments: object) -> str:
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    assert isinstance(content, TextContent)
    assert answer.is_error, content.text
    return content.text


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("recall", {"question": "Who?", "max_tokens": 50}, ["no argument `max_tokens`, but `token_budget`", "`user`"]),
        ("recall", {"query": "Who?"}, ["no argument `query`, but `question`"]),
        ("remember", {"content": "x"}, ["no argument `content`, but `text`"]),
        ("profile", {"user_id": "ann"}, ["no argument `user_id`, but `user`"]),
        ("search_catalog", {"question": "x", "zzz": 1}, ["no argument `zzz`. It takes `question`, `limit`, `user`."]),
        ("recall", {}, ["`recall` needs `question`."]),
        ("recall", {"question": "Who?", "token_budget": "many"}, ["token_budget: Input should be a valid integer"]),
        ("recall", {"question": "Who?", "token_budget": 1}, ["token_budget: ", "greater than or equal to 50"]),
        ("remember", {"text": "x", "user": ""}, ["user: is empty", "Leave it out"]),
        ("search_catalog", {"question": "x", "user": " "}, ["user: is empty"]),
        ("forget", {"about": "x", "token": TOKEN, "only_ids": []}, ["only_ids: is empty"]),
        ("forget", {"about": "x", "token": "made up"}, ["Call `forget` without one first"]),
        ("recall", {"question": " "}, ["question: "]),
    ],
)
async def test_a_wrong_argument_is_refused_by_its_name_before_anything_is_asked(
    tool: str, arguments: dict[str, object], words: list[str]
) -> None:
    gateway = Gateway()
    async with assistant(gateway) as client:
        told = await refused(client, tool, **arguments)
    assert all(one in told for one in words), told
    assert all(one not in told for one in ("pydantic", "`errors`", "Error executing")), told
    assert gateway.asked == []


async def test_every_schema_says_that_it_takes_no_more() -> None:
    async with assistant(Gateway()) as client:
        tools = (await client.list_tools()).tools
    assert len(tools) == 5
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)


async def test_what_the_gateway_refuses_is_told_by_the_names_of_the_tools() -> None:
    wrong = invalid_fields([{"loc": ("query",), "type": "value_error", "msg": "is too odd"}])
    async with assistant(Gateway(wrong)) as client:
        assert await refused(client, "recall", question="Who?") == "question: is too odd."
    shared = Forbidden("no user is named", suggestions=("Name the user: `user_id` (--user).",))
    async with assistant(Gateway(shared), user=None) as client:
        assert await refused(client, "search_catalog", question="x") == "no user is named. Name the user: `user`."


async def test_where_no_user_is_named_both_ways_out_are_told() -> None:
    async with assistant(Gateway(), user=None) as client:
        told = await refused(client, "profile")
        with pytest.raises(MCPError) as prompted:
            await client.get_prompt("brief_me")
    for words in (told, str(prompted.value)):
        assert "no user is named" in words
        assert "Give `user`" in words
        assert "`ragpp key create --user ana`" in words


async def test_an_id_that_is_not_listed_is_named_and_nothing_is_forgotten() -> None:
    gateway = Gateway()
    async with assistant(gateway) as client:
        told = await refused(client, "forget", about="boiler", token=TOKEN, only_ids=["m-1", "nope"])
        assert "'nope' is not among" in told
        assert "m-1" not in told
        assert gateway.ids == ["m-1", "m-2", "m-3"]
        later_page = await client.call_tool("forget", {"about": "boiler", "token": TOKEN, "only_ids": ["m-3"]})
        assert not later_page.is_error
    assert gateway.ids == ["m-1", "m-2"]


async def test_a_prompt_that_is_refused_says_why_and_logs_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    starting = StackError("the memory is starting", suggestions=("Ask again in some seconds.",))
    async with assistant(Gateway(), starting=starting) as client:
        with pytest.raises(MCPError, match=r"the memory is starting\. Ask again"):
            await client.get_prompt("brief_me")
        with pytest.raises(MCPError, match=r"`brief_me` has no argument `topic`\. It takes `about`, `user`"):
            await client.get_prompt("brief_me", {"topic": "x"})
        with pytest.raises(MCPError, match="There are: brief_me"):
            await client.get_prompt("brief")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_profile_is_listed_where_it_is_known_whose_it_is_also_while_the_memory_starts() -> None:
    async with assistant(Gateway(), starting=StackError("the memory is starting")) as client:
        assert [one.uri for one in (await client.list_resources()).resources] == ["ragpp://profile"]
    async with assistant(Gateway(), user=None) as client:
        assert (await client.list_resources()).resources == []


async def test_a_profile_says_that_more_is_to_come_where_messages_wait_to_be_learned_from() -> None:
    for waiting, told in ((3, "(3 messages wait to be learned from: ask again in a moment.)"), (0, "known of ann.")):
        async with assistant(Gateway(waiting=waiting)) as client:
            found = await client.call_tool("profile", {})
            read = await client.read_resource("ragpp://profile")
        texts = [
            one.text for one in (*found.content, *read.contents) if isinstance(one, TextContent | TextResourceContents)
        ]
        assert len(texts) == 2
        assert all(text.endswith(told) for text in texts), texts


async def test_a_briefing_is_of_the_user_that_it_names() -> None:
    gateway = Gateway(Forbidden("this key is bound to another user"))
    async with assistant(gateway) as client:
        with pytest.raises(MCPError, match="bound to another user"):
            await client.get_prompt("brief_me", {"about": "", "user": "bob"})
        with pytest.raises(MCPError):
            await client.get_prompt("brief_me", {"user": ""})
    assert ["bob" in gateway.asked[0][0], "ann" in gateway.asked[1][0]] == [True, True]
