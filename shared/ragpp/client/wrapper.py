"""A client of OpenAI or Anthropic that remembers: its calls are given what matters, and what is said is kept.

    llm = remembering(OpenAI(), user="ana")
    llm.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "Where does my sister live?"}])

Neither library is imported here: a client is known by what it has.
"""

import logging
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final, Protocol, TypeVar, cast
from uuid import uuid4

from ragpp.client.arguments import told_by_name
from ragpp.client.faces import AsyncFace, SyncFace, advised
from ragpp.client.later import AsyncLater, AsyncMemory, Later, Memory
from ragpp.client.plain import message, question
from ragpp.client.provider import PROVIDERS, Provider
from ragpp.client.streams import AsyncRecordedStream, RecordedStream
from ragpp.client.turn import Turn, Whose
from ragpp.clock import system_clock
from ragpp.errors import ConfigurationError, InvalidInput
from ragpp.errors.summaries import safe_summary
from ragpp.models import DEFAULT_SESSION

ClientT = TypeVar("ClientT")
ClientT_co = TypeVar("ClientT_co", covariant=True)
PATIENCE_S: Final = 5.0
"""How long a call of a model waits for the memory, before it goes on without."""
_log = logging.getLogger(__name__)
Create = Callable[..., object]
AsyncCreate = Callable[..., Coroutine[object, None, object]]


class Place(Protocol):
    """The part of a client that has its `create`."""

    create: Create


class Closable(Protocol):
    """The part of a client that is called at its end, also by `with`."""

    close: Callable[[], object]


class Copied(Protocol[ClientT_co]):
    """A client that can be had twice."""

    def copy(self) -> ClientT_co: ...


@told_by_name
def remembering(
    client: ClientT,
    *,
    user: str,
    session: str | None = None,
    agent: str | None = None,
    name: str | None = None,
    token_budget: int | None = None,
    memory: Memory | AsyncMemory | None = None,
) -> ClientT:
    """A client like `client`, of OpenAI's or Anthropic's library, whose calls have a memory.

        from openai import OpenAI

        from ragpp import remembering

        llm = remembering(OpenAI(), user="ana")
        llm.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "Where does my sister live?"}])

    `chat.completions.create` and `messages.create`, streamed or not, are given what the memory knows about the user's
    last message; that and the answer are remembered afterwards, in the conversation `session`, else in one of the
    client's own. Where the memory fails, that is logged, the call goes on without it, and what was said waits in the
    outbox. It is learned from it in the background, some seconds later.

    `client`: an OpenAI(), AsyncOpenAI(), Anthropic() or AsyncAnthropic(); it stays as it is.
    `user`: id of the user whose memory it is, 1 to 256 characters.
    `session`: id of the conversation, 1 to 256 characters; else of a new one.
    `agent`: id of the agent that the model is, 1 to 256 characters; else the one of the key, or none.
    `name`: of the user, 1 to 200 characters, where several speak as one; else none.
    `token_budget`: most tokens of what the model is told, 0 to 200,000; else the gateway's GATEWAY_TOKEN_BUDGET, 2,000.
    `memory`: a MemoryClient, or an AsyncMemoryClient for an asynchronous client; else one as MemoryClient() finds it,
    looked for until it is there, which waits for 5 s at most and is closed with the client that comes back.

    Raises InvalidInput for an argument that is none; ConfigurationError for a client of neither library.
    """
    with advised():
        provider = _provider_of(client)
        message("-", user=user, session=session or DEFAULT_SESSION, agent=agent, name=name)
        question("-", user=user, token_budget=token_budget)
        is_async = hasattr(client, "__aenter__")
        _see_memory(memory, is_async=is_async)
    whose = Whose(provider, user, session or f"c-{uuid4().hex}", agent, name, token_budget, system_clock)
    mine = cast("Copied[ClientT]", client).copy()
    place, closable = cast("Place", provider.place_of(mine)), cast("Closable", mine)
    if is_async:
        memory = memory or _own_async_memory(closable)
        place.create = _async_create(whose, cast("AsyncCreate", place.create), cast("AsyncMemory", memory))
    else:
        memory = memory or _own_memory(closable)
        place.create = _create(whose, place.create, cast("Memory", memory))
    return mine


