"""The providers' own client libraries against a server that speaks their protocols, and all that goes wrong there."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Final

import pytest

from ragpp.errors import LanguageModelError, MalformedReply, ModelRateLimited, ModelRefused, ModelUnavailable
from ragpp.llm import ChatMessage, LanguageModel, Prompt, Usage
from ragpp.llm.anthropic import AnthropicModel
from ragpp.llm.openai_compatible import OpenAICompatibleModel
from ragpp.llm.replies import SummaryReply
from ragpp.providers import FIRST_WAIT_S, LONGEST_WAIT_S
from ragpp.testing.llm import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Answered,
    Failed,
    JsonObject,
    LlmServer,
    Raw,
    Reply,
    Silence,
)
from tests.support.each import each_case

PROMPT: Final = Prompt("summarise.v1", "You summarise.", "<messages>…</messages>", max_tokens=300)
GOOD: Final = Answered(reply={"lines": ["Ana moved to Turin"]})
COST: Final = Usage(INPUT_TOKENS, OUTPUT_TOKENS)
SAID: Final = [ChatMessage("system", "Be brief."), ChatMessage("user", "Hello?")]


class Sleeps:
    """Waits for nothing and remembers how long it was to wait."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)


Make = Callable[..., LanguageModel]


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


@pytest.fixture(params=["openai", "anthropic"])
async def model(request: pytest.FixtureRequest, server: LlmServer, sleeps: Sleeps) -> AsyncIterator[LanguageModel]:
    made = make(request.param, server, sleeps)
    yield made
    await made.close()


def make(
    provider: str,
    server: LlmServer,
    sleeps: Sleeps,
    *,
    timeout_s: float = 30.0,
    retries: int = 2,
    first_wait_s: float = FIRST_WAIT_S,
) -> LanguageModel:
    made = OpenAICompatibleModel if provider == "openai" else AnthropicModel
    return made(
        model="m-1",
        api_key="k",
        base_url=server.openai_url if provider == "openai" else server.url,
        timeout_s=timeout_s,
        retries=retries,
        first_wait_s=first_wait_s,
        sleep=sleeps,
    )


async def lines_of(model: LanguageModel) -> list[str]:
    return (await model.complete(PROMPT, schema=SummaryReply)).reply.lines


async def words_of(model: LanguageModel) -> tuple[str, Usage | None]:
    deltas = [delta async for delta in model.stream(SAID)]
    return "".join(delta.text for delta in deltas), deltas[-1].usage


async def test_a_reply_is_a_value_of_the_schema_with_what_it_cost(server: LlmServer, model: LanguageModel) -> None:
    server.replies(GOOD)
    completion = await model.complete(PROMPT, schema=SummaryReply)
    assert completion.reply == SummaryReply(lines=["Ana moved to Turin"])
    assert completion.usage == COST
    assert completion.model == model.name == f"{model.name.partition(':')[0]}:m-1"


async def test_instructions_and_data_go_in_apart_and_the_schema_with_them(
    server: LlmServer, model: LanguageModel
) -> None:
    server.replies(GOOD)
    await lines_of(model)
    [request] = server.requests
    sent = json.dumps(request.body)
    assert PROMPT.user in json.dumps(request.body, ensure_ascii=False)
    assert '"additionalProperties": false' in sent
    assert "maxLength" not in sent  # strict modes refuse it
    assert request.headers["authorization"] == "Bearer k"
    if model.name.startswith("openai"):
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]  # type: ignore[attr-defined]
    else:
        assert request.body["system"] == PROMPT.system


FAILURES: Final[tuple[tuple[Reply, type[LanguageModelError], int], ...]] = (
    (Failed(500), ModelUnavailable, 3),
    (Failed(503), ModelUnavailable, 3),
    (Failed(529, code="overloaded_error"), ModelUnavailable, 3),
    (Failed(429), ModelRateLimited, 3),
    (Failed(429, retry_after="3600"), ModelRateLimited, 1),
    (Failed(400), ModelRefused, 1),
    (Failed(401), ModelRefused, 1),
    (Failed(403), ModelRefused, 1),
    (Failed(404), ModelRefused, 1),
    (Raw("{ not json"), MalformedReply, 1),
    (Raw("<html>a proxy's page</html>", media_type="text/html"), MalformedReply, 1),
    (Raw("[]"), MalformedReply, 1),
    (Raw("{}"), MalformedReply, 1),
    (Answered(text="no JSON here"), MalformedReply, 2),
    (Answered(reply={"lines": [7]}), MalformedReply, 2),
    (Answered(reply={"lines": [], "more": 1}), MalformedReply, 2),
    (Answered(reply={"lines": ["cut"]}, stop="length"), MalformedReply, 1),
    (Answered(text="", stop="content_filter"), ModelRefused, 1),
)
"""A provider's answer, the error that it is, and how often it is asked."""


