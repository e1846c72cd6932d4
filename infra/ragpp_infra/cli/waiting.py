"""The things that wait for a person's verdict, each kind in one shape, with ids that can be typed."""

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Final, Literal

from pydantic import JsonValue

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, NotFound
from ragpp.learned import ReviewList
from ragpp.models import Value
from ragpp.preference_values import shown

QUOTED_CHARS: Final = 200
LEAST_CHARS: Final = 6
_GENERATED: Final = re.compile(r"((?:[a-z]+-)?)[0-9a-f]{16,}")


class Waiting(Value):
    """One thing to judge. `text`: what it says; `value`: of a preference; `quotes`: what was said of it."""

    id: str
    kind: Literal["relationship", "preference", "rule"]
    text: str
    value: JsonValue = None
    confidence: float | None = None
    quotes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def waiting_of(review: ReviewList) -> list[Waiting]:
    """All of `review`, in its order."""
    relationships = [
        Waiting(
            id=one.id,
            kind="relationship",
            text=f"{one.source} {one.type} {one.target}",
            confidence=one.confidence,
            quotes=(_line(one.context),) if one.context else (),
            sources=one.sources,
        )
        for one in review.relationships
    ]
    preferences = [
        Waiting(
            id=one.id,
            kind="preference",
            text=f"{one.key}: {_line(shown(one.value))} ({one.category})",
            value=one.value,
            confidence=one.confidence,
            sources=one.sources,
        )
        for one in review.preferences
    ]
    rules = [
        Waiting(
            id=one.rule.id,
            kind="rule",
            text=_line(one.rule.text),
            quotes=tuple(_line(quote.text) for quote in one.quotes),
            sources=one.rule.sources,
        )
        for one in review.rules
    ]
    return [*relationships, *preferences, *rules]


async def quoted(client: AsyncMemoryClient, user_id: str, waiting: Sequence[Waiting]) -> list[Waiting]:
    """`waiting`, where there is no quote the latest message that it rests on."""

    async def one_quoted(one: Waiting) -> Waiting:
        if one.quotes or not one.sources:
            return one
        try:
            said = await client.interaction(user_id, one.sources[0])
        except NotFound:  # a message that is being forgotten
            return one
        return one.model_copy(update={"quotes": (_line(said.content),)})

    return list(await asyncio.gather(*map(one_quoted, waiting)))


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """For each of `ids` the shortest beginning that no other has, of LEAST_CHARS characters behind a kind's name or
    more; an id that a person may have chosen stays whole."""
    ordered = sorted(set(ids))
    shared = [0, *(_shared(*pair) for pair in pairwise(ordered)), 0]  # with the one before, and the next
    short = {}
    for place, one in enumerate(ordered):
        match = _GENERATED.fullmatch(one)
        least = len(match[1]) + LEAST_CHARS if match else len(one)
        short[one] = one[: max(least, shared[place] + 1, shared[place + 1] + 1)]
    return short


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def chosen(waiting: Sequence[Waiting], given: str) -> Waiting:
    """The one whose id is `given`, or alone begins so. Raises NotFound, InvalidInput where several do."""
    found = [one for one in waiting if one.id == given] or [one for one in waiting if one.id.startswith(given)]
    if not found:
        hint = ("See `ragpp review`; what is sure, or was judged, is in `ragpp inspect`.",)
        raise NotFound(f"nothing that waits for review has an id that begins with {given!r}", suggestions=hint)
    if len(found) > 1:
        ids = ", ".join(one.id for one in found[:5])
        raise InvalidInput(f"several ids begin with {given!r}: {ids}", suggestions=("Give more of the id.",))
    return found[0]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTED_CHARS else f"{line[: QUOTED_CHARS - 1]}…"
