"""API keys, made, listed and revoked by a key with the scope `admin`, as far as its own bounds reach."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from fastapi import Query, Response

from ragpp.api import KeyIn, KeyInfo, KeyMade
from ragpp.errors import Conflict, Forbidden, NotFound
from ragpp.fields import Id
from ragpp.models import Page
from ragpp.stores.cursors import decode_cursor, page_of
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, keyed_router
from ragpp_services.gateway.identity import Principal, make_key, see_it_may_share
from ragpp_services.gateway.requester import Reader, Requester, Writer
from ragpp_services.gateway.store import KeyListing

router = keyed_router("keys")
ANOTHER_WAY: Final = "Whoever runs the stack makes keys with any scope: `ragpp key create --scopes …`."


@router.post(
    "/v1/keys",
    status_code=201,
    summary="Make a key",
    responses={409: refusal(409, "The tenant has as many valid keys as it may have.")},
)
async def create_key(requester: Writer, parts: GatewayParts, body: KeyIn, response: Response) -> KeyMade:
    """The answer has the key itself, this once: what is stored is its hash. It is of the tenant of the key that makes
    it, which needs the scope `admin`, has itself every scope that it gives, and is bound to no other user or agent. A
    key that expires makes none that expires later. Repeating the request makes another key."""
    asking = _administrator(requester)
    user_id, agent_id = body.user_id or asking.user_id, body.agent_id or asking.agent_id
    requester.user_id, requester.agent_id = user_id, agent_id
    _stay_within(asking, body, user_id, agent_id)
    see_it_may_share(body.scopes, agent_id, body.visibility)
    new = make_key(
        asking.tenant_id, frozenset(body.scopes), user_id=user_id, agent_id=agent_id, visibility=body.visibility
    )
    until = None if body.days is None else parts.clock() + timedelta(days=body.days)
    made = await parts.keys.create_key_for(asking.key_id, new.row, new.prefix, until, most=parts.tenant_keys)
    if made is None:
        raise Forbidden("this key was changed or revoked meanwhile, and may not make this key any more")
    requester.items, requester.details = 1, {"key": made.key_id, "scopes": list(made.scopes)}
    response.headers["cache-control"] = "no-store"
    return KeyMade(**vars(_told(made, parts.clock())), key=new.text)


@router.get("/v1/keys", summary="List keys")
async def list_keys(requester: Reader, parts: GatewayParts, cursor: Cursor = None, limit: Limit = 50) -> Page[KeyInfo]:
    """Oldest first, those that expired or were revoked included, and never a secret. A key sees those of its tenant, or
    of the user and agent that it is bound to. Needs the scope `admin`."""
    asking, now = _administrator(requester), parts.clock()
    after = (None, None) if cursor is None else decode_cursor(cursor, datetime, str)
    found = await parts.keys.list_keys_for(asking.key_id, after, limit + 1)
    requester.items = min(len(found), limit)
    keys = [_told(one, now) for one in found]
    return page_of(Page[KeyInfo], keys, limit, lambda one: (one.created_at, one.key_id))


@router.delete(
    "/v1/keys/{key_id:id}",
    summary="Revoke a key",
    responses={409: refusal(409, "It is the last key that could make one like it, and `last` is not true.")},
)
async def revoke_key(
    requester: Writer,
    parts: GatewayParts,
    key_id: Id,
    last: Annotated[
        bool, Query(description="True also revokes the last valid key with the scope `admin` that has these scopes.")
    ] = False,
) -> KeyInfo:
    """Within five seconds no request with it is answered; a key may revoke itself. Harmless to repeat. Needs the scope
    `admin`, and sees the keys that the list shows."""
    asking = _administrator(requester)
    found = await parts.keys.revoke_key_for(asking.key_id, key_id, even_last=last)
    if found is None:
        raise NotFound("there is no key of that id", suggestions=("List those that there are: GET /v1/keys.",))
    if found.revoked_at is None:
        raise Conflict(
            "this is the last valid key with the scope `admin` that has its scopes: without it nobody could make such "
            "a key over HTTP again",
            suggestions=(
                "Make another with the same scopes first: POST /v1/keys.",
                "Send `last=true` where it is meant; `ragpp key create` still makes keys beside the stack.",
            ),
        )
    requester.items, requester.details = 1, {"key": key_id}
    return _told(found, parts.clock())


def _administrator(requester: Requester) -> Principal:
    requester.principal.need("admin", suggestions=(ANOTHER_WAY,))
    return requester.principal


def _stay_within(asking: Principal, body: KeyIn, user_id: str | None, agent_id: str | None) -> None:
    """Raises Forbidden for a key that could do more than the one that asks for it."""
    beyond = sorted(set(body.scopes) - asking.scopes)
    if beyond:
        raise Forbidden(
            f"this key lacks the scope `{beyond[0]}`, and gives none that it has not",
            suggestions=(
                f"Leave it out of `scopes`; this key has {', '.join(sorted(asking.scopes))}.",
                ANOTHER_WAY,
            ),
        )
    for what, own, wanted in (("user", asking.user_id, user_id), ("agent", asking.agent_id, agent_id)):
        if own not in (None, wanted):
            raise Forbidden(
                f"this key is bound to another {what}, and so is every key that it makes",
                suggestions=(f"Leave `{what}_id` out: the new key is bound as this one is.",),
            )


def _told(key: KeyListing, now: datetime) -> KeyInfo:
    return KeyInfo(
        key_id=key.key_id,
        scopes=key.scopes,
        user_id=key.user_id,
        agent_id=key.agent_id,
        visibility=key.visibility,
        created_at=key.created_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        state=key.state_at(now),
    )
