"""Recalls with fields that a gateway of another version may not know, so that one script measures both."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

from pydantic import TypeAdapter
from rich.console import Console

from ragpp.api import RecallRequest
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput

DEADLINE_MS: Final = 5_000
Field = Literal["fill", "name"]
Way = Literal["default", "fill"]
"""How a context is filled: as the gateway chooses, or with all that fits the budget."""
WAYS: Final[Mapping[Way, bool | None]] = {"default": None, "fill": True}
_PROBES: Final[Mapping[Field, bool | str]] = {"fill": True, "name": "Ada"}
_REFUSED: Final = TypeAdapter(list[dict[str, str]])


class Query(RecallRequest):
    """A recall. `fill`: lines until the budget is full. `name`: who asks."""

    fill: bool = False
    name: str | None = None


def query(
    user: str,
    text: str,
    *,
    way: Way,
    limit: int,
    token_budget: int,
    name: str | None = None,
    session_id: str | None = None,
    as_of: datetime | None = None,
) -> Query:
    """The recall of `text`; what is not wanted is left out, so that a gateway takes it which does not know it."""
    fields = {
        "user_id": user,
        "query": text,
        "fill": WAYS[way],
        "limit": limit,
        "token_budget": token_budget,
        "deadline_ms": DEADLINE_MS,
        "name": name,
        "session_id": session_id,
        "as_of": as_of,
    }
    return Query.model_validate({field: value for field, value in fields.items() if value is not None})


async def knows(client: AsyncMemoryClient, field: Field) -> bool:
    """True where the gateway's recalls have that field."""
    try:
        await client.recall(Query.model_validate({"user_id": "nobody", "query": "?", field: _PROBES[field]}))
    except InvalidInput as error:
        if field in {one.get("field") for one in _REFUSED.validate_python(error.details.get("errors", []))}:
            return False
        raise
    return True


async def ways_of(client: AsyncMemoryClient, console: Console) -> Sequence[Way]:
    """The ways in which this gateway can be asked; prints where there is one alone."""
    if await knows(client, "fill"):
        return ("default", "fill")
    console.print("this gateway's recalls have no `fill`: its contexts are what it shows by default")
    return ("default",)