def _provider_of(client: object) -> Provider:
    """The provider whose client it is. Raises InvalidInput for a class, ConfigurationError for what is none."""
    if isinstance(client, type):
        raise InvalidInput("client: is a class", suggestions=("Give one that is made: remembering(OpenAI(), user=…).",))
    provider = next((one for one in PROVIDERS if one.is_of(client)), None)
    if provider is None:
        raise ConfigurationError(
            "this is no client of OpenAI's or Anthropic's library",
            suggestions=("Give an OpenAI(), AsyncOpenAI(), Anthropic() or AsyncAnthropic().",),
        )
    return provider


def _see_memory(memory: object, *, is_async: bool) -> None:
    """Raises InvalidInput for what is no memory, ConfigurationError for one of the other kind of `with`."""
    verbs = (getattr(memory, verb, None) for verb in ("recall", "remember"))
    if memory is not None and (isinstance(memory, type) or not all(map(callable, verbs))):
        raise InvalidInput(
            "memory: is no client of the memory",
            suggestions=("Give a MemoryClient() or an AsyncMemoryClient(), or leave it out.",),
        )
    if isinstance(memory, SyncFace if is_async else AsyncFace):
        raise ConfigurationError(
            "the memory and the client of the model are not of one kind",
            suggestions=("Give an AsyncMemoryClient to an asynchronous client, and a MemoryClient to another.",),
        )


def _create(whose: Whose, create: Create, memory: Memory) -> Create:
    def remembered(**given: object) -> object:
        turn = Turn(whose, given)
        try:
            question = turn.question()
            known = turn.with_context(memory.recall(question)) if question else turn.given
        except Exception as error:  # noqa: BLE001 - whatever it is, the model's answer is worth more
            _tell("recalled", error)
            known = turn.given
        answer = create(**known)
        if given.get("stream") is True:
            return RecordedStream(answer, whose.provider.piece, lambda reply: store(turn, reply))
        store(turn, whose.provider.reply(answer))
        return answer

    def store(turn: Turn, reply: str) -> None:
        try:
            for said in turn.said(reply):
                memory.remember(said)
        except Exception as error:  # noqa: BLE001 - as above
            _tell("remembered", error)

    return remembered


def _async_create(whose: Whose, create: AsyncCreate, memory: AsyncMemory) -> AsyncCreate:
    async def remembered(**given: object) -> object:
        turn = Turn(whose, given)
        try:
            question = turn.question()
            known = turn.with_context(await memory.recall(question)) if question else turn.given
        except Exception as error:  # noqa: BLE001 - as above
            _tell("recalled", error)
            known = turn.given
        answer = await create(**known)
        if given.get("stream") is True:
            return AsyncRecordedStream(answer, whose.provider.piece, lambda reply: store(turn, reply))
        await store(turn, whose.provider.reply(answer))
        return answer

    async def store(turn: Turn, reply: str) -> None:
        try:
            for said in turn.said(reply):
                await memory.remember(said)
        except Exception as error:  # noqa: BLE001 - as above
            _tell("remembered", error)

    return remembered


def _tell(what: str, error: Exception) -> None:
    _log.warning("not %s, and the model is called all the same: %s", what, safe_summary(error))


def _own_memory(client: Closable) -> Later:
    """One that is closed with `client`, at the latest when nobody has that any more or the program ends."""
    from ragpp.client import MemoryClient  # noqa: PLC0415 - which imports this module

    memory = Later(lambda url, key, box: MemoryClient(url, key, timeout_s=PATIENCE_S, retries=0, outbox=box))
    close, ended = client.close, weakref.finalize(client, memory.close)

    def close_both() -> None:
        try:
            close()
        finally:
            ended()

    client.close = close_both
    return memory


def _own_async_memory(client: Closable) -> AsyncLater:
    """One that is closed with `client`: nothing can be awaited later."""
    from ragpp.client import AsyncMemoryClient  # noqa: PLC0415 - as above

    memory = AsyncLater(lambda url, key, box: AsyncMemoryClient(url, key, timeout_s=PATIENCE_S, retries=0, outbox=box))
    close = cast("Callable[[], Awaitable[None]]", client.close)

    async def close_both() -> None:
        try:
            await close()
        finally:
            await memory.aclose()

    client.close = close_both
    return memory
