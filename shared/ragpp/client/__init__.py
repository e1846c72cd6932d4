"""The gateway from Python; it needs httpx and pydantic, and nothing of the servers.

    from ragpp import MemoryClient

    with MemoryClient() as memory:
        memory.remember("My sister Elena moved to Porto.", user="ana")
        print(memory.recall("Where does my sister live?", user="ana").context)

`AsyncMemoryClient` is the same with `async with` and `await`. Address and key, where not given, are those of RAGPP_URL
and RAGPP_API_KEY, else of the stack that `ragpp up` started in RAGPP_HOME or in `.ragpp`.

Bodies are the models of `ragpp.api`, or their fields by keyword; results are those and the values of `ragpp.models`. A
problem document is raised as the error that its code names (`ragpp.errors`), and a gateway that cannot be reached as
GatewayUnreachable.
"""

import warnings
from typing import TYPE_CHECKING

from ragpp.client.arguments import told_by_name
from ragpp.client.conversation import AsyncConversation, Conversation
from ragpp.client.faces import AsyncFace, SyncFace
from ragpp.client.verbs import Verbs
from ragpp.client.wrapper import remembering
from ragpp.errors import GatewayUnreachable, TextTooLong

__all__ = ["AsyncMemoryClient", "GatewayUnreachable", "MemoryClient", "TextTooLong", "remembering"]


class MemoryClient(Verbs, SyncFace):
    """The public API of one gateway under one key; threads may share an instance.

        from ragpp import MemoryClient

        with MemoryClient() as memory:
            memory.remember("My sister Elena moved to Porto.", user="ana")
            print(memory.recall("Where does my sister live?", user="ana").context)

    `base_url`, `api_key`: else those of RAGPP_URL and RAGPP_API_KEY, else of the stack that `ragpp up` started in
    RAGPP_HOME or in `.ragpp`. `timeout_s`: longest wait for one answer. `retries`: how often a request is repeated that
    found no connection or a 503; the first repeat waits about `backoff_s`, each further one twice as long, or as long
    as the answer's Retry-After says. What a key asks too often is asked again as its Retry-After says, for a minute at
    most. Writes are repeated too: they carry an id, made here when absent, which makes that harmless.
    What counts or makes a version (`record_outcome`, `restore_…`, merge and split) is repeated only when it was
    never sent. `outbox`: a folder for messages that cannot be stored now, of this gateway alone; the next call delivers
    them.

    Where a method takes `user_id`, `session_id` or `agent_id` by name, `user`, `session` or `agent` will do.

    Raises ConfigurationError when no gateway is given, set or running; from any method what the gateway answered
    as an error, InvalidInput for fields that make no request, ClientClosed, and GatewayUnreachable.

    A call holds up the thread it is made in: in a coroutine it works, but nothing else of that loop goes on meanwhile.
    """

    @told_by_name
    def conversation(
        self, *, user: str, session: str | None = None, agent: str | None = None, name: str | None = None
    ) -> Conversation:
        """A conversation: what its two sides say is remembered, and what matters for the next answer is recalled.

            from ragpp import MemoryClient

            with MemoryClient() as memory, memory.conversation(user="ana", agent="chef") as talk:
                talk.user("What can I cook tonight?")
                prompt = talk.context()
                talk.assistant("A risotto, as you like it.")

        `user`: id of the user whose memory it is, 1 to 256 characters.
        `session`: id of the conversation that goes on, 1 to 256 characters; else of a new one, in its `session_id`.
        `agent`: id of the agent that answers, 1 to 256 characters; else the one of the key, or none.
        `name`: of the user, 1 to 200 characters, where several speak as one; else none.

        `user`, `assistant` and `say` of it store what is said, `context` and `recall` ask. It is learned from that in
        the background, some seconds later; what was said in the conversation itself is known at once.

        Raises InvalidInput for an argument that is none; its methods raise what `remember` and `recall` do.
        """
        return Conversation(self, user, session=session, agent=agent, name=name)


class AsyncMemoryClient(Verbs, AsyncFace):
    """MemoryClient for code with an event loop, with the same parameters and methods; one serves many tasks at once.

        from ragpp import AsyncMemoryClient

        async with AsyncMemoryClient() as memory:
            await memory.remember("My sister Elena moved to Porto.", user="ana")
            answer = await memory.recall("Where does my sister live?", user="ana")

    Raises what MemoryClient does.
    """

    @told_by_name
    def conversation(
        self, *, user: str, session: str | None = None, agent: str | None = None, name: str | None = None
    ) -> AsyncConversation:
        """A conversation: what its two sides say is remembered, and what matters for the next answer is recalled.

            from ragpp import AsyncMemoryClient

            async with AsyncMemoryClient() as memory, memory.conversation(user="ana", agent="chef") as talk:
                await talk.user("What can I cook tonight?")
                prompt = await talk.context()
                await talk.assistant("A risotto, as you like it.")

        `user`: id of the user whose memory it is, 1 to 256 characters.
        `session`: id of the conversation that goes on, 1 to 256 characters; else of a new one, in its `session_id`.
        `agent`: id of the agent that answers, 1 to 256 characters; else the one of the key, or none.
        `name`: of the user, 1 to 200 characters, where several speak as one; else none.

        `user`, `assistant` and `say` of it store what is said, `context` and `recall` ask. It is learned from that in
        the background, some seconds later; what was said in the conversation itself is known at once.

        Raises InvalidInput for an argument that is none; its methods raise what `remember` and `recall` do.
        """
        return AsyncConversation(self, user, session=session, agent=agent, name=name)


if TYPE_CHECKING:
    SyncMemoryClient = MemoryClient
else:

    def __getattr__(name: str) -> object:
        if name == "SyncMemoryClient":
            warnings.warn("SyncMemoryClient is called MemoryClient now", DeprecationWarning, stacklevel=2)
            return MemoryClient
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
