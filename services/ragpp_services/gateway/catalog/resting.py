"""Resources that rest on interactions: their messages are, or become, interactions of the episodic tier."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import NAMESPACE_URL, uuid5

from ragpp.api import MessageIn, ResourceIn, ResourceMessageIn, StoreRequest
from ragpp.errors import Conflict, InvalidInput
from ragpp.models import DEFAULT_SESSION, Stored
from ragpp_services.gateway.anew import done_anew
from ragpp_services.gateway.catalog.owning import Place
from ragpp_services.gateway.forgetting import readable
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.remembering import keep


@dataclass(frozen=True)
class KeptResource:
    """The outcome of keeping a resource: with how many `redactions`, and with the `receipt` of its messages, where they
    are interactions now."""

    stored: Stored
    redactions: int
    receipt: str | None


async def kept(parts: Parts, where: Place, body: ResourceIn) -> KeptResource:
    """Keep a resource, which has an id. Where something of the user is forgotten meanwhile, on which it may rest, it is
    kept anew without that: its messages may be interactions by then, and the caller has done nothing wrong.

    Raises as `remembered`, `resting` and the catalog's `store`.
    """
    return await done_anew(lambda: _kept_once(parts, where, body))


async def _kept_once(parts: Parts, where: Place, body: ResourceIn) -> KeptResource:
    epoch = await parts.catalog.epoch(where.scope) if body.messages else None
    receipt: str | None = None
    if body.remember:
        body, receipt = await remembered(parts, where, body)
    where = await resting(parts, where, body.messages)
    entry = await parts.knowledge.resource(body, where.whose)
    (stored,) = await parts.catalog.store(where.scope, [entry], epoch)
    return KeptResource(stored, entry.redactions, receipt)


async def remembered(parts: Parts, where: Place, body: ResourceIn) -> tuple[ResourceIn, str]:
    """`body`, which has an id, with its messages as interactions, without those that were forgotten before; and the
    receipt. A message without an id gets one that a repeat of the request gives it again.

    Raises Conflict where all were forgotten, and as `keep`; InvalidInput for what is to be nobody's or everybody's.
    """
    _see_whose(where)
    whose = where.whose
    ids = [message.id or _id_of(body, index) for index, message in enumerate(body.messages)]
    said = StoreRequest(
        user_id=where.scope.user_id,
        session_id=body.session_id or DEFAULT_SESSION,
        agent_id=whose.agent_id,
        visibility="shared" if whose.seen_by is None else "agent",
        messages=tuple(
            MessageIn(
                id=identifier,
                role=message.role,
                name=message.name,
                content=message.content,
                occurred_at=message.occurred_at or body.occurred_at,
            )
            for identifier, message in zip(ids, body.messages, strict=True)
        ),
    )
    kept = await keep(parts, where.scope.in_session(said.session_id), said)
    left = tuple(
        message.model_copy(update={"id": identifier})
        for identifier, message, stored in zip(ids, body.messages, kept.stored, strict=True)
        if not stored.forgotten
    )
    if not left:
        raise Conflict("all of its messages were forgotten, and stay so")
    return body.model_copy(update={"messages": left, "session_id": said.session_id}), kept.receipt


async def resting(parts: Parts, where: Place, messages: Sequence[ResourceMessageIn]) -> Place:
    """`where` a resource of these messages may be kept: no more agents see it than see the interactions among them.

    Raises InvalidInput for ids of no interaction that is seen, for interactions of several agents, and for what is to
    be nobody's or everybody's; Conflict for other contents than the interactions have.
    """
    placed = [(message.id, index) for index, message in enumerate(messages) if message.id is not None]
    if not placed:
        return where
    _see_whose(where)
    known = {one.id: one for one in await readable(parts, where.scope, [*{identifier for identifier, _ in placed}])}
    unknown = [index for identifier, index in placed if identifier not in known]
    if unknown:
        reason = "is the id of no interaction of this user"
        raise InvalidInput(
            f"messages.{unknown[0]}.id {reason}",
            suggestions=("Send `remember`, which makes interactions of the messages, or leave their ids out.",),
            details={"errors": [{"field": f"messages.{index}.id", "reason": reason} for index in unknown[:50]]},
        )
    other = [
        index
        for identifier, index in placed
        if known[identifier].content != parts.intake.redacted(messages[index].content)
    ]
    if other:
        raise Conflict("an id is known with other content", details={"indexes": other})
    only = {one.seen_by for one in known.values() if one.seen_by is not None} | ({where.whose.seen_by} - {None})
    if len(only) > 1:
        raise InvalidInput.of_field("messages", "are of several agents, each of which alone may see its own")
    if not only:
        return where
    (agent,) = only
    return replace(where, whose=replace(where.whose, agent_id=where.whose.agent_id or agent, seen_by=agent))


def _id_of(body: ResourceIn, index: int) -> str:
    return f"m_{uuid5(NAMESPACE_URL, f'{body.id}#{index}').hex}"


def _see_whose(where: Place) -> None:
    if not where.scope.user_id:
        raise InvalidInput.of_field("user_id", "is missing or visibility is global, and interactions are one user's")
