"""By what a request is known everywhere: its id, in the logs of whoever works for it, until what it caused is done."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import structlog

REQUEST: Final = "request_id"
REQUESTS: Final = "request_ids"
MOST_REQUESTS: Final = 5
"""So many are named where something is done for several at once."""


def current_request_id() -> str | None:
    """The id of the request that the caller works for; None outside any, and where it works for several."""
    known: str | None = structlog.contextvars.get_contextvars().get(REQUEST)
    return known


@contextmanager
def working_for(request_ids: Sequence[str]) -> Iterator[None]:
    """Have what is logged inside name the one request, or the first of several. Without any nothing is named, whatever
    was before."""
    ids = list(dict.fromkeys(request_ids))
    named: dict[str, object] = {}
    if len(ids) == 1:
        named = {REQUEST: ids[0]}
    elif ids:
        named = {REQUESTS: ids[:MOST_REQUESTS]}
    before = {name: one for name, one in structlog.contextvars.get_contextvars().items() if name in {REQUEST, REQUESTS}}
    _name(named)
    try:
        yield
    finally:
        _name(before)


def _name(named: Mapping[str, object]) -> None:
    structlog.contextvars.unbind_contextvars(REQUEST, REQUESTS)
    structlog.contextvars.bind_contextvars(**named)
