"""Questions of an administrator, with a key that has the scope `admin`: of the embedded stack, the folder's own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ragpp.client import AsyncMemoryClient
from ragpp.errors import Unauthenticated
from ragpp_infra.embedded.home import Home, NotRunning
from ragpp_infra.embedded.keys import admin_key
from ragpp_infra.embedded.lifecycle import Lifecycle

ResultT = TypeVar("ResultT")


def is_own(home: Home, url: str | None) -> bool:
    """True where it is the embedded stack that is asked. Raises NotRunning where there is none."""
    if url is not None and not home.is_at(url):
        return False
    if not home.is_initialised():
        raise NotRunning(f"there is no embedded stack in {home.path}")
    return True


def as_administrator(
    lifecycle: Lifecycle,
    url: str | None,
    key: str | None,
    ask: Callable[[AsyncMemoryClient], Awaitable[ResultT]],
    *,
    timeout_s: float = 60.0,
) -> ResultT:
    """The answer of `ask`. With `key`, unless it is the embedded stack that is asked, and no other key than its own was
    named: then with the one that the folder has for it. Raises what the client raises; StackError when that key cannot
    be made."""
    home = lifecycle.home

    async def asked(with_key: str | None) -> ResultT:
        async with home.client(url, with_key, timeout_s=timeout_s) as client:
            return await ask(client)

    # the folder's key is in the environment of who says `ragpp env`
    if not is_own(home, url) or key not in {None, home.key()}:
        return asyncio.run(asked(key))
    try:
        return asyncio.run(asked(admin_key(home, lifecycle.stack.endpoints())))
    except Unauthenticated:  # it was revoked
        return asyncio.run(asked(admin_key(home, lifecycle.stack.endpoints(), anew=True)))
