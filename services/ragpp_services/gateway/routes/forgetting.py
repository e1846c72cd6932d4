"""Forgetting everything about a person, a thing, or something that was said."""

from ragpp.api import ForgetAnswer, ForgetRequest
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.forgetting import Outcome, confirmed, forget_messages, messages_about, would_go
from ragpp_services.gateway.http import GatewayParts, keyed_router
from ragpp_services.gateway.personal.holding import mask_texts
from ragpp_services.gateway.requester import Writer
from ragpp_services.gateway.stated import forget_stated

router = keyed_router("forgetting")


@router.post(
    "/v1/forget",
    summary="Find, and forget, what is about somebody or something",
    responses={409: refusal(409, "What was confirmed is not, or no longer, what is about it; `details.ids`.")},
)
async def forget_about(requester: Writer, parts: GatewayParts, body: ForgetRequest) -> ForgetAnswer:
    """Lists every message about it, each with why, by time, and what a person stated by hand about it. Nothing is
    changed unless the request carries `confirm`: with the ids to forget of messages, or with the `token` of the list,
    for all of it. These are forgotten as by `DELETE`, and what is left is listed. Needs the scopes `read` and `forget`;
    a key that is bound to an agent finds what that agent was told alone."""
    if requester.redactor is not None:  # what was masked is found by its mask
        body = body.model_copy(update={"about": mask_texts(body.about, requester.redactor, "about.")})
    requester.query_sha256 = parts.marks.of_query(body.about.entity or body.about.words or "")
    requester.scope("forget", body.user_id)
    scope = requester.scope("read", body.user_id)
    found = await messages_about(parts, scope, body.about, replies=body.replies)
    done: Outcome | None = None
    if body.confirm is not None:
        ids = await confirmed(parts, scope, found, body.confirm)
        stated = found.stated if body.confirm.token is not None else []
        marked = [one.id for one in stated]
        requester.deletes(parts.marks, scope, "interactions", marked, count=len(marked))
        await forget_stated(
            parts, scope, stated
        )  # first: a request that fails here has lost no message, and is repeated
        done = await forget_messages(parts, scope, ids, key_id=requester.principal.key_id)
        count = len(ids) if done.job is not None else done.forgotten
        requester.deletes(parts.marks, scope, "interactions", [*ids, *marked], count=count + len(marked), job=done.job)
        found.stated = [one for one in found.stated if one not in stated]
        if done.job is None:
            found.messages = [message for message in found.messages if message.id not in set(ids)]
    shown, following = found.page(body.cursor, body.limit)
    requester.tells((*(one.id for one in shown), *(one.id for one in found.stated)))
    requester.items = len(shown) if done is None else done.forgotten
    return ForgetAnswer(
        found=tuple(shown),
        total=len(found.messages),
        stated=tuple(found.stated),
        next_cursor=following,
        token=found.token,
        names=found.names,
        with_them=await would_go(parts, scope, found.ids),
        forgotten=done.forgotten if done is not None else None,
        tiers=done.tiers if done is not None else {},
        job=done.job if done is not None else None,
    )