@each_case("provider", ["openai", "anthropic"])
async def test_every_failure_is_an_error_of_ours_after_a_bounded_number_of_calls(
    server: LlmServer, provider: str
) -> None:
    """Catches a failure of a provider that is told as another, asked for again in vain, or told with the key."""
    offenders = [
        f"{failure}: {error.__name__} after {calls} calls is expected, came {came}"
        for failure, error, calls in FAILURES
        if (came := await failed(provider, server, failure)) != (error, calls, "suggestions", "no key")
    ]
    assert not offenders, "\n".join(offenders)


async def failed(provider: str, server: LlmServer, failure: Reply) -> tuple[object, int, str, str]:
    """The outcome of a failure at a new model: an error's type, calls, what its message has."""
    server.requests.clear()
    server.replies(failure)
    model = make(provider, server, Sleeps())
    try:
        answered = await lines_of(model)
    except LanguageModelError as error:
        helps = "suggestions" if error.suggestions else "no suggestion"
        return type(error), len(server.requests), helps, "a key" if "Bearer" in error.message else "no key"
    finally:
        await model.close()
    return answered, len(server.requests), "no error", "no key"


async def test_a_limit_that_waiting_does_not_mend_is_not_waited_for(server: LlmServer, sleeps: Sleeps) -> None:
    server.replies(Failed(429, code="insufficient_quota"))
    model = make("openai", server, sleeps)
    with pytest.raises(ModelRefused):
        await lines_of(model)
    assert len(server.requests) == 1
    await model.close()


async def test_what_passes_is_tried_again_after_what_the_provider_asks_for(
    server: LlmServer, model: LanguageModel, sleeps: Sleeps
) -> None:
    server.replies(Failed(429, retry_after="7"), Failed(500), GOOD)
    assert await lines_of(model) == ["Ana moved to Turin"]
    assert sleeps.asked[0] == 7.0
    assert 0 < sleeps.asked[1] <= LONGEST_WAIT_S


@each_case("provider", ["openai", "anthropic"])
async def test_each_wait_is_twice_the_one_before(server: LlmServer, provider: str) -> None:
    sleeps = Sleeps()
    server.replies(Failed(500), Failed(500), Failed(500), GOOD)
    model = make(provider, server, sleeps, retries=3, first_wait_s=2.0)
    assert await lines_of(model) == ["Ana moved to Turin"]
    await model.close()
    assert all(most / 2 <= asked <= most for most, asked in zip((2, 4, 8), sleeps.asked, strict=True))


async def test_an_answer_of_another_form_is_asked_for_once_more_with_what_is_wrong(
    server: LlmServer, model: LanguageModel
) -> None:
    server.replies(Answered(reply={"lines": "not a list"}), GOOD)
    completion = await model.complete(PROMPT, schema=SummaryReply)
    assert completion.reply.lines == ["Ana moved to Turin"]
    assert completion.usage == Usage(2 * INPUT_TOKENS, 2 * OUTPUT_TOKENS)
    assert "could not be read: lines" in json.dumps(server.requests[1].body)


@each_case(("told", "asks"), {"repeated": ("", 2), "said": ("Ana, 3 May: moves to Turin in June", 1)})
async def test_an_answer_with_the_example_of_the_instructions_is_asked_for_once_more(
    server: LlmServer, model: LanguageModel, told: str, asks: int
) -> None:
    """Catches that what a small model copies from a prompt is kept as if somebody had said it."""
    example = {"lines": ["Ana, 3 May: moves to Turin in June"]}
    server.replies(Answered(reply=example), GOOD)
    before = len(server.requests)
    prompt = replace(PROMPT, system=f"Answer like {json.dumps(example)}", user=told)
    reply = (await model.complete(prompt, schema=SummaryReply)).reply
    assert reply.lines == (["Ana moved to Turin"] if asks == 2 else example["lines"])
    assert len(server.requests) == before + asks
    assert ("repeats the example" in json.dumps(server.requests[-1].body)) is (asks == 2)


async def test_a_malformed_reply_tells_what_it_cost(server: LlmServer, model: LanguageModel) -> None:
    server.replies(Answered(text="no"))
    with pytest.raises(MalformedReply) as raised:
        await lines_of(model)
    assert raised.value.tokens_used == 2 * COST.total


