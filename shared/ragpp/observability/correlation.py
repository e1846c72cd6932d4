"""By what a request is known everywhere: its id, in the logs of whoever works for it, until what it caused is done."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import structlog

REQUEST: Final = "request_id"
REQUESTS: Final = "request_ids"
MOST_REQUESTS: Final = 5
"""So many are named where something is done for several at once."""


def current_request_id() -> str | None:
    """Of the request that the caller works for; None outside any, and where it works for several."""
    known: str | None = structlog.contextvars.get_contextvars().get(REQUEST)
    return known


@contextmanager
def working_for(request_ids: Sequence[str]) -> Iterator[None]:
    """What is logged inside names the one request, or the first of several. Without any nothing is named, whatever was
    before."""
    ids = list(dict.fromkeys(request_ids))
    if not ids:
        yield
    elif len(ids) == 1:
        with structlog.contextvars.bound_contextvars(**{REQUEST: ids[0]}):
            yield
    else:
        with structlog.contextvars.bound_contextvars(**{REQUESTS: ids[:MOST_REQUESTS]}):
            yield
