"""The gateway from Python; it needs httpx and pydantic, and nothing of the servers.

    async with MemoryClient("http://127.0.0.1:8700", key) as memory:
        await memory.remember(user_id="u1", messages=({"content": "I moved to Porto."},))
        answer = await memory.recall(user_id="u1", query="Where do I live?")
        print(answer.context)

`SyncMemoryClient` is the same without `async` and `await`. Address and key, where not given, are those of RAGPP_URL
and RAGPP_API_KEY.

Bodies are the models of `ragpp.api`, or their fields by keyword; results are those and the values of `ragpp.models`. A
problem document is raised as the error that its code names (`ragpp.errors`), and a gateway that cannot be reached as
GatewayUnreachable.
"""

from ragpp.client.errors import GatewayUnreachable
from ragpp.client.faces import AsyncFace, SyncFace
from ragpp.client.verbs import Verbs

__all__ = ["GatewayUnreachable", "MemoryClient", "SyncMemoryClient"]


class MemoryClient(Verbs, AsyncFace):
    """The public API of one gateway under one key; one instance serves many tasks at once.

    `timeout_s`: longest wait for one answer. `retries`: how often a request is repeated that found no connection or
    a 503; the first repeat waits about `backoff_s`, each further one twice as long, or as long as the answer's
    Retry-After says. What a key asks too often is asked again as its Retry-After says, for a minute at most.
    Writes are repeated too: they carry an id, made here when absent, which makes that harmless.
    What counts or makes a version (`record_outcome`, `restore_…`, merge and split) is repeated only when it was
    never sent.

    Raises ConfigurationError when address or key is neither given nor set; from any method what the gateway answered
    as an error, InvalidInput for fields that make no request, and GatewayUnreachable.
    """


class SyncMemoryClient(Verbs, SyncFace):
    """MemoryClient for code without an event loop, with the same parameters and verbs; threads may share one.

    A call holds up the thread it is made in: in a coroutine it works, but nothing else of that loop goes on meanwhile.
    """
