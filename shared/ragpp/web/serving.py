"""An application served by a process of its own, which does little beside answering."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from ragpp.aside import answer_promptly

YOUNG: Final = 20_000
"""Objects made since the garbage collector looked last. With Python's 700 it looks some 90 times a second while
recalls are answered, at what they hold just then."""


def serve(app: FastAPI, *, host: str, port: int, graceful_s: int | None = None) -> None:
    """Serve until stopped; `graceful_s`: seconds that requests under way are waited for at the end, None: for ever.

    Once it has started, the garbage collector no longer looks at what is there, most of it for good: models, a hundred
    routes, compiled expressions. Each such look takes a tenth of a second, in which nobody is answered.
    """
    opened = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(served: FastAPI) -> AsyncIterator[Any]:
        async with opened(served) as state:
            gc.collect()
            gc.freeze()
            gc.set_threshold(YOUNG)
            yield state

    app.router.lifespan_context = lifespan
    answer_promptly()
    uvicorn.run(app, host=host, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=graceful_s)