@each_case("provider", ["openai", "anthropic"])
async def test_a_model_that_does_not_answer_in_time_is_unavailable(server: LlmServer, provider: str) -> None:
    sleeps = Sleeps()
    server.replies(Silence())
    model = make(provider, server, sleeps, timeout_s=0.05, retries=1)
    with pytest.raises(ModelUnavailable, match="in time"):
        await lines_of(model)
    assert len(sleeps.asked) == 1
    await model.close()


@each_case("provider", ["openai", "anthropic"])
async def test_a_model_that_cannot_be_reached_is_unavailable(provider: str) -> None:
    sleeps = Sleeps()
    async with LlmServer() as gone:
        model = make(provider, gone, sleeps)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await lines_of(model)
    assert len(sleeps.asked) == 2
    await model.close()


async def test_a_stream_is_read_as_it_comes(server: LlmServer, model: LanguageModel) -> None:
    server.replies(Answered(text="Good morning, Ana."))
    assert await words_of(model) == ("Good morning, Ana.", COST)
    assert server.requests[0].body["stream"] is True


async def test_a_stream_that_has_not_begun_is_tried_again(server: LlmServer, model: LanguageModel) -> None:
    server.replies(Failed(500), Failed(429, retry_after="1"), Answered(text="hello"))
    assert (await words_of(model))[0] == "hello"


@each_case(
    ("broken", "error"),
    [(Answered(text="half of", cut=True), MalformedReply), (Answered(text="half of", dropped=True), ModelUnavailable)],
)
async def test_a_stream_that_breaks_off_is_an_error_after_what_came(
    server: LlmServer, model: LanguageModel, broken: Answered, error: type[LanguageModelError]
) -> None:
    server.requests.clear()
    server.replies(broken)
    heard: list[str] = []

    async def listen() -> None:
        async for delta in model.stream(SAID):
            heard.append(delta.text)  # noqa: PERF401 - what came before it broke off counts

    with pytest.raises(error):
        await listen()
    assert "".join(heard) == "half of"
    assert len(server.requests) == 1


async def test_a_stream_of_nonsense_is_malformed(server: LlmServer, model: LanguageModel) -> None:
    body = 'event: message_start\ndata: {"type": \n\ndata: {oh\n\n'
    server.replies(Raw(body, media_type="text/event-stream"))
    with pytest.raises(LanguageModelError):
        await words_of(model)


@each_case(
    ("unknown", "form"),
    [
        ((), {"type", "json_schema"}),
        (("json_schema",), {"type", "schema"}),
        (('"schema"',), {"type"}),
        (("response_format",), None),
    ],
)
async def test_a_server_that_knows_less_of_the_api_is_asked_for_less(
    server: LlmServer, sleeps: Sleeps, unknown: tuple[str, ...], form: set[str] | None
) -> None:
    server.unknown = (*unknown, "temperature")
    server.replies(Answered(text='Here you are:\n```json\n{"lines": ["Ana moved"]}\n```'))
    model = make("openai", server, sleeps)
    assert await lines_of(model) == ["Ana moved"]
    tried = len(server.requests)
    assert await lines_of(model) == ["Ana moved"]
    assert len(server.requests) == tried + 1  # what was learned is kept
    last = server.requests[-1].body
    assert "temperature" not in last
    asked = last.get("response_format")
    assert asked is None if form is None else isinstance(asked, dict) and set(asked) == form
    await model.close()


async def test_what_a_server_names_in_a_500_is_left_out_as_well(server: LlmServer, sleeps: Sleeps) -> None:
    """Catches that a server whose checks of a request end in a 500 is taken for one that is down."""
    validation = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'input': 'json_schema'}]"

    def by(body: JsonObject) -> Reply:
        return Failed(500, validation) if "json_schema" in json.dumps(body) else GOOD

    server.answers(by)
    model = make("openai", server, sleeps, retries=0)
    assert await lines_of(model) == ["Ana moved to Turin"]
    assert (len(server.requests), sleeps.asked) == (2, [])
    await model.close()


async def test_either_name_of_the_limit_is_found(server: LlmServer, sleeps: Sleeps) -> None:
    server.replies(Failed(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), GOOD)
    model = make("openai", server, sleeps)
    assert await lines_of(model) == ["Ana moved to Turin"]
    assert server.requests[-1].body["max_completion_tokens"] == 300
    await model.close()


async def test_calls_are_made_at_once(server: LlmServer, model: LanguageModel) -> None:
    server.replies(GOOD)
    assert await asyncio.gather(*(lines_of(model) for _ in range(5))) == 5 * [["Ana moved to Turin"]]
