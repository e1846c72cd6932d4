"""Forgetting messages: what is about somebody or something, what would go with it, and the one way by which it goes."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from ragpp.api import AboutIn, ConfirmIn, FoundMessage, StatedAbout, TierStatusName, Why
from ragpp.clock import to_moment
from ragpp.errors import Conflict, MemorySystemError, TierUnavailable
from ragpp.fields import joined
from ragpp.learned import Finding
from ragpp.ledger.erasing import Erasure
from ragpp.models import (
    Entity,
    Filters,
    Interaction,
    Page,
    Preference,
    Relationship,
    Rule,
    Scope,
    TierName,
)
from ragpp.paging import PAGE, pages
from ragpp.stores.cursors import decode_cursor, encode_cursor
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.stated import stated_about

FORGET_S: Final = 10.0
"""Longest that a deletion waits for each tier; the ledger repeats it where that was not enough."""
BATCH: Final = 200
"""Messages that are forgotten in one go."""
AT_ONCE: Final = 1_000
"""Messages that a request waits for; of more a job is made."""
READ: Final = 1_000
MOST_LEARNED: Final = 5_000
"""Items of each list that are looked through for what would go as well."""
EXCERPT_CHARS: Final = 200


RestingT = TypeVar("RestingT", Entity, Relationship, Preference, Rule, Finding)


@dataclass
class Found:
    """The messages about something, by time, each with why; what was `stated` of it by hand; what it is called; and
    what was asked by whom."""

    messages: list[Interaction] = field(default_factory=list)
    why: dict[str, list[Why]] = field(default_factory=dict)
    stated: list[StatedAbout] = field(default_factory=list)
    names: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def ids(self) -> list[str]:
        return [message.id for message in self.messages]

    @property
    def token(self) -> str:
        """Stands for exactly these messages and statements, as the answer to what was asked."""
        ids = [*self.ids, *(one.id for one in self.stated)]
        return hashlib.sha256(joined(joined(*self.asked), *sorted(ids)).encode()).hexdigest()[:32]

    def page(self, cursor: str | None, limit: int) -> tuple[list[FoundMessage], str | None]:
        """The messages after the position of `cursor`, and the cursor behind them. Raises InvalidInput."""
        after = decode_cursor(cursor, int, str) if cursor is not None else None
        left = [one for one in self.messages if after is None or _position(one) > after]
        shown = left[:limit]
        following = encode_cursor(*_position(shown[-1])) if len(left) > limit else None
        return [_shown(one, self.why[one.id]) for one in shown], following


async def messages_about(parts: Parts, scope: Scope, about: AboutIn, *, replies: bool) -> Found:
    """Every message of the user, with that agent where the scope has one, that is about a person or thing or has words.

    An entity: what the graph knows it from, by every name that it has, and what names it. With `replies` those, too,
    that repeat any of these. Raises TierUnavailable.
    """
    filters = Filters(agent_id=scope.view)
    why: dict[str, list[Why]] = {}
    names: tuple[str, ...] = ()
    if about.entity is not None:
        known = await parts.semantic.known_as(scope, about.entity)
        names = _calling(known.names, about.entity) or (about.entity,)
        _note(why, known.sources, "mention")
        _note(why, await parts.episodic.naming(scope, names, filters), "name")
    else:
        _note(why, await parts.episodic.containing(scope, about.words or "", filters), "words")
    if replies and why:
        direct = [one.id for one in await _own(parts, scope, why)]
        for start in range(0, len(direct), READ):
            _note(why, await parts.episodic.repeated_by(scope, direct[start : start + READ]), "repeats")
    messages = await _own(parts, scope, why)
    asked = (scope.tenant_id, scope.user_id, about.entity or "", about.words or "")
    stated = await stated_about(parts, scope, about, names)
    return Found(sorted(messages, key=_position), why, stated, names, asked)


def _calling(names: Sequence[str], asked: str) -> tuple[str, ...]:
    """The names of an entity by which somebody who says them means it. One that ends in a common word, as "Ana's
    brother" or "sister", is said of others, too; it counts where there is nothing else, or where it is what is asked
    for."""
    proper = tuple(name for name in names if name.casefold() == asked.casefold() or not name.split()[-1][:1].islower())
    return proper or tuple(names)


async def would_go(parts: Parts, scope: Scope, ids: Collection[str]) -> dict[str, int]:
    """How much that was learned rests on these messages alone, or as rules, patterns and items do on any of them, by
    kind; as far as the first MOST_LEARNED of each list and the sources that are kept with an item tell.

    Raises TierUnavailable."""
    gone = set(ids)
    graph, procedures = parts.semantic, parts.procedural
    held, *counts = await asyncio.gather(
        parts.catalog.holdings(scope, list(ids)),
        _going(lambda cursor: graph.list_entities(scope, None, cursor, PAGE), gone),
        _going(lambda cursor: graph.list_relationships(scope, None, None, cursor, PAGE, "all"), gone),
        _going(lambda cursor: procedures.list_preferences(scope, None, cursor, PAGE), gone),
        _going(lambda cursor: procedures.list_rules(scope, None, cursor, PAGE), gone),
        _going(lambda cursor: procedures.list_findings(scope, None, None, cursor, PAGE), gone),
    )
    kinds = ("entities", "relationships", "preferences", "rules", "findings")
    return dict(zip(kinds, counts, strict=True)) | {"items": held.get("items", 0)}


async def confirmed(parts: Parts, scope: Scope, found: Found, confirm: ConfirmIn) -> list[str]:
    """The ids to forget of what was found: all of them for its token, else those that are given; ids of nothing are
    left out. Raises Conflict for a token of other messages, and for ids of messages that are about something else."""
    ids = confirm.ids
    if ids is None:
        if confirm.token != found.token:
            raise Conflict(
                "what there is about it has changed since it was listed",
                suggestions=("List it again, and confirm with the new token.",),
            )
        return found.ids
    about = set(found.ids)
    others = [one.id for one in await _own(parts, scope, dict.fromkeys(set(ids) - about))]
    if others:
        raise Conflict(
            f"{len(others)} of {len(ids)} messages are not about it",
            suggestions=("Confirm ids that were listed; forget others with DELETE /v1/interactions/{id}.",),
            details={"ids": list(sorted(others)[:100])},
        )
    return [identifier for identifier in found.ids if identifier in set(ids)]


@dataclass
class Outcome:
    """The outcome of a forgetting: how many messages there were, and how each tier did; or the job that does it."""

    forgotten: int = 0
    tiers: dict[TierName, TierStatusName] = field(default_factory=dict)
    job: str | None = None


async def forget_messages(parts: Parts, scope: Scope, ids: Sequence[str], *, key_id: str | None = None) -> Outcome:
    """Forget these messages and what rests on any of them, in every tier: at once, or of more than AT_ONCE as a job,
    whose report the key of `key_id` may read.

    The one way by which messages go on request. A tier that is not `ok` is cleaned by the workers, for whom each
    message that went is a work in the ledger that is never given up. Raises TierUnavailable while nothing, or not all,
    is forgotten: repeating it is safe.
    """
    if len(ids) > AT_ONCE:
        erasure = Erasure("interactions", ids=tuple(ids), agent_id=scope.view, key_id=key_id)
        return Outcome(job=(await parts.jobs.erase(scope, erasure)).id)
    forgotten = 0
    tiers: dict[TierName, TierStatusName] = {"episodic": "ok"}
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        count = await parts.episodic.forget(scope, batch)
        if not count:
            continue
        forgotten += count
        for tier, outcome in (await withdraw_messages(parts, scope, batch)).items():
            if tiers.get(tier, "ok") == "ok":
                tiers[tier] = outcome
    return Outcome(forgotten, tiers)


async def withdraw_messages(parts: Parts, scope: Scope, ids: Sequence[str]) -> dict[TierName, TierStatusName]:
    """Take messages that the episodic tier has forgotten out of the others, as far as each answers within FORGET_S; how
    each did."""
    if not ids:
        return {}
    calls: dict[TierName, Awaitable[object]] = {
        "short_term": parts.short_term.forget(scope, ids),
        "semantic": parts.semantic.forget_sources(scope, ids),
        "procedural": parts.procedural.forget_sources(scope, ids),
        "catalog": parts.catalog.forget_sources(scope.seen_by(None), ids),  # whoever sees it
    }
    outcomes = await asyncio.gather(*(attempt(call, timeout_s=FORGET_S) for call in calls.values()))
    return dict(zip(calls, outcomes, strict=True))


async def attempt(call: Awaitable[object], *, timeout_s: float) -> TierStatusName:
    """The outcome of a best-effort call, as a tier's status; after `timeout_s` it is given up."""
    try:
        async with asyncio.timeout(timeout_s):
            await call
    except TimeoutError:
        return "timeout"
    except TierUnavailable:
        return "unavailable"
    except MemorySystemError:
        return "error"
    return "ok"


