"""A client of OpenAI or Anthropic that remembers: its calls are given what matters, and what is said is kept.

    llm = remembering(OpenAI(), user="ana")
    llm.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "Where does my sister live?"}])

Neither library is imported here: a client is known by what it has.
"""

import logging
import threading
from collections.abc import Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol, TypeVar, cast
from uuid import uuid4

from ragpp.api import MessageIn, RecallRequest, RecallResponse, StoreRequest
from ragpp.client.faces import AsyncFace, SyncFace
from ragpp.client.heard import AsyncHeard, Heard
from ragpp.client.provider import PROVIDERS, Given, Provider, at, last_asked, messages_of, newly_said, role_of, words
from ragpp.clock import Clock, system_clock
from ragpp.environment import gateway_of, outbox_folder
from ragpp.errors import ConfigurationError, MemorySystemError
from ragpp.introducing import introduced

ClientT = TypeVar("ClientT")
ClientT_co = TypeVar("ClientT_co", covariant=True)
LONGEST_QUERY: Final = 20_000
MOST_KNOWN: Final = 1_000
PATIENCE_S: Final = 5.0
"""How long a call of a model waits for the memory, before it goes on without."""
_log = logging.getLogger(__name__)
Create = Callable[..., object]
AsyncCreate = Callable[..., Coroutine[object, None, object]]


class Memory(Protocol):
    """What is asked of a MemoryClient."""

    def recall(self, request: RecallRequest) -> RecallResponse: ...
    def remember(self, request: StoreRequest) -> object: ...


class AsyncMemory(Protocol):
    """What is asked of an AsyncMemoryClient."""

    async def recall(self, request: RecallRequest) -> RecallResponse: ...
    async def remember(self, request: StoreRequest) -> object: ...


class Place(Protocol):
    """What of a client has its `create`."""

    create: Create


class Copied(Protocol[ClientT_co]):
    """A client that can be had twice."""

    def copy(self) -> ClientT_co: ...


@dataclass(frozen=True)
class Whose:
    """Whose calls they are, and of which conversation."""

    provider: Provider
    user: str
    session: str
    agent: str | None
    name: str | None
    token_budget: int | None
    clock: Clock
    ids: dict[int, str] = field(default_factory=dict)
    """Of messages, by what they say: what the caller shows the model need not be recalled as well."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Around `ids`: threads share a client."""

    def id_of(self, role: str, text: str) -> str:
        """A new id, for what is said now."""
        with self.lock:
            if len(self.ids) >= MOST_KNOWN:
                self.ids.pop(next(iter(self.ids)))
            made = self.ids[hash((role, text))] = f"m-{uuid4().hex}"
        return made

    def ids_of(self, shown: Collection[int]) -> set[str]:
        """Those of the messages that are `shown`, by their hashes."""
        with self.lock:
            return {self.ids[key] for key in shown if key in self.ids}


