"""All that is stored of a user, looked at in parts, one kind of thing after the other."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ragpp.api.redacting import RedactedThing
from ragpp.ledger.views import each_view
from ragpp.models import Scope
from ragpp.redaction import Redactor
from ragpp.stores.cursors import decode_cursor, encode_cursor
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.redacting.seeking import Search

MOST_LOOKED_AT: Final = 1_000
"""Things that one request looks at while it finds nothing: some tenths of a second."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """One request's: whose memory, what is sought, whether it is replaced, and how many things are read at a time."""

    parts: Parts
    scope: Scope
    redactor: Redactor
    of_policy: bool
    applies: bool
    limit: int

    def search(self) -> Search:
        """A search of another thing."""
        return Search(self.redactor, of_policy=self.of_policy)


@dataclass
class Step:
    """Some things of a kind that were looked at: those that were found, how many there were, and the cursor behind
    them, None behind the last."""

    found: list[RedactedThing] = field(default_factory=list)
    looked_at: int = 0
    following: str | None = None


Steps = Mapping[str, Callable[[Walk, str | None], Awaitable[Step]]]


async def in_each_view(
    walk: Walk, cursor: str | None, look: Callable[[Walk, Scope, str | None], Awaitable[Step]]
) -> Step:
    """A step in the whole memory or in one of its views, which are looked at one after the other. `look`: one in a
    view, from the cursor of its own list on."""
    views = each_view(walk.scope, sorted(await walk.parts.views.of(walk.scope)))
    number, inner = (0, "") if cursor is None else decode_cursor(cursor, int, str)
    if not 0 <= number < len(views):
        return Step()
    step = await look(walk, views[number], inner or None)
    if step.following is not None:
        step.following = encode_cursor(number, step.following)
    elif number + 1 < len(views):
        step.following = encode_cursor(number + 1, "")
    return step


async def walked(walk: Walk, steps: Steps, cursor: str | None) -> Step:
    """Steps from `cursor` on until something was found, or MOST_LOOKED_AT things were looked at; its `following` is the
    cursor of a request. Raises InvalidInput for a cursor of none, and what the steps raise."""
    names = list(steps)
    name, inner = (names[0], "") if cursor is None else decode_cursor(cursor, str, str)
    at = names.index(name) if name in steps else len(names)
    done = Step()
    while at < len(names) and not done.found and done.looked_at < MOST_LOOKED_AT:
        step = await steps[names[at]](walk, inner or None)
        done.found += step.found
        done.looked_at += step.looked_at
        inner = step.following or ""
        at += not inner
    done.following = encode_cursor(names[at], inner) if at < len(names) else None
    return done