async def readable(parts: Parts, scope: Scope, ids: Collection[str]) -> list[Interaction]:
    """Those of `ids` that are there, in the scope's view. Raises TierUnavailable."""
    wanted = list(ids)
    found: list[Interaction] = []
    for start in range(0, len(wanted), READ):
        found += await parts.episodic.get(scope, wanted[start : start + READ])
    return found


async def _own(parts: Parts, scope: Scope, ids: Collection[str]) -> list[Interaction]:
    """Those of `ids` that are there, and may be changed in the scope's view."""
    return [one for one in await readable(parts, scope, ids) if said_to(scope, one)]


def said_to(scope: Scope, message: Interaction) -> bool:
    """True where the scope's view may change the message: it was said to that agent, or the view is of all."""
    return scope.view in {None, message.agent_id}


async def _going(page: Callable[[str | None], Awaitable[Page[RestingT]]], gone: set[str]) -> int:
    return sum([_goes(item, gone) async for item in pages(page, most=MOST_LEARNED)])


def _goes(item: Entity | Relationship | Preference | Rule | Finding, gone: set[str]) -> bool:
    if isinstance(item, Rule) or (isinstance(item, Finding) and item.finding == "pattern"):
        return not gone.isdisjoint(item.sources)
    return bool(item.sources) and gone.issuperset(item.sources)


def _note(why: dict[str, list[Why]], ids: Collection[str], reason: Why) -> None:
    for identifier in ids:
        why.setdefault(identifier, []).append(reason)


def _position(message: Interaction) -> tuple[int, str]:
    return to_moment(message.occurred_at), message.id


def _shown(message: Interaction, why: Sequence[Why]) -> FoundMessage:
    text = " ".join(message.content[: 2 * EXCERPT_CHARS].split())
    return FoundMessage(
        id=message.id,
        session_id=message.session_id,
        occurred_at=message.occurred_at,
        role=message.role,
        name=message.name,
        excerpt=text[: EXCERPT_CHARS - 1] + "…" if len(text) > EXCERPT_CHARS else text,
        why=tuple(why),
    )