@dataclass
class Turn:
    """One call: what is asked of the memory before it, and what is remembered after it."""

    whose: Whose
    given: Given
    began: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.whose.clock()
        self.given = {**self.given, "messages": list(cast("Iterable[object]", self.given.get("messages") or ()))}

    def question(self) -> RecallRequest | None:
        """What the user said last; None where nobody said anything. Raises ValidationError."""
        said = last_asked(self.given)
        if not said.strip():
            return None
        shown = {hash((role_of(one), words(at(one, "content")))) for one in messages_of(self.given)}
        told: dict[str, object] = {
            "user_id": self.whose.user,
            "agent_id": self.whose.agent,
            "name": self.whose.name,
            "query": said[-LONGEST_QUERY:],
            "token_budget": self.whose.token_budget,
            "exclude": self.whose.ids_of(shown) or None,
        }
        return RecallRequest.model_validate({name: value for name, value in told.items() if value is not None})

    def with_context(self, answer: RecallResponse) -> Given:
        """What the model is called with: with what is known, unless nothing of it is about the question."""
        known = introduced(answer.context, answer.relevance)
        return self.whose.provider.with_context(self.given, known) if known else self.given

    def said(self, reply: str) -> StoreRequest | None:
        """What is new in the call, and the answer; None where there are no words in either. Raises ValidationError."""
        messages = [
            MessageIn(id=self.whose.id_of(role, text), role=role, name=name, content=text, occurred_at=moment)
            for role, name, text, moment in (
                ("user", self.whose.name, newly_said(self.given), self.began),
                ("assistant", None, reply, self.whose.clock()),
            )
            if text.strip()
        ]
        if not messages:
            return None
        told = {"user_id": self.whose.user, "session_id": self.whose.session, "agent_id": self.whose.agent}
        known = {name: value for name, value in told.items() if value is not None}
        return StoreRequest.model_validate({**known, "messages": tuple(messages)})


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

        llm = remembering(OpenAI(), user="ana")
        llm.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "Where does my sister live?"}])

    `chat.completions.create` and `messages.create`, streamed or not, are given what the memory knows about the user's
    last message; that and the answer are remembered afterwards, in the conversation `session`, else in one of the
    client's own. Where the memory fails, that is logged, the call goes on without it, and what was said waits in the
    outbox. `memory`: a MemoryClient, or an AsyncMemoryClient for an asynchronous client; else one as MemoryClient()
    finds it, which waits for 5 s at most. `name`: of the user, where several speak as one.

    Raises ConfigurationError for a client of neither, and where no gateway is given, set or running.
    """
    provider = next((one for one in PROVIDERS if one.is_of(client)), None)
    if provider is None:
        raise ConfigurationError(
            "this is no client of OpenAI's or Anthropic's library",
            suggestions=("Give an OpenAI(), AsyncOpenAI(), Anthropic() or AsyncAnthropic().",),
        )
    whose = Whose(provider, user, session or f"c-{uuid4().hex}", agent, name, token_budget, system_clock)
    is_async = hasattr(client, "__aenter__")
    memory = memory or _memory(is_async=is_async)
    if isinstance(memory, SyncFace if is_async else AsyncFace):
        raise ConfigurationError(
            "the memory and the client of the model are not of one kind",
            suggestions=("Give an AsyncMemoryClient to an asynchronous client, and a MemoryClient to another.",),
        )
    mine = cast("Copied[ClientT]", client).copy()
    place = cast("Place", provider.place_of(mine))
    if is_async:
        place.create = _async_create(whose, cast("AsyncCreate", place.create), cast("AsyncMemory", memory))
    else:
        place.create = _create(whose, place.create, cast("Memory", memory))
    return mine


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
            return Heard(answer, whose.provider.piece, lambda reply: store(turn, reply))
        store(turn, whose.provider.reply(answer))
        return answer

    def store(turn: Turn, reply: str) -> None:
        try:
            if said := turn.said(reply):
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
            return AsyncHeard(answer, whose.provider.piece, lambda reply: store(turn, reply))
        await store(turn, whose.provider.reply(answer))
        return answer

    async def store(turn: Turn, reply: str) -> None:
        try:
            if said := turn.said(reply):
                await memory.remember(said)
        except Exception as error:  # noqa: BLE001 - as above
            _tell("remembered", error)

    return remembered


def _tell(what: str, error: Exception) -> None:
    why = error.code if isinstance(error, MemorySystemError) else type(error).__name__
    _log.warning("not %s, and the model is called all the same: %s", what, why)


def _memory(*, is_async: bool) -> Memory | AsyncMemory:
    from ragpp.client import AsyncMemoryClient, MemoryClient  # noqa: PLC0415 - which import this module

    url, key = gateway_of(None, None)
    kind = AsyncMemoryClient if is_async else MemoryClient
    return kind(url, key, timeout_s=PATIENCE_S, retries=0, outbox=outbox_folder(key))
