"""One conversation: what is said in it is remembered, and what matters for the next answer recalled.

with memory.conversation(user="ana", agent="chef") as talk:
    talk.user("What can I cook tonight?")
    prompt = talk.context()
    talk.assistant("A risotto, as you like it.")
"""

from datetime import datetime
from types import TracebackType
from typing import Self
from uuid import uuid4

from ragpp.api import RecallResponse, StoreResponse
from ragpp.client.calls import Flow
from ragpp.client.faces import AsyncRunner, Face, SyncRunner, advised
from ragpp.client.plain import message, question
from ragpp.client.route import composed
from ragpp.client.verbs import Verbs
from ragpp.errors import InvalidInput
from ragpp.models import DEFAULT_SESSION, Role


class _Talk(Face):
    """Whose conversation it is, and what was asked last in it."""

    user_id: str
    session_id: str
    agent_id: str | None
    name: str | None
    _asked: str | None = None

    def _begin(self, user: str, session: str | None, agent: str | None, name: str | None) -> None:
        with advised():
            message("-", user=user, session=session or DEFAULT_SESSION, agent=agent, name=name)
        self.user_id, self.agent_id, self.name = user, agent, name
        self.session_id = session or f"c-{uuid4().hex}"

    @composed
    def say(
        self, text: str, *, role: Role, name: str | None = None, occurred_at: datetime | None = None
    ) -> Flow[StoreResponse]:
        """Remember what somebody says.

            talk.say("sunny, 24 °C", role="tool", name="weather")

        Raises what `remember` does.
        """
        said = message(
            text,
            user=self.user_id,
            session=self.session_id,
            agent=self.agent_id,
            role=role,
            name=name,
            occurred_at=occurred_at,
        )
        return (yield from Verbs.remember.flow(self, said))

    @composed
    def user(self, text: str, *, occurred_at: datetime | None = None) -> Flow[StoreResponse]:
        """Remember what the user says; `context` is then about that. Raises what `remember` does."""
        self._asked = text
        return (yield from _Talk.say.flow(self, text, role="user", name=self.name, occurred_at=occurred_at))

    @composed
    def assistant(self, text: str, *, occurred_at: datetime | None = None) -> Flow[StoreResponse]:
        """Remember what the assistant answers. Raises what `remember` does."""
        return (yield from _Talk.say.flow(self, text, role="assistant", occurred_at=occurred_at))

    @composed
    def recall(self, query: str | None = None, *, token_budget: int | None = None) -> Flow[RecallResponse]:
        """The memory's answer to `query`, else to what the user said last; the conversation itself comes first.

        Raises what `MemoryClient.recall` does; InvalidInput when the user has said nothing yet.
        """
        about = query if query is not None else self._asked
        if about is None:
            raise InvalidInput("query: is missing, and the user has said nothing yet")
        asked = question(
            about,
            user=self.user_id,
            session=self.session_id,
            agent=self.agent_id,
            name=self.name,
            token_budget=token_budget,
        )
        return (yield from Verbs.recall.flow(self, asked))

    @composed
    def context(self, query: str | None = None, *, token_budget: int | None = None) -> Flow[str]:
        """The text for a model's prompt: that of `recall`. Raises what `recall` does."""
        answer = yield from _Talk.recall.flow(self, query, token_budget=token_budget)
        return answer.context


class Conversation(_Talk, SyncRunner):
    """A conversation of a MemoryClient. It has no end of its own: another with its `session_id` goes on with it."""

    def __init__(
        self, client: SyncRunner, user: str, *, session: str | None, agent: str | None, name: str | None
    ) -> None:
        self._http, self._caller = client._http, client._caller  # noqa: SLF001 - which it speaks by
        self._begin(user, session, agent, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class AsyncConversation(_Talk, AsyncRunner):
    """Conversation, of an AsyncMemoryClient."""

    def __init__(
        self, client: AsyncRunner, user: str, *, session: str | None, agent: str | None, name: str | None
    ) -> None:
        self._http, self._caller = client._http, client._caller  # noqa: SLF001 - which it speaks by
        self._begin(user, session, agent, name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
